import type { CatalogQueries } from './read-catalog.ts';
import { callingRestricted, relationsOf } from './sql-fragments.ts';

/**
 * Functions with privileges other than the default (EXECUTE for PUBLIC) that PostgreSQL calls when a row is written,
 * except functions that defaults call and functions in `checked_types`.
 */
export interface WriteFunctionFacts {
  write_functions: WriteFunctionFact[];
}

/** A function that a write to a relation calls. */
export interface WriteFunctionFact {
  /** The relation itself; partitions and child tables have separate facts. */
  relation: number;
  function: number;
  /**
   * The part of the table that calls the function: a check of the table, a generated field, an index, the WHEN
   * condition of a trigger, or the partition key.
   */
  by: 'check' | 'generated' | 'index' | 'trigger' | 'partition';
  /** Name of the constraint, field, index or trigger; for a partition key the name of the table. */
  name: string;
  /** Bits of pg_trigger.tgtype: 4 insert, 8 delete, 16 update. */
  events: number;
  /** Names of the fields whose update calls the function; empty if every update calls the function. */
  fields: string[];
}

/** Query of WriteFunctionFacts. */
export const writeFunctionQueries: CatalogQueries<WriteFunctionFacts> = {
  // With a BEFORE UPDATE trigger on the table, PostgreSQL computes generated fields for any update, because the trigger
  // may change any field. The partition key is evaluated for each updated row of a partition.
  write_functions: `select coalesce(json_agg(row_to_json(t) order by t.relation, t.by, t.name, t.function), '[]') from (
    with calls (relation, function, by, name, events, fields) as (
      select k.conrelid, p.oid, 'check', k.conname, 20, '{}'::int2[] from pg_catalog.pg_constraint k ${callingRestricted('pg_constraint', 'k.oid')}
      where k.contype = 'c' and k.conrelid <> 0 and coalesce((to_jsonb(k) ->> 'conenforced')::bool, true)
      union all
      select a.attrelid, p.oid, 'generated', a.attname, 20, case when exists (
          select from pg_catalog.pg_trigger g where g.tgrelid = a.attrelid and g.tgtype & 19 = 19) then '{}' else array(
          select x.refobjsubid::int2 from pg_catalog.pg_depend x
          where x.classid = 'pg_catalog.pg_attrdef'::regclass and x.objid = f.oid and x.refclassid = 'pg_catalog.pg_class'::regclass
            and x.refobjid = a.attrelid and x.refobjsubid not in (0, a.attnum) order by 1) end
      from pg_catalog.pg_attribute a join pg_catalog.pg_attrdef f on f.adrelid = a.attrelid and f.adnum = a.attnum
      ${callingRestricted('pg_attrdef', 'f.oid')} where a.attgenerated = 's'
      union all
      select i.indrelid, p.oid, 'index', x.relname, 20, '{}' from pg_catalog.pg_index i
      join pg_catalog.pg_class x on x.oid = i.indexrelid ${callingRestricted('pg_class', 'i.indexrelid')} where i.indisready
      union all
      select g.tgrelid, p.oid, 'trigger', g.tgname, g.tgtype & 28, g.tgattr::int2[] from pg_catalog.pg_trigger g ${callingRestricted('pg_trigger', 'g.oid')}
      where g.tgqual is not null and g.tgenabled in ('O', 'A') and p.oid <> g.tgfoid
      union all
      select q.partrelid, p.oid, 'partition', '', 20, '{}' from pg_catalog.pg_partitioned_table q ${callingRestricted('pg_class', 'q.partrelid')})
    select distinct s.relation::int8 as relation, s.function::int8 as function, s.by,
      case s.by when 'partition' then c.relname else s.name end as name, s.events, array(
        select a.attname from pg_catalog.pg_attribute a where a.attrelid = s.relation and a.attnum = any (s.fields) order by a.attnum) as fields
    from calls s join ${relationsOf('c')} on c.oid = s.relation) t`,
};
