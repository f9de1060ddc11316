import type { Executor } from '../database/database.ts';
import { rowsAsText, type Statement } from '../database/statement.ts';

/** Locks of one process in one database. */
export interface LockCount {
  readonly pid: number;
  /** Oid of the database. */
  readonly database: string;
  readonly locks: number;
  /** True if the process holds or waits for the lock that PostgreSQL takes to commit a NOTIFY. */
  readonly notifies: boolean;
  /** True if the process has written to a catalog that all databases share, in an open transaction. */
  readonly writesShared: boolean;
  /** Oids of databases on which the process holds or waits for a lock. */
  readonly databases: readonly string[];
  /**
   * True if the process holds or waits for a lock that conflicts with writers of a catalog, a role or another object
   * that all databases share. A database does not count.
   */
  readonly blocksShared: boolean;
}

/**
 * Statement that sets a work_mem that is enough for 500,000 locks, so that the query for locks needs no temporary file.
 */
const ENOUGH_MEMORY: Statement = {
  text: `select pg_catalog.set_config('work_mem', '64MB', true)`,
  params: [],
  planKey: 'watchdog',
};

/**
 * SQL that is true if a process is about to notify. PostgreSQL commits notifications under a lock on "database 0" of
 * the class pg_database (1262), see async.c, so such a process has this lock.
 */
const NOTIFIES = `bool_or(locktype = 'object' and database = 0 and classid = 1262 and objid = 0)`;
const WRITES_SHARED = `bool_or(locktype = 'relation' and database = 0 and mode = 'RowExclusiveLock')`;
/**
 * SQL of the databases that a process locks. PostgreSQL takes the lock for a statement such as DROP DATABASE before it
 * checks the privileges, and each new connection to the database then waits.
 */
const DATABASES = `string_agg(objid::text, ',') filter (where locktype = 'object' and database = 0 and classid = 1262 and objid <> 0)`;
/**
 * SQL that is true if a process blocks shared objects. AccessShareLock is the mode of a GRANT on a role or of a query of
 * a catalog. Statements such as CREATE RULE take a stronger lock before they check the privileges, and each login then
 * waits if the object is pg_database.
 */
const BLOCKS_SHARED = `bool_or(database = 0 and mode not in ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock')
  and (locktype = 'relation' or locktype = 'object' and classid <> 1262))`;

const LOCKS = `select pid, database, count(*) as locks, ${NOTIFIES} as notifies, ${WRITES_SHARED} as writes_shared,
    ${DATABASES} as databases, ${BLOCKS_SHARED} as blocks_shared
  from pg_catalog.pg_lock_status() where pid <> pg_catalog.pg_backend_pid() group by pid, database
  having count(*) >= $1::int or ${NOTIFIES} or ${WRITES_SHARED} or ${DATABASES} is not null or ${BLOCKS_SHARED}`;

/**
 * Returns the lock counts of processes that hold at least `min` locks, that notify, that write shared catalogs, or that
 * lock databases or other shared objects.
 */
export async function readLocks(database: Executor, min: number): Promise<LockCount[]> {
  const [, result] = await database.run([ENOUGH_MEMORY, { text: LOCKS, params: [String(min)], planKey: 'watchdog' }]);
  return (result ? rowsAsText(result) : []).map((row) => ({
    pid: Number(row.pid ?? 0),
    database: row.database ?? '',
    locks: Number(row.locks),
    notifies: row.notifies === 't',
    writesShared: row.writes_shared === 't',
    databases: row.databases?.split(',') ?? [],
    blocksShared: row.blocks_shared === 't',
  }));
}

/**
 * Query for the sizes of temporary files. PostgreSQL names each file after the process that creates it. Parallel
 * workers share a folder of their leader. The file of an exported snapshot has no process id: it is named after the
 * virtual transaction, in hexadecimal digits, and has one block.
 */
const TEMPORARY: Statement = {
  text: `select pg_catalog.substring(name, '^pgsql_tmp([0-9]+)') as pid, sum(size) as bytes from (
      select name, size from pg_catalog.pg_ls_tmpdir()
      union all
      select folder, (pg_catalog.pg_stat_file('base/pgsql_tmp/' || folder || '/' || file, true)).size
      from pg_catalog.pg_ls_dir('base/pgsql_tmp', true, false) folder,
        lateral pg_catalog.pg_ls_dir('base/pgsql_tmp/' || folder, true, false) file
      where folder like '%.fileset'
    ) files where name ~ '^pgsql_tmp[0-9]+' group by 1
    union all
    select l.pid::text, snapshots.files * 4096 from (
      select pg_catalog.split_part(name, '-', 1) as process, pg_catalog.split_part(name, '-', 2) as transaction, count(*) as files
      from pg_catalog.pg_ls_dir('pg_snapshots') name group by 1, 2 having count(*) >= 1000
    ) snapshots join pg_catalog.pg_lock_status() l on l.locktype = 'virtualxid' and l.mode = 'ExclusiveLock'
      and l.virtualxid = pg_catalog.concat_ws('/', ('x' || process)::bit(32)::int, ('x' || transaction)::bit(32)::int8)`,
  params: [],
  planKey: 'watchdog',
};

/** Returns the bytes of temporary files by process id. */
export async function readTemporaryBytes(database: Executor): Promise<Map<number, number>> {
  const [result] = await database.run([TEMPORARY]);
  const found = new Map<number, number>();
  for (const { pid, bytes } of result ? rowsAsText(result) : []) {
    found.set(Number(pid), (found.get(Number(pid)) ?? 0) + Number(bytes ?? 0));
  }
  return found;
}

/** Returns the size on disk of a database by its oid; null if the database was dropped. */
export async function readDatabaseBytes(database: Executor, oid: string): Promise<number | null> {
  const [result] = await database.run([
    { text: 'select pg_catalog.pg_database_size($1::oid) as bytes', params: [oid], planKey: 'watchdog' },
  ]);
  const bytes = result && rowsAsText(result)[0]?.bytes;
  return bytes === null || bytes === undefined ? null : Number(bytes);
}

/** Sizes of files that all databases share. */
export interface SharedBytes {
  /** Bytes of the NOTIFY queue that some listener has not read yet. */
  readonly queue: number;
  /** Bytes that were written to the NOTIFY queue since the statistics were reset. */
  readonly notified: number;
  /** Bytes of the shared catalogs. */
  readonly catalogs: number;
}

/**
 * Query for the sizes of shared files. The NOTIFY queue consists of pages of 8 KiB. PostgreSQL 17 introduced a setting
 * for their maximum number; before, it was always 1,048,576. A login that may not read the size of the shared catalogs gets none.
 */
const SHARED: Statement = {
  text: `select pg_catalog.pg_notification_queue_usage()
      * coalesce(pg_catalog.current_setting('max_notify_queue_pages', true), '1048576')::float8 * 8192 as queue,
    (select blks_zeroed * 8192 from pg_catalog.pg_stat_slru where pg_catalog.lower(name) = 'notify') as notified,
    case when pg_catalog.has_tablespace_privilege('pg_global', 'CREATE') or pg_catalog.pg_has_role('pg_read_all_stats', 'USAGE')
      then pg_catalog.pg_tablespace_size('pg_global') end as catalogs`,
  params: [],
  planKey: 'watchdog',
};

/** Reads the sizes of files that all databases share. */
export async function readSharedBytes(database: Executor): Promise<SharedBytes> {
  const [result] = await database.run([SHARED]);
  const row = result && rowsAsText(result)[0];
  return {
    queue: Number(row?.queue ?? 0),
    notified: Number(row?.notified ?? 0),
    catalogs: Number(row?.catalogs ?? 0),
  };
}

/** Returns the oids of databases that accept no connections. */
export async function readClosedDatabases(database: Executor): Promise<ReadonlySet<string>> {
  const text = 'select oid from pg_catalog.pg_database where not datallowconn or datconnlimit = -2';
  const [result] = await database.run([{ text, params: [], planKey: 'watchdog' }]);
  return new Set((result ? rowsAsText(result) : []).map(({ oid }) => oid ?? ''));
}
