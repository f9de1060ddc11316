import type { Events } from '../../observe/events.ts';
import { type AppRecord, isAttached } from '../registry/app-record.ts';
import type { Registry } from '../registry/registry.ts';
import { type Server, superuserIn, withPool } from '../registry/server.ts';
import { appFiles, applySchemaFiles, newestAppFile, requireKnownFile, SchemaStepError } from './schema-files.ts';

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
  try {
    requireKnownFile(record.schemaFile);
    const files = isAttached(record) ? appFiles.filter((file) => file.onExisting) : appFiles;
    await withPool(superuserIn(server, record.database), (app) => applySchemaFiles(app, files, server));
    await registry.recordSchemaFile(record.ref, newestAppFile);
    return null;
  } catch (error) {
    events.emit({ type: 'fault', requestId: null, where: `the schema of app ${record.ref}`, error });
    const reason = error instanceof Error ? error.message : String(error);
    return { step: error instanceof SchemaStepError ? error.step : null, reason };
  }
}
