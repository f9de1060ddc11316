import { CONSOLE_REF } from '../apps/app-record.ts';
import type { Executor } from '../database/database.ts';
import { rowsAsText, type Statement } from '../database/statement.ts';

/** One PostgreSQL process that works for an app: a session, or one of its parallel workers. */
export interface Session {
  readonly pid: number;
  /** The process to end: the leader of a parallel worker, otherwise the same as `pid`. */
  readonly leader: number;
  /** Ref of the app. */
  readonly app: string;
  /** Oid of its database. */
  readonly database: string;
  /** True if the app's owner has logged in; false for sessions of the server. */
  readonly isOwner: boolean;
  readonly state: 'active' | 'idle' | 'idle in transaction';
  /** True if the open transaction has written. */
  readonly hasWritten: boolean;
  /** True if the process waits until the client reads its output. */
  readonly waitsForClient: boolean;
  /**
   * Milliseconds since the statement began, since the transaction began, and since the state changed; 0 without one.
   */
  readonly statementMilliseconds: number;
  readonly transactionMilliseconds: number;
  readonly stateMilliseconds: number;
}

/**
 * Reads only shared memory and locks no shared catalog, so it works while the lock table is full. The view
 * pg_stat_activity would lock pg_database and pg_authid.
 */
const SESSIONS: Statement = {
  text: `select pid, coalesce(leader_pid, pid) as leader, datid, backend_start as start, usesysid as role, state, backend_xid is not null as writes,
      wait_event = 'ClientWrite' as sends,
      (extract(epoch from clock_timestamp() - query_start) * 1000)::int8 as statement,
      (extract(epoch from clock_timestamp() - xact_start) * 1000)::int8 as transaction,
      (extract(epoch from clock_timestamp() - state_change) * 1000)::int8 as changed
    from pg_catalog.pg_stat_get_activity(null) where usesysid is not null and datid <> 0 and pid <> pg_catalog.pg_backend_pid()`,
  params: [],
  planKey: 'watchdog',
};

const ROLES = `select oid, rolname from pg_catalog.pg_roles where not rolsuper and rolname like 'app\\_%'`;

interface Login {
  readonly app: string;
  readonly isOwner: boolean;
}

/** Reads the sessions of all apps of a server. */
export class SessionReader {
  readonly #database: Executor;
  /** Login roles by oid; null for a role that belongs to no app. */
  #logins = new Map<string, Login | null>();
  /** When each process of the last read began. */
  #starts = new Map<number, string>();

  constructor(database: Executor) {
    this.#database = database;
  }

  async read(): Promise<Session[]> {
    const [result] = await this.#database.run([SESSIONS]);
    const rows = result ? rowsAsText(result) : [];
    this.#starts = new Map(rows.map(({ pid, start }) => [Number(pid), start ?? '']));
    if (rows.some(({ role }) => !this.#logins.has(role ?? ''))) {
      await this.#readLogins(rows.map(({ role }) => role ?? ''));
    }
    return rows.flatMap((row) => {
      const login = this.#logins.get(row.role ?? '');
      if (!login || login.app === CONSOLE_REF) return [];
      const inTransaction = row.state?.startsWith('idle in transaction') === true;
      return [
        {
          ...login,
          pid: Number(row.pid),
          leader: Number(row.leader),
          database: row.datid ?? '',
          state: inTransaction ? 'idle in transaction' : row.state === 'idle' ? 'idle' : 'active',
          hasWritten: row.writes === 't',
          waitsForClient: row.sends === 't',
          statementMilliseconds: Number(row.statement ?? 0),
          transactionMilliseconds: Number(row.transaction ?? 0),
          stateMilliseconds: Number(row.changed ?? 0),
        } satisfies Session,
      ];
    });
  }

  /** Returns when a process began, as PostgreSQL writes it; undefined if the last read has not seen it. */
  startOf(pid: number): { pid: number; start: string } | undefined {
    const start = this.#starts.get(pid);
    return start === undefined ? undefined : { pid, start };
  }

  /** Roles that are unknown afterwards belong to no app. */
  async #readLogins(roles: readonly string[]): Promise<void> {
    const [result] = await this.#database.run([{ text: ROLES, params: [], planKey: 'watchdog' }]);
    this.#logins = new Map(
      (result ? rowsAsText(result) : []).map(({ oid, rolname }) => [oid ?? '', loginOf(rolname ?? '')]),
    );
    for (const role of roles) if (!this.#logins.has(role)) this.#logins.set(role, null);
  }
}

/**
 * Returns the app and the kind of a login role by its name: `app_<ref>` or `app_<ref>_authenticator`. A ref has no
 * underscore.
 */
function loginOf(role: string): Login | null {
  const match = /^app_([a-z][a-z0-9-]{2,39})(_authenticator)?$/.exec(role);
  return match?.[1] === undefined ? null : { app: match[1], isOwner: match[2] === undefined };
}
