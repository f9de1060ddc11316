import type { NodeStatus } from '../../../contract/admin.ts';
import { connectionUrl } from '../../database/connection-config.ts';
import { rowsAsText } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { json, jsonBytes } from '../reply.ts';
import { listApps } from './apps.ts';

const showStatus = adminCall({
  route: 'GET /status',
  least: 'builder',
  summary: 'Returns the state of the node.',
  returns: 'NodeStatus',
  handle: async ({ context, caller }) => {
    const [result] = await context.maintenance.run([
      {
        text: `select current_setting('server_version') as version, current_setting('max_connections') as max,
               (select count(*) from pg_catalog.pg_stat_activity where backend_type = 'client backend') as used`,
        params: [],
      },
    ]);
    const postgres = result ? rowsAsText(result)[0] : undefined;
    const status: NodeStatus = {
      url: context.origins.url,
      version: context.node.version,
      node_version: process.versions.node,
      postgres: {
        version: postgres?.version ?? '',
        embedded: context.node.embedded,
        connections: Number(postgres?.used),
        max_connections: Number(postgres?.max),
      },
      missing_rights: context.server.missingRights,
      database_url: caller.kind === 'operator' ? connectionUrl(context.server.target) : null,
      workers: context.node.workers,
      started_at: context.node.startedAt,
      lost_log_lines: context.node.lostLines(),
      apps: await listApps(context, caller, false),
    };
    return json(status);
  },
});

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

export const statusCalls: readonly AdminCall[] = [showStatus, showNode];
