import { type CollationFact, collationOf } from './collations.ts';
import type { CatalogQueries } from './read-catalog.ts';
import { commentOf, functionNamed, isOwnSchema, list, ofPeriod, relationsOf } from './sql-fragments.ts';

/** Constraints on rows of the app's schemas, read from the system catalog. Object identifiers are numbers. */
export interface ConstraintFacts {
  constraints: ConstraintFact[];
  partition_constraints: PartitionConstraintFact[];
  /** Unique indexes without a constraint. */
  unique_indexes: UniqueIndexFact[];
}

/** A constraint except NOT NULL, which is part of fields and types. Only constraints of partitions include NOT NULL. */
export interface ConstraintFact {
  oid: number;
  /** The table; 0 for a constraint of a domain. */
  relation: number;
  domain: number;
  name: string;
  /**
   * Value of pg_constraint.contype: p primary key, u unique, f foreign key, c check, x exclude; for partitions also n
   * not null.
   */
  kind: 'p' | 'u' | 'f' | 'c' | 'x' | 'n';
  fields: number[];
  target: number;
  target_fields: number[];
  /**
   * Value of pg_constraint.confdeltype: a no action, r restrict, c cascade, n set null, d set default; x if the action
   * is not enforced.
   */
  on_delete: string;
  /** Value of pg_constraint.confupdtype, with the same letters as `on_delete`. */
  on_update: string;
  definition: string;
  /** Expression of a check constraint. */
  expression: string | null;
  /** Properties that few constraints have; null if the constraint has none of them. */
  special: SpecialFact | null;
  validated: boolean;
  enforced: boolean;
  comment: string | null;
  /** Functions that a check calls, also through operators, without PostgreSQL's own; null if there are none. */
  functions: number[] | null;
}

/** Properties that few constraints have. */
export interface SpecialFact {
  /**
   * True for keys over periods, which PostgreSQL 18 introduced: WITHOUT OVERLAPS, and PERIOD of a foreign key. The
   * period is the last of `fields`.
   */
  period: boolean;
  /** True for foreign keys with MATCH FULL. */
  match_full: boolean;
  /** Numbers of the fields that ON DELETE SET NULL or SET DEFAULT changes; null if it changes all fields of the key. */
  delete_fields: number[] | null;
  /** Time of the check: immediately, immediately unless the transaction defers it, or at the end of the transaction. */
  timing: 'at once' | 'deferrable' | 'deferred';
  exclusion: ExclusionFact | null;
}

/** Keys and operators of an exclusion constraint: no two rows may exist for which all operators are true. */
export interface ExclusionFact {
  /**
   * Field names and expressions as SQL, each with its operator; the operator has its schema unless it is PostgreSQL's
   * own.
   */
  keys: { key: string; operator: string; collation: CollationFact | null }[];
  /** Predicate of a partial constraint. */
  condition: string | null;
}

/** A unique index without a constraint. */
export interface UniqueIndexFact {
  oid: number;
  /** The table of the index. If the index is only on a partition: the partitioned table that clients see. */
  relation: number;
  /** The partition as `schema.name` if the index is only on a partition; otherwise null. */
  partition: string | null;
  name: string;
  /** Indexed field names and expressions as SQL, in order. */
  keys: string[];
  /** Numbers of the indexed fields; 0 for an expression. */
  fields: number[];
  /** Collation of each key; null for the default of the database. */
  collations: (CollationFact | null)[];
  /** Predicate of a partial index. */
  condition: string | null;
  nulls_not_distinct: boolean;
  definition: string;
  comment: string | null;
}

/**
 * A constraint that only one partition has. `relation` is the partitioned table that clients see, and field numbers are
 * those of that table.
 */
export interface PartitionConstraintFact extends ConstraintFact {
  /** The partition as `schema.name`. */
  partition: string;
}

/**
 * SQL that is true for a key over periods. The SQL reads the catalog only if the text of the definition can be such a
 * key, because this saves time.
 */
const isPeriod = `case when d.definition ~ 'WITHOUT OVERLAPS|PERIOD' then ${ofPeriod} else false end`;

/**
 * Returns SQL with the SpecialFact of constraint `k` with definition `d`.
 * @param deleteFields SQL with the numbers of the fields that ON DELETE names.
 */
const specialOf = (deleteFields: string): string => `
      case when k.contype = 'x' or k.condeferrable or (k.contype = 'f' and k.confmatchtype = 'f') or k.confdelsetcols is not null or ${isPeriod} then json_build_object(
        'period', ${isPeriod}, 'match_full', k.contype = 'f' and k.confmatchtype = 'f', 'delete_fields', ${deleteFields},
        'timing', case when k.condeferred then 'deferred' when k.condeferrable then 'deferrable' else 'at once' end,
        'exclusion', case when k.contype = 'x' then (
          select json_build_object('condition', pg_get_expr(i.indpred, i.indrelid), 'keys',
            (select json_agg(json_build_object('key', pg_get_indexdef(i.indexrelid, e.at::int, false),
                'operator', case when s.nspname = 'pg_catalog' then o.oprname else format('OPERATOR(%I.%s)', s.nspname, o.oprname) end,
                'collation', ${collationOf('i.indcollation[e.at - 1]')}) order by e.at)
              from unnest(k.conexclop) with ordinality e(operator, at)
              join pg_catalog.pg_operator o on o.oid = e.operator join pg_catalog.pg_namespace s on s.oid = o.oprnamespace))
          from pg_catalog.pg_index i where i.indexrelid = k.conindid) end) end`;

/** Returns SQL that converts field numbers of partition `c` to those of the partitioned table. */
const numbersInRoot = (numbers: string): string =>
  `(select json_agg(r.attnum order by f.at) from unnest(${numbers}) with ordinality f(number, at)
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = f.number
    join pg_catalog.pg_attribute r on r.attrelid = pg_partition_root(c.oid) and r.attname = a.attname)`;

/**
 * SQL that is false for NOT ENFORCED constraints, and for constraints whose internal triggers are disabled (DISABLE
 * TRIGGER ALL).
 */
const isEnforced = `(right(d.definition, 13) <> ' NOT ENFORCED' and (k.contype <> 'f' and not k.condeferrable or not exists (
      select from pg_catalog.pg_trigger g where g.tgconstraint = k.oid and g.tgrelid = k.conrelid and g.tgenabled in ('D', 'R'))))`;

/**
 * Returns SQL with the action of a foreign key when the referenced row is deleted or updated; x if the constraint is
 * not enforced or its triggers on the referenced table are disabled.
 */
const actionOf = (
  column: string,
): string => `case when k.contype = 'f' and (right(d.definition, 13) = ' NOT ENFORCED' or exists (
      select from pg_catalog.pg_trigger g where g.tgconstraint = k.oid and g.tgrelid = k.confrelid and g.tgenabled in ('D', 'R')))
    then 'x' else k.${column}::text end`;

/** Queries of ConstraintFacts. */
export const constraintQueries: CatalogQueries<ConstraintFacts> = {
  constraints: list(`
    select k.oid::int8 as oid, k.conrelid::int8 as relation, k.contypid::int8 as domain, k.conname as name,
      k.contype as kind, coalesce(k.conkey, '{}') as fields, k.confrelid::int8 as target,
      coalesce(k.confkey, '{}') as target_fields, ${actionOf('confdeltype')} as on_delete, ${actionOf('confupdtype')} as on_update, d.definition,
      e.expression, ${specialOf('k.confdelsetcols')} as special,
      k.convalidated as validated, ${isEnforced} as enforced, m.description as comment, u.functions
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_namespace n on n.oid = k.connamespace and ${isOwnSchema('n')}
    cross join lateral (select case when k.contype = 'c' then pg_get_expr(k.conbin, k.conrelid) end as expression offset 0) e
    -- an expression takes long to print: of the many checks that say no more, the text is known
    cross join lateral (select case when k.contype = 'c' and k.convalidated and not k.connoinherit then 'CHECK (' || e.expression || ')'
      else pg_get_constraintdef(k.oid) end as definition offset 0) d
    left join pg_catalog.pg_class c on c.oid = k.conrelid
    left join (
      select d.objid as of, json_agg(distinct p.oid::int8) as functions
      from pg_catalog.pg_depend d ${functionNamed('join')}
      where d.classid = 'pg_catalog.pg_constraint'::regclass and d.deptype = 'n' group by d.objid) u on u.of = k.oid
    ${commentOf('pg_constraint', 'k.oid')}
    where k.contype in ('p', 'u', 'f', 'c', 'x') and k.conparentid = 0 and not coalesce(c.relispartition, false)
    order by k.conrelid, k.contypid, k.conname, k.oid`),

  partition_constraints: list(`
    select k.oid::int8 as oid, pg_partition_root(c.oid)::oid::int8 as relation, 0 as domain, format('%I.%I', n.nspname, c.relname) as partition,
      k.conname as name, k.contype as kind, coalesce(${numbersInRoot('k.conkey')}, '[]') as fields, k.confrelid::int8 as target,
      coalesce(k.confkey, '{}') as target_fields, ${actionOf('confdeltype')} as on_delete, ${actionOf('confupdtype')} as on_update, d.definition,
      case when k.contype = 'c' then pg_get_expr(k.conbin, k.conrelid) end as expression,
      ${specialOf(numbersInRoot('k.confdelsetcols'))} as special,
      k.convalidated as validated, ${isEnforced} as enforced, m.description as comment, null as functions
    from ${relationsOf('c')}
    join pg_catalog.pg_constraint k on k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c', 'x', 'n')
      and k.conparentid = 0 and k.coninhcount = 0
    cross join lateral (select pg_get_constraintdef(k.oid) as definition offset 0) d
    ${commentOf('pg_constraint', 'k.oid')}
    where c.relispartition
    order by relation, partition, k.conname`),

  unique_indexes: list(`
    select i.indexrelid::int8 as oid, case when c.relispartition then pg_partition_root(c.oid)::oid else c.oid end::int8 as relation,
      case when c.relispartition then format('%I.%I', n.nspname, c.relname) end as partition, x.relname as name,
      (select json_agg(pg_get_indexdef(i.indexrelid, k.at::int, false) order by k.at)
        from generate_series(1, i.indnkeyatts) k(at)) as keys,
      (select json_agg(case when c.relispartition then coalesce((select r.attnum from pg_catalog.pg_attribute a
            join pg_catalog.pg_attribute r on r.attrelid = pg_partition_root(c.oid) and r.attname = a.attname
            where a.attrelid = c.oid and a.attnum = k.number), 0) else k.number end order by k.at)
        from unnest(i.indkey::int2[]) with ordinality k(number, at) where k.at <= i.indnkeyatts) as fields,
      (select json_agg(${collationOf('i.indcollation[k.at - 1]')} order by k.at) from generate_series(1, i.indnkeyatts) k(at)) as collations,
      pg_get_expr(i.indpred, i.indrelid) as condition, i.indnullsnotdistinct as nulls_not_distinct,
      pg_get_indexdef(i.indexrelid) as definition, m.description as comment
    from pg_catalog.pg_index i join ${relationsOf('c')} on c.oid = i.indrelid
    join pg_catalog.pg_class x on x.oid = i.indexrelid
    ${commentOf('pg_class', 'i.indexrelid')}
    where i.indisunique and i.indisvalid
      and not (c.relispartition and exists (select from pg_catalog.pg_inherits h where h.inhrelid = i.indexrelid))
      and not exists (select from pg_catalog.pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
    order by i.indrelid, x.relname`),
};
