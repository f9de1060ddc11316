import { DatabaseError } from '../../database/database-error.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';

/** SQLSTATEs of a missing privilege, schema, table, column or function. */
const missing = new Set(['42501', '3F000', '42P01', '42703', '42883']);

/**
 * Matches the context of an error in Ninefold's own trigger. The trigger reads a table of Ninefold, so an object that
 * is missing for this trigger was removed from Ninefold's schema and not from a schema of the app.
 */
const OWN_TRIGGER = /^PL\/pgSQL function auth\.check_audit_entry\(\) /m;

/**
 * Converts an error of Ninefold's own statement: returns `app_damaged` with PostgreSQL's message if the app's database
 * lacks a privilege or object that Ninefold created, otherwise the error unchanged. Errors of the app's own functions
 * within the statement stay unchanged.
 */
export function toAppDamaged(error: unknown): unknown {
  if (!(error instanceof DatabaseError) || !missing.has(error.sqlstate)) return error;
  const { where } = error.fields;
  if (where !== undefined && !OWN_TRIGGER.test(where)) return error;
  return new NinefoldError('app_damaged', {
    message: `Something that Ninefold needs in the app’s database was taken away: ${error.message}.`,
    cause: error,
  });
}

/** Throws the converted error, for use in `catch`. */
export const rethrowAsAppDamaged = (error: unknown): never => {
  throw toAppDamaged(error);
};
