import type { CatalogQueries } from './read-catalog.ts';
import { isOwnSchema, list } from './sql-fragments.ts';

/** Indexes that PostgreSQL can use to find rows, unique or not, including those of constraints. */
export interface IndexFacts {
  indexes: IndexFact[];
  text_indexes: TextIndexFact[];
  /** Indexes by which PostgreSQL finds the rows that are nearest to a value, by name. */
  distance_indexes: DistanceIndexFact[];
}

/** An index of the extension pgvector (pgvector README, "Indexing"). */
export interface DistanceIndexFact {
  relation: number;
  name: string;
  /** The access method: hnsw or ivfflat. */
  method: string;
  /** The name of the field, or an expression, as PostgreSQL prints it. */
  part: string;
  /** The operator that orders rows by the index: `<=>`. */
  operator: string | null;
  /** The condition of a partial index. */
  condition: string | null;
}

/** A part of an index for full-text search (PostgreSQL manual, "Tables and Indexes"). */
export interface TextIndexFact {
  relation: number;
  /** The name of a tsvector field, or an expression that begins with to_tsvector, as PostgreSQL prints it. */
  part: string;
}

/** An index by which PostgreSQL can find rows. */
export interface IndexFact {
  relation: number;
  /** Numbers of the key fields, in order; 0 for an expression. INCLUDE columns are left out. */
  fields: number[];
}

/** Query of IndexFacts. */
export const indexQueries: CatalogQueries<IndexFacts> = {
  // Partial indexes are left out, because PostgreSQL can find only some of the rows with them.
  indexes: list(`
    select i.indrelid::int8 as relation,
      (select json_agg(k.number order by k.at) from unnest(i.indkey::int2[]) with ordinality k(number, at)
        where k.at <= i.indnkeyatts) as fields
    from pg_catalog.pg_index i
    join pg_catalog.pg_class c on c.oid = i.indrelid and not c.relispartition
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace and ${isOwnSchema('n')}
    join pg_catalog.pg_class x on x.oid = i.indexrelid
    join pg_catalog.pg_am m on m.oid = x.relam and m.amname in ('btree', 'hash')
    where i.indisvalid and i.indpred is null
    order by i.indrelid, x.relname`),
  text_indexes: list(`
    select distinct i.indrelid::int8 as relation, p.part
    from pg_catalog.pg_index i
    join pg_catalog.pg_class c on c.oid = i.indrelid and not c.relispartition
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace and ${isOwnSchema('n')}
    join pg_catalog.pg_class x on x.oid = i.indexrelid
    join pg_catalog.pg_am m on m.oid = x.relam and m.amname in ('gin', 'gist')
    cross join lateral unnest(i.indkey::int2[]) with ordinality k(number, at)
    left join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
    cross join lateral (
      select case when k.number = 0 then pg_catalog.pg_get_indexdef(i.indexrelid, k.at::int, true) else a.attname end as part) p
    where i.indisvalid and i.indpred is null and k.at <= i.indnkeyatts
      and (a.atttypid = 'pg_catalog.tsvector'::regtype or (k.number = 0 and p.part like 'to\\_tsvector(%'))
    order by 1, 2`),
  distance_indexes: list(`
    select i.indrelid::int8 as relation, x.relname as name, m.amname as method,
      pg_catalog.pg_get_indexdef(i.indexrelid, 1, true) as part,
      (select min(p.oprname) from pg_catalog.pg_amop e join pg_catalog.pg_operator p on p.oid = e.amopopr
        where e.amopfamily = o.opcfamily and e.amoppurpose = 'o' and e.amoplefttype = o.opcintype) as operator,
      pg_catalog.pg_get_expr(i.indpred, i.indrelid, true) as condition
    from pg_catalog.pg_index i
    join pg_catalog.pg_class c on c.oid = i.indrelid and not c.relispartition
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace and ${isOwnSchema('n')}
    join pg_catalog.pg_class x on x.oid = i.indexrelid
    join pg_catalog.pg_am m on m.oid = x.relam and m.amname in ('hnsw', 'ivfflat')
    join pg_catalog.pg_opclass o on o.oid = i.indclass[0]
    where i.indisvalid
    order by 1, 2`),
};
