import { isOwnSchema } from './fragments.ts';
import type { CatalogueQueries } from './read-catalogue.ts';

/** The indexes that PostgreSQL can find rows with, unique or not, those of constraints among them. */
export interface IndexFacts {
  indexes: IndexFact[];
}

export interface IndexFact {
  relation: number;
  /** Numbers of the fields that it is over, in order; 0 stands for an expression. Those that it only carries are left out. */
  fields: number[];
}

export const indexQueries: CatalogueQueries<IndexFacts> = {
  // A partial index helps only with what it holds.
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
