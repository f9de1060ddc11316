import type { Reply } from '../../contract/call-request.ts';
import type { AdminContext } from './context.ts';
import { openApp } from './open-app.ts';
import { json } from './router.ts';

/** GET /apps/:ref/probe: the run under way and the last report (contract/probe.ts). */
export async function showProbe(context: AdminContext, ref: string): Promise<Reply> {
  const app = await openApp(context, ref);
  return json(await context.probes.state(app));
}

/** POST /apps/:ref/probe: starts a run where none is under way, and answers at once. */
export async function startProbe(context: AdminContext, ref: string): Promise<Reply> {
  const app = await openApp(context, ref);
  return json(await context.probes.start(app), 202);
}
