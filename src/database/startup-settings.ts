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
