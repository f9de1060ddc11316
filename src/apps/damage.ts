import { DatabaseError } from '../database/database-error.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

/** SQLSTATEs of a right that is missing, and of a schema, a table, a column or a function that is. */
const missing = new Set(['42501', '3F000', '42P01', '42703', '42883']);

/** The trigger of Ninefold's own that reads a table of Ninefold's: what it lacks was taken away from Ninefold, not from the app. */
const OWN_TRIGGER = /^PL\/pgSQL function auth\.check_audit_entry\(\) /m;

/**
 * What a statement of Ninefold's own was refused with: `app_damaged`, in PostgreSQL's words, where the app's database lacks a right or
 * an object that Ninefold has made in it, else the error as it is. What the app's own functions raise within the statement is theirs.
 */
export function asDamage(error: unknown): unknown {
  if (!(error instanceof DatabaseError) || !missing.has(error.sqlstate)) return error;
  const { where } = error.fields;
  if (where !== undefined && !OWN_TRIGGER.test(where)) return error;
  return new NinefoldError('app_damaged', {
    message: `Something that Ninefold needs in the app’s database was taken away: ${error.message}.`,
    cause: error,
  });
}

/** For `catch`. */
export const throwDamage = (error: unknown): never => {
  throw asDamage(error);
};
