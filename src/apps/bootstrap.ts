import { ConnectionError, DatabaseError } from '../database/database-error.ts';
import type { Pool } from '../database/pool.ts';
import { rowsAsText } from '../database/statement.ts';
import type { Events } from '../observe/events.ts';
import cluster from '../schema/cluster.sql';
import { CONSOLE_REF, databaseName } from './app-record.ts';
import { reopenCopied } from './copy-database.ts';
import { newRecord } from './lifecycle.ts';
import { ensureTemplate, provision } from './provision.ts';
import { Registry } from './registry.ts';
import { boundRoles } from './role-bounds.ts';
import { appFiles, applySchemaFiles, consoleFiles } from './schema-files.ts';
import { type Server, superuserIn, withPool } from './server.ts';
import { isCurrent, updateSchema } from './update-schema.ts';

/** The server cannot hold apps; the message says what it lacks. */
export class ServerUnfitError extends Error {
  override readonly name = 'ServerUnfitError';
}

const OLDEST_POSTGRES = 15;

/**
 * Makes the server ready for apps: roles, template and the console. `updateApps` does the rest once the node serves.
 * Changes nothing that is there, so that it can run at every start, on several nodes at once. Returns PostgreSQL's version.
 *
 * Throws ServerUnfitError where the server is too old or the login is no superuser, MasterKeyError where another key sealed the
 * secrets of its apps.
 */
export async function bootstrap(server: Server, maintenance: Pool, events: Events): Promise<string> {
  const version = await checkServer(server, maintenance);
  await maintenance.transaction(async (tx) => {
    await tx.run([{ text: 'select pg_catalog.pg_advisory_xact_lock(9009, 0)', params: [] }]);
    await maintenance.script(cluster);
    await ensureTemplate(server, maintenance);
    await ensureConsole(server, maintenance);
    await mendApps(server, maintenance, events);
  });
  return version;
}

async function checkServer(server: Server, maintenance: Pool): Promise<string> {
  const { host, port } = server.target;
  const asked = maintenance.run([
    {
      text: `select pg_catalog.current_setting('server_version') as version, pg_catalog.current_setting('server_version_num') as number,
               pg_catalog.pg_encoding_to_char(encoding) as encoding,
               (select rolsuper from pg_catalog.pg_roles where rolname = current_user) as superuser, current_user as login,
               (select pg_catalog.string_agg(wanted, ', ') from pg_catalog.unnest(array['pgcrypto','uuid-ossp','citext','pg_trgm']) wanted
                 where not exists (select from pg_catalog.pg_available_extensions where name = wanted)) as lacking
             from pg_catalog.pg_database where datname = pg_catalog.current_database()`,
      params: [],
    },
  ]);
  const [result] = await asked.catch((error: unknown) => {
    const known = error instanceof ConnectionError || error instanceof DatabaseError;
    const reason = known ? error.message : String(error);
    throw new ServerUnfitError(`PostgreSQL at ${host}:${port} cannot be used: ${reason}.`, { cause: error });
  });
  const row = result ? rowsAsText(result)[0] : undefined;
  if (!row) throw new ServerUnfitError('The PostgreSQL server does not say what it is.');
  const version = row.version ?? '';
  const lacks: string[] = [];
  if (Number(row.number) < OLDEST_POSTGRES * 10_000)
    lacks.push(`version ${OLDEST_POSTGRES} or newer (it is ${version})`);
  if (row.superuser !== 't') {
    lacks.push(`superuser rights for the login “${row.login}” (to make roles, databases and event triggers)`);
  }
  if (row.lacking) lacks.push(`the extensions ${row.lacking} (on Debian: the package postgresql-contrib)`);
  if (lacks.length > 0) {
    throw new ServerUnfitError(`This PostgreSQL server cannot be used: Ninefold needs ${lacks.join('; and ')}.`);
  }
  return version;
}

async function ensureConsole(server: Server, maintenance: Pool): Promise<void> {
  const database = databaseName(CONSOLE_REF);
  const [found] = await maintenance.run([
    { text: 'select 1 from pg_catalog.pg_database where datname = $1', params: [database] },
  ]);
  const isThere = (found?.rows.length ?? 0) > 0;
  const isComplete = isThere && (await withPool(superuserIn(server, database), hasRecord));
  if (isComplete) {
    await withPool(superuserIn(server, database), async (pool) => {
      // Throws where another master key sealed it: before an app is touched.
      await new Registry(pool, server.masterKey).find(CONSOLE_REF);
      await applySchemaFiles(pool, [...appFiles, ...consoleFiles]);
    });
    return;
  }
  // Not there, or an earlier start broke off before it was whole, when it cannot hold anything yet.
  const record = newRecord(CONSOLE_REF, { name: 'Console' });
  await provision(server, maintenance, record);
  await withPool(superuserIn(server, database), async (pool) => {
    await applySchemaFiles(pool, consoleFiles);
    await pool.run([
      { text: `insert into ninefold.settings (key, value) values ('disable_signup', 'true')`, params: [] },
    ]);
    await new Registry(pool, server.masterKey).insert(record, null);
  });
}

/** True where the console's own record stands: the last thing that making it does. */
async function hasRecord(pool: Pool): Promise<boolean> {
  const [table] = await pool.run([{ text: `select to_regclass('node.secrets') is not null as there`, params: [] }]);
  if (!table || rowsAsText(table)[0]?.there !== 't') return false;
  const [row] = await pool.run([{ text: 'select 1 from node.secrets where app = $1', params: [CONSOLE_REF] }]);
  return (row?.rows.length ?? 0) > 0;
}

/** Opens the databases that an interrupted copy has left closed, and brings the console's record up to date. */
async function mendApps(server: Server, maintenance: Pool, events: Events): Promise<void> {
  await withPool(superuserIn(server, databaseName(CONSOLE_REF)), async (pool) => {
    const registry = new Registry(pool, server.masterKey);
    const records = await registry.list();
    await reopenCopied(maintenance, records);
    await boundRoles(
      maintenance,
      records.map(({ ref }) => ref),
      server.temporaryBytes,
    );
    const console = records.find(({ ref }) => ref === CONSOLE_REF);
    if (console && !isCurrent(console)) await updateSchema(server, registry, console, events);
  });
}

/**
 * Brings Ninefold's schema in every app's database to what this version has, one app after the other, while the node serves: a call
 * updates its app first. One that refuses is left as it is, and tried again when it is called: its owner can lock tables or close the
 * database, and must not keep others waiting.
 */
export async function updateApps(server: Server, events: Events, isStopping: () => boolean): Promise<void> {
  await withPool(superuserIn(server, databaseName(CONSOLE_REF)), async (pool) => {
    const registry = new Registry(pool, server.masterKey);
    const outdated = (await registry.list()).filter((record) => !isCurrent(record));
    for (const { ref } of outdated) {
      if (isStopping()) return;
      const record = await registry.find(ref);
      if (record && !isCurrent(record)) await updateSchema(server, registry, record, events);
    }
  });
}
