import { prepareServer } from '../apps/provisioning/bootstrap.ts';
import { ServerUnfitError } from '../apps/provisioning/check-server.ts';
import { provisionFromServer } from '../apps/provisioning/provision.ts';
import { CONSOLE_REF, databaseName, MAINTENANCE_DATABASE, TEMPLATE_DATABASE } from '../apps/registry/app-record.ts';
import { Registry } from '../apps/registry/registry.ts';
import { type Server, smallPool, superuserIn, withPool } from '../apps/registry/server.ts';
import { InstallError } from '../apps/transfer/install.ts';
import { DumpError } from '../apps/transfer/pg-dump.ts';
import type { TransferProgress } from '../apps/transfer/transfer-database.ts';
import type { Config } from '../config/config.ts';
import type { Secrets } from '../config/secrets.ts';
import { DatabaseError } from '../database/database-error.ts';
import type { Pool } from '../database/pool.ts';
import { quoteIdentifier as id, quoteLiteral as literal, plain, rowsAsText } from '../database/statement.ts';
import { startSideBySide } from '../postgres/side-by-side.ts';
import { StartError } from '../postgres/start-error.ts';
import { appServer, entryTarget } from './from-config.ts';

/** Setting of a database whose app has moved completely. An interrupted upgrade goes on behind the last one. */
const MOVED = 'ninefold.moved_from';

/** Messages of an upgrade. */
export interface UpgradeProgress {
  onApp(app: { ref: string; number: number; total: number }): void;
  onStep(progress: TransferProgress): void;
  onWarning(message: string): void;
}

/** The result of an upgrade; null if the data folder has the installed major version. */
export interface UpgradeResult {
  readonly from: number;
  readonly to: number;
  readonly apps: number;
  readonly rows: number;
  /** The data folder of the older version, which is not used any longer. */
  readonly olderFolder: string;
}

/**
 * Moves the apps of a home from a data folder of an older major version of PostgreSQL to a new one, one app after the other, with
 * both servers side by side. No node runs meanwhile. The older data folder is only read, so nothing is lost if the upgrade ends
 * early, and a second call goes on with the first app that has not moved completely.
 * @param olderPrograms Folder with the programs of the older version.
 * @throws StartError, ServerUnfitError with one sentence for the operator
 */
export async function upgradePostgres(
  config: Config,
  secrets: Secrets,
  olderPrograms: string,
  progress: UpgradeProgress,
): Promise<UpgradeResult | null> {
  if (config.databaseUrl !== null) {
    throw new StartError('NINEFOLD_DATABASE_URL names a server of your own: upgrade it with its own tools.');
  }
  const servers = await startSideBySide({
    ...{ home: config.home, olderPrograms, password: secrets.postgresPassword },
    log: (message) => progress.onWarning(message),
  });
  if (servers === null) return null;
  const { olderMajor: from, newerMajor: to } = servers;
  try {
    // The next start creates the maintenance database of the newer server.
    const serverAt = (url: string): Server => ({
      ...appServer(entryTarget(url), config, secrets),
      target: entryTarget(url),
    });
    const [older, newer] = [serverAt(servers.olderUrl), serverAt(servers.newerUrl)];
    const maintenance = smallPool(newer.target);
    try {
      const moved = await moveApps({ config, older, newer, maintenance, from, progress });
      const { olderFolder } = await servers.finish();
      return { from, to, ...moved, olderFolder };
    } finally {
      await maintenance.close();
    }
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

interface Move {
  config: Config;
  older: Server;
  newer: Server;
  maintenance: Pool;
  from: number;
  progress: UpgradeProgress;
}

async function moveApps({
  config,
  older,
  newer,
  maintenance,
  from,
  progress,
}: Move): Promise<{ apps: number; rows: number }> {
  await withPool(older.target, refuseOtherDatabases);
  return withPool(superuserIn(older, databaseName(CONSOLE_REF)), async (consoleDatabase) => {
    const registry = new Registry(consoleDatabase, older.masterKey);
    // The console is last: its presence means that all apps have moved.
    // The apps on further servers stay there.
    const here = (await registry.list()).filter(({ serverRef }) => serverRef === undefined);
    const refs = here.map(({ ref }) => ref).filter((ref) => ref !== CONSOLE_REF);
    const all = [...refs, CONSOLE_REF];
    await prepareServer(newer, maintenance);
    let rows = 0;
    for (const [i, ref] of all.entries()) {
      const database = databaseName(ref);
      if (await isMoved(maintenance, database)) continue;
      progress.onApp({ ref, number: i + 1, total: all.length });
      const record = await registry.find(ref);
      if (!record) throw new StartError(`The record of the app ${ref} is missing.`);
      const source = {
        connection: superuserIn(older, record.database),
        tools: { folders: config.programFolders, thread: new URL('./wasm-dump.js', import.meta.url) },
        onProgress: progress.onStep,
      };
      const moved = await provisionFromServer(newer, maintenance, record, source, false).catch((error: unknown) => {
        if (!(error instanceof InstallError || error instanceof DumpError || error instanceof DatabaseError))
          throw error;
        throw new StartError(
          `The app ${ref} cannot move: ${error.message}. Nothing was changed in the older data folder.`,
          {
            cause: error,
          },
        );
      });
      rows += moved.rows;
      for (const view of moved.emptyViews) {
        progress.onWarning(`The materialized view ${view} of the app ${ref} is empty: its query failed.`);
      }
      await maintenance.run([plain(`alter database ${id(database)} set ${MOVED} = ${literal(String(from))}`)]);
    }
    await copyServerSettings(older, maintenance, progress);
    for (const ref of all) await maintenance.run([plain(`alter database ${id(databaseName(ref))} reset ${MOVED}`)]);
    return { apps: refs.length, rows };
  });
}

/** Refuses a server with databases that would stay behind. */
async function refuseOtherDatabases(older: Pool): Promise<void> {
  const known = ['template0', 'template1', 'postgres', MAINTENANCE_DATABASE, TEMPLATE_DATABASE];
  const [found] = await older.run([plain('select datname from pg_catalog.pg_database')]);
  const others = (found ? rowsAsText(found) : [])
    .map(({ datname }) => datname ?? '')
    .filter((name) => !known.includes(name) && !name.startsWith('app_'));
  if (others.length > 0) {
    throw new StartError(
      `The databases ${others.join(', ')} belong to no app that Ninefold created, and would stay behind: save them with pg_dump and drop them first.`,
    );
  }
}

async function isMoved(maintenance: Pool, database: string): Promise<boolean> {
  const [found] = await maintenance.run([
    {
      text: `select 1 from pg_catalog.pg_db_role_setting s join pg_catalog.pg_database d on d.oid = s.setdatabase
             where d.datname = $1 and s.setrole = 0 and exists (select from pg_catalog.unnest(s.setconfig) x where x like $2)`,
      params: [database, `${MOVED}=%`],
    },
  ]);
  return (found?.rows.length ?? 0) > 0;
}

/** Carries the operator's settings of ALTER SYSTEM over. A setting that the newer version does not have is reported. */
async function copyServerSettings(older: Server, maintenance: Pool, progress: UpgradeProgress): Promise<void> {
  const [found] = await withPool(older.target, (pool) =>
    pool.run([
      plain(
        `select name, setting from pg_catalog.pg_file_settings where sourcefile like '%postgresql.auto.conf' and error is null`,
      ),
    ]),
  );
  for (const { name, setting } of found ? rowsAsText(found) : []) {
    await maintenance
      .run([plain(`alter system set ${id(name ?? '')} = ${literal(setting ?? '')}`)])
      .catch((error: unknown) => {
        if (!(error instanceof DatabaseError)) throw error;
        progress.onWarning(`The setting ${name} was not carried over: ${error.message}.`);
      });
  }
}

/** Returns true for an error whose message is written for the operator. */
export const isForOperator = (error: unknown): boolean =>
  error instanceof StartError || error instanceof ServerUnfitError;
