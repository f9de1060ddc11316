import { limits } from '../../../contract/limits.ts';
import type { Database, Executor } from '../../database/database.ts';
import { rowsAsText } from '../../database/statement.ts';

/** Class of the advisory locks of imports, in the maintenance database. */
const CLASS = 9010;

/** Seconds without a packet from the client, between two probes, and the number of probes, after which it is dead. */
const KEEPALIVE = {
  idle: Math.floor(limits.importSilenceSeconds.default / 3),
  interval: Math.floor(limits.importSilenceSeconds.default / 6),
  count: 4,
};

/**
 * Locks of the running imports of members, one for each app. The connection of the worker that runs the import holds the
 * lock, so PostgreSQL releases it when the worker ends, and any node can run the import again at once.
 */
export class ImportLocks {
  readonly #connections: Database;
  readonly #maintenance: Executor;

  /**
   * @param connections Connections to the maintenance database that hold locks.
   * @param maintenance Connections to the same database that read which locks are held.
   */
  constructor(connections: Database, maintenance: Executor) {
    this.#connections = connections;
    this.#maintenance = maintenance;
  }

  /**
   * Takes the lock of an app and calls `claim`. If that returns true, runs `work` in the background while it holds the
   * lock.
   * @param work Must not reject. Receives a function that rejects once the lock is lost.
   * @returns False if the lock is held, or if `claim` returned false.
   * @throws The errors of `claim`.
   */
  start(
    ref: string,
    claim: () => Promise<boolean>,
    work: (assertHeld: () => Promise<void>) => Promise<void>,
  ): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#connections
        .transaction(async (tx) => {
          const isClaimed = (await take(tx, ref)) && (await claim());
          resolve(isClaimed);
          if (isClaimed) await work(async () => void (await tx.run([{ text: 'select 1', params: [] }])));
        })
        // Has no effect after `resolve`: a connection that is lost at the end has no lock to release.
        .catch(reject);
    });
  }

  /** Returns true while an import of the app runs on any node. */
  async isHeld(ref: string): Promise<boolean> {
    const [found] = await this.#maintenance.run([
      {
        text: `select 1 from pg_catalog.pg_locks l
          join pg_catalog.pg_database d on d.oid = l.database and d.datname = pg_catalog.current_database()
          where l.locktype = 'advisory' and l.classid = ${CLASS} and l.granted
            and l.objid::int8 = pg_catalog.hashtext($1)::int8 & 4294967295`,
        params: [ref],
      },
    ]);
    return found !== undefined && found.rows.length > 0;
  }
}

async function take(tx: Executor, ref: string): Promise<boolean> {
  const results = await tx.run([
    {
      // The session is idle while the import runs. If its machine fails, PostgreSQL ends it after importSilenceSeconds.
      text: `select pg_catalog.set_config('idle_in_transaction_session_timeout', '0', true),
        pg_catalog.set_config('tcp_keepalives_idle', '${KEEPALIVE.idle}', true),
        pg_catalog.set_config('tcp_keepalives_interval', '${KEEPALIVE.interval}', true),
        pg_catalog.set_config('tcp_keepalives_count', '${KEEPALIVE.count}', true)`,
      params: [],
    },
    { text: `select pg_catalog.pg_try_advisory_xact_lock(${CLASS}, pg_catalog.hashtext($1)) as taken`, params: [ref] },
  ]);
  const taken = results[1];
  return taken !== undefined && rowsAsText(taken)[0]?.taken === 't';
}
