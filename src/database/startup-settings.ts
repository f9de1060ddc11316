import type { ConnectionConfig } from './connection-config.ts';

/**
 * Settings with which every connection starts. They override ALTER DATABASE … SET and ALTER ROLE … SET, which an app's
 * owner controls. They fix the formats that this driver reads and writes, and prevent settings that would end a
 * connection or lock the owner out.
 */
const always: Readonly<Record<string, string>> = {
  role: 'none',
  local_preload_libraries: '',
  standard_conforming_strings: 'on',
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  client_encoding: 'UTF8',
  exit_on_error: 'off',
  // Requests and the SQL page set their own timeouts.
  statement_timeout: '0',
  idle_session_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  transaction_timeout: '0',
  client_connection_check_interval: '0',
  tcp_user_timeout: '0',
};

/**
 * Settings of connections that run Ninefold's own statements. Other values would change the meaning of the statements,
 * prevent writes, or cancel the statements.
 */
const ofServer: Readonly<Record<string, string>> = {
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  row_security: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  quote_all_identifiers: 'off',
  backslash_quote: 'safe_encoding',
  xmloption: 'content',
  xmlbinary: 'base64',
  restrict_nonsystem_relation_kind: '',
  'plpgsql.extra_errors': 'none',
  check_function_bodies: 'on',
  default_tablespace: '',
  default_table_access_method: 'heap',
  // With this setting, an app could make notices or the server's log larger, so it is fixed.
  client_min_messages: 'warning',
  log_parameter_max_length_on_error: '0',
  debug_print_parse: 'off',
  debug_print_rewritten: 'off',
  debug_print_plan: 'off',
  // With this setting, even the shortest statement would start a parallel worker, which the timeouts of the database may
  // cancel.
  debug_parallel_query: 'off',
};

/** Returns true for a setting that Ninefold overrides on its own connections. */
export const isSetByServer = (name: string): boolean => Object.hasOwn(always, name) || Object.hasOwn(ofServer, name);

/**
 * Returns true for a setting that Ninefold overrides only for its own statements. The SQL page, migrations and
 * scheduled jobs use the app's value.
 */
export const isSetForOwner = (name: string): boolean => Object.hasOwn(ofServer, name);

/**
 * Planner settings for Ninefold's own statements: PostgreSQL's defaults. Data requests use the settings of the
 * database. A parallel worker starts with the settings of the database, whose timeouts may cancel it, so parallel plans
 * are disabled.
 */
const planner: Readonly<Record<string, string>> = {
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  geqo: 'on',
  from_collapse_limit: '8',
  join_collapse_limit: '8',
  seq_page_cost: '1',
  random_page_cost: '4',
  cpu_tuple_cost: '0.01',
  cpu_index_tuple_cost: '0.005',
  cpu_operator_cost: '0.0025',
  effective_cache_size: '4GB',
  work_mem: '4MB',
  hash_mem_multiplier: '2',
  recursive_worktable_factor: '10',
  ...Object.fromEntries(
    ['hashjoin', 'mergejoin', 'nestloop', 'seqscan', 'indexscan', 'indexonlyscan', 'bitmapscan', 'tidscan']
      .concat(['sort', 'incremental_sort', 'material', 'memoize', 'hashagg'])
      .map((method) => [`enable_${method}`, 'on']),
  ),
};

/** SQL text with calls that set the planner's settings until the end of the transaction. */
export const plannerSettings: string = Object.entries(planner)
  .map(([name, value]) => `pg_catalog.set_config('${name}', '${value}', true)`)
  .join(', ');

/**
 * SQL text with calls that store the server's values of lock_timeout and work_mem as `ninefold.<name>` until the end of
 * the transaction. The calls must run before others set these two settings, because then PostgreSQL no longer reports
 * where the session got its value from. If the database or the role sets a value, the session cannot read the server's
 * value, so the boot value of PostgreSQL is stored.
 */
export const storeServerValues: string = ['lock_timeout', 'work_mem']
  .map(
    (name) => `pg_catalog.set_config('ninefold.${name}', (
  select case when s.source operator(pg_catalog.=) any ('{database,user,database user}') then s.boot_val else s.reset_val end
  from pg_catalog.pg_settings s where s.name operator(pg_catalog.=) '${name}'), true)`,
  )
  .join(', ');

/** Settings that some releases of PostgreSQL do not have. A server refuses each of them once; then they are omitted. */
const notEverywhere = ['transaction_timeout', 'restrict_nonsystem_relation_kind', 'debug_parallel_query'];

/** Setting with a value that each session of this process has. A session with another value has passed a pooler. */
export const MARKER = 'ninefold.process';

/** Returns the `options` of a startup message (PostgreSQL manual, "Message Formats": a backslash escapes a space). */
export function startupOptions(target: ConnectionConfig): string {
  const settings = {
    ...always,
    ...(target.obeysDatabase ? {} : ofServer),
    [MARKER]: target.serverState.marker,
    ...(target.searchPath !== undefined && { search_path: target.searchPath }),
    ...(target.ignoresLockTimeout && { lock_timeout: '0' }),
  };
  return Object.entries(settings)
    .filter(([name]) => !target.serverState.unknownSettings.has(name))
    .map(([name, value]) => `-c ${name}=${value.replace(/[\\\s]/g, '\\$&')}`)
    .join(' ');
}

/** Records a setting that the server refused as unknown. Returns true if a new attempt without it makes sense. */
export function forgetSetting({ serverState }: ConnectionConfig, message: string): boolean {
  const name = notEverywhere.find((each) => message.includes(each));
  if (name === undefined || serverState.unknownSettings.has(name)) return false;
  serverState.unknownSettings.add(name);
  return true;
}
