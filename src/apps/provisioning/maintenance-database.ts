import type { Pool } from '../../database/pool.ts';
import { quoteIdentifier as id, plain } from '../../database/statement.ts';
import { MAINTENANCE_DATABASE, TEMPLATE_DATABASE } from '../registry/app-record.ts';
import type { Server } from '../registry/server.ts';

/**
 * Creates the database that only nodes use. Databases that others may use, such as postgres, stay as they are:
 * replication managers and monitoring log in there.
 */
export async function ensureMaintenanceDatabase(server: Server, entry: Pool): Promise<void> {
  await entry.transaction(async (tx) => {
    await tx.run([{ text: 'select pg_catalog.pg_advisory_xact_lock(9009, 0)', params: [] }]);
    if (server.isEmbedded) await closeDatabases(entry);
    if (await hasDatabase(entry, MAINTENANCE_DATABASE)) return;
    if (!server.isEmbedded && (await hasDatabase(entry, TEMPLATE_DATABASE))) await reopenDatabases(entry);
    await entry.run([plain(`create database ${id(MAINTENANCE_DATABASE)} template template0 encoding 'UTF8'`)]);
  });
}

/**
 * Creates the tables of the maintenance database: the databases that are closed while they are copied or deleted, so that the next start
 * opens them if the node ends meanwhile, and the console to which a further server belongs.
 */
export const createMaintenanceTables = (maintenance: Pool): Promise<unknown> =>
  maintenance.script(`create table if not exists public.closed_databases (name name primary key);
    create table if not exists public.console (id text primary key)`);

async function hasDatabase(pool: Pool, name: string): Promise<boolean> {
  const [found] = await pool.run([{ text: 'select 1 from pg_catalog.pg_database where datname = $1', params: [name] }]);
  return (found?.rows.length ?? 0) > 0;
}

/** Closes the databases of the embedded server that belong to no app, so that owners do not see other apps there. */
const closeDatabases = (entry: Pool): Promise<unknown> =>
  entry.run(
    ['postgres', 'template1'].map((name) => plain(`revoke connect, temporary on database ${name} from public`)),
  );

/** Grants what a version before the maintenance database has revoked from all roles. */
async function reopenDatabases(entry: Pool): Promise<void> {
  await entry.run([
    plain(`do $do$
begin
  execute pg_catalog.format('grant connect, temporary on database %I to public', pg_catalog.current_database());
  if exists (select from pg_catalog.pg_database where datname = 'postgres') then
    grant connect, temporary on database postgres to public;
  end if;
  if exists (select from pg_catalog.pg_database where datname = 'template1') then
    grant connect on database template1 to public;
  end if;
end
$do$`),
  ]);
}
