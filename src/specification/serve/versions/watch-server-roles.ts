import type { App } from '../../../apps/app.ts';
import { authenticatorRole, ownerRole } from '../../../apps/registry/app-record.ts';
import type { Server } from '../../../apps/registry/server.ts';
import type { Executor } from '../../../database/database.ts';
import { ConnectionError } from '../../../database/database-error.ts';
import { rowsAsText } from '../../../database/statement.ts';
import type { Events } from '../../../observe/events.ts';

/**
 * The interval between checks of the server's roles. They must be polled, because PostgreSQL does not notify of changes
 * to roles.
 */
const LOOK_MILLISECONDS = 2000;
/** The delay of the first check after an app was opened. */
const SOON_MILLISECONDS = 250;

/**
 * Query that returns for each app a string that represents the server objects that the app depends on: the roles that
 * every app has, its own login roles, role memberships, and the settings of ALTER ROLE and ALTER DATABASE. $1 to $3:
 * database, owner and authenticator of each app. The query reads each catalog once, because a server has several roles
 * and settings for each of its apps.
 */
const query = (roles: string) => `with roles as materialized (
    select r.oid, r.rolname, r.rolcanlogin, pg_catalog.concat_ws(' ', r.rolname, r.rolsuper, r.rolinherit, r.rolcreaterole, r.rolcreatedb,
      r.rolcanlogin, r.rolreplication, r.rolbypassrls, r.rolconnlimit, r.rolvaliduntil) as words
    from pg_catalog.${roles} r
  ), members as materialized (
    select r.rolname, r.rolcanlogin, m.roleid, m.member, m.grantor, m::text as words
    from pg_catalog.pg_auth_members m join roles r on r.oid = m.member
  ), settings as materialized (
    select s.setdatabase, s.setrole, r.rolname, r.rolcanlogin, s::text as words
    from pg_catalog.pg_db_role_setting s left join roles r on r.oid = s.setrole
  ), shared as (
    select pg_catalog.md5(pg_catalog.concat(
      (select pg_catalog.string_agg(pg_catalog.concat(r.words, pg_catalog.shobj_description(r.oid, 'pg_authid')), ',' order by r.oid)
        from roles r where not r.rolcanlogin),
      (select pg_catalog.string_agg(m.words, ',' order by m.roleid, m.member, m.grantor) from members m where not m.rolcanlogin),
      (select pg_catalog.string_agg(s.words, ',' order by s.setrole) from settings s
        where s.setdatabase = 0 and (s.setrole = 0 or not s.rolcanlogin)))) as state
  ), apps as (
    select a.database, d.oid, pg_catalog.concat_ws(' ', d.datdba, d.datconnlimit, d.datacl::text) as words, a.owner, a.authenticator
    from unnest($1::text[], $2::text[], $3::text[]) as a(database, owner, authenticator)
    join pg_catalog.pg_database d on d.datname = a.database
  ), logins as (
    select a.database, l.name from apps a cross join unnest(array[a.owner, a.authenticator]) as l(name)
  ), own as (
    select l.database, 1 as kind, pg_catalog.string_agg(r.words, ',' order by r.oid) as words
    from logins l join roles r on r.rolname = l.name group by l.database
    union all
    select l.database, 2, pg_catalog.string_agg(m.words, ',' order by m.roleid, m.member, m.grantor)
    from logins l join members m on m.rolname = l.name group by l.database
    union all
    select l.database, 3, pg_catalog.string_agg(s.words, ',' order by s.setrole)
    from logins l join settings s on s.rolname = l.name and s.setdatabase = 0 group by l.database
    union all
    select a.database, 4, pg_catalog.string_agg(s.words, ',' order by s.setrole)
    from apps a join settings s on s.setdatabase = a.oid group by a.database
  )
  select a.database as name, pg_catalog.concat(pg_catalog.min(shared.state),
    pg_catalog.md5(pg_catalog.concat_ws(' ', pg_catalog.min(a.words), pg_catalog.string_agg(own.words, ' ' order by own.kind)))) as state
  from shared cross join apps a left join own on own.database = a.database group by a.database`;

/**
 * Query that returns a string with the number of rows of each relation that `query` reads, and with the transactions that
 * wrote these rows. The string differs after any change.
 */
const changes = (ofRoles: string) =>
  `select pg_catalog.concat_ws(' ', ${ofRoles}, ${[
    'pg_auth_members',
    'pg_db_role_setting',
    'pg_database',
    'pg_shdescription',
  ]
    .map(writes)
    .join(', ')}) as state`;

const writes = (name: string): string =>
  `(select count(*) || ':' || coalesce(sum(t.xmin::text::bigint), 0) from pg_catalog.${name} t)`;

/** The two queries for a superuser, and for a login that may not read pg_authid. */
const ofSuperuser = { query: query('pg_authid'), changes: changes(writes('pg_authid')) };
const ofOther = {
  query: query('pg_roles'),
  changes: changes(
    `(select pg_catalog.md5(pg_catalog.string_agg(r::text, '' order by r.oid)) from pg_catalog.pg_roles r)`,
  ),
};

/**
 * Checks for changes of server objects, such as roles, that affect open apps. The database of an app does not notify of
 * these changes.
 */
export class ServerRoleWatcher {
  readonly #database: Executor;
  readonly #events: Events;
  readonly #onChange: (app: App) => void;
  readonly #sql: typeof ofSuperuser;
  readonly #states = new Map<App, string | null>();
  /** The last result of `changes`. */
  #seen = '';
  #timer: NodeJS.Timeout | null = null;
  #soon: NodeJS.Timeout | null = null;
  #looking: Promise<void> = Promise.resolve();
  #isWaiting = false;

  /**
   * @param database Any database of the server, as a role that sees all roles.
   * @param onChange Is called with each app that a change affects.
   */
  constructor(
    database: Executor,
    events: Events,
    onChange: (app: App) => void,
    { missingRights }: Pick<Server, 'missingRights'>,
  ) {
    this.#sql = missingRights.length === 0 ? ofSuperuser : ofOther;
    this.#database = database;
    this.#events = events;
    this.#onChange = onChange;
  }

  /** Watches the app while it is open. */
  watch(app: App): void {
    app.subscribe(({ type }) => {
      if (type === 'listening') {
        this.#states.set(app, this.#states.get(app) ?? null);
        // Reads the current state soon, because later states are compared with it. A change before this reading is
        // noticed when a caller requests the versions.
        this.#lookSoon();
      } else if (type === 'disconnected') this.#states.delete(app);
    });
  }

  start(): void {
    this.#timer = setInterval(() => this.#lookNext(), LOOK_MILLISECONDS).unref();
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    if (this.#soon) clearTimeout(this.#soon);
    await this.#looking;
  }

  /** Starts one check for all apps that open at about the same time. */
  #lookSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = null;
      this.#lookNext();
    }, SOON_MILLISECONDS).unref();
  }

  /** Starts a check after the current check has ended. A check that is already waiting also serves later requests. */
  #lookNext(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#looking = this.#looking
      .then(() => {
        this.#isWaiting = false;
        return this.#look();
      })
      .catch((error: unknown) => {
        if (error instanceof ConnectionError) return;
        this.#events.emit({ type: 'fault', requestId: null, where: 'the roles of the server', error });
      });
  }

  async #look(): Promise<void> {
    if (this.#states.size === 0) return;
    const [changes] = await this.#database.run([{ text: this.#sql.changes, params: [], planKey: 'server roles' }]);
    const seen = (changes && rowsAsText(changes)[0]?.state) ?? '';
    const isSame = seen === this.#seen;
    const apps = [...this.#states].filter(([, state]) => !isSame || state === null).map(([app]) => app);
    if (apps.length === 0) return;
    const list = (of: (app: App) => string) => `{${apps.map((app) => JSON.stringify(of(app))).join(',')}}`;
    const params = [
      list((app) => app.record.database),
      list((app) => ownerRole(app.ref)),
      list((app) => authenticatorRole(app.ref)),
    ];
    const [result] = await this.#database.run([{ text: this.#sql.query, params, planKey: 'server roles' }]);
    const found = new Map((result ? rowsAsText(result) : []).map(({ name, state }) => [name, state ?? '']));
    this.#seen = seen;
    for (const app of apps) {
      const [before, state] = [this.#states.get(app), found.get(app.record.database)];
      // Skips an app that has closed in the meantime.
      if (before === undefined || state === undefined) continue;
      this.#states.set(app, state);
      if (before !== null && before !== state) this.#onChange(app);
    }
  }
}
