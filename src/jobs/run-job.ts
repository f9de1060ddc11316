import { ownerConnection } from '../apps/app-connections.ts';
import { type AppRecord, ownerRole } from '../apps/registry/app-record.ts';
import type { Server } from '../apps/registry/server.ts';
import { ConnectionError, DatabaseError, loginFailureReason } from '../database/database-error.ts';
import { Pool } from '../database/pool.ts';
import { affectedRows, plain, type Result, rowsAsText } from '../database/statement.ts';
import { beginRun, type Outcome, type Run } from './job-store.ts';

/**
 * Statement that makes PostgreSQL end the session if its client was killed. Not every operating system supports this.
 */
const END_WITH_CLIENT = `do $do$ begin
  perform pg_catalog.set_config('client_connection_check_interval', '2000', false);
exception when others then null;
end $do$`;

/** Time that a job waits for a connection of the owner. */
const CONNECT_MILLISECONDS = 15_000;

/**
 * Runs the command of a claimed run on a separate connection, as the app's owner or as the role that the job names.
 * Returns the result; null if another process has taken the run over. Throws if the command was not sent. It can then
 * be sent later.
 */
export async function runCommand(
  { server, record, control, runner }: { server: Server; record: AppRecord; control: Pool; runner: string },
  job: string,
  run: Run,
  signal: AbortSignal,
): Promise<Outcome | null> {
  const target = { ...ownerConnection(server.target, record), applicationName: `ninefold job ${job}` };
  const session = new Pool(target, {
    max: 1,
    idleMilliseconds: CONNECT_MILLISECONDS,
    waitMilliseconds: CONNECT_MILLISECONDS,
  });
  let hasBegun = false;
  try {
    const [found] = await session.run([
      plain(
        'select pid, backend_start as start from pg_catalog.pg_stat_activity where pid = pg_catalog.pg_backend_pid()',
      ),
    ]);
    const { pid, start } = (found && rowsAsText(found)[0]) ?? {};
    if (!pid || !start) throw new Error('the session of the job is unknown');
    if (!(await beginRun(control, run.id, { pid, start }, runner))) return null;
    hasBegun = true;
    const setup = [plain(END_WITH_CLIENT)];
    if (run.username !== ownerRole(record.ref)) {
      setup.push({ text: `select pg_catalog.set_config('role', $1, false)`, params: [run.username] });
    }
    const results = await session.script(run.command, { setup, maxRows: 0, signal });
    return { status: 'succeeded', message: feedback(results.at(-1)) };
  } catch (error) {
    const isRefused = error instanceof ConnectionError && loginFailureReason(error) !== null;
    if (!hasBegun && !isRefused) throw error;
    return { status: 'failed', message: failure(error) };
  } finally {
    await session.close();
  }
}

/** Returns what pg_cron stores for the last statement: its command tag or its number of rows. */
function feedback(result: Result | undefined): string {
  if (!result) return '';
  if (result.fields.length === 0) return result.command;
  const rows = affectedRows(result);
  return rows === 1 ? '1 row' : `${rows} rows`;
}

function failure(error: unknown): string {
  if (!(error instanceof DatabaseError)) return `ERROR:  ${error instanceof Error ? error.message : String(error)}`;
  const { message, detail, hint, where } = error.fields;
  const more = [
    ['DETAIL', detail],
    ['HINT', hint],
    ['CONTEXT', where],
  ].flatMap(([name, text]) => (text ? [`${name}:  ${text}`] : []));
  return [`ERROR:  ${message}`, ...more].join('\n');
}
