import type { Reply } from '../../../contract/call-request.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json } from '../router.ts';

/** Handles GET /apps/:ref/probe: returns the current run and the last report (contract/probe.ts). */
export async function showProbe(context: AdminContext, ref: string): Promise<Reply> {
  const app = await openApp(context, ref);
  return json(await context.probes.state(app));
}

/** Handles POST /apps/:ref/probe: starts a run if none is running, and responds at once. */
export async function startProbe(context: AdminContext, ref: string): Promise<Reply> {
  const app = await openApp(context, ref);
  return json(await context.probes.start(app), 202);
}
