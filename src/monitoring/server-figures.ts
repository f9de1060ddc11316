import { CONSOLE_REF } from '../apps/registry/app-record.ts';
import { databaseSizes } from '../apps/registry/database-sizes.ts';
import type { Executor } from '../database/database.ts';
import { firstJson } from '../database/statement.ts';

/** Number of databases whose sizes one statement reads. PostgreSQL reads the size of each of their files. */
const SIZES_AT_ONCE = 50;

/** Figures of the PostgreSQL server. */
export interface ServerFigures {
  readonly version: string;
  /** Number of apps, without the console. */
  readonly apps: number;
  readonly connections: number;
  readonly maxConnections: number;
  readonly oldestTransactionSeconds: number;
  readonly walBytes: number;
  readonly slots: readonly { readonly name: string; readonly bytes: number }[];
  readonly standbys: readonly { readonly name: string; readonly seconds: number }[];
}

/**
 * Query of the figures, in the console's database. It reads shared memory, and opens no other database. It does not read
 * pg_database, directly or in a view, because that takes ten milliseconds with a thousand apps.
 */
const FIGURES = `with log as (
    select case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_wal_replay_lsn()
      else pg_catalog.pg_current_wal_insert_lsn() end as lsn
  )
  select pg_catalog.json_build_object(
    'version', pg_catalog.current_setting('server_version'),
    'apps', (select pg_catalog.count(*) from public.apps where ref <> '${CONSOLE_REF}'),
    'connections', (select count(*) from pg_catalog.pg_stat_get_activity(null) where backend_type = 'client backend'),
    'maxConnections', pg_catalog.current_setting('max_connections')::int,
    'oldestTransactionSeconds', (select coalesce(max(extract(epoch from pg_catalog.clock_timestamp() - xact_start)), 0)
      from pg_catalog.pg_stat_get_activity(null) where pid <> pg_catalog.pg_backend_pid() and backend_type = 'client backend'),
    'walBytes', coalesce(lsn - '0/0'::pg_catalog.pg_lsn, 0),
    'slots', (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('name', slot_name, 'bytes', greatest(lsn - restart_lsn, 0))), '[]')
      from pg_catalog.pg_replication_slots where restart_lsn is not null),
    'standbys', (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('name', name, 'seconds', seconds)), '[]') from (
      select application_name as name, coalesce(extract(epoch from max(coalesce(replay_lag, flush_lag))), 0) as seconds
      from pg_catalog.pg_stat_get_wal_senders() s join pg_catalog.pg_stat_get_activity(null) a using (pid) group by 1) standbys))
  from log`;

/** Reads the figures of the server. */
export async function readServerFigures(database: Executor): Promise<ServerFigures> {
  const [result] = await database.run([{ text: FIGURES, params: [], planKey: 'figures' }]);
  const figures = result && firstJson<ServerFigures>(result);
  if (!figures) throw new Error('PostgreSQL returned no figures');
  return figures;
}

/** Figures of all databases together. */
export interface DatabaseTotals {
  readonly deadlocks: number;
  readonly frozenXidAge: number;
}

const TOTALS = `select pg_catalog.json_build_object(
    'deadlocks', coalesce(sum(pg_catalog.pg_stat_get_db_deadlocks(oid)), 0),
    'frozenXidAge', max(pg_catalog.age(datfrozenxid))) from pg_catalog.pg_database`;

/** Reads the figures of all databases together. */
export async function readDatabaseTotals(database: Executor): Promise<DatabaseTotals> {
  const [result] = await database.run([{ text: TOTALS, params: [], planKey: 'figures' }]);
  return (result && firstJson<DatabaseTotals>(result)) ?? { deadlocks: 0, frozenXidAge: 0 };
}

/** Reads the sizes of databases in bytes by name, in statements of a few databases each. */
export async function readSizes(database: Executor, names: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (let from = 0; from < names.length; from += SIZES_AT_ONCE) {
    const some = await databaseSizes(database, names.slice(from, from + SIZES_AT_ONCE));
    for (const [name, bytes] of some) sizes.set(name, bytes);
  }
  return sizes;
}
