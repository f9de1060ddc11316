import { callingRestricted } from './fragments.ts';
import type { CatalogueQueries } from './read-catalogue.ts';

/** Types of which PostgreSQL makes no value without calling functions whose rights are not the default (EXECUTE for PUBLIC). */
export interface CheckedTypeFacts {
  checked_types: CheckedTypeFact[];
}

export interface CheckedTypeFact {
  /** pg_type.oid. */
  type: number;
  /** The domain whose CHECK calls the function, as PostgreSQL prints it: the type itself, or what it is made of. */
  domain: string;
  function: number;
  /** Whether each value calls it, the missing one too; else only one that holds the domain: an array with elements, a range with bounds, a row. */
  always: boolean;
}

/** `with recursive`, what is checked: domains with such a CHECK, domains of those, arrays and ranges of them, and rows with a field of them, at any depth. */
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

export const checkedTypeQueries: CatalogueQueries<CheckedTypeFacts> = {
  checked_types: `select coalesce(json_agg(row_to_json(t) order by t.type, t.domain, t.function), '[]') from (
    with recursive ${checkedTypes}
    select h.type::int8 as type, format_type(h.domain, null) as domain, h.function::int8 as function, bool_or(h.always) as always
    from checked h group by 1, 2, 3) t`,
};
