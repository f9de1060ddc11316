import { routineId } from '../../contract/entity-names.ts';
import type { AccessFacts } from '../catalog/access.ts';
import type { RoutineFact } from '../catalog/routines.ts';

export { entityId, sqlName } from '../../contract/entity-names.ts';

/** The id of a function: `public.close(uuid)`. */
export const idOf = (routine: RoutineFact): string =>
  routineId(
    routine.schema,
    routine.name,
    routine.inputs.map((input) => input.type),
  );

const quoted = (name: string): string => `"${name.replace(/["\\]/g, '\\$&')}"`;

/** A field's name where /rest/v1 parses names: quoted when it holds a character that means something there. */
export const restName = (name: string): string => (/^\w+$/.test(name) ? name : quoted(name));

/** Parameters of /rest/v1 with a meaning of their own (PostgREST docs, "URL Grammar"). */
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

/** The parameter of a query that filters a field, or is an argument: quoted where the bare name means something else. */
export const queryName = (name: string): string =>
  /^[\p{L}\d_$]+$/u.test(name) && !reserved.has(name) ? name : quoted(name);

/** Orders by code unit: the same on every machine and in every locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Orders by schema, then name. */
export const byName = (a: { schema: string; name: string }, b: { schema: string; name: string }): number =>
  compareText(a.schema, b.schema) || compareText(a.name, b.name);

/**
 * The name of a role. The app's owner is called pg_database_owner, PostgreSQL's own word for it, so that the same
 * schema reads alike in two apps.
 */
export function roleName(facts: Pick<AccessFacts, 'database' | 'roles'>, oid: number): string {
  if (oid === facts.database.owner) return 'pg_database_owner';
  return facts.roles.find((role) => role.oid === oid)?.name ?? String(oid);
}
