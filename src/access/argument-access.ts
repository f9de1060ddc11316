import { checkedTypes } from '../catalog/checked-types.ts';
import { type DefaultDependencies, defaultDependencies } from '../catalog/default-dependencies.ts';
import { isOwnSchema } from '../catalog/sql-fragments.ts';
import type { Executor } from '../database/database.ts';
import { grantedVia, readJson, roleByName } from './role-access.ts';

/** A privilege that the caller of a function needs for one argument before the function runs. */
export interface ArgumentAccess {
  argument: string;
  /**
   * Why the privilege is needed. `default`: the argument is omitted, and its default uses the object. `type`: a check
   * of the argument's type uses the object.
   */
  because: 'default' | 'type';
  kind: 'function' | 'sequence';
  /** Name with its schema; a function also has the types of its arguments. */
  name: string;
  held: boolean;
  /** Names of the roles to which the privilege is granted and through which the caller has it. */
  through: string[];
}

type Used = Pick<ArgumentAccess, 'kind' | 'name' | 'held' | 'through'>;

const argumentsQuery = `select json_build_object('defaults', p.proargdefaults::text, 'inputs', (
    select coalesce(json_agg(json_build_object('name', coalesce(i.name, ''), 'type', i.type::int8) order by i.at), '[]')
    from rows from (unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])), unnest(p.proargnames),
      unnest(p.proargmodes)) with ordinality as i(type, name, mode, at)
    where coalesce(i.mode, 'i') in ('i', 'b', 'v')))
  from pg_catalog.pg_proc p where p.oid = $1::oid`;

/**
 * Parameters: $1 are types, $2 is the name of the role, $3 are functions, $4 are relations. Leaves out functions of
 * PostgreSQL whose privileges were never changed.
 */
const usedQuery = `with recursive me as (${roleByName}), ${checkedTypes}
  select json_build_object(
    'checks', (select coalesce(json_agg(distinct array[h.type::int8, h.function::int8]), '[]')
      from checked h where h.always and h.type = any($1::oid[])),
    'used', (select coalesce(json_agg(json_build_object('oid', p.oid::int8, 'kind', 'function',
        'name', format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)),
        'held', has_function_privilege(me.oid, p.oid, 'EXECUTE'),
        'through', ${grantedVia(`coalesce(p.proacl, acldefault('f', p.proowner))`, 'me.oid', 'EXECUTE')}) order by p.oid), '[]')
      from me, pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
      where (p.proacl is not null or ${isOwnSchema('n')})
        and p.oid in (select unnest($3::oid[]) union all select h.function from checked h where h.always and h.type = any($1::oid[]))),
    'taken', (select coalesce(json_agg(json_build_object('oid', c.oid::int8, 'kind', 'sequence',
        'name', format('%I.%I', n.nspname, c.relname),
        'held', has_sequence_privilege(me.oid, c.oid, 'USAGE, UPDATE'),
        'through', ${grantedVia(`coalesce(c.relacl, acldefault('s', c.relowner))`, 'me.oid', 'USAGE', 'UPDATE')}) order by c.oid), '[]')
      from me, pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'S' and c.oid = any($4::oid[])))`;

interface UsedFacts {
  /** Pairs of a type and a function that each value of the type calls. */
  checks: [type: number, routine: number][];
  used: ({ oid: number } & Used)[];
  taken: ({ oid: number } & Used)[];
}

/**
 * Returns the objects that a call of a function uses, in the order of its arguments. Types that only contain checked
 * values (arrays, rows) are left out: whether their checks run depends on the given value.
 * @param oid The function.
 * @param given Names of the arguments that the call gives.
 * @throws DatabaseError
 * @throws ConnectionError
 */
export async function readArgumentAccess(
  executor: Executor,
  oid: number,
  roleName: string,
  given: readonly string[],
): Promise<ArgumentAccess[]> {
  type Arguments = { defaults: string | null; inputs: { name: string; type: number }[] };
  const found = await readJson<Arguments>(executor, argumentsQuery, [String(oid)]);
  if (!found || found.inputs.length === 0) return [];
  const { inputs, defaults } = found;
  const needs = defaults === null ? [] : defaultDependencies(defaults);
  const asks = inputs.map(({ name, type }, i) => {
    const need = given.includes(name) ? undefined : needs[i - inputs.length + needs.length];
    return need
      ? { name, because: 'default' as const, ...need }
      : { name, because: 'type' as const, ...noNeeds, types: [type] };
  });
  const all = (part: 'types' | 'functions' | 'relations') => `{${asks.flatMap((ask) => ask[part]).join()}}`;
  const params = [all('types'), roleName, all('functions'), all('relations')];
  const facts = await readJson<UsedFacts>(executor, usedQuery, params);
  if (!facts) return [];
  return asks.flatMap(({ name, because, types, functions, relations }) => {
    const checks = facts.checks.flatMap(([type, routine]) => (types.includes(type) ? [routine] : []));
    const used = facts.used.filter((one) => functions.includes(one.oid) || checks.includes(one.oid));
    const taken = facts.taken.filter((one) => relations.includes(one.oid));
    return [...used, ...taken].map(({ oid: _, ...one }) => ({ argument: name, because, ...one }));
  });
}

const noNeeds: Omit<DefaultDependencies, 'types'> = { functions: [], relations: [] };
