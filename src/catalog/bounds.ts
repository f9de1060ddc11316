import type { CatalogueQueries } from './read-catalogue.ts';

/** The numbers by which PostgreSQL bounds an app: settings, and how many connections its roles and its database may open. */
export interface BoundFacts {
  /** Settings of the server with their units, as a new connection of nobody in particular gets them. */
  server_settings: ServerSetting[];
  /** ALTER ROLE … SET and ALTER DATABASE … SET of any setting that reach the app's own login roles, the most specific last. */
  role_settings: { role: string | null; database: boolean; name: string; value: string }[];
  /** Roles that log in to this database only, with -1 for no limit, and until when (UTC) their passwords are valid; null for ever. */
  connection_limits: { role: string; connections: number; valid_until: string | null }[];
  /** ALTER DATABASE … CONNECTION LIMIT; -1 for none. */
  database_connections: number;
}

export interface ServerSetting {
  name: string;
  /** As a number in `unit`. */
  value: number;
  boot: number;
  /** pg_settings.unit: ms, kB, 8kB, MB; null for a count. */
  unit: string | null;
}

/** Those that can end a call or keep it from beginning. */
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

/** The roles that can log in to this database: an app's own, as nobody else may connect. */
const APP_LOGINS = `select l.oid, l.rolname, l.rolconnlimit, l.rolvaliduntil from pg_catalog.pg_roles l
  where l.rolcanlogin and not l.rolsuper and pg_catalog.has_database_privilege(l.oid, current_database(), 'CONNECT')`;

/** A setting that the reading session has itself, or that its role or database has, says nothing of the server. */
export const boundQueries: CatalogueQueries<BoundFacts> = {
  server_settings: `select coalesce(json_agg(row_to_json(t) order by t.name), '[]') from (
    select s.name, case when s.source in ('database', 'user', 'database user') or exists (select from pg_catalog.pg_db_role_setting r
        cross join lateral unnest(r.setconfig) as c(pair)
        where r.setdatabase = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
          and split_part(c.pair, '=', 1) = s.name)
      then s.boot_val else s.reset_val end::numeric as value,
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
