import type { Target } from './target.ts';

/**
 * Settings that a connection starts with. They count more than ALTER DATABASE and ALTER ROLE … SET, which belong to an app's owner.
 * Those of every connection: what this driver reads and writes, and what would end a connection or close it to its owner.
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
  // Calls and the SQL page set their own.
  statement_timeout: '0',
  idle_session_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  transaction_timeout: '0',
  client_connection_check_interval: '0',
  tcp_user_timeout: '0',
};

/** Of connections that run Ninefold's own statements: what changes their meaning, keeps them from writing, or stops them. */
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
  // Neither notices nor the server's log hold more because of a setting.
  client_min_messages: 'warning',
  log_parameter_max_length_on_error: '0',
  debug_print_parse: 'off',
  debug_print_rewritten: 'off',
  debug_print_plan: 'off',
};

/** True for a setting whose value the server chooses for its own connections. */
export const isSetByServer = (name: string): boolean => Object.hasOwn(always, name) || Object.hasOwn(ofServer, name);

/** True for such a setting that sessions of an app's owner have as the app sets it: the SQL page, migrations and scheduled jobs. */
export const isSetForOwner = (name: string): boolean => Object.hasOwn(ofServer, name);

/**
 * The planner's settings for statements of Ninefold's own: PostgreSQL's defaults. Data calls obey what the database has set. A parallel
 * worker begins with the settings of the database, whose timeouts may end it.
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

/** SQL text: calls that set the planner's settings until the transaction ends. */
export const plannerSettings: string = Object.entries(planner)
  .map(([name, value]) => `pg_catalog.set_config('${name}', '${value}', true)`)
  .join(', ');

/** Settings that some releases of PostgreSQL do not know: each server refuses them once. */
const notEverywhere = ['transaction_timeout', 'restrict_nonsystem_relation_kind'] as const;
type NotEverywhere = (typeof notEverywhere)[number];

const unknownTo = new Map<string, Set<NotEverywhere>>();

const serverOf = ({ host, port }: Target): string => `${host}:${port}`;

/** Returns the `options` of a startup message (PostgreSQL, "Frontend/Backend Protocol": spaces are escaped by a backslash). */
export function startupOptions(target: Target): string {
  const unknown: ReadonlySet<string> | undefined = unknownTo.get(serverOf(target));
  const settings = {
    ...always,
    ...(target.obeysDatabase ? {} : ofServer),
    ...(target.searchPath !== undefined && { search_path: target.searchPath }),
    ...(target.ignoresLockTimeout && { lock_timeout: '0' }),
  };
  return Object.entries(settings)
    .filter(([name]) => !unknown?.has(name))
    .map(([name, value]) => `-c ${name}=${value.replace(/[\\\s]/g, '\\$&')}`)
    .join(' ');
}

/** Remembers a setting that the server refused as unknown. Returns whether a connection without it is worth a try. */
export function forgetSetting(target: Target, message: string): boolean {
  const name = notEverywhere.find((each) => message.includes(each));
  if (name === undefined) return false;
  const unknown = unknownTo.get(serverOf(target)) ?? new Set();
  unknownTo.set(serverOf(target), unknown);
  if (unknown.has(name)) return false;
  unknown.add(name);
  return true;
}
