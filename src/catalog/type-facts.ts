import type { CatalogQueries } from './read-catalog.ts';
import { isOwnSchema, list } from './sql-fragments.ts';

/**
 * Types of the app's schemas that the type generators need in addition to the app's entities. Object identifiers are
 * numbers.
 */
export interface TypeNameFacts {
  /** Enums, domains, composite types and the row types of relations. */
  named_types: NamedTypeFact[];
  outputs: OutputFact[];
  /** Fields with a nondeterministic collation: strings with different bytes can be equal. */
  loose_fields: { relation: number; field: number }[];
}

/** A named type (pg_type). */
export interface NamedTypeFact {
  /** Name as PostgreSQL prints it; fields and arguments refer to the type by this name. */
  type: string;
  schema: string;
  name: string;
  /** Value of pg_type.typtype: d domain, e enum, c composite. */
  kind: 'd' | 'e' | 'c';
  /**
   * Kind of the relation whose row type it is; null for a composite type without a relation and for all other types.
   */
  relation_kind: 'r' | 'p' | 'v' | 'm' | 'f' | null;
  /** Base type of a domain. */
  base: string | null;
  labels: string[] | null;
  /** Attributes in order of a composite type without a relation. */
  attributes: { name: string; type: string }[] | null;
}

/** Result type of a function. */
export interface OutputFact {
  routine: number;
  /** Return type without SETOF. */
  type: string;
  /** OUT, INOUT and TABLE columns in order. */
  columns: { name: string; type: string }[];
}

/** Queries of TypeNameFacts. */
export const typeNameQueries: CatalogQueries<TypeNameFacts> = {
  named_types: list(`
    select format_type(y.oid, null) as type, n.nspname as schema, y.typname as name, y.typtype as kind,
      case when c.relkind <> 'c' then c.relkind end as relation_kind,
      case when y.typtype = 'd' then format_type(y.typbasetype, y.typtypmod) end as base,
      case when y.typtype = 'e' then (select coalesce(json_agg(l.enumlabel order by l.enumsortorder), '[]')
        from pg_catalog.pg_enum l where l.enumtypid = y.oid) end as labels,
      case when c.relkind = 'c' then (select coalesce(json_agg(json_build_object('name', a.attname,
          'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum), '[]')
        from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) end as attributes
    from pg_catalog.pg_type y join pg_catalog.pg_namespace n on n.oid = y.typnamespace and ${isOwnSchema('n')}
    left join pg_catalog.pg_class c on c.oid = y.typrelid
    where y.typtype in ('d', 'e', 'c') order by n.nspname, y.typname`),

  outputs: list(`
    select p.oid::int8 as routine, format_type(p.prorettype, null) as type,
      (select coalesce(json_agg(json_build_object('name', coalesce(o.name, ''), 'type', format_type(o.type, null)) order by o.at), '[]')
        from rows from (unnest(p.proallargtypes), unnest(p.proargnames), unnest(p.proargmodes))
          with ordinality as o(type, name, mode, at) where o.mode in ('o', 'b', 't')) as columns
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace and ${isOwnSchema('n')}
    where p.prokind = 'f' order by p.oid`),

  loose_fields: list(`
    select a.attrelid::int8 as relation, a.attnum as field
    from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace and ${isOwnSchema('n')}
    join pg_catalog.pg_collation l on l.oid = a.attcollation and not l.collisdeterministic
    where a.attnum > 0 and not a.attisdropped order by a.attrelid, a.attnum`),
};
