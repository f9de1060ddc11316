import type { CatalogQueries } from './read-catalog.ts';

/**
 * Limits of PostgreSQL that apply to an app: settings, and the maximum number of connections of its roles and its
 * database.
 */
export interface ServerLimitFacts {
  /**
   * Settings of the server with their units. A new connection gets these values if neither its role nor its database
   * sets the setting.
   */
  server_settings: ServerSetting[];
  /**
   * ALTER ROLE … SET and ALTER DATABASE … SET, of any setting, that affect the app's login roles. If several set the
   * same setting, the most specific one is last.
   */
  role_settings: { role: string | null; database: boolean; name: string; value: string }[];
  /**
   * Roles that can log in only to this database, with their connection limit (-1: none) and the time in UTC until which
   * their password is valid (null: no limit).
   */
  connection_limits: { role: string; connections: number; valid_until: string | null }[];
  /** ALTER DATABASE … CONNECTION LIMIT; -1 means no limit. */
  database_connections: number;
}

/** A numeric setting of the server. */
export interface ServerSetting {
  name: string;
  /** Value in `unit`. */
  value: number;
  boot: number;
  /** Value of pg_settings.unit: ms, kB, 8kB, MB; null for a count. */
  unit: string | null;
}

/** Settings that can end a request or prevent it from starting. */
const names = [
  'max_connections',
  'statement_timeout',
  'transaction_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'temp_file_limit',
  'work_mem',
  'max_stack_depth',
];
const list = names.map((name) => `'${name}'`).join(', ');

/**
 * SQL with the roles that can log in to this database. No other roles may connect, so these are the app's own roles,
 * without the server role, which runs no statement of a caller or of the owner.
 */
const APP_LOGINS = `select l.oid, l.rolname, l.rolconnlimit, l.rolvaliduntil from pg_catalog.pg_roles l
  where l.rolcanlogin and not l.rolsuper and pg_catalog.has_database_privilege(l.oid, current_database(), 'CONNECT')
    and not pg_catalog.pg_has_role(l.oid, 'ninefold_server', 'member')`;

/**
 * Queries of ServerLimitFacts. If the session, its role or its database has set a setting, the session's value is not
 * the value of the server. The query then reads the boot value instead.
 */
export const boundQueries: CatalogQueries<ServerLimitFacts> = {
  server_settings: `select coalesce(json_agg(row_to_json(t) order by t.name), '[]') from (
    select s.name, case when s.source in ('database', 'user', 'database user') or exists (select from pg_catalog.pg_db_role_setting r
        cross join lateral unnest(r.setconfig) as c(pair)
        where r.setdatabase = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
          and split_part(c.pair, '=', 1) = s.name)
      then s.boot_val
      else coalesce(case when s.name in ('lock_timeout', 'work_mem') then nullif(current_setting('ninefold.' || s.name, true), '') end, s.reset_val)
      end::numeric as value,
      s.boot_val::numeric as boot, s.unit
    from pg_catalog.pg_settings s where s.name in (${list})) t`,

  role_settings: `select coalesce(json_agg(row_to_json(t)), '[]') from (
    select r.rolname as role, s.setdatabase <> 0 as database, split_part(c.pair, '=', 1) as name,
      substr(c.pair, strpos(c.pair, '=') + 1) as value
    from pg_catalog.pg_db_role_setting s
    cross join lateral unnest(s.setconfig) as c(pair)
    left join (${APP_LOGINS}) r on r.oid = s.setrole
    where s.setdatabase in (0, (select d.oid from pg_catalog.pg_database d where d.datname = current_database()))
      and (s.setrole = 0 or r.oid is not null)
    order by s.setrole <> 0, s.setdatabase <> 0, r.rolname, 3) t`,

  connection_limits: `select coalesce(json_agg(json_build_object('role', r.rolname, 'connections', r.rolconnlimit,
      'valid_until', nullif(r.rolvaliduntil, 'infinity') at time zone 'UTC') order by r.rolname), '[]')
    from (${APP_LOGINS}) r`,

  database_connections: 'select d.datconnlimit from pg_catalog.pg_database d where d.datname = current_database()',
};
