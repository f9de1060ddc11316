import type { Events } from '../../observe/events.ts';
import { type AppRecord, CONSOLE_REF, isAttached } from '../registry/app-record.ts';
import type { Registry } from '../registry/registry.ts';
import { type Server, superuserIn, withPool } from '../registry/server.ts';
import { ensureServerRole } from './provision.ts';
import { appFiles, applySchemaFiles, newestAppFile, SchemaStepError } from './schema-files.ts';

/**
 * The last schema file of the oldest version whose apps can be updated. Earlier files read tables of schema auth as the
 * superuser, on which the owner of an app may have defined code.
 */
const OLDEST_UPDATED = '0086_slow_requests';

const TOO_OLD =
  'it was created by a version before 0.1.0. Save its data with pg_dump as the app’s owner, create a new app, and restore the data there';

/** Reason why an app's database schema is out of date. */
export interface SchemaRefusal {
  /** Schema file that the database rejected; null if the database could not be reached. */
  step: string | null;
  /** PostgreSQL's message. */
  reason: string;
}

/**
 * Updates Ninefold's schema in an app's database, and records that in the registry. Returns the reason if that failed:
 * an owner can lock tables, fill the disk or close the database. The database then stays unchanged.
 */
export async function updateSchema(
  server: Server,
  registry: Registry,
  record: AppRecord,
  events: Events,
): Promise<SchemaRefusal | null> {
  if (record.schemaFile < OLDEST_UPDATED && record.ref !== CONSOLE_REF) return { step: null, reason: TOO_OLD };
  try {
    const files = isAttached(record) ? appFiles.filter((file) => file.onExisting) : appFiles;
    await withPool(server.target, (maintenance) => ensureServerRole(server, maintenance, record));
    await withPool(superuserIn(server, record.database), (app) => applySchemaFiles(app, files));
    await registry.recordSchemaFile(record.ref, newestAppFile);
    return null;
  } catch (error) {
    events.emit({ type: 'fault', requestId: null, where: `the schema of app ${record.ref}`, error });
    const reason = error instanceof Error ? error.message : String(error);
    return { step: error instanceof SchemaStepError ? error.step : null, reason };
  }
}
