import type { Executor } from '../database/database.ts';
import { rowsAsText } from '../database/statement.ts';

/** Bytes of the tables whose rows are counted. Larger tables would be read for too long each hour. */
const MAX_BYTES = 256 * 1024 * 1024;

/** The number of rows of each table and the sum of the hashes of its keys, by its quoted name. */
export type RowCounts = Readonly<Record<string, string>>;

/**
 * Returns the tables of an app with the expressions of their keys. The expressions use output functions of types, and no
 * casts, because the app's owner can define a cast. Reading a key runs no other code of the owner.
 */
const TABLES = `select pg_catalog.format('%I.%I', n.nspname, c.relname) as name,
    coalesce((select pg_catalog.string_agg(pg_catalog.format('%I', a.attname), ', ' order by k.place)
      from pg_catalog.pg_index i
      cross join lateral pg_catalog.unnest(i.indkey::int2[]) with ordinality k (attnum, place)
      join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
      where i.indrelid = c.oid and i.indisprimary), '') as keys
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and c.relpersistence = 'p' and n.nspname not in ('pg_catalog', 'information_schema')
    and pg_catalog.pg_relation_size(c.oid) <= ${MAX_BYTES}
  order by 1`;

/** Counts the rows of all tables of a database, as the superuser. @param executor A transaction with one snapshot. */
export async function countRows(executor: Executor): Promise<RowCounts> {
  const [tables] = await executor.run([{ text: TABLES, params: [], planKey: 'drill' }]);
  const counts: [string, string][] = [];
  for (const { name = '', keys = '' } of tables ? rowsAsText(tables) : []) {
    const hash =
      keys === ''
        ? '0'
        : `coalesce(sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(',', ${keys}), 0)::numeric), 0)`;
    const [result] = await executor.run([
      { text: `select count(*) || ' rows, keys ' || ${hash} as counted from only ${name}`, params: [] },
    ]);
    counts.push([name ?? '', (result && rowsAsText(result)[0]?.counted) ?? '']);
  }
  return Object.fromEntries(counts);
}
