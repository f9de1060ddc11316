import type { Facts } from '../facts.ts';
import type { Rights } from './rights.ts';

/** What of the setting db_pre_request can be told for certain: `schema.name`, in a schema whose functions are all known. */
function called({ preRequest, schemas, extension_routines, routines }: Facts) {
  const [schema, name, ...more] = (preRequest ?? '').split('.');
  const isKnown =
    schemas.some((one) => one.name === schema) && !extension_routines.some((one) => one.schema === schema);
  if (!isKnown || schema === undefined || name === undefined || more.length > 0) return null;
  return { schema, routines: routines.filter((one) => one.schema === schema && one.name === name) };
}

/** True where the function that runs before each data call is not there. */
export const lacksPreRequest = (facts: Facts): boolean => called(facts)?.routines.length === 0;

/** Why each data call of a role is refused before it comes to what it asks for; null where it is not. */
export function refusedBefore(facts: Facts, rights: Rights): (role: number) => string | null {
  const what = called(facts);
  const runs = `db_pre_request runs ${facts.preRequest}() before each call`;
  return (role) => {
    if (what === null) return null;
    if (what.routines.length === 0) return `${runs}, which is not there (42883)`;
    if (!rights.usesSchema(role, what.schema)) return `${runs}, and the role has no USAGE on its schema (42501)`;
    const own = what.routines.filter(({ inputs }) => inputs.every((input) => input.has_default));
    const [only] = own;
    if (!only || own.length > 1 || rights.holds(role, only.grants, 'EXECUTE')) return null;
    return `${runs}, which the role may not execute (42501)`;
  };
}
