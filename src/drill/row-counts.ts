import type { RawSession } from '../database/raw-session.ts';
import { quoteLiteral } from '../database/statement.ts';
import { CopyCounter } from './copy-counter.ts';

/** Bytes of all tables whose rows are counted, the smallest first. More would be read for too long each hour. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Number of tables whose rows are counted. */
const MAX_TABLES = 1000;
/** How long an owner's lock can hold up the counts, and how long one table may take. */
const SETTINGS = `set local lock_timeout = '2s'; set local statement_timeout = '2min'`;

/** The number of rows of each table and the sum of the hashes of its keys, by its quoted name. */
export type RowCounts = Readonly<Record<string, string>>;

/**
 * Returns the tables of an app with the columns to copy: the key, or one short column of a table without key. COPY refuses
 * generated columns.
 */
const TABLES = `select tables.* from (select pg_catalog.format('%I.%I', n.nspname, c.relname) as name,
    coalesce(
      (select pg_catalog.string_agg(pg_catalog.format('%I', a.attname), ', ' order by k.place)
        from pg_catalog.pg_index i
        cross join lateral pg_catalog.unnest(i.indkey::int2[]) with ordinality k (attnum, place)
        join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
        where i.indrelid = c.oid and i.indisprimary and a.attgenerated = ''),
      (select pg_catalog.format('%I', a.attname) from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        order by a.attlen < 0, a.attnum limit 1)) as columns,
    exists (select from pg_catalog.pg_index i where i.indrelid = c.oid and i.indisprimary) as keyed,
    pg_catalog.sum(pg_catalog.pg_relation_size(c.oid))
      over (order by pg_catalog.pg_relation_size(c.oid), c.oid) as bytes
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and c.relpersistence = 'p' and n.nspname not in ('pg_catalog', 'information_schema')) tables`;

/**
 * Counts the rows of tables of a database, as the superuser. The rows are read by COPY: the planner of a query evaluates
 * expressions of indexes and statistics, which are code of the app's owner. COPY runs output functions of types alone,
 * and an owner cannot define these.
 * @param session A session in a transaction with one snapshot.
 * @param names The quoted names of the tables; null for as many as can be read each hour.
 */
export async function countRows(session: RawSession, names: readonly string[] | null): Promise<RowCounts> {
  await session.query(SETTINGS);
  const chosen =
    names === null
      ? `where bytes <= ${MAX_BYTES} order by bytes limit ${MAX_TABLES}`
      : `where name = any (array[${names.map(quoteLiteral).join(', ')}]::pg_catalog.text[])`;
  const counts: [string, string][] = [];
  for (const { name, columns, keyed } of await session.query(`${TABLES} ${chosen}`)) {
    const counter = new CopyCounter();
    const list = columns === null ? '' : ` (${columns})`;
    await session.copyOut(`copy ${name}${list} to stdout`, (bytes) => counter.add(bytes));
    counts.push([name ?? '', `${counter.rows} rows, keys ${keyed === 't' ? counter.sum : 0}`]);
  }
  return Object.fromEntries(counts);
}
