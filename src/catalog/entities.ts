import { type CollationFact, collationOf } from './collations.ts';
import type { CatalogQueries } from './read-catalog.ts';
import {
  commentOf,
  FIRST_NORMAL_OID,
  functionNamed,
  hasQueries,
  isNoChangeTrigger,
  isOwnSchema,
  joinsOutside,
  list,
  relationGrants,
  relationsOf,
} from './sql-fragments.ts';

/** Relations of all schemas except PostgreSQL's own, read from the system catalog. Object identifiers are numbers. */
export interface EntityFacts {
  relations: RelationFact[];
  /**
   * Fields of all relations. Fields of a partition are included only if a foreign key references the partition itself.
   */
  fields: FieldFact[];
  /** Comments on relations and fields. They are separate, so that a changed comment changes no other fact. */
  comments: CommentFact[];
  types: TypeFact[];
  triggers: TriggerFact[];
  /** Rewrite rules except the queries of views, by name. */
  rewrite_rules: RewriteRuleFact[];
  inheritance: { child: number; parent: number }[];
  /**
   * Views with the parse tree of their query. A query without subqueries and outer joins has no range table: its
   * relations are those of `view_uses`.
   */
  view_trees: { view: number; tree: string }[];
  /** Sequences of the app's schemas, except those with the default options of a bigint sequence. */
  numberings: NumberingFact[];
}

/** Grantee and privilege; grantee 0 is PUBLIC. */
export type GrantFact = [grantee: number, privilege: string];

/** A table, view or foreign table (pg_class). */
export interface RelationFact {
  oid: number;
  schema: string;
  name: string;
  /** Value of pg_class.relkind: r table, p partitioned table, v view, m materialized view, f foreign table. */
  kind: 'r' | 'p' | 'v' | 'm' | 'f';
  owner: number;
  is_partition: boolean;
  row_security: boolean;
  force_row_security: boolean;
  security_invoker: boolean;
  /** Check option of a view: `local`, `cascaded` or null. */
  check_option: 'local' | 'cascaded' | null;
  /**
   * Option security_barrier of a view: PostgreSQL evaluates conditions that could leak rows after the view's own
   * conditions.
   */
  security_barrier: boolean;
  /** True for UNLOGGED tables, which PostgreSQL empties after a crash. */
  unlogged: boolean;
  /** Results of pg_relation_is_updatable without and with INSTEAD OF triggers: 4 update, 8 insert, 16 delete. */
  updatable: number;
  updatable_by_trigger: number;
  definition: string | null;
  extension: string | null;
  /** Grants of SELECT, INSERT, UPDATE, DELETE, TRUNCATE and MAINTAIN on the whole relation. */
  grants: GrantFact[];
  /** Events that an INSTEAD rewrite rule replaces, from pg_rewrite.ev_type: update, insert, delete. */
  replaced: ('update' | 'insert' | 'delete')[];
  /**
   * For a foreign table of postgres_fdw: the roles that have a user mapping on its server; 0 stands for every role. Null
   * for other relations, and for wrappers that need no user mapping.
   */
  mapped: number[] | null;
  /** Partition key of a partitioned table, as PostgreSQL prints it: `LIST (kind)`. */
  partition_key: string | null;
  /** Bound of a partition, as PostgreSQL prints it: `FOR VALUES IN ('a')`, `DEFAULT`. */
  bound: string | null;
}

/** A column of a relation (pg_attribute). */
export interface FieldFact {
  relation: number;
  /** Value of pg_attribute.attnum. */
  number: number;
  name: string;
  type: string;
  type_oid: number;
  not_null: boolean;
  /** The NOT NULL constraint of a table's field, which PostgreSQL 18 stores; null without one. */
  required: RequiredFact | null;
  default: string | null;
  generated: '' | 's' | 'v';
  /** True for a field of a writable view that shows an expression or a generated column, so that it cannot be set. */
  computed: boolean;
  /**
   * For a field of a view: true if the field of the underlying table is an identity or generated column. Absent for all
   * other fields.
   */
  made?: true;
  identity: '' | 'a' | 'd';
  /** The collation of the field; null for the default collation of the database. */
  collation: CollationFact | null;
  /** Grants on this column only. */
  grants: GrantFact[] | null;
  /** Objects that the default or the expression of a generated column uses. */
  needs: DependencyFact | null;
}

/** Numbers of the sequences and functions that a default uses, including functions of operators. */
export interface DependencyFact {
  sequences: number[];
  functions: number[];
}

/** A comment on a relation or, if `field` is not 0, on the field with this number. */
export interface CommentFact {
  relation: number;
  field: number;
  text: string;
}

/** A NOT NULL constraint. There are more of these than of all other constraints together, so the fact is compact. */
export interface RequiredFact {
  name: string;
  /** False if PostgreSQL has not checked existing rows (NOT VALID). Absent if all rows were checked. */
  validated?: false;
  /** True for NO INHERIT: the constraint does not apply to child tables. */
  no_inherit?: true;
  comment?: string;
}

/** A type that a field of the app uses (pg_type). */
export interface TypeFact {
  oid: number;
  name: string;
  /** Value of pg_type.typtype: b array, d domain, e enum, c composite, r range, m multirange. */
  kind: string;
  /**
   * Domains: the base type with its modifier. Arrays: the element type. Ranges and multiranges: the type of the bounds.
   */
  base: number;
  base_name: string | null;
  is_array: boolean;
  not_null: boolean;
  /** Domains: the comment on the NOT NULL constraint, which is a separate object since PostgreSQL 17. */
  not_null_comment: string | null;
  default: string | null;
  /** Objects that the default of a domain uses. */
  needs: DependencyFact | null;
  labels: string[] | null;
  /** The numbers of the labels (pg_enum.oid), in the same order. */
  label_oids: number[] | null;
  /** Attributes in order of a composite type that was created with CREATE TYPE; null for row types of tables. */
  attributes: { name: string; type: string; comment?: string }[] | null;
  /** Attributes of composite types, including row types of tables that a field uses. */
  parts: { name: string; type: string; type_oid: number }[] | null;
  /** True if its collation is nondeterministic: strings with different bytes can be equal. */
  loose: boolean;
  comment: string | null;
}

/** A sequence. Its numbers are strings, because they may exceed the range of JavaScript numbers. */
export interface NumberingFact {
  sequence: number;
  /** The field whose values the sequence generates; 0 for none. */
  relation: number;
  field: number;
  /** The type of the sequence: smallint, integer or bigint. */
  type: string;
  start: string;
  increment: string;
  least: string;
  most: string;
  cycles: boolean;
  /** Number of values that a connection caches. */
  cache: string;
}

/** A trigger of a table (pg_trigger). */
export interface TriggerFact {
  oid: number;
  relation: number;
  name: string;
  enabled: boolean;
  /** True for ENABLE ALWAYS: the trigger also fires for replicated rows. */
  always: boolean;
  /** Value of pg_trigger.tgfoid. */
  function: number;
  comment: string | null;
  /** Value of pg_trigger.tgtype, a bit set: 4 insert, 8 delete, 16 update. */
  events: number;
  /** Numbers of the fields of UPDATE OF; empty if every update fires the trigger. */
  fields: number[];
  /** True if the trigger has a WHEN condition. */
  conditional: boolean;
  /** True if the trigger belongs to a partition of `relation`. */
  on_partition: boolean;
  sql: string;
}

/** A rewrite rule (pg_rewrite). */
export interface RewriteRuleFact {
  relation: number;
  name: string;
  enabled: boolean;
  event: 'insert' | 'update' | 'delete';
  /** True for INSTEAD. */
  instead: boolean;
  /** True if the rule has a WHERE. */
  conditional: boolean;
  /** Value of pg_rewrite.ev_action, a list of the node trees of its statements. */
  actions: string;
  sql: string;
}

const grants = (acl: string, kept: string): string =>
  `(select coalesce(json_agg(json_build_array(g.grantee::int8, g.privilege_type) order by g.grantee, g.privilege_type), '[]')
    from aclexplode(${acl}) g where g.privilege_type in (${kept}))`;

/** Returns SQL with the name of the extension that owns an object. */
export const extensionOf = (catalog: string, oid: string): string =>
  `(select e.extname from pg_catalog.pg_depend d join pg_catalog.pg_extension e on e.oid = d.refobjid
    where d.classid = '${catalog}'::regclass and d.objid = ${oid} and d.deptype = 'e'
      and d.refclassid = 'pg_catalog.pg_extension'::regclass limit 1)`;

/**
 * Returns SQL that is true if an extension owns an object. PostgreSQL can plan this EXISTS as a join, but would
 * evaluate `extensionOf` for every object.
 */
export const isOfExtension = (catalog: string, oid: string): string =>
  `exists (select from pg_catalog.pg_depend d where d.classid = '${catalog}'::regclass and d.objid = ${oid} and d.deptype = 'e'
    and d.refclassid = 'pg_catalog.pg_extension'::regclass)`;

const option = (name: string): string =>
  `(select o.option_value from pg_options_to_table(c.reloptions) o where o.option_name = '${name}')`;

/**
 * Returns SQL that is true for a foreign table whose wrapper has no handler, and for each view above one. For these
 * relations, pg_relation_is_updatable raises an error.
 */
export const isUnserved = (relation: string): string =>
  `(${relation}.relkind in ('f', 'v') and ${relation}.oid in (
    with recursive unserved(oid) as (
      select f.ftrelid from pg_catalog.pg_foreign_table f
        join pg_catalog.pg_foreign_server s on s.oid = f.ftserver
        join pg_catalog.pg_foreign_data_wrapper w on w.oid = s.srvfdw and w.fdwhandler = 0
      union select r.ev_class from unserved u
        join pg_catalog.pg_depend d on d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid = u.oid
          and d.classid = 'pg_catalog.pg_rewrite'::regclass
        join pg_catalog.pg_rewrite r on r.oid = d.objid)
    select u.oid from unserved u))`;

/**
 * Returns SQL with the roles that have a user mapping on the server of a foreign table; null if its wrapper needs none.
 * postgres_fdw refuses every other role (GetUserMapping in foreign.c).
 */
const mappedRoles = (relation: string): string => `(
      select (select coalesce(json_agg(m.umuser::int8 order by m.umuser), '[]') from pg_catalog.pg_user_mappings m where m.srvid = s.oid)
      from pg_catalog.pg_foreign_table f join pg_catalog.pg_foreign_server s on s.oid = f.ftserver
      join pg_catalog.pg_foreign_data_wrapper w on w.oid = s.srvfdw
      join pg_catalog.pg_proc h on h.oid = w.fdwhandler and h.proname = 'postgres_fdw_handler'
      where f.ftrelid = ${relation})`;

/**
 * Returns SQL with the objects for which a caller needs privileges to compute a default of a field or domain, by `of`.
 */
const needsOf = (catalog: 'pg_attrdef' | 'pg_type'): string => `(
      select d.objid as of, json_build_object(
        'sequences', coalesce(json_agg(distinct s.oid::int8) filter (where s.oid is not null), '[]'),
        'functions', coalesce(json_agg(distinct p.oid::int8) filter (where p.oid is not null), '[]')) as needs
      from pg_catalog.pg_depend d ${functionNamed('left join')}
      left join pg_catalog.pg_class s on d.refclassid = 'pg_catalog.pg_class'::regclass and s.oid = d.refobjid and s.relkind = 'S'
      where d.classid = 'pg_catalog.${catalog}'::regclass and d.deptype = 'n' and (p.oid is not null or s.oid is not null)
      group by d.objid)`;

const standsAlone = (type: string): string =>
  `${type}.typtype = 'c' and exists (select from pg_catalog.pg_class r where r.oid = ${type}.typrelid and r.relkind = 'c')`;

const written = `'SELECT', 'INSERT', 'UPDATE', 'DELETE'`;
const granted = `${written}, 'TRUNCATE', 'MAINTAIN'`;

/** Queries of EntityFacts. */
export const entityQueries: CatalogQueries<EntityFacts> = {
  relations: list(`
    select c.oid::int8 as oid, n.nspname as schema, c.relname as name, c.relkind as kind, c.relowner::int8 as owner,
      c.relispartition as is_partition, case when c.relkind = 'p' then pg_get_partkeydef(c.oid) end as partition_key,
      case when c.relispartition then pg_get_expr(c.relpartbound, c.oid) end as bound, c.relrowsecurity as row_security, c.relforcerowsecurity as force_row_security,
      coalesce(${option('security_invoker')}::bool, false) as security_invoker,
      c.relpersistence = 'u' as unlogged, ${option('check_option')} as check_option, coalesce(${option('security_barrier')}::bool, false) as security_barrier,
      case when c.relkind in ('r', 'p') then 28 when ${isUnserved('c')} then 0 else pg_relation_is_updatable(c.oid, false) end as updatable,
      case when c.relkind in ('r', 'p') then 28 when ${isUnserved('c')} then 0 else pg_relation_is_updatable(c.oid, true) end as updatable_by_trigger,
      case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end as definition,
      ${extensionOf('pg_catalog.pg_class', 'c.oid')} as extension,
      case when c.relkind = 'f' then ${mappedRoles('c.oid')} end as mapped,
      a.grants,
      (select coalesce(json_agg(distinct case r.ev_type when '2' then 'update' when '3' then 'insert' else 'delete' end), '[]')
        from pg_catalog.pg_rewrite r where r.ev_class = c.oid and r.ev_type <> '1' and r.is_instead and r.ev_enabled in ('O', 'A')) as replaced
    from ${relationsOf('c')} ${relationGrants('rpvmf', (acl) => grants(acl, granted))} order by c.oid`),

  comments: list(`
    select c.oid::int8 as relation, m.objsubid as field, m.description as text
    from ${relationsOf('c')} join pg_catalog.pg_description m on m.classoid = 'pg_catalog.pg_class'::regclass and m.objoid = c.oid
    order by c.oid, m.objsubid`),

  fields: list(`
    select c.oid::int8 as relation, a.attnum as number, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      a.atttypid::int8 as type_oid, a.attnotnull as not_null,
      case when k.oid is not null then json_strip_nulls(json_build_object('name', k.conname, 'validated', nullif(k.convalidated, true), 'no_inherit', nullif(k.connoinherit, false),
        'comment', km.description)) end as required,
      pg_get_expr(d.adbin, d.adrelid) as "default",
      a.attgenerated as generated, case when c.relkind = 'v' and not ${isUnserved('c')} then pg_relation_is_updatable(c.oid, false) & 28 = 28
        and not pg_column_is_updatable(c.oid, a.attnum, false)
        and not exists (select from pg_catalog.pg_trigger g where g.tgrelid = c.oid and g.tgtype & 64 <> 0) else false end as computed,
      a.attidentity as identity,
      ${collationOf('a.attcollation', 'a.atttypid')} as collation,
      case when a.attacl is not null then ${grants('a.attacl', written)} end as grants,
      w.needs
    from ${relationsOf('c')}
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    left join (select k.oid, k.conname, k.convalidated, k.connoinherit, k.conrelid, k.conkey[1] as field
      from pg_catalog.pg_constraint k where k.contype = 'n' offset 0) k on k.conrelid = a.attrelid and k.field = a.attnum
    ${commentOf('pg_constraint', 'k.oid', '0', 'km')}
    left join ${needsOf('pg_attrdef')} w on w.of = d.oid
    where not c.relispartition or c.oid in (
      select k.confrelid from pg_catalog.pg_constraint k where k.contype = 'f' and k.conparentid = 0)
    order by c.oid, a.attnum`),

  // Reads only those arrays and composite types that a field or domain uses.
  types: list(`
    with used as materialized (
      select a.atttypid as oid from pg_catalog.pg_attribute a where a.atttypid >= ${FIRST_NORMAL_OID} and a.attnum > 0 and not a.attisdropped
      union select d.typbasetype from pg_catalog.pg_type d where d.typbasetype >= ${FIRST_NORMAL_OID})
    select y.oid::int8 as oid, format_type(y.oid, null) as name, y.typtype as kind,
      case y.typtype when 'd' then y.typbasetype when 'r' then (select g.rngsubtype from pg_catalog.pg_range g where g.rngtypid = y.oid)
        when 'm' then (select g.rngsubtype from pg_catalog.pg_range g where g.rngmultitypid = y.oid) else y.typelem end::int8 as base,
      case when y.typtype = 'd' then format_type(y.typbasetype, y.typtypmod) end as base_name,
      y.typtype = 'b' and y.typelem <> 0 as is_array, y.typnotnull as not_null, qm.description as not_null_comment, y.typdefault as "default", w.needs,
      case when y.typtype = 'e' then (select json_agg(l.enumlabel order by l.enumsortorder)
        from pg_catalog.pg_enum l where l.enumtypid = y.oid) end as labels,
      case when y.typtype = 'e' then (select json_agg(l.oid::int8 order by l.enumsortorder)
        from pg_catalog.pg_enum l where l.enumtypid = y.oid) end as label_oids,
      case when ${standsAlone('y')} then (select json_agg(json_strip_nulls(json_build_object('name', a.attname,
          'type', format_type(a.atttypid, a.atttypmod), 'comment', m.description)) order by a.attnum)
        from pg_catalog.pg_attribute a ${commentOf('pg_class', 'a.attrelid', 'a.attnum')}
        where a.attrelid = y.typrelid and a.attnum > 0 and not a.attisdropped) end as attributes,
      case when y.typtype = 'c' then (select json_agg(json_build_object('name', a.attname,
          'type', format_type(a.atttypid, a.atttypmod), 'type_oid', a.atttypid::int8) order by a.attnum)
        from pg_catalog.pg_attribute a where a.attrelid = y.typrelid and a.attnum > 0 and not a.attisdropped) end as parts,
      y.typcollation in (select l.oid from pg_catalog.pg_collation l where not l.collisdeterministic) as loose,
      m.description as comment
    from pg_catalog.pg_type y join pg_catalog.pg_namespace n on n.oid = y.typnamespace and ${isOwnSchema('n')}
    left join ${needsOf('pg_type')} w on w.of = y.oid and y.typtype = 'd' and y.typdefault is not null
    left join pg_catalog.pg_constraint q on q.contype = 'n' and q.contypid = y.oid
    ${commentOf('pg_constraint', 'q.oid', '0', 'qm')}
    ${commentOf('pg_type', 'y.oid')}
    where y.typtype in ('d', 'e', 'r', 'm')
      or y.typtype = 'c' and (y.oid in (select u.oid from used u) or y.typarray in (select u.oid from used u)) or ${standsAlone('y')}
      or y.typtype = 'b' and y.typelem <> 0 and (y.oid in (select u.oid from used u) or exists (
      select from pg_catalog.pg_type i where i.oid = y.typelem and i.typtype in ('d', 'e')))
    order by y.oid`),

  triggers: list(`
    select g.oid::int8 as oid, case when c.relispartition then pg_partition_root(c.oid)::oid else c.oid end::int8 as relation, g.tgname as name,
      g.tgenabled in ('O', 'A') as enabled, g.tgenabled = 'A' as always, g.tgtype::int as events, g.tgfoid::int8 as function,
      g.tgattr::int2[] as fields, g.tgqual is not null as conditional, c.relispartition as on_partition,
      pg_get_triggerdef(g.oid) as sql, m.description as comment
    from pg_catalog.pg_trigger g join ${relationsOf('c')} on c.oid = g.tgrelid
    ${commentOf('pg_trigger', 'g.oid')}
    where not g.tgisinternal and g.tgparentid = 0 and ${isNoChangeTrigger('g')}
    order by 1, g.tgname, g.oid`),

  rewrite_rules: list(`
    select r.ev_class::int8 as relation, r.rulename as name, r.ev_enabled in ('O', 'A') as enabled,
      case r.ev_type when '2' then 'update' when '3' then 'insert' else 'delete' end as event, r.is_instead as instead,
      r.ev_qual::text <> '<>' as conditional, r.ev_action::text as actions, pg_get_ruledef(r.oid) as sql
    from pg_catalog.pg_rewrite r join ${relationsOf('c')} on c.oid = r.ev_class
    where r.ev_type <> '1' order by r.ev_class, r.rulename`),

  inheritance: list(`
    select i.inhrelid::int8 as child, i.inhparent::int8 as parent
    from pg_catalog.pg_inherits i join ${relationsOf('c')} on c.oid = i.inhparent
    order by i.inhparent, i.inhrelid`),

  view_trees: list(`
    select c.oid::int8 as view, case when ${hasQueries('t.tree')} or ${joinsOutside('t.tree')} then t.tree
      else left(t.tree, position(' :rtable ' in t.tree) - 1) || substr(t.tree, position(' :jointree ' in t.tree)) end as tree
    from ${relationsOf('c')} join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.ev_type = '1'
    cross join lateral (select r.ev_action::text as tree offset 0) t
    where c.relkind in ('v', 'm') order by c.oid`),

  numberings: list(`
    select q.seqrelid::int8 as sequence, coalesce(i.refobjid, 0)::int8 as relation, coalesce(i.refobjsubid, 0) as field,
      format_type(q.seqtypid, null) as type, q.seqstart::text as start, q.seqincrement::text as increment, q.seqmin::text as least,
      q.seqmax::text as most, q.seqcycle as cycles, q.seqcache::text as cache
    from pg_catalog.pg_sequence q join pg_catalog.pg_class c on c.oid = q.seqrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace and ${isOwnSchema('n')}
    left join pg_catalog.pg_depend i on i.classid = 'pg_catalog.pg_class'::regclass and i.objid = q.seqrelid
      and i.refclassid = 'pg_catalog.pg_class'::regclass and i.deptype = 'i'
    where q.seqtypid <> 20 or q.seqstart <> 1 or q.seqincrement <> 1 or q.seqmax <> 9223372036854775807 or q.seqcycle
      or q.seqmin <> 1 or q.seqcache <> 1
    order by q.seqrelid`),
};
