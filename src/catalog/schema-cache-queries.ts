import { isUnserved } from './entities.ts';
import type { CatalogQueries } from './read-catalog.ts';
import { commentOf, FIRST_NORMAL_OID, ofPeriod } from './sql-fragments.ts';

/** Results of the queries below as JSON. Rows are arrays instead of objects, to save memory and time. */
export interface CatalogFacts {
  relations: RelationFact[] | null;
  columns: ColumnFact[] | null;
  constraints: ConstraintFact[] | null;
  views: ViewFact[] | null;
  routines: RoutineFact[] | null;
  computed: ComputedFact[] | null;
  representations: RepresentationFact[] | null;
  handlers: HandlerFact[] | null;
  rule_comments: RuleCommentFact[] | null;
}

type Pair = [string, string];

/** oid, schema, name, is a view, insertable, updatable, deletable, comment. */
export type RelationFact = [number, string, string, boolean, boolean, boolean, boolean, string | null];
/** relation, name, base type, type, type to compare as, nullable, default, maximum length, enum values, comment. */
export type ColumnFact = [
  number,
  string,
  string,
  string,
  string | null,
  boolean,
  string | null,
  number | null,
  string[] | null,
  string | null,
];
/**
 * kind, name, table oid, table, column numbers, column names; for a foreign key also the oid, name, column numbers and
 * column names of the referenced table; and true if the constraint is not inherited from a partitioned table.
 */
export type ConstraintFact = [
  'p' | 'u' | 'f',
  string,
  number,
  Pair,
  number[],
  string[],
  number | null,
  Pair | null,
  number[] | null,
  string[] | null,
  boolean,
];
/** oid, schema, name, column names by number, parse tree of the view's rule. */
export type ViewFact = [number, string, string, Record<string, string>, string];
/**
 * oid, schema, name, comment, parameters, result type, result is a set, result is composite, volatility, is variadic,
 * settings.
 */
export type RoutineFact = [
  number,
  string,
  string,
  string | null,
  [string, string, string, boolean, boolean][] | null,
  Pair,
  boolean,
  boolean,
  'i' | 's' | 'v',
  boolean,
  string[] | null,
];
/** function, table, foreign table, returns at most one row. */
export type ComputedFact = [Pair, Pair, Pair, boolean];
/** source type, target type, function. */
export type RepresentationFact = [string, string, Pair];
/** handler, target, media type. */
export type HandlerFact = [Pair, Pair, string];
/** schema, table or domain, constraint or unique index (for NOT NULL: the column), is NOT NULL, comment. */
export type RuleCommentFact = [string, string, string, boolean, string];

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const schemaList = (schemas: readonly string[]): string => `array[${schemas.map(literal).join(', ')}]::text[]`;

/** SQL with each domain and its base type, which is the first type in its chain that is not a domain. */
const domainBases = `
  with recursive chain as (
    select t.oid, t.typbasetype as base from pg_type t where t.typtype = 'd'
    union all
    select c.oid, b.typbasetype from chain c join pg_type b on b.oid = c.base where b.typtype = 'd'
  )
  select c.oid, c.base from chain c join pg_type b on b.oid = c.base where b.typtype <> 'd'`;

/**
 * Returns SQL with the names of columns by their numbers, in order. Most keys have one column, for which no aggregate
 * is needed.
 */
const namesOf = (relation: string, numbers: string): string => `
               case cardinality(${numbers})
                 when 1 then json_build_array((select a.attname from pg_attribute a
                   where a.attrelid = ${relation} and a.attnum = ${numbers}[1]))
                 else (select json_agg(a.attname order by o.i) from unnest(${numbers}) with ordinality o(attnum, i)
                   join pg_attribute a on a.attrelid = ${relation} and a.attnum = o.attnum)
               end`;

const mediaTypes = `
  select t.oid, t.typname, t.typnamespace
    from pg_type t
   where t.typtype = 'd' and (t.typname ~* '^[a-z0-9.-]+/[a-z0-9.+-]+$' or t.typname = '*/*')`;

/**
 * Returns the queries that read the schema cache.
 * @param schemas The exposed schemas.
 * @param viewSchemas Further schemas whose views may be between an exposed view and a table.
 */
export function catalogQueries(
  schemas: readonly string[],
  viewSchemas: readonly string[],
): CatalogQueries<CatalogFacts> {
  const exposed = `(select oid from pg_namespace where nspname = any(${schemaList(schemas)}))`;
  const withViews = `(select oid from pg_namespace where nspname = any(${schemaList([...schemas, ...viewSchemas])}))`;
  return {
    relations: `
      select json_agg(json_build_array(c.oid::int8, n.nspname, c.relname, c.relkind in ('v', 'm'),
               c.relkind in ('r', 'p') or u.events & 8 = 8,
               c.relkind in ('r', 'p') or u.events & 4 = 4,
               c.relkind in ('r', 'p') or u.events & 16 = 16,
               m.description) order by n.nspname, c.relname)
        from pg_class c
        join pg_namespace n on n.oid = c.relnamespace
        ${commentOf('pg_class', 'c.oid')}
        cross join lateral (
          select case when c.relkind in ('v', 'f') and not ${isUnserved('c')} then pg_relation_is_updatable(c.oid, true) else 0 end as events
        ) u
       where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition and c.relnamespace in ${exposed}`,
    columns: `
      select json_agg(json_build_array(a.attrelid::int8, a.attname,
               case
                 when t.typtype = 'd' and base.typnamespace = 'pg_catalog'::regnamespace then format_type(base.oid, null)
                 when t.typtype <> 'd' and t.typnamespace = 'pg_catalog'::regnamespace then format_type(t.oid, null)
                 else format_type(a.atttypid, a.atttypmod)
               end,
               format_type(a.atttypid, a.atttypmod),
               case when t.typtype = 'd' and (base.typtype in ('e', 'r', 'm', 'c') or base.typcategory = 'A')
                 then format_type(base.oid, null) end,
               not (a.attnotnull or (t.typtype = 'd' and t.typnotnull)),
               case
                 when t.typtype = 'd' and def.adbin is null then pg_get_expr(t.typdefaultbin, 0)
                 when a.attidentity = 'd' then (
                   select format('nextval(%L)', s.objid::regclass) from pg_depend s
                    where s.refobjid = a.attrelid and s.refobjsubid = a.attnum and s.deptype = 'i'
                      and s.classid = 'pg_class'::regclass limit 1)
                 when a.attgenerated <> '' then null
                 else pg_get_expr(def.adbin, def.adrelid)
               end,
               case
                 when coalesce(base.oid, t.oid) in ('bpchar'::regtype, 'varchar'::regtype) then nullif(len.typmod, -1) - 4
                 when coalesce(base.oid, t.oid) in ('bit'::regtype, 'varbit'::regtype) then nullif(len.typmod, -1)
               end,
               case when coalesce(base.typtype, t.typtype) = 'e' then (
                 select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e
                  where e.enumtypid = coalesce(base.oid, t.oid)) end,
               m.description) order by a.attrelid, a.attnum)
        from pg_attribute a
        join pg_class c on c.oid = a.attrelid
        join pg_type t on t.oid = a.atttypid
        left join pg_attrdef def on def.adrelid = a.attrelid and def.adnum = a.attnum
        left join (${domainBases}) d on d.oid = t.oid
        left join pg_type base on base.oid = d.base
        ${commentOf('pg_class', 'a.attrelid', 'a.attnum')}
        cross join lateral (select case when t.typtype = 'd' then t.typtypmod else a.atttypmod end as typmod) len
       where a.attnum > 0 and not a.attisdropped
         and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition and c.relnamespace in ${exposed}`,
    constraints: `
      select json_agg(json_build_array(k.contype, k.conname, k.conrelid::int8,
               json_build_array(n.nspname, c.relname), k.conkey,
               ${namesOf('k.conrelid', 'k.conkey')},
               nullif(k.confrelid, 0)::int8,
               case when k.contype = 'f' then json_build_array(fn.nspname, fc.relname) end, k.confkey,
               ${namesOf('k.confrelid', 'k.confkey')},
               k.conparentid = 0) order by k.conrelid, k.conname)
        from pg_constraint k
        join pg_class c on c.oid = k.conrelid
        join pg_namespace n on n.oid = c.relnamespace
        left join pg_class fc on fc.oid = k.confrelid
        left join pg_namespace fn on fn.oid = fc.relnamespace
       where k.contype in ('p', 'u', 'f') and n.nspname not in ('pg_catalog', 'information_schema')
         -- several rows together may cover a period, none of them equal to it: equal columns join nothing, a computed relationship may
         and not (k.contype = 'f' and ${ofPeriod})`,
    views: `
      select json_agg(json_build_array(c.oid::int8, n.nspname, c.relname,
               (select json_object_agg(a.attnum, a.attname) from pg_attribute a
                 where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
               r.ev_action::text) order by c.oid)
        from pg_class c
        join pg_namespace n on n.oid = c.relnamespace
        join pg_rewrite r on r.ev_class = c.oid and r.ev_type = '1'
       where c.relkind in ('v', 'm') and c.relnamespace in ${withViews}`,
    routines: `
      select json_agg(json_build_array(p.oid::int8, n.nspname, p.proname, (select m.description from pg_description m
                 where m.classoid = 'pg_proc'::regclass and m.objoid = p.oid and m.objsubid = 0), args.list,
               json_build_array(tn.nspname, coalesce(row_of.relname, t.typname)),
               p.proretset, t.typtype = 'c' or coalesce(p.proargmodes::text[] && '{t,b,o}', false),
               p.provolatile, p.provariadic <> 0, p.proconfig) order by n.nspname, p.proname, p.pronargs, p.oid)
        from pg_proc p
        join pg_namespace n on n.oid = p.pronamespace
        left join (${domainBases}) d on d.oid = p.prorettype
        join pg_type t on t.oid = coalesce(d.base, p.prorettype)
        join pg_namespace tn on tn.oid = t.typnamespace
        left join pg_class row_of on row_of.oid = t.typrelid
        cross join lateral (
          select json_agg(json_build_array(coalesce(i.name, ''), format_type(i.type, null),
                   case i.type
                     when 'bit'::regtype then 'bit varying'
                     when 'bit[]'::regtype then 'bit varying[]'
                     when 'character'::regtype then 'character varying'
                     when 'character[]'::regtype then 'character varying[]'
                     else format_type(i.type, null)
                   end,
                   i.idx <= p.pronargs - p.pronargdefaults, coalesce(i.mode = 'v', false)) order by i.idx) as list,
                 count(*) filter (where i.name is null or i.name = '') as unnamed,
                 count(*) filter (where i.type in ('bytea'::regtype, 'json'::regtype, 'jsonb'::regtype, 'text'::regtype,
                                                   'xml'::regtype)) as plain,
                 count(*) as total
            from (select name, type, mode, row_number() over (order by ord) as idx
                    from unnest(p.proargnames, p.proargtypes::oid[], p.proargmodes) with ordinality u(name, type, mode, ord)
                   where type is not null) i
        ) args
       where p.prokind = 'f' and t.oid <> 'trigger'::regtype and p.pronamespace in ${exposed}
         and (args.unnamed = 0 or (args.total = 1 and args.plain = 1))`,
    computed: `
      select json_agg(json_build_array(json_build_array(n.nspname, p.proname), json_build_array(an.nspname, ac.relname),
               json_build_array(rn.nspname, rc.relname), not p.proretset or p.prorows = 1) order by p.oid)
        from pg_proc p
        join pg_namespace n on n.oid = p.pronamespace
        join pg_class ac on ac.reltype = p.proargtypes[0] and ac.relkind in ('r', 'p', 'v', 'm', 'f')
        join pg_namespace an on an.oid = ac.relnamespace
        join pg_class rc on rc.reltype = p.prorettype and rc.relkind in ('r', 'p', 'v', 'm', 'f')
        join pg_namespace rn on rn.oid = rc.relnamespace
       where p.pronargs = 1 and p.prokind = 'f' and p.oid >= ${FIRST_NORMAL_OID}`,
    representations: `
      select json_agg(json_build_array(format_type(k.castsource, null), format_type(k.casttarget, null),
               json_build_array(n.nspname, p.proname)))
        from pg_cast k
        join pg_type s on s.oid = k.castsource
        join pg_type t on t.oid = k.casttarget
        join pg_proc p on p.oid = k.castfunc
        join pg_namespace n on n.oid = p.pronamespace
       where k.castcontext = 'i' and k.castmethod = 'f' and has_function_privilege(p.oid, 'execute')
         and ((s.typtype = 'd' and t.oid in ('json'::regtype, 'text'::regtype))
           or (t.typtype = 'd' and s.oid in ('json'::regtype, 'text'::regtype)))`,
    handlers: `
      select json_agg(h.fact) from (
        select json_build_array(json_build_array(n.nspname, p.proname), json_build_array(an.nspname, at.typname),
                 m.typname) as fact
          from (${mediaTypes}) m
          join pg_proc p on p.prorettype = m.oid and p.prokind = 'a' and p.pronargs = 1
          join pg_namespace n on n.oid = p.pronamespace
          join pg_type at on at.oid = p.proargtypes[0]
          join pg_namespace an on an.oid = at.typnamespace
         where p.pronamespace in ${exposed} and (at.oid = 'anyelement'::regtype or at.typrelid <> 0)
        union all
        select json_build_array(json_build_array(mn.nspname, m.typname), json_build_array(n.nspname, p.proname),
                 m.typname)
          from (${mediaTypes}) m
          join pg_namespace mn on mn.oid = m.typnamespace
          join pg_proc p on p.prorettype = m.oid and p.prokind = 'f' and not p.proretset
          join pg_namespace n on n.oid = p.pronamespace
         where p.pronamespace in ${exposed}
      ) h`,
    rule_comments: `
      select json_agg(r.fact) from (
        select json_build_array(n.nspname, coalesce(c.relname, t.typname),
                 case when k.contype = 'n' and c.oid is not null then a.attname else k.conname end,
                 k.contype = 'n' and c.oid is not null, d.description) as fact
          from pg_description d
          join pg_constraint k on k.oid = d.objoid
          join pg_namespace n on n.oid = k.connamespace
          left join pg_class c on c.oid = k.conrelid
          left join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
          left join pg_type t on t.oid = k.contypid
         where d.classoid = 'pg_constraint'::regclass
        union all
        select json_build_array(n.nspname, c.relname, i.relname, false, d.description)
          from pg_description d
          join pg_index x on x.indexrelid = d.objoid and x.indisunique
          join pg_class i on i.oid = x.indexrelid
          join pg_class c on c.oid = x.indrelid
          join pg_namespace n on n.oid = c.relnamespace
         where d.classoid = 'pg_class'::regclass and d.objsubid = 0
           and not exists (select from pg_constraint k where k.conindid = i.oid and k.contype in ('p', 'u', 'x'))
      ) r`,
  };
}
