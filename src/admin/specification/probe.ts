import { type AdminCall, adminCall } from '../call.ts';
import { openApp } from '../open-app.ts';
import { json } from '../reply.ts';

const showProbe = adminCall({
  route: 'GET /apps/:ref/probe',
  least: 'reader',
  summary: 'Returns the current run of the probe and its last report.',
  returns: 'ProbeState',
  handle: async ({ context, ref }) => {
    const app = await openApp(context, ref);
    return json(await context.probes.state(app));
  },
});

const startProbe = adminCall({
  route: 'POST /apps/:ref/probe',
  least: 'developer',
  summary: 'Starts a run of the probe if none is running, and responds at once.',
  returns: '202 ProbeState',
  handle: async ({ context, ref }) => {
    const app = await openApp(context, ref);
    return json(await context.probes.start(app), 202);
  },
});

export const probeCalls: readonly AdminCall[] = [showProbe, startProbe];
