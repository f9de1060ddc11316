import type { Executor } from '../database/database.ts';
import { rowsAsText } from '../database/statement.ts';

/** The next due time of an app, and the last known write counter of its database. */
export interface DueRow {
  app: string;
  /** The next time at which work of the app is due, in milliseconds since 1970; null if nothing is scheduled. */
  due: number | null;
  seenWrites: string;
}

const READ = 'select app, (extract(epoch from due_at) * 1000)::int8 as due, seen_writes from node.scheduled_work';

/** Reads the stored due times of all apps. */
export async function readDueRows(database: Executor): Promise<DueRow[]> {
  const [result] = await database.run([{ text: READ, params: [] }]);
  return (result ? rowsAsText(result) : []).map(({ app, due, seen_writes }) => ({
    app: app ?? '',
    due: due === null || due === undefined ? null : Number(due),
    seenWrites: seen_writes ?? '',
  }));
}

const WRITE = `insert into node.scheduled_work (app, due_at, seen_writes)
  select a.ref, $2::timestamptz, $3::int8 from public.apps a where a.ref = $1
  on conflict (app) do update set due_at = excluded.due_at, seen_writes = excluded.seen_writes`;

/** Stores the due time of an app. */
export async function writeDueRow(database: Executor, { app, due, seenWrites }: DueRow): Promise<void> {
  const params = [app, due === null ? null : new Date(due).toISOString(), seenWrites];
  await database.run([{ text: WRITE, params }]);
}

/**
 * SQL with PostgreSQL's counters of written rows for each database. After a crash of the server the counters start at
 * 0, so callers only check whether a counter has changed.
 */
const WRITES = `select d.datname as database,
    s.tup_inserted + s.tup_updated + s.tup_deleted as writes
  from pg_catalog.pg_database d
  cross join lateral (select pg_catalog.pg_stat_get_db_tuples_inserted(d.oid) as tup_inserted,
    pg_catalog.pg_stat_get_db_tuples_updated(d.oid) as tup_updated, pg_catalog.pg_stat_get_db_tuples_deleted(d.oid) as tup_deleted) s
  where d.datallowconn and not d.datistemplate`;

/**
 * Reads the write counters of all databases of the server.
 * @param maintenance Connections of the superuser to the maintenance database.
 */
export async function readWrites(maintenance: Executor): Promise<Map<string, string>> {
  const [result] = await maintenance.run([{ text: WRITES, params: [], planKey: 'jobs' }]);
  return new Map((result ? rowsAsText(result) : []).map(({ database, writes }) => [database ?? '', writes ?? '0']));
}
