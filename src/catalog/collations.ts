/** A collation that something has beside the database's own. */
export interface CollationFact {
  /** As SQL takes it; one that is not PostgreSQL's own with its schema. */
  name: string;
  /** False: texts that are spelled otherwise can be equal. */
  deterministic: boolean;
  /** Of ICU, `und-u-ks-level2`; null of other providers. */
  locale: string | null;
  /** Rules of its own beside those of the locale. */
  tailored: boolean;
}

/**
 * The collation with this number as CollationFact; null for none and for the database's own, and for what every `name` is sorted by, where
 * the number of the type is given.
 */
export const collationOf = (collation: string, type = '0'): string =>
  `case when ${collation} not in (0, 100) and not (${collation} = 950 and ${type} = 19) then (
    select json_build_object('name', case when s.nspname = 'pg_catalog' then quote_ident(l.collname) else format('%I.%I', s.nspname, l.collname) end,
      'deterministic', l.collisdeterministic,
      'locale', coalesce(to_jsonb(l) ->> 'colllocale', to_jsonb(l) ->> 'colliculocale'),
      'tailored', to_jsonb(l) ->> 'collicurules' is not null)
    from pg_catalog.pg_collation l join pg_catalog.pg_namespace s on s.oid = l.collnamespace where l.oid = ${collation}) end`;
