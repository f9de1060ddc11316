import type { CatalogQueries } from './read-catalog.ts';
import { callingRestricted } from './sql-fragments.ts';

/**
 * Types whose values PostgreSQL cannot build without calling a function whose privileges differ from the default
 * (EXECUTE for PUBLIC). A caller may lack the privilege to execute this function.
 */
export interface CheckedTypeFacts {
  checked_types: CheckedTypeFact[];
}

/** A function that values of a type call. */
export interface CheckedTypeFact {
  /** Value of pg_type.oid. */
  type: number;
  /**
   * The domain whose CHECK calls the function, as PostgreSQL prints its name. It is the type itself or a type that the
   * type contains.
   */
  domain: string;
  function: number;
  /**
   * True if each value calls the function, including null. False if only some values call it, because they contain a
   * value of the domain: an array with elements, a range with bounds, a row.
   */
  always: boolean;
}

/**
 * A part of `with recursive`: domains whose CHECK calls such a function, domains over them, arrays and ranges of them,
 * and row types with a field of them, at any depth.
 */
export const checkedTypes = `checked (type, domain, function, always) as (
    select k.contypid, k.contypid, p.oid, true from pg_catalog.pg_constraint k ${callingRestricted('pg_constraint', 'k.oid')}
    where k.contype = 'c' and k.contypid <> 0
    union
    select u.type, h.domain, h.function, h.always and u.always from checked h, lateral (
      select t.oid, true from pg_catalog.pg_type t where t.typtype = 'd' and t.typbasetype = h.type
      union all
      select t.typarray, false from pg_catalog.pg_type t where t.oid = h.type and t.typarray <> 0
      union all
      select r.type, false from pg_catalog.pg_range g, unnest(array[g.rngtypid, g.rngmultitypid]) r (type) where g.rngsubtype = h.type
      union all
      select c.reltype, false from pg_catalog.pg_attribute a
      join pg_catalog.pg_class c on c.oid = a.attrelid and c.reltype <> 0
      where a.atttypid = h.type and a.attnum > 0 and not a.attisdropped) u (type, always))`;

/** Query of CheckedTypeFacts. */
export const checkedTypeQueries: CatalogQueries<CheckedTypeFacts> = {
  checked_types: `select coalesce(json_agg(row_to_json(t) order by t.type, t.domain, t.function), '[]') from (
    with recursive ${checkedTypes}
    select h.type::int8 as type, format_type(h.domain, null) as domain, h.function::int8 as function, bool_or(h.always) as always
    from checked h group by 1, 2, 3) t`,
};
