import type { Command } from 'commander';
import type { NodeStatus } from '../../../contract/admin.ts';
import type { BackupPage } from '../../../contract/backup.ts';
import { serverRights } from '../../../contract/server-rights.ts';
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
        ...status.missing_rights.map((right) => {
          const { lacks, effect } = serverRights[right];
          return ['missing right', `${lacks}. ${effect}`] as const;
        }),
        ['connections', `${postgres.connections} of ${postgres.max_connections}`],
        ['workers', String(status.workers)],
        ['started', status.started_at],
        ...(status.lost_log_lines > 0 ? [['lost log lines', String(status.lost_log_lines)] as const] : []),
        ...backupLines(await connect().get<BackupPage>('/backups')),
        ['apps', status.apps.map((app) => app.ref).join(', ') || 'none yet'],
      ]);
    });
}

/** Age of a state from which the process that wrote it does not run. */
const SILENT_MILLISECONDS = 10_000;

/** Returns what an operator must know about the backups. */
function backupLines({ state }: BackupPage): [string, string][] {
  if (state === null) return [['backups', 'off']];
  const { target, completeAt, failure, backups, drill, hasPhrase, restorableFrom, writtenAt } = state;
  const isSilent = Date.now() - writtenAt > SILENT_MILLISECONDS;
  const [newest] = backups;
  return [
    ['backups', `${target}${newest ? `, the last at ${newest.finishedAt}` : ', none yet'}`],
    ['restorable', restorableFrom === null ? 'not yet' : `${restorableFrom} to ${completeAt ?? 'unknown'}`],
    ...(isSilent ? [['backup failure', 'the backup process does not run'] as [string, string]] : []),
    ...(failure ? [['backup failure', `${failure.message} (${failure.at})`] as [string, string]] : []),
    ['drill', drill === null ? 'none yet' : `${drill.isPassed ? 'passed' : 'FAILED'} at ${drill.finishedAt}`],
    ...(hasPhrase ? [] : [['recovery phrase', 'none: make one with ninefold backup phrase'] as [string, string]]),
  ];
}
