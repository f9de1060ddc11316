import { routineId } from '../../contract/entity-names.ts';
import type { AccessFacts } from './access.ts';
import type { RoutineFact } from './routines.ts';

export { entityId, sqlName } from '../../contract/entity-names.ts';

/** Returns the id of a function: `public.close(uuid)`. */
export const idOf = (routine: RoutineFact): string =>
  routineId(
    routine.schema,
    routine.name,
    routine.inputs.map((input) => input.type),
  );

const quoted = (name: string): string => `"${name.replace(/["\\]/g, '\\$&')}"`;

/** Returns a field's name in the syntax of /rest/v1. Names with special characters are quoted. */
export const restName = (name: string): string => (/^\w+$/.test(name) ? name : quoted(name));

/** Reserved parameters of /rest/v1 (PostgREST docs, "URL Grammar"). */
const reserved: ReadonlySet<string> = new Set([
  'select',
  'columns',
  'on_conflict',
  'order',
  'limit',
  'offset',
  'and',
  'or',
]);

/**
 * Returns the name of a query parameter that is a filter on a field or an argument. Names that are reserved or contain
 * special characters are quoted.
 */
export const queryName = (name: string): string =>
  /^[\p{L}\d_$]+$/u.test(name) && !reserved.has(name) ? name : quoted(name);

/** Compares strings by code unit, so that the order is the same on every machine and in every locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Compares by schema, then by name. */
export const byName = (a: { schema: string; name: string }, b: { schema: string; name: string }): number =>
  compareText(a.schema, b.schema) || compareText(a.name, b.name);

/**
 * Returns the name of a role. The app's owner is called pg_database_owner, PostgreSQL's own name for this role, so that
 * the same schema gives the same text in two apps.
 */
export function roleName(facts: Pick<AccessFacts, 'database' | 'roles'>, oid: number): string {
  if (oid === facts.database.owner) return 'pg_database_owner';
  return facts.roles.find((role) => role.oid === oid)?.name ?? String(oid);
}
