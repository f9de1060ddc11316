import type { CatalogQueries } from './read-catalog.ts';
import { isOwnSchema } from './sql-fragments.ts';

/** Indexes that PostgreSQL can use to find rows, unique or not, including those of constraints. */
export interface IndexFacts {
  indexes: IndexFact[];
}

/** An index by which PostgreSQL can find rows. */
export interface IndexFact {
  relation: number;
  /** Numbers of the key fields, in order; 0 for an expression. INCLUDE columns are left out. */
  fields: number[];
}

/** Query of IndexFacts. */
export const indexQueries: CatalogQueries<IndexFacts> = {
  // Omits partial indexes, because a query can use them only for some of the rows.
  indexes: `select coalesce(json_agg(row_to_json(t)), '[]') from (
    select i.indrelid::int8 as relation,
      (select json_agg(k.number order by k.at) from unnest(i.indkey::int2[]) with ordinality k(number, at)
        where k.at <= i.indnkeyatts) as fields
    from pg_catalog.pg_index i
    join pg_catalog.pg_class c on c.oid = i.indrelid and not c.relispartition
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace and ${isOwnSchema('n')}
    join pg_catalog.pg_class x on x.oid = i.indexrelid
    join pg_catalog.pg_am m on m.oid = x.relam and m.amname in ('btree', 'hash')
    where i.indisvalid and i.indpred is null
    order by i.indrelid, x.relname) t`,
};
