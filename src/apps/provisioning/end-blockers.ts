import { setTimeout as delay } from 'node:timers/promises';
import type { Executor } from '../../database/database.ts';
import type { Pool } from '../../database/pool.ts';
import { rowsAsText, type Statement } from '../../database/statement.ts';

/** Interval in ms at which the sessions that block a statement are read. */
const LOOK_MILLISECONDS = 100;
/** Time in ms for which a statement waits for a lock before the sessions that hold it are ended. */
const GRACE_MILLISECONDS = 1000;

/**
 * Runs statements of the superuser in one transaction. If one of them waits for a lock for longer than a second, ends
 * the sessions that it waits for, except sessions of superusers. The statement keeps its place in the queue of the
 * lock meanwhile, so a new session cannot take the lock before it.
 * @param observer Connections of the superuser, of another pool than `pool`.
 * @param until Time in milliseconds of performance.now() at which a statement fails with query_canceled.
 * @throws DatabaseError
 */
export async function runEndingBlockers(
  pool: Pool,
  observer: Executor,
  statements: readonly Statement[],
  until: number,
): Promise<void> {
  await pool.transaction(async (tx) => {
    const timeout = Math.max(1, Math.ceil(until - performance.now()));
    const [session] = await tx.run([
      {
        text: `select pg_catalog.pg_backend_pid() as pid, pg_catalog.set_config('statement_timeout', $1, true)`,
        params: [String(timeout)],
      },
    ]);
    const done = new AbortController();
    const ending = endBlockers(observer, (session && rowsAsText(session)[0]?.pid) ?? '0', done.signal);
    try {
      await tx.run(statements);
    } finally {
      done.abort();
      await ending;
    }
  });
}

async function endBlockers(observer: Executor, pid: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    await delay(LOOK_MILLISECONDS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const ended = observer.run([
      {
        text: `select pg_catalog.pg_terminate_backend(s.pid) from pg_catalog.pg_lock_status() l,
            unnest(pg_catalog.pg_blocking_pids(l.pid)) as blocker (pid)
            join pg_catalog.pg_stat_get_activity(null) s on s.pid = blocker.pid
            join pg_catalog.pg_roles r on r.oid = s.usesysid and not r.rolsuper and r.rolname <> current_user
          where l.pid = $1::int and not l.granted and l.waitstart < pg_catalog.clock_timestamp() - $2::int * interval '1 ms'`,
        params: [pid, String(GRACE_MILLISECONDS)],
      },
    ]);
    // The statement_timeout of the waiting statement applies even if the sessions cannot be read.
    await ended.catch(() => undefined);
  }
}
