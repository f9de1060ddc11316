import { type CatalogueQueries, isOwnSchema } from './read-catalogue.ts';

/** Relations of all schemas but PostgreSQL's own, as the catalogue has them. Object identifiers are numbers. */
export interface EntityFacts {
  relations: RelationFact[];
  fields: FieldFact[];
  constraints: ConstraintFact[];
  /** Unique indexes that no constraint made. */
  unique_indexes: UniqueIndexFact[];
  types: TypeFact[];
  triggers: TriggerFact[];
  inheritance: { child: number; parent: number }[];
  /** Live figures: change with the data. */
  figures: { relation: number; rows: number; bytes: number }[];
}

/** [grantee, privilege]; grantee 0 is PUBLIC. */
export type GrantFact = [grantee: number, privilege: string];

export interface RelationFact {
  oid: number;
  schema: string;
  name: string;
  /** pg_class.relkind: r table, p partitioned table, v view, m materialized view, f foreign table. */
  kind: 'r' | 'p' | 'v' | 'm' | 'f';
  owner: number;
  is_partition: boolean;
  row_security: boolean;
  force_row_security: boolean;
  security_invoker: boolean;
  /** Views: `local`, `cascaded` or null. */
  check_option: string | null;
  /** pg_relation_is_updatable without and with INSTEAD OF triggers: 4 update, 8 insert, 16 delete. */
  updatable: number;
  updatable_by_trigger: number;
  definition: string | null;
  comment: string | null;
  extension: string | null;
  /** Grants of SELECT, INSERT, UPDATE and DELETE on the whole relation. */
  grants: GrantFact[];
  /** Events that a rewrite rule replaces, from pg_rewrite.ev_type: update, insert, delete. */
  replaced: ('update' | 'insert' | 'delete')[];
}

export interface FieldFact {
  relation: number;
  /** pg_attribute.attnum. */
  number: number;
  name: string;
  type: string;
  type_oid: number;
  not_null: boolean;
  default: string | null;
  generated: '' | 's' | 'v';
  identity: '' | 'a' | 'd';
  comment: string | null;
  /** Grants on this column alone. */
  grants: GrantFact[] | null;
  /** Sequences and functions that the default calls. */
  needs: { sequences: number[]; functions: number[] } | null;
}

export interface ConstraintFact {
  oid: number;
  /** 0 for a domain's. */
  relation: number;
  domain: number;
  name: string;
  /** pg_constraint.contype: p primary key, u unique, f foreign key, c check, x exclude, n not null. */
  kind: 'p' | 'u' | 'f' | 'c' | 'x' | 'n';
  fields: number[];
  target: number;
  target_fields: number[];
  /** pg_constraint.confdeltype: a no action, r restrict, c cascade, n set null, d set default. */
  on_delete: string;
  definition: string;
  /** Check constraints: the expression. */
  expression: string | null;
  validated: boolean;
  enforced: boolean;
  comment: string | null;
}

export interface UniqueIndexFact {
  relation: number;
  name: string;
  /** What it is over, in order: field names and expressions as SQL. */
  keys: string[];
  /** Numbers of the fields among them; 0 stands for an expression. */
  fields: number[];
  /** Of a partial index: which rows it holds. */
  condition: string | null;
  nulls_not_distinct: boolean;
  definition: string;
  comment: string | null;
}

export interface TypeFact {
  oid: number;
  name: string;
  /** pg_type.typtype: d domain, e enum, c composite, r range … */
  kind: string;
  /** Domains: the type beneath, with its modifier; arrays: the element's type. */
  base: number;
  base_name: string | null;
  is_array: boolean;
  not_null: boolean;
  default: string | null;
  labels: string[] | null;
  comment: string | null;
}

export interface TriggerFact {
  relation: number;
  name: string;
  enabled: boolean;
  /** pg_trigger.tgtype, a set of bits: 4 insert, 8 delete, 16 update. */
  events: number;
  sql: string;
}

const relationsOf = (alias: string): string =>
  `pg_catalog.pg_class ${alias} join pg_catalog.pg_namespace n on n.oid = ${alias}.relnamespace
    and ${isOwnSchema('n')} and ${alias}.relkind in ('r', 'p', 'v', 'm', 'f')`;

const list = (query: string): string => `select coalesce(json_agg(row_to_json(t)), '[]') from (${query}) t`;

const grants = (acl: string, kept: string): string =>
  `(select coalesce(json_agg(json_build_array(g.grantee::int8, g.privilege_type) order by g.grantee, g.privilege_type), '[]')
    from aclexplode(${acl}) g where g.privilege_type in (${kept}))`;

/** The extension that owns an object, by name. */
export const extensionOf = (catalogue: string, oid: string): string =>
  `(select e.extname from pg_catalog.pg_depend d join pg_catalog.pg_extension e on e.oid = d.refobjid
    where d.classid = '${catalogue}'::regclass and d.objid = ${oid} and d.deptype = 'e'
      and d.refclassid = 'pg_catalog.pg_extension'::regclass limit 1)`;

const option = (name: string): string =>
  `(select o.option_value from pg_options_to_table(c.reloptions) o where o.option_name = '${name}')`;

const written = `'SELECT', 'INSERT', 'UPDATE', 'DELETE'`;

export const entityQueries: CatalogueQueries<EntityFacts> = {
  relations: list(`
    select c.oid::int8 as oid, n.nspname as schema, c.relname as name, c.relkind as kind, c.relowner::int8 as owner,
      c.relispartition as is_partition, c.relrowsecurity as row_security, c.relforcerowsecurity as force_row_security,
      coalesce(${option('security_invoker')}::bool, false) as security_invoker,
      ${option('check_option')} as check_option,
      case when c.relkind in ('r', 'p') then 28 else pg_relation_is_updatable(c.oid, false) end as updatable,
      case when c.relkind in ('r', 'p') then 28 else pg_relation_is_updatable(c.oid, true) end as updatable_by_trigger,
      case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end as definition,
      obj_description(c.oid, 'pg_class') as comment,
      ${extensionOf('pg_catalog.pg_class', 'c.oid')} as extension,
      ${grants(`coalesce(c.relacl, acldefault('r', c.relowner))`, written)} as grants,
      (select coalesce(json_agg(distinct case r.ev_type when '2' then 'update' when '3' then 'insert' else 'delete' end), '[]')
        from pg_catalog.pg_rewrite r where r.ev_class = c.oid and r.ev_type <> '1' and r.is_instead) as replaced
    from ${relationsOf('c')}`),

  fields: list(`
    select c.oid::int8 as relation, a.attnum as number, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      a.atttypid::int8 as type_oid, a.attnotnull as not_null, pg_get_expr(d.adbin, d.adrelid) as "default",
      a.attgenerated as generated, a.attidentity as identity, col_description(c.oid, a.attnum) as comment,
      case when a.attacl is not null then ${grants('a.attacl', written)} end as grants,
      case when d.oid is not null and a.attgenerated = '' then (
        select json_build_object(
          'sequences', coalesce(json_agg(p.refobjid::int8) filter (where p.refclassid = 'pg_catalog.pg_class'::regclass), '[]'),
          'functions', coalesce(json_agg(p.refobjid::int8) filter (where p.refclassid = 'pg_catalog.pg_proc'::regclass), '[]'))
        from pg_catalog.pg_depend p left join pg_catalog.pg_class s on s.oid = p.refobjid
        where p.classid = 'pg_catalog.pg_attrdef'::regclass and p.objid = d.oid and p.deptype = 'n'
          and (p.refclassid = 'pg_catalog.pg_proc'::regclass
            or p.refclassid = 'pg_catalog.pg_class'::regclass and s.relkind = 'S')
        having count(*) > 0) end as needs
    from ${relationsOf('c')}
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where not c.relispartition
    order by c.oid, a.attnum`),

  constraints: list(`
    select k.oid::int8 as oid, k.conrelid::int8 as relation, k.contypid::int8 as domain, k.conname as name,
      k.contype as kind, coalesce(k.conkey, '{}') as fields, k.confrelid::int8 as target,
      coalesce(k.confkey, '{}') as target_fields, k.confdeltype as on_delete, d.definition,
      case when k.contype = 'c' then pg_get_expr(k.conbin, k.conrelid) end as expression, k.convalidated as validated,
      d.definition !~ ' NOT ENFORCED$' as enforced,
      obj_description(k.oid, 'pg_constraint') as comment
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_namespace n on n.oid = k.connamespace and ${isOwnSchema('n')}
    -- of the many that say NOT NULL and no more, the text is known
    left join pg_catalog.pg_attribute a
      on k.contype = 'n' and k.convalidated and not k.connoinherit and a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    cross join lateral (select coalesce('NOT NULL ' || quote_ident(a.attname), pg_get_constraintdef(k.oid)) as definition offset 0) d
    left join pg_catalog.pg_class c on c.oid = k.conrelid
    where k.contype in ('p', 'u', 'f', 'c', 'x', 'n') and k.conparentid = 0 and not coalesce(c.relispartition, false)
    order by k.conrelid, k.contypid, k.conname, k.oid`),

  unique_indexes: list(`
    select i.indrelid::int8 as relation, x.relname as name,
      (select json_agg(pg_get_indexdef(i.indexrelid, k.at::int, false) order by k.at)
        from generate_series(1, i.indnkeyatts) k(at)) as keys,
      (select json_agg(k.number order by k.at) from unnest(i.indkey::int2[]) with ordinality k(number, at)
        where k.at <= i.indnkeyatts) as fields,
      pg_get_expr(i.indpred, i.indrelid) as condition, i.indnullsnotdistinct as nulls_not_distinct,
      pg_get_indexdef(i.indexrelid) as definition, obj_description(i.indexrelid, 'pg_class') as comment
    from pg_catalog.pg_index i join ${relationsOf('c')} on c.oid = i.indrelid
    join pg_catalog.pg_class x on x.oid = i.indexrelid
    where i.indisunique and i.indisvalid and not c.relispartition
      and not exists (select from pg_catalog.pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
    order by i.indrelid, x.relname`),

  types: list(`
    select y.oid::int8 as oid, format_type(y.oid, null) as name, y.typtype as kind,
      case when y.typtype = 'd' then y.typbasetype else y.typelem end::int8 as base,
      case when y.typtype = 'd' then format_type(y.typbasetype, y.typtypmod) end as base_name,
      y.typtype = 'b' and y.typelem <> 0 as is_array, y.typnotnull as not_null, y.typdefault as "default",
      case when y.typtype = 'e' then (select json_agg(l.enumlabel order by l.enumsortorder)
        from pg_catalog.pg_enum l where l.enumtypid = y.oid) end as labels,
      obj_description(y.oid, 'pg_type') as comment
    from pg_catalog.pg_type y join pg_catalog.pg_namespace n on n.oid = y.typnamespace and ${isOwnSchema('n')}
    where y.typtype in ('d', 'e') or y.typtype = 'b' and y.typelem <> 0 and exists (
      select from pg_catalog.pg_type i where i.oid = y.typelem and i.typtype in ('d', 'e'))
    order by y.oid`),

  triggers: list(`
    select g.tgrelid::int8 as relation, g.tgname as name, g.tgenabled in ('O', 'A') as enabled, g.tgtype::int as events,
      pg_get_triggerdef(g.oid) as sql
    from pg_catalog.pg_trigger g join ${relationsOf('c')} on c.oid = g.tgrelid and not c.relispartition
    where not g.tgisinternal
    order by g.tgrelid, g.tgname`),

  inheritance: list(`
    select i.inhrelid::int8 as child, i.inhparent::int8 as parent
    from pg_catalog.pg_inherits i join ${relationsOf('c')} on c.oid = i.inhparent
    order by i.inhparent, i.inhrelid`),

  figures: list(`
    select c.oid::int8 as relation,
      case when pg_stat_get_live_tuples(c.oid) > 0 then pg_stat_get_live_tuples(c.oid)
        else greatest(c.reltuples, 0)::int8 end as rows,
      coalesce(pg_total_relation_size(c.oid), 0) as bytes
    from ${relationsOf('c')} where c.relkind in ('r', 'm')`),
};
