import type { RoutineFact } from '../../catalog/routines.ts';
import type { Facts } from '../facts.ts';
import type { Rights } from './rights.ts';

/** What `SELECT name()` comes to: the function that runs, or why PostgreSQL runs none, whoever calls. */
type Called = { routine: RoutineFact } | { refused: string };

/** PostgreSQL's own schemas, whose functions are not among the facts. */
const isOwn = (schema: string): boolean => /^pg_|^information_schema$/.test(schema);

/** What of the setting db_pre_request can be told for certain: `schema.name`, in a schema whose functions are all known; else null. */
function called({ preRequest, schemas, extension_routines, routines }: Facts): Called | null {
  const [schema, name, ...more] = (preRequest ?? '').split('.');
  if (schema === undefined || name === undefined || more.length > 0 || isOwn(schema)) return null;
  if (!schemas.some((one) => one.name === schema)) return { refused: `and there is no schema ${schema} (3F000)` };
  if (extension_routines.some((one) => one.schema === schema)) return null;
  return chosen(routines.filter((one) => one.schema === schema && one.name === name));
}

/** Of those with the name, the one that takes a call without arguments (PostgreSQL docs, "Function Type Resolution"). */
function chosen(named: readonly RoutineFact[]): Called {
  if (named.length === 0) return { refused: 'which is not there (42883)' };
  const fitting = named.filter(({ inputs }) => inputs.every((input) => input.has_default));
  const first = fitting.find(({ inputs }) => inputs.length === 0) ?? fitting[0];
  if (first === undefined) return { refused: 'which takes arguments, and is given none (42883)' };
  if (first.inputs.length > 0 && fitting.length > 1) return { refused: 'and several take such a call (42725)' };
  if (first.kind === 'p') return { refused: 'which is a procedure (42809)' };
  if (/^(event_)?trigger$/.test(first.result)) return { refused: 'which only triggers can call (0A000)' };
  return { routine: first };
}

/** Why the function that runs before each data call refuses all of them, as the end of a sentence about it; null where it does not. */
export function refusalOfPreRequest(facts: Facts): string | null {
  const what = called(facts);
  return what !== null && 'refused' in what ? what.refused : null;
}

/** Why each data call of a role is refused before it comes to what it asks for; null where it is not. */
export function refusedBefore(facts: Facts, rights: Rights): (role: number) => string | null {
  const what = called(facts);
  const runs = `db_pre_request runs ${facts.preRequest}() before each call`;
  return (role) => {
    if (what === null) return null;
    if ('refused' in what) return `${runs}, ${what.refused}`;
    if (!rights.usesSchema(role, what.routine.schema))
      return `${runs}, and the role has no USAGE on its schema (42501)`;
    return rights.holds(role, what.routine.grants, 'EXECUTE')
      ? null
      : `${runs}, which the role may not execute (42501)`;
  };
}
