import type { Executor } from '../database/database.ts';
import { rowsAsText, type Statement } from '../database/statement.ts';

/** Locks of one process in one database. */
export interface LockCount {
  readonly pid: number;
  /** Oid of the database. */
  readonly database: string;
  readonly locks: number;
  /** True if the process holds or waits for the lock under which NOTIFY is committed. */
  readonly notifies: boolean;
}

/** Enough memory for 500,000 locks without a temporary file. */
const ENOUGH_MEMORY: Statement = {
  text: `select pg_catalog.set_config('work_mem', '64MB', true)`,
  params: [],
  planKey: 'watchdog',
};

/** PostgreSQL commits notifications under a lock on "database 0" of the class pg_database (1262), see async.c. */
const LOCKS = `select pid, database, count(*) as locks,
    bool_or(locktype = 'object' and database = 0 and classid = 1262 and objid = 0) as notifies
  from pg_catalog.pg_lock_status() where pid <> pg_catalog.pg_backend_pid() group by pid, database
  having count(*) >= $1::int or bool_or(locktype = 'object' and database = 0 and classid = 1262 and objid = 0)`;

/** Returns the lock counts of processes that hold at least `min` locks or that notify. */
export async function readLocks(database: Executor, min: number): Promise<LockCount[]> {
  const [, result] = await database.run([ENOUGH_MEMORY, { text: LOCKS, params: [String(min)], planKey: 'watchdog' }]);
  return (result ? rowsAsText(result) : []).map((row) => ({
    pid: Number(row.pid ?? 0),
    database: row.database ?? '',
    locks: Number(row.locks),
    notifies: row.notifies === 't',
  }));
}

/**
 * PostgreSQL names each temporary file after the process that creates it. Parallel workers share a folder of their
 * leader.
 */
const TEMPORARY: Statement = {
  text: `select pg_catalog.substring(name, '^pgsql_tmp([0-9]+)') as pid, sum(size) as bytes from (
      select name, size from pg_catalog.pg_ls_tmpdir()
      union all
      select folder, (pg_catalog.pg_stat_file('base/pgsql_tmp/' || folder || '/' || file, true)).size
      from pg_catalog.pg_ls_dir('base/pgsql_tmp', true, false) folder,
        lateral pg_catalog.pg_ls_dir('base/pgsql_tmp/' || folder, true, false) file
      where folder like '%.fileset'
    ) files where name ~ '^pgsql_tmp[0-9]+' group by 1`,
  params: [],
  planKey: 'watchdog',
};

/** Returns the bytes of temporary files by process id. */
export async function readTemporaryBytes(database: Executor): Promise<Map<number, number>> {
  const [result] = await database.run([TEMPORARY]);
  return new Map((result ? rowsAsText(result) : []).map(({ pid, bytes }) => [Number(pid), Number(bytes ?? 0)]));
}

/** Returns the size on disk of a database by its oid; null if the database was dropped. */
export async function readDatabaseBytes(database: Executor, oid: string): Promise<number | null> {
  const [result] = await database.run([
    { text: 'select pg_catalog.pg_database_size($1::oid) as bytes', params: [oid], planKey: 'watchdog' },
  ]);
  const bytes = result && rowsAsText(result)[0]?.bytes;
  return bytes === null || bytes === undefined ? null : Number(bytes);
}

/** The size of the NOTIFY queue, which all databases share. */
export interface NotifyQueue {
  /** Bytes that some listener has not read yet. */
  readonly bytes: number;
  /** Bytes that were written since the statistics were reset. */
  readonly written: number;
}

/** The queue has pages of 8 KiB; before PostgreSQL 17 introduced a setting, there were 1,048,576 of them. */
const QUEUE: Statement = {
  text: `select pg_catalog.pg_notification_queue_usage()
      * coalesce(pg_catalog.current_setting('max_notify_queue_pages', true), '1048576')::float8 * 8192 as bytes,
    (select blks_zeroed * 8192 from pg_catalog.pg_stat_slru where pg_catalog.lower(name) = 'notify') as written`,
  params: [],
  planKey: 'watchdog',
};

/** Reads the size of the NOTIFY queue. */
export async function readNotifyQueue(database: Executor): Promise<NotifyQueue> {
  const [result] = await database.run([QUEUE]);
  const row = result && rowsAsText(result)[0];
  return { bytes: Number(row?.bytes ?? 0), written: Number(row?.written ?? 0) };
}
