import type { Command } from 'commander';
import type { NodeStatus } from '../../../contract/admin.ts';
import { connect } from '../client.ts';
import { printJson, printPairs } from '../print.ts';

/** Adds the command `ninefold status`. */
export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description('the running node: version, database, apps')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const status = await connect().get<NodeStatus>('/status');
      if (options.json) return printJson(status);
      const { postgres } = status;
      printPairs([
        ['url', status.url],
        ['version', status.version],
        ['postgres', `${postgres.version}${postgres.embedded ? ', embedded' : ''}`],
        ['connections', `${postgres.connections} of ${postgres.max_connections}`],
        ['workers', String(status.workers)],
        ['started', status.started_at],
        ...(status.lost_log_lines > 0 ? [['lost log lines', String(status.lost_log_lines)] as const] : []),
        ['apps', status.apps.map((app) => app.ref).join(', ') || 'none yet'],
      ]);
    });
}
