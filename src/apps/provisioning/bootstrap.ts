import { createHmac } from 'node:crypto';
import type { ConnectionConfig } from '../../database/connection-config.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { Pool } from '../../database/pool.ts';
import { rowsAsText } from '../../database/statement.ts';
import type { Events } from '../../observe/events.ts';
import cluster from '../../schema/cluster.sql';
import { isCurrent } from '../apps.ts';
import { CONSOLE_REF, databaseName, TEMPLATE_DATABASE } from '../registry/app-record.ts';
import { Registry } from '../registry/registry.ts';
import { type Server, serverOf, superuserIn, withPool } from '../registry/server.ts';
import { checkServer, ServerUnfitError } from './check-server.ts';
import { reopenCopied } from './copy-database.ts';
import { dropUnusedRoles } from './database-roles.ts';
import { newRecord } from './lifecycle.ts';
import { createMaintenanceTables, ensureMaintenanceDatabase } from './maintenance-database.ts';
import { ensureTemplate, provision } from './provision.ts';
import { boundRoles } from './role-bounds.ts';
import { appFiles, applySchemaFiles, consoleFiles, installedFiles, SchemaUnfitError } from './schema-files.ts';
import { updateSchema } from './update-schema.ts';
import { ensureVaultKeys } from './vault-keys.ts';

/**
 * Prepares the server for apps: roles, template and console. `updateApps` updates the apps while the node serves. Does
 * not change existing objects, so it can run at every start and on several nodes at once.
 * @param entry Connection parameters of the superuser for a database that exists before the first start.
 * @returns PostgreSQL's version, and the server with the rights that the login lacks
 * @throws ServerUnfitError if the server is too old, the login has too few rights, or another version of Ninefold created the
 * databases.
 * @throws MasterKeyError if another key encrypted the secrets of the apps.
 */
export async function bootstrap(
  expected: Server,
  entry: ConnectionConfig,
  maintenance: Pool,
  events: Events,
): Promise<{ version: string; server: Server }> {
  const prepare = async (pool: Pool) => {
    const { version, missingRights } = await checkServer(expected, pool);
    await refuseOtherVersion(expected, pool);
    await ensureMaintenanceDatabase(expected, pool);
    return { version, server: { ...expected, missingRights } };
  };
  // One connection holds a lock while the other creates the database.
  const prepared = await withPool(entry, prepare, 2);
  const { server } = prepared;
  await maintenance.transaction(async (tx) => {
    await tx.run([{ text: 'select pg_catalog.pg_advisory_xact_lock(9009, 0)', params: [] }]);
    await prepareServer(server, maintenance);
    await ensureConsole(server, maintenance);
    await mendApps(server, maintenance, events);
  });
  return prepared;
}

/** Creates the shared roles and the template of apps. */
export async function prepareServer(server: Server, maintenance: Pool): Promise<void> {
  await maintenance.script(cluster);
  await createMaintenanceTables(maintenance);
  await makeTemplate(server, maintenance);
}

/**
 * Prepares a further server for apps: maintenance database, roles and template. Can run at every start.
 * @param entry Connection parameters of the login for a database that exists before the first time.
 * @returns the rights of a superuser that the login lacks
 * @throws ServerUnfitError
 */
export async function prepareFurtherServer(server: Server, entry: ConnectionConfig): Promise<Server['missingRights']> {
  const missingRights = await withPool(
    entry,
    async (pool) => {
      const checked = await checkServer(server, pool);
      await refuseOtherNode(pool);
      await refuseOtherVersion(server, pool);
      await ensureMaintenanceDatabase(server, pool);
      return checked.missingRights;
    },
    2,
  );
  await withPool(
    server.target,
    (maintenance) =>
      maintenance.transaction(async (tx) => {
        await tx.run([{ text: 'select pg_catalog.pg_advisory_xact_lock(9009, 0)', params: [] }]);
        await claimServer(server, maintenance);
        await prepareServer({ ...server, missingRights }, maintenance);
      }),
    2,
  );
  return missingRights;
}

/** Notes in the server that it belongs to this console, and refuses one of another console: both would use the same names. */
async function claimServer({ masterKey }: Server, maintenance: Pool): Promise<void> {
  const own = createHmac('sha256', masterKey).update('owner of a further server').digest('hex');
  await createMaintenanceTables(maintenance);
  const [, found] = await maintenance.run([
    { text: 'insert into public.console (id) select $1 where not exists (select from public.console)', params: [own] },
    { text: 'select id from public.console', params: [] },
  ]);
  if (found && rowsAsText(found)[0]?.id !== own) {
    throw new ServerUnfitError('Apps of another console live on this PostgreSQL server.');
  }
}

/** Refuses the server on which another node has its console. */
async function refuseOtherNode(pool: Pool): Promise<void> {
  const [found] = await pool.run([
    { text: 'select 1 from pg_catalog.pg_database where datname = $1', params: [databaseName(CONSOLE_REF)] },
  ]);
  if (found?.rows.length) throw new ServerUnfitError('This PostgreSQL server has the console of a node.');
}

/** Refuses the databases of another version before anything is changed. The template has the schema of all others. */
async function refuseOtherVersion(server: Server, pool: Pool): Promise<void> {
  const [found] = await pool.run([
    { text: 'select 1 from pg_catalog.pg_database where datname = $1', params: [TEMPLATE_DATABASE] },
  ]);
  if (!found?.rows.length) return;
  await withPool(superuserIn(server, TEMPLATE_DATABASE), installedFiles).catch((error: unknown) => {
    if (!(error instanceof SchemaUnfitError)) throw error;
    throw new ServerUnfitError(`This node cannot use the database ${TEMPLATE_DATABASE}: ${error.message}.`, {
      cause: error,
    });
  });
}

/** SQLSTATEs of a library of an extension that is missing or cannot be loaded. */
const unloadable: readonly string[] = ['58P01', 'XX000', '42883', '0A000'];

/** Creates or updates the template. A server can list an extension whose library it cannot load. */
async function makeTemplate(server: Server, maintenance: Pool): Promise<void> {
  try {
    await ensureTemplate(server, maintenance);
  } catch (error) {
    const { cause } = error as Error;
    const refusal = error instanceof DatabaseError ? error : cause instanceof DatabaseError ? cause : null;
    if (refusal === null || !unloadable.includes(refusal.sqlstate) || !/librar|file|extension/i.test(refusal.message)) {
      throw error;
    }
    throw new ServerUnfitError(
      `This PostgreSQL server cannot be used: it lists an extension that it cannot load (${refusal.message}). Install the package that has the library, or a server whose extensions work.`,
      { cause: error },
    );
  }
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
      // Throws before any app is changed if another master key encrypted the record.
      await new Registry(pool, server.masterKey).find(CONSOLE_REF);
      await applySchemaFiles(pool, [...appFiles, ...consoleFiles], server);
    });
    return;
  }
  // The console does not exist, or a previous start ended before the console was complete. It contains no data then.
  const record = newRecord(CONSOLE_REF, { name: 'Console' });
  await provision(server, maintenance, record);
  await withPool(superuserIn(server, database), async (pool) => {
    await applySchemaFiles(pool, consoleFiles, server);
    await pool.run([
      { text: `insert into ninefold.settings (key, value) values ('disable_signup', 'true')`, params: [] },
    ]);
    await new Registry(pool, server.masterKey).insert(record, null);
  });
}

/** Returns true if the console's own record exists, which is created last. */
async function hasRecord(pool: Pool): Promise<boolean> {
  const [table] = await pool.run([{ text: `select to_regclass('node.secrets') is not null as there`, params: [] }]);
  if (!table || rowsAsText(table)[0]?.there !== 't') return false;
  const [row] = await pool.run([{ text: 'select 1 from node.secrets where app = $1', params: [CONSOLE_REF] }]);
  return (row?.rows.length ?? 0) > 0;
}

/** Reopens databases that an interrupted copy left closed, and updates the schema of the console. */
async function mendApps(server: Server, maintenance: Pool, events: Events): Promise<void> {
  await withPool(superuserIn(server, databaseName(CONSOLE_REF)), async (pool) => {
    const registry = new Registry(pool, server.masterKey);
    const records = await registry.list();
    await reopenCopied(maintenance, records);
    await boundRoles(
      maintenance,
      records.map(({ ref }) => ref),
      server,
    );
    await ensureVaultKeys(
      maintenance,
      records.map(({ ref }) => ref),
      server,
    );
    await dropUnusedRoles(maintenance);
    const console = await registry.find(CONSOLE_REF);
    if (console && !isCurrent(console)) await updateSchema(server, registry, console, events);
  });
}

/**
 * Updates Ninefold's schema in all apps' databases, one after the other, while the node serves; a request to an app
 * updates the app first. If a database rejects the update, it stays unchanged until the next request. Its owner can
 * lock tables or close the database, and must not delay other apps.
 */
export async function updateApps(server: Server, events: Events, isStopping: () => boolean): Promise<void> {
  await withPool(superuserIn(server, databaseName(CONSOLE_REF)), async (pool) => {
    const registry = new Registry(pool, server.masterKey);
    const outdated = (await registry.list()).filter((record) => !isCurrent(record));
    for (const { ref } of outdated) {
      if (isStopping()) return;
      const record = await registry.find(ref);
      if (record && !isCurrent(record)) await updateSchema(serverOf(server, record), registry, record, events);
    }
  });
}
