import { CONSOLE_REF } from '../apps/registry/app-record.ts';
import type { Executor } from '../database/database.ts';
import { rowsAsText, type Statement } from '../database/statement.ts';

/**
 * One PostgreSQL process that works for an app: a session, one of its parallel workers, or an autovacuum worker that
 * analyzes a table.
 */
export interface Session {
  readonly pid: number;
  /** The process to end: the leader of a parallel worker, otherwise the same as `pid`. */
  readonly leader: number;
  /** Ref of the app. */
  readonly app: string;
  /** Oid of its database. */
  readonly database: string;
  /** True if the login role is the app's owner; false if it is a login role of the server. */
  readonly isOwner: boolean;
  /** True for an autovacuum worker. */
  readonly isAutovacuum: boolean;
  readonly state: 'active' | 'idle' | 'idle in transaction';
  /** True if the open transaction has written. */
  readonly hasWritten: boolean;
  /** True if the process executes a statement and waits for nothing. */
  readonly isComputing: boolean;
  /** True if the process waits until the client reads its output. */
  readonly waitsForClient: boolean;
  /**
   * Milliseconds since the statement began, since the transaction began, and since the state changed. Each is 0 if
   * there is no statement, no transaction or no state.
   */
  readonly statementMilliseconds: number;
  readonly transactionMilliseconds: number;
  readonly stateMilliseconds: number;
}

/**
 * Query for the sessions. It reads only shared memory and locks no shared catalog, so it works while the lock table is
 * full. The view pg_stat_activity would lock pg_database and pg_authid. Autovacuum workers are included while they
 * analyze, because they run functions of the app in expression indexes then. A vacuum runs no such functions.
 */
const SESSIONS: Statement = {
  text: `select pid, coalesce(leader_pid, pid) as leader, datid, backend_start as start, usesysid as role, state, backend_xid is not null as writes,
      wait_event = 'ClientWrite' as sends, wait_event is null and state = 'active' as computes,
      (extract(epoch from clock_timestamp() - query_start) * 1000)::int8 as statement,
      (extract(epoch from clock_timestamp() - xact_start) * 1000)::int8 as transaction,
      (extract(epoch from clock_timestamp() - state_change) * 1000)::int8 as changed
    from pg_catalog.pg_stat_get_activity(null) where datid <> 0 and pid <> pg_catalog.pg_backend_pid() and (usesysid is not null
      or backend_type = 'autovacuum worker' and pid in (select pid from pg_catalog.pg_stat_get_progress_info('ANALYZE')))`,
  params: [],
  planKey: 'watchdog',
};

const ROLES = `select oid, rolname from pg_catalog.pg_roles where not rolsuper and rolname like 'app\\_%'`;

/**
 * Query for the owners of databases. A process without a login role belongs to the app that owns the database of the
 * process.
 */
const OWNERS = `select d.oid, r.rolname from pg_catalog.pg_database d join pg_catalog.pg_roles r on r.oid = d.datdba
  where not r.rolsuper and r.rolname like 'app\\_%'`;

interface Login {
  readonly app: string;
  readonly isOwner: boolean;
}

/** Reads the sessions of all apps of a server. */
export class SessionReader {
  readonly #database: Executor;
  /** Login roles by oid; null for a role that belongs to no app. */
  #logins = new Map<string, Login | null>();
  /**
   * Apps by the oid of their database; null for a database that belongs to no app. Read for autovacuum workers only.
   */
  #owners = new Map<string, Login | null>();
  /** Start time of each process that the last `read` returned, as PostgreSQL writes it. */
  #starts = new Map<number, string>();

  constructor(database: Executor) {
    this.#database = database;
  }

  async read(): Promise<Session[]> {
    const [result] = await this.#database.run([SESSIONS]);
    const rows = result ? rowsAsText(result) : [];
    this.#starts = new Map(rows.map(({ pid, start }) => [Number(pid), start ?? '']));
    const roles = rows.flatMap(({ role }) => role ?? []);
    if (roles.some((role) => !this.#logins.has(role))) this.#logins = await this.#readApps(ROLES, roles);
    const databases = rows.flatMap(({ role, datid }) => (role ? [] : (datid ?? [])));
    if (databases.some((oid) => !this.#owners.has(oid))) this.#owners = await this.#readApps(OWNERS, databases);
    return rows.flatMap((row) => {
      const login = row.role ? this.#logins.get(row.role) : this.#owners.get(row.datid ?? '');
      if (!login || login.app === CONSOLE_REF) return [];
      const inTransaction = row.state?.startsWith('idle in transaction') === true;
      return [
        {
          ...login,
          isAutovacuum: !row.role,
          pid: Number(row.pid),
          leader: Number(row.leader),
          database: row.datid ?? '',
          state: inTransaction ? 'idle in transaction' : row.state === 'idle' ? 'idle' : 'active',
          hasWritten: row.writes === 't',
          isComputing: row.computes === 't',
          waitsForClient: row.sends === 't',
          statementMilliseconds: Number(row.statement ?? 0),
          transactionMilliseconds: Number(row.transaction ?? 0),
          stateMilliseconds: Number(row.changed ?? 0),
        } satisfies Session,
      ];
    });
  }

  /**
   * Returns a process id and the start time of the process; undefined if the last `read` did not return the process.
   */
  startOf(pid: number): { pid: number; start: string } | undefined {
    const start = this.#starts.get(pid);
    return start === undefined ? undefined : { pid, start };
  }

  /**
   * Returns the apps by oid.
   * @param text Query for `oid` and `rolname`.
   * @param wanted The requested oids. An oid that the query does not return belongs to no app.
   */
  async #readApps(text: string, wanted: readonly string[]): Promise<Map<string, Login | null>> {
    const [result] = await this.#database.run([{ text, params: [], planKey: 'watchdog' }]);
    const found = (result ? rowsAsText(result) : []).map(
      ({ oid, rolname }) => [oid ?? '', loginOf(rolname ?? '')] as const,
    );
    return new Map<string, Login | null>([...wanted.map((oid) => [oid, null] as const), ...found]);
  }
}

/**
 * Returns the app and the kind of a login role by its name: `app_<ref>`, `app_<ref>_authenticator` or
 * `app_<ref>_server`. A ref has no underscore.
 */
function loginOf(role: string): Login | null {
  const match = /^app_([a-z][a-z0-9-]{2,39})(_authenticator|_server)?$/.exec(role);
  return match?.[1] === undefined ? null : { app: match[1], isOwner: match[2] === undefined };
}
