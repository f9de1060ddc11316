import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { jsonBytes } from '../reply.ts';

const showNode = adminCall({
  route: 'GET /node',
  least: 'node owner',
  summary:
    'Returns the figures of the node: load, disk, memory, connections, the busiest apps, jobs, mails that wait, and what could be lost.',
  returns: 'NodeFigures',
  errors: ['metrics_unavailable'],
  handle: async ({ context }) => {
    const figures = await context.readFigures('page');
    if (figures === null) throw new NinefoldError('metrics_unavailable');
    return jsonBytes(figures);
  },
});

export const nodeFigureCalls: readonly AdminCall[] = [showNode];
