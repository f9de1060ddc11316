import { callingRestricted, relationsOf } from './fragments.ts';
import type { CatalogueQueries } from './read-catalogue.ts';

/**
 * What PostgreSQL calls when a row is written, beside defaults and what `checked_types` tells of the fields' types: functions whose rights are
 * not the default (EXECUTE for PUBLIC).
 */
export interface WriteFunctionFacts {
  write_functions: WriteFunctionFact[];
}

export interface WriteFunctionFact {
  /** The very table: a partition's and an heir's of their own. */
  relation: number;
  function: number;
  /** Whether a check of the table calls it, a generated field, an index, WHEN of a trigger or the key of partitions. */
  by: 'check' | 'generated' | 'index' | 'trigger' | 'partition';
  /** Of the constraint, the field, the index or the trigger; of the table where its partitions ask for it. */
  name: string;
  /** Bits of pg_trigger.tgtype: 4 insert, 8 delete, 16 update. */
  events: number;
  /** Names of the fields without which an update does not call it; none where every update does. */
  fields: string[];
}

export const writeFunctionQueries: CatalogueQueries<WriteFunctionFacts> = {
  // A BEFORE trigger may change any field, so that generated ones are then computed whatever the statement gives. What decides on the
  // partition of a row is asked again of each row that is changed in one.
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
