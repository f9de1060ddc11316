import type { Events } from '../observe/events.ts';
import { type AppEntry, type AppRecord, isAttached } from './app-record.ts';
import type { Registry } from './registry.ts';
import { appFiles, applySchemaFiles, newestAppFile, SchemaStepError } from './schema-files.ts';
import { type Server, superuserIn, withPool } from './server.ts';

/** Why an app's database is not as this version needs it. */
export interface SchemaRefusal {
  /** The file of Ninefold's own schema that it has not taken; null where the database could not be reached. */
  step: string | null;
  /** The message of PostgreSQL. */
  reason: string;
}

/** True where an app's database has what this version of Ninefold's own schema holds. */
export const isCurrent = (record: Pick<AppRecord, 'schemaFile'>): boolean => record.schemaFile === newestAppFile;

/**
 * Brings Ninefold's own schema in an app's database to what this version has, and notes that in the registry. Answers why it could
 * not be: an owner can lock tables, fill the disk or close the database. The database stays as it was.
 */
export async function updateSchema(
  server: Server,
  registry: Registry,
  record: AppEntry,
  events: Events,
): Promise<SchemaRefusal | null> {
  try {
    const files = isAttached(record) ? appFiles.filter((file) => file.onExisting) : appFiles;
    await withPool(superuserIn(server, record.database), (app) => applySchemaFiles(app, files));
    await registry.noteSchemaFile(record.ref, newestAppFile);
    return null;
  } catch (error) {
    events.emit({ type: 'fault', requestId: null, where: `the schema of app ${record.ref}`, error });
    const reason = error instanceof Error ? error.message : String(error);
    return { step: error instanceof SchemaStepError ? error.step : null, reason };
  }
}
