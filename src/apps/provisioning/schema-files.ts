import { limits } from '../../../contract/limits.ts';
import type { Database } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { rowsAsText } from '../../database/statement.ts';
import base from '../../schema/0001_base.sql';
import versions from '../../schema/0002_versions.sql';
import owner from '../../schema/0003_owner.sql';
import hideOtherApps from '../../schema/0004_hide_other_apps.sql';
import auth from '../../schema/0005_auth.sql';
import members from '../../schema/0006_members.sql';
import sessions from '../../schema/0007_sessions.sql';
import factors from '../../schema/0008_factors.sql';
import mail from '../../schema/0009_mail.sql';
import oauth from '../../schema/0010_oauth.sql';
import oauthClients from '../../schema/0011_oauth_clients.sql';
import screens from '../../schema/0012_screens.sql';
import states from '../../schema/0013_states.sql';
import jobs from '../../schema/0014_jobs.sql';
import http from '../../schema/0015_http.sql';
import project from '../../schema/0016_project.sql';
import log from '../../schema/0017_log.sql';
import files from '../../schema/0018_files.sql';
import fileFields from '../../schema/0019_file_fields.sql';
import changes from '../../schema/0020_changes.sql';
import traceContext from '../../schema/0021_trace_context.sql';
import vector from '../../schema/0022_vector.sql';
import cheaperHiding from '../../schema/0023_cheaper_hiding.sql';
import vault from '../../schema/0025_vault.sql';
import pgmq from '../../schema/0026_pgmq.sql';
import databaseRoles from '../../schema/0027_roles.sql';
import scheduleSteps from '../../schema/0028_schedule_steps.sql';
import functions from '../../schema/0029_functions.sql';
import rowRights from '../../schema/0030_row_rights.sql';
import pages from '../../schema/0031_pages.sql';
import sharedViews from '../../schema/0032_shared_views.sql';
import notifications from '../../schema/0033_notifications.sql';
import changesByServer from '../../schema/0034_changes_by_server.sql';
import consoleTables from '../../schema/console/0001_console.sql';
import consoleBus from '../../schema/console/0002_bus.sql';
import consoleSetup from '../../schema/console/0003_setup.sql';
import consoleBackup from '../../schema/console/0004_backup.sql';
import consoleServers from '../../schema/console/0005_servers.sql';
import consoleLinks from '../../schema/console/0006_specification_links.sql';
import type { Server } from '../registry/server.ts';
import { withoutSuperuser } from './without-superuser.ts';

/** Key of the advisory lock of an update. */
const SCHEMA_LOCK = 9_009_001;

interface SchemaFile {
  name: string;
  sql: string;
  /** True if the file also applies to an app on an existing database. */
  onExisting: boolean;
}

/** The schema files of every app's database, in order. A released file never changes; a release appends new files. */
export const appFiles: readonly SchemaFile[] = [
  { name: '0001_base', sql: base, onExisting: true },
  { name: '0002_versions', sql: versions, onExisting: true },
  { name: '0003_owner', sql: owner, onExisting: true },
  { name: '0004_hide_other_apps', sql: hideOtherApps, onExisting: false },
  { name: '0005_auth', sql: auth, onExisting: true },
  { name: '0006_members', sql: members, onExisting: true },
  { name: '0007_sessions', sql: sessions, onExisting: true },
  { name: '0008_factors', sql: factors, onExisting: true },
  { name: '0009_mail', sql: mail, onExisting: true },
  { name: '0010_oauth', sql: oauth, onExisting: true },
  { name: '0011_oauth_clients', sql: oauthClients, onExisting: false },
  { name: '0012_screens', sql: screens, onExisting: true },
  { name: '0013_states', sql: states, onExisting: true },
  { name: '0014_jobs', sql: jobs, onExisting: true },
  { name: '0015_http', sql: http, onExisting: true },
  { name: '0016_project', sql: project, onExisting: false },
  { name: '0017_log', sql: log, onExisting: true },
  { name: '0018_files', sql: files, onExisting: true },
  { name: '0019_file_fields', sql: fileFields, onExisting: true },
  { name: '0020_changes', sql: changes, onExisting: true },
  { name: '0021_trace_context', sql: traceContext, onExisting: true },
  { name: '0022_vector', sql: vector, onExisting: true },
  { name: '0023_cheaper_hiding', sql: cheaperHiding, onExisting: false },
  { name: '0025_vault', sql: vault, onExisting: false },
  { name: '0026_pgmq', sql: pgmq, onExisting: false },
  { name: '0027_roles', sql: databaseRoles, onExisting: false },
  { name: '0028_schedule_steps', sql: scheduleSteps, onExisting: true },
  { name: '0029_functions', sql: functions, onExisting: true },
  { name: '0030_row_rights', sql: rowRights, onExisting: true },
  { name: '0031_pages', sql: pages, onExisting: true },
  { name: '0032_shared_views', sql: sharedViews, onExisting: true },
  { name: '0033_notifications', sql: notifications, onExisting: true },
  { name: '0034_changes_by_server', sql: changesByServer, onExisting: true },
];

/** Name of the last schema file. */
export const newestAppFile: string = appFiles[appFiles.length - 1]?.name ?? '';

/** Further schema files of the console's database. */
export const consoleFiles: readonly SchemaFile[] = [
  { name: 'console/0001_console', sql: consoleTables, onExisting: false },
  { name: 'console/0002_bus', sql: consoleBus, onExisting: false },
  { name: 'console/0003_setup', sql: consoleSetup, onExisting: false },
  { name: 'console/0004_backup', sql: consoleBackup, onExisting: false },
  { name: 'console/0005_servers', sql: consoleServers, onExisting: false },
  { name: 'console/0006_specification_links', sql: consoleLinks, onExisting: false },
];

/** The newest schema files. Two versions of Ninefold with the same newest files have the same schemas. */
export const schemaIdentity = `${newestAppFile} ${consoleFiles.at(-1)?.name}`;

/**
 * Applies the files that a database does not have yet. Each file runs in a transaction, under a lock, so that no other
 * node applies files to the database at the same time. Runs as the superuser with an empty search path, so that no
 * object of an app's owner is called. The app's journal ignores changes by a superuser (`ninefold.note_schema_change`).
 * Returns the names of the applied files.
 * @throws SchemaStepError if the database rejects a file.
 * @throws SchemaUnfitError if the files do not fit the schema `ninefold` of the database.
 */
export async function applySchemaFiles(
  database: Database,
  files: readonly SchemaFile[],
  { missingRights }: Pick<Server, 'missingRights'>,
): Promise<string[]> {
  const names = await installedFiles(database);
  const missing = files.filter((file) => !names.has(file.name));
  for (const file of missing) {
    try {
      await database.script(
        `begin; set local search_path = ''; set local lock_timeout = ${limits.schemaStepLockMilliseconds.default};
select pg_catalog.pg_advisory_xact_lock(${SCHEMA_LOCK});
${missingRights.length > 0 ? withoutSuperuser(file, missingRights) : file.sql}
;insert into ninefold.schema_files (name) values ('${file.name}'); commit;`,
      );
    } catch (error) {
      // Another worker may have applied the file first. Then this worker's attempt fails, but the database is up to
      // date.
      if (!(error instanceof DatabaseError)) throw error;
      if (!(await namesIn(database).catch(() => new Set())).has(file.name)) throw new SchemaStepError(file.name, error);
    }
  }
  return missing.map((file) => file.name);
}

/**
 * Returns the names of the schema files that a database has.
 * @throws SchemaUnfitError if the schema `ninefold` is not Ninefold's, or if another version of Ninefold created it.
 */
export async function installedFiles(database: Database): Promise<ReadonlySet<string>> {
  const [known] = await database.run([{ text: OWN_SCHEMA, params: [] }]);
  const schema = known && rowsAsText(known)[0];
  // An attached database may have another schema `ninefold`. Its views and triggers would run as the superuser, so the
  // database is refused.
  if (schema && schema.is_own !== 't') throw new SchemaUnfitError('it has a schema ninefold that is not Ninefold’s');
  const names = schema?.complete === 't' ? await namesIn(database) : new Set<string>();
  for (const name of names) requireKnownFile(name);
  return names;
}

/**
 * Refuses a schema file that this version does not have. A later version, or one before 0.1.0, applied the file.
 * @throws SchemaUnfitError
 */
export function requireKnownFile(name: string): void {
  if ([...appFiles, ...consoleFiles].some((file) => file.name === name)) return;
  throw new SchemaUnfitError(
    `another version of Ninefold created it (schema file ${name}). To carry the data over, start that version, save the data of each app with pg_dump as the app’s owner, create each app in a new NINEFOLD_HOME with “ninefold apps create --from”, and restore the data there`,
  );
}

/** Error of a database whose schema `ninefold` this version cannot update. The message is the reason. */
export class SchemaUnfitError extends Error {
  override readonly name = 'SchemaUnfitError';
}

/** Error of a database that rejected a schema file. The message is PostgreSQL's. */
export class SchemaStepError extends Error {
  override readonly name = 'SchemaStepError';
  readonly step: string;

  constructor(step: string, cause: DatabaseError) {
    super(cause.message, { cause });
    this.step = step;
  }
}

async function namesIn(database: Database): Promise<Set<string>> {
  const [applied] = await database.run([{ text: 'select name from ninefold.schema_files', params: [] }]);
  return new Set(applied ? rowsAsText(applied).map((row) => row.name ?? '') : []);
}

const OWN_SCHEMA = `select r.rolsuper or r.rolname = current_user as is_own, pg_catalog.to_regclass('ninefold.schema_files') is not null as complete
  from pg_catalog.pg_namespace n join pg_catalog.pg_roles r on r.oid = n.nspowner where n.nspname = 'ninefold'`;
