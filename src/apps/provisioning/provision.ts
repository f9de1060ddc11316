import { limits } from '../../../contract/limits.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { Pool } from '../../database/pool.ts';
import {
  quoteIdentifier as id,
  quoteLiteral as literal,
  plain,
  rowsAsText,
  type Statement,
} from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { serverPassword } from '../app-connections.ts';
import {
  type AppRecord,
  appSearchPath,
  authenticatorRole,
  databaseName,
  isAttached,
  ownerRole,
  serverRole,
  TEMPLATE_DATABASE,
  transferRole,
  vaultRole,
} from '../registry/app-record.ts';
import { type Server, superuserIn, withPool } from '../registry/server.ts';
import { type TransferResult, type TransferSource, transferDatabase } from '../transfer/transfer-database.ts';
import { copyDatabase, dropDatabase, sessionStuck, TIMED_OUT } from './copy-database.ts';
import { copyDatabaseRoles, dropUnusedRoles } from './database-roles.ts';
import { runEndingBlockers } from './end-blockers.ts';
import { boundRoles } from './role-bounds.ts';
import { appFiles, applySchemaFiles, SchemaStepError, SchemaUnfitError } from './schema-files.ts';
import { scramVerifier } from './scram-verifier.ts';
import { copyVaultKey, ensureVaultKeys } from './vault-keys.ts';

/** Number of times that an app may create objects that name a role while the role is dropped. */
const DROP_ATTEMPTS = 5;

/** Creates or updates the template from which every app's database is copied. */
export async function ensureTemplate(server: Server, maintenance: Pool): Promise<void> {
  const [found] = await maintenance.run([
    { text: 'select 1 from pg_catalog.pg_database where datname = $1', params: [TEMPLATE_DATABASE] },
  ]);
  if (!found?.rows.length) {
    await maintenance.run([plain(`create database ${id(TEMPLATE_DATABASE)} template template0 encoding 'UTF8'`)]);
    await maintenance.run([plain(`revoke connect, temporary on database ${id(TEMPLATE_DATABASE)} from public`)]);
  }
  await withPool(superuserIn(server, TEMPLATE_DATABASE), (template) => applySchemaFiles(template, appFiles, server));
}

/** Ref of an app and passwords of its login roles. */
export interface Logins {
  ref: string;
  ownerPassword: string;
  authenticatorPassword: string;
}

/**
 * Creates an app's roles and its database. Roles and a database of a previous failed attempt are removed first; the
 * caller must ensure that no app has this ref.
 * @param options.from Name of the database to copy; by default the template.
 * @param options.exposesNewTables False if calls reach new objects of the schema public only after a GRANT. A copy has the default privileges of
 * its source.
 */
export async function provision(
  server: Server,
  maintenance: Pool,
  logins: Logins,
  { from, exposesNewTables = true }: { from?: string; exposesNewTables?: boolean } = {},
): Promise<void> {
  const { ref } = logins;
  const database = databaseName(ref);
  await unprovision(maintenance, server, { ref, database });
  const { owner, authenticator } = await makeRoles(server, maintenance, logins);
  await copyDatabase(maintenance, from ?? TEMPLATE_DATABASE, database);
  await maintenance.run([
    plain(`alter database ${id(database)} owner to ${owner}`),
    plain(`revoke connect, temporary on database ${id(database)} from public`),
    ...connectGrants(ref),
    plain(`alter database ${id(database)} set search_path = ${appSearchPath}`),
  ]);
  await withPool(superuserIn(server, database), async (pool) => {
    if (from) {
      await copyVaultKey(maintenance, from, ref, server);
      await copyDatabaseRoles(maintenance, from, ref);
      await reassignObjects(pool, from, { owner, authenticator });
      await pauseScheduledWork(pool, server, ownerRole(ref), database);
    }
    if (!from) await setDefaultPrivileges(pool, owner, exposesNewTables);
  });
}

/**
 * Creates an app's roles and its database as `provision` does, with the content of a database of another server. At the source,
 * the app's roles have the names of `logins.ref`.
 * @param pausesWork True for a copy beside the app: it repeats no effects of the app's jobs.
 * @throws The errors of `transferDatabase`
 */
export async function provisionFromServer(
  server: Server,
  maintenance: Pool,
  logins: Logins,
  source: TransferSource,
  pausesWork: boolean,
): Promise<TransferResult> {
  const { ref } = logins;
  const database = databaseName(ref);
  await unprovision(maintenance, server, { ref, database });
  await makeRoles(server, maintenance, logins);
  const result = await transferDatabase(server, maintenance, ref, source);
  if (pausesWork) {
    await withPool(superuserIn(server, database), (pool) => pauseScheduledWork(pool, server, ownerRole(ref), database));
  }
  // No other login of the app could connect until here.
  await maintenance.run(connectGrants(ref));
  return result;
}

/** Returns the statements that let the logins of requests and of the server connect to an app's database. */
const connectGrants = (ref: string): Statement[] => {
  const database = id(databaseName(ref));
  return [
    plain(`grant connect, temporary on database ${database} to ${id(authenticatorRole(ref))}`),
    plain(`grant connect on database ${database} to ${id(serverRole(ref))}`),
  ];
};

/** A login that is no superuser may switch only to roles that it has granted to itself (PostgreSQL 16 and newer). */
const SELF_GRANT = `select pg_catalog.set_config(name, 'set, inherit', true) from pg_catalog.pg_settings where name = 'createrole_self_grant'`;

/** Creates the login roles of an app. Returns the quoted names of the owner and the authenticator. */
async function makeRoles(
  server: Server,
  maintenance: Pool,
  logins: Logins,
): Promise<{ owner: string; authenticator: string }> {
  const owner = id(ownerRole(logins.ref));
  const authenticator = id(authenticatorRole(logins.ref));
  const serverLogin = id(serverRole(logins.ref));
  await maintenance.run([
    plain(SELF_GRANT),
    plain(
      `create role ${owner} login inherit connection limit ${limits.ownerConnections.default} password ${literal(scramVerifier(logins.ownerPassword))}`,
    ),
    plain(
      `create role ${authenticator} login noinherit connection limit ${limits.appConnections.default} password ${literal(scramVerifier(logins.authenticatorPassword))}`,
    ),
    plain(`grant authenticator to ${authenticator}`),
    plain(`grant anon, authenticated, service_role, supabase_auth_admin to ${owner}`),
    plain(grantPostgresRole(owner)),
    // No other role is a member of this role, and it inherits the privileges of ninefold_server.
    plain(
      `create role ${serverLogin} login inherit connection limit ${limits.appConnections.default} password ${literal(scramVerifier(serverPassword(logins)))}`,
    ),
    plain(`grant ninefold_server to ${serverLogin}`),
  ]);
  await boundRoles(maintenance, [logins.ref], server);
  await ensureVaultKeys(maintenance, [logins.ref], server);
  return { owner, authenticator };
}

/**
 * Prepares an existing database for an app: creates the login roles and Ninefold's own schema. The roles get the
 * privileges that the database grants to `authenticator` and to its owner.
 * @throws NinefoldError app_database_unknown, app_database_unfit
 */
export async function attach(
  server: Server,
  maintenance: Pool,
  logins: Logins,
  database: string,
  anonRole: string | null,
): Promise<void> {
  const [found] = await maintenance.run([
    {
      text: `select r.rolname as owner, r.rolsuper as superuser, d.datistemplate as template
             from pg_catalog.pg_database d join pg_catalog.pg_roles r on r.oid = d.datdba where d.datname = $1`,
      params: [database],
    },
  ]);
  const row = found && rowsAsText(found)[0];
  if (!row) throw new NinefoldError('app_database_unknown', { details: { database } });
  if (row.template === 't') {
    throw new NinefoldError('app_database_unfit', {
      details: { database, reason: 'it is a template' },
    });
  }
  await dropRoles(maintenance, server, logins.ref);
  const { owner, authenticator } = await makeRoles(server, maintenance, logins);
  await maintenance.run([
    plain(`grant connect, temporary on database ${id(database)} to ${owner}, ${authenticator}`),
    plain(`grant connect on database ${id(database)} to ${id(serverRole(logins.ref))}`),
    ...(row.superuser === 't' ? [] : [plain(`grant ${id(row.owner ?? '')} to ${owner}`)]),
  ]);
  await withPool(superuserIn(server, database), async (pool) => {
    try {
      await applySchemaFiles(
        pool,
        appFiles.filter((file) => file.onExisting),
        server,
      );
    } catch (error) {
      if (!(error instanceof DatabaseError || error instanceof SchemaStepError || error instanceof SchemaUnfitError))
        throw error;
      throw new NinefoldError('app_database_unfit', { details: { database, reason: error.message }, cause: error });
    }
    await pool.run([
      { text: `delete from ninefold.settings where key = 'db_anon_role'`, params: [] },
      {
        text: `insert into ninefold.settings (key, value) select 'db_anon_role', pg_catalog.to_jsonb($1::text) where $1 is not null`,
        params: [anonRole],
      },
    ]);
  });
}

/**
 * Returns SQL that makes the owner a member of `postgres`, so that migrations can use OWNER TO postgres. Does nothing
 * if `postgres` is the server's own superuser.
 */
const grantPostgresRole = (owner: string) => `do $do$ begin
  if exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper and not rolcanlogin) then
    execute 'grant postgres to ${owner.replaceAll("'", "''")}';
  end if;
end $do$`;

/**
 * Transfers all objects and privileges of the source app's roles to the roles of the copy. REASSIGN OWNED and DROP
 * OWNED also change the source database, because a database is a shared object. The same transaction therefore restores
 * the owner and the privileges of the source.
 */
async function reassignObjects(
  pool: Pool,
  source: string,
  roles: { owner: string; authenticator: string },
): Promise<void> {
  const [found] = await pool.run([
    {
      text: 'select r.rolname as owner from pg_catalog.pg_database d join pg_catalog.pg_roles r on r.oid = d.datdba where d.datname = $1',
      params: [source],
    },
  ]);
  const owner = found && rowsAsText(found)[0]?.owner;
  if (!owner) throw new Error(`database ${source} is gone`);
  const authenticator = `${owner}_authenticator`;
  await pool.run([
    plain(`set local search_path = ''`),
    plain(`reassign owned by ${id(owner)} to ${roles.owner}`),
    plain(`reassign owned by ${id(authenticator)} to ${roles.authenticator}`),
    plain(`alter database ${id(source)} owner to ${id(owner)}`),
    ...(await defaultPrivileges(pool, { owner, authenticator }, roles)).map(plain),
    plain(`drop owned by ${id(owner)}, ${id(authenticator)}`),
    plain(`grant connect, temporary on database ${id(source)} to ${id(authenticator)}`),
  ]);
}

/** Privileges that calls need on tables, sequences and functions. */
const callPrivileges = { tables: 'select, insert, update, delete', sequences: 'usage, select', functions: 'execute' };

/**
 * Sets the default privileges of a new app.
 * @param exposesNewTables False to leave out the privileges of calls, as Supabase does with `auto_expose_new_tables = false`.
 */
async function setDefaultPrivileges(pool: Pool, owner: string, exposesNewTables: boolean): Promise<void> {
  const roles = 'anon, authenticated, service_role';
  const change = `alter default privileges for role ${owner} in schema public`;
  await pool.run([
    plain(`set local search_path = ''`),
    ...Object.entries(callPrivileges).flatMap(([kind, privileges]) => [
      plain(`${change} grant all on ${kind} to postgres, ${roles}`),
      ...(exposesNewTables ? [] : [plain(`${change} revoke ${privileges} on ${kind} from ${roles}`)]),
    ]),
  ]);
}

/** Returns statements that give the owner of a copy the default privileges that the owner of the source has. */
async function defaultPrivileges(
  pool: Pool,
  source: { owner: string; authenticator: string },
  copy: { owner: string; authenticator: string },
): Promise<string[]> {
  const kinds = `case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' when 'T' then 'types'
    when 'n' then 'schemas' end`;
  const [, found] = await pool.run([
    plain(`set local search_path = ''`),
    {
      text: `select n.nspname as schema, ${kinds} as kind, a.privilege_type as privilege, a.is_grantable::text as grantable,
          g.rolname as grantee
        from pg_catalog.pg_default_acl d
        left join pg_catalog.pg_namespace n on n.oid = d.defaclnamespace
        left join pg_catalog.aclexplode(d.defaclacl) a on true
        left join pg_catalog.pg_roles g on g.oid = a.grantee
        where d.defaclrole = $1::pg_catalog.regrole and ${kinds} is not null`,
      params: [id(source.owner)],
    },
  ]);
  const rows = found ? rowsAsText(found) : [];
  const named = new Map([
    [source.owner, copy.owner],
    [source.authenticator, copy.authenticator],
  ]);
  const change = `alter default privileges for role ${copy.owner}`;
  // Default privileges without a schema begin with those of PostgreSQL, such as EXECUTE for all roles.
  const anywhere = new Set(rows.filter(({ schema }) => schema === null).map(({ kind }) => kind));
  const revoked = [...anywhere].map((kind) => `${change} revoke all on ${kind} from public, ${copy.owner}`);
  const granted = rows
    .filter(({ privilege }) => privilege !== null)
    .map(({ schema, kind, privilege, grantable, grantee }) => {
      const place = schema ? ` in schema ${id(schema)}` : '';
      const receiver = grantee ? (named.get(grantee) ?? id(grantee)) : 'public';
      return `${change}${place} grant ${privilege} on ${kind} to ${receiver}${grantable === 'true' ? ' with grant option' : ''}`;
    });
  return [...revoked, ...granted];
}

/**
 * Deactivates the jobs in a copy, so that they do not repeat effects of the source's jobs, such as requests to other
 * services. Deletes queued requests, which belong to the source. The tables of cron and net belong to the superuser, so
 * the app cannot define anything on them.
 */
async function pauseScheduledWork(
  pool: Pool,
  { missingRights }: Server,
  owner: string,
  database: string,
): Promise<void> {
  const isSuperuser = missingRights.length === 0;
  await pool.run([
    ...(isSuperuser ? [plain(`select pg_catalog.set_config('session_replication_role', 'replica', true)`)] : []),
    { text: 'select ninefold.pause_scheduled_work($1, $2)', params: [owner, database] },
  ]);
}

/** Removes an app's roles and, unless it existed before the app, its database. Missing objects are ignored. */
export async function unprovision(
  maintenance: Pool,
  server: Server,
  app: Pick<AppRecord, 'ref' | 'database'>,
): Promise<void> {
  if (!isAttached(app)) await dropDatabase(maintenance, app.database);
  await dropRoles(maintenance, server, app.ref);
  await dropUnusedRoles(maintenance);
}

/**
 * SQLSTATEs of statements that another session interferes with: a deadlock, an object that still depends on a role, and
 * a row that another transaction changed meanwhile.
 */
const INTERFERED: readonly string[] = ['40P01', '2BP01', 'XX000'];

/**
 * Drops the login roles of an app. Any app can name the roles and hold locks on them, so its sessions are ended if they
 * are in the way.
 * @throws NinefoldError app_session_stuck if other apps prevent it until appClosingSeconds have passed.
 */
async function dropRoles(maintenance: Pool, server: Server, ref: string): Promise<void> {
  const until = performance.now() + limits.appClosingSeconds.default * 1000;
  const roles = [transferRole(ref), authenticatorRole(ref), serverRole(ref), vaultRole(ref), ownerRole(ref)];
  for (const role of await existingRoles(maintenance, roles)) {
    for (let attempt = 1; ; attempt++) {
      try {
        await removeRoleFromDatabases(maintenance, server, role, until);
        await withPool(server.target, (pool) =>
          runEndingBlockers(pool, maintenance, [plain(`drop role if exists ${id(role)}`)], until),
        );
        break;
      } catch (error) {
        const sqlstate = error instanceof DatabaseError ? error.sqlstate : '';
        if (sqlstate === TIMED_OUT) throw sessionStuck(error);
        if (!INTERFERED.includes(sqlstate)) throw error;
        if (attempt >= DROP_ATTEMPTS || performance.now() > until) throw sessionStuck(error);
      }
    }
  }
}

/** Returns the roles that exist, in the given order. Each role that is dropped costs a connection, and a new app has none. */
async function existingRoles(maintenance: Pool, roles: readonly string[]): Promise<string[]> {
  const [found] = await maintenance.run([
    {
      text: 'select rolname as name from pg_catalog.pg_roles where rolname in (select pg_catalog.json_array_elements_text($1::json))',
      params: [JSON.stringify(roles)],
    },
  ]);
  const existing = new Set((found ? rowsAsText(found) : []).map(({ name }) => name));
  return roles.filter((role) => existing.has(role));
}

/**
 * Removes a role from databases that stay: transfers its objects to the owner of the database and revokes its
 * privileges. The owner of any app can name the role in a GRANT or a policy, and PostgreSQL cannot drop a role that is
 * referenced.
 * @param until As of `runEndingBlockers`.
 */
async function removeRoleFromDatabases(maintenance: Pool, server: Server, role: string, until: number): Promise<void> {
  const [found] = await maintenance.run([
    {
      text: `select distinct d.datname as database, o.rolname as owner, d.datallowconn as open from pg_catalog.pg_shdepend s
             join pg_catalog.pg_roles r on s.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass and s.refobjid = r.oid
             join pg_catalog.pg_database d on d.oid = s.dbid or s.dbid = 0 and d.datname = pg_catalog.current_database()
             join pg_catalog.pg_roles o on o.oid = d.datdba where r.rolname = $1`,
      params: [role],
    },
  ]);
  for (const { database, owner, open } of found ? rowsAsText(found) : []) {
    if (!database || !owner) continue;
    if (open !== 't') await maintenance.run([plain(`alter database ${id(database)} allow_connections true`)]);
    await withPool(superuserIn(server, database), (pool) =>
      runEndingBlockers(
        pool,
        maintenance,
        [plain(`reassign owned by ${id(role)} to ${id(owner)}`), plain(`drop owned by ${id(role)}`)],
        until,
      ),
    );
  }
}
