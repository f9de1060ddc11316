import { becomeServiceRole, runAsServerRole } from '../apps/run-as-server-role.ts';
import type { Executor } from '../database/database.ts';
import { DatabaseError } from '../database/database-error.ts';

/** Shortest time between two checks of an app. */
const CHECK_MILLISECONDS = 3_600_000;
/** Time limit of the deletion, in which triggers of the app's owner can run. */
const STATEMENT_MILLISECONDS = 10_000;

/** Deletes the rows of realtime.messages of one app that are older than the limit realtimeMessageDays. */
export class OldMessages {
  readonly #server: Executor;
  readonly #authenticator: Executor;
  readonly #onFault: (error: unknown) => void;
  #nextCheck = 0;
  #running: Promise<void> | null = null;

  /**
   * @param server Connections as the app's server role. It sees whether there are messages, but may not read them.
   * @param authenticator Connections as the app's authenticator.
   */
  constructor(server: Executor, authenticator: Executor, onFault: (error: unknown) => void) {
    this.#server = server;
    this.#authenticator = authenticator;
    this.#onFault = onFault;
  }

  /**
   * Starts a deletion if it is due. Returns the time of the next check in milliseconds since 1970; null if there are no
   * messages, or until a started deletion has ended.
   * @param onDone Called with the time of the next check when a started deletion has ended.
   */
  async start(onDone: (next: number) => void): Promise<number | null> {
    const now = Date.now();
    if (this.#running !== null || this.#nextCheck > now) return null;
    this.#nextCheck = now + CHECK_MILLISECONDS;
    const [stored] = await runAsServerRole(this.#server, [{ text: HAS_MESSAGES, params: [] }]);
    if (stored?.rows[0]?.[0]?.toString() !== 't') return null;
    this.#running = this.#delete()
      .then((next) => {
        if (next !== null) onDone(Math.max(next, this.#nextCheck));
      })
      .catch((error: unknown) => {
        // An error of PostgreSQL is of a lock, or of an object that the app's owner has changed or added.
        if (!(error instanceof DatabaseError)) this.#onFault(error);
        onDone(this.#nextCheck);
      })
      .finally(() => {
        this.#running = null;
      });
    return null;
  }

  /** Resolves when no deletion is running. */
  async stop(): Promise<void> {
    await this.#running;
  }

  async #delete(): Promise<number | null> {
    const results = await this.#authenticator.run([
      becomeServiceRole(STATEMENT_MILLISECONDS),
      {
        text: 'select (extract(epoch from ninefold.delete_old_messages()) * 1000)::bigint',
        params: [],
      },
    ]);
    const next = results[1]?.rows[0]?.[0];
    return next ? Number(next.toString()) : null;
  }
}

/** Reads the catalog only. So it runs no code of the app's owner. */
const HAS_MESSAGES = `select exists (
  select from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = 'realtime'
  join pg_catalog.pg_inherits i on i.inhparent = c.oid
  where c.relname = 'messages' and c.relkind = 'p' and pg_catalog.pg_relation_size(i.inhrelid) > 0
) and pg_catalog.to_regprocedure('ninefold.delete_old_messages()') is not null`;
