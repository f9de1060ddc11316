/** A collation other than the default of the database. */
export interface CollationFact {
  /** Name as SQL text; with its schema unless it is PostgreSQL's own. */
  name: string;
  /** False if strings with different bytes can be equal. */
  deterministic: boolean;
  /** Locale of an ICU collation, such as `und-u-ks-level2`; null for other providers. */
  locale: string | null;
  /** True if the collation has rules in addition to those of its locale. */
  tailored: boolean;
}

/**
 * Returns SQL with the collation as CollationFact. The SQL is null for no collation, for the default collation of the
 * database, and for the collation "C" of a column of type `name`, which is the default of that type.
 * @param collation SQL expression of the collation's oid.
 * @param type SQL expression of the oid of the column's type.
 */
export const collationOf = (collation: string, type = '0'): string =>
  `case when ${collation} not in (0, 100) and not (${collation} = 950 and ${type} = 19) then (
    select json_build_object('name', case when s.nspname = 'pg_catalog' then quote_ident(l.collname) else format('%I.%I', s.nspname, l.collname) end,
      'deterministic', l.collisdeterministic,
      'locale', coalesce(to_jsonb(l) ->> 'colllocale', to_jsonb(l) ->> 'colliculocale'),
      'tailored', to_jsonb(l) ->> 'collicurules' is not null)
    from pg_catalog.pg_collation l join pg_catalog.pg_namespace s on s.oid = l.collnamespace where l.oid = ${collation}) end`;
