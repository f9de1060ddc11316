import { limits } from './limits.ts';

/** Describes one setting of an app. */
export interface Setting<T> {
  readonly default: T;
  /** The allowed values in words, with the unit of a number. */
  readonly type: string;
  readonly meaning: string;
  /** The only allowed values. Absent if every value of the type is allowed. */
  readonly values?: readonly T[];
  /** True if the value may also be an object with one string for each language tag. */
  readonly isTranslated?: true;
  /** Pattern that a string must match, and for a list each of its strings. */
  readonly item?: RegExp;
}

/**
 * The ways in which a transaction ends. With `…-allow-override`, a request can choose another way with the preference
 * tx.
 */
export type TransactionEnd = 'commit' | 'commit-allow-override' | 'rollback' | 'rollback-allow-override';

export type OpenApiMode = 'follow-privileges' | 'ignore-privileges' | 'disabled';

/**
 * The settings of an app's `/rest/v1`, of its state machines, and of stored data about its requests. Names and meanings
 * are PostgREST's with underscores (https://docs.postgrest.org/en/stable/references/configuration.html), except those
 * of `states_…`, `logs_…` and `request_…`.
 */
export interface RestSettings {
  db_schemas: readonly string[];
  db_extra_search_path: readonly string[];
  db_max_rows: number | null;
  db_anon_role: string | null;
  db_pre_request: string | null;
  db_root_spec: string | null;
  db_tx_end: TransactionEnd;
  db_hoisted_tx_settings: readonly string[];
  db_statement_timeout: number | null;
  db_pool_acquisition_timeout: number;
  db_aggregates_enabled: boolean;
  db_plan_enabled: boolean;
  openapi_mode: OpenApiMode;
  openapi_security_active: boolean;
  openapi_server_proxy_uri: string | null;
  server_timing_enabled: boolean;
  url_use_legacy_target_names: boolean;
  client_error_verbosity: 'verbose' | 'minimal';
  state_changes_days: number;
  logs_days: number;
  logs_requests: number;
  logs_traces: number;
  logs_slow_milliseconds: number;
  logs_statistics_days: number;
  logs_error_days: number;
  request_body_bytes: number;
  request_body_bytes_anonymous: number;
  jwt_aud: string | null;
  jwt_role_claim_key: string;
  app_settings: Readonly<Record<string, string>>;
}

export const restSettings: { readonly [K in keyof RestSettings]: Setting<RestSettings[K]> } = {
  db_schemas: {
    default: ['public'],
    type: 'list of schema names, at least one',
    meaning:
      'The schemas whose tables, views and functions are reachable. The first one is used when a request names none.',
  },
  db_extra_search_path: {
    default: ['public', 'extensions'],
    type: 'list of schema names',
    meaning:
      'Schemas added to the search path of every request, for extensions and helpers; they are not reachable by that.',
  },
  db_max_rows: {
    default: limits.pageRows.default,
    type: 'whole number of rows, or null for no limit',
    meaning: 'The maximum rows of one response, on each level of embedding.',
  },
  db_anon_role: {
    default: 'anon',
    type: 'role name, or null to refuse calls without a token',
    meaning: 'The database role of a call without a token.',
  },
  db_pre_request: {
    default: null,
    type: 'function name, schema.name, or null',
    meaning: 'A function without parameters that runs in every transaction, after role and claims are set.',
  },
  db_root_spec: {
    default: null,
    type: 'function name, or null',
    meaning: 'A function that answers the root path in place of the OpenAPI document.',
  },
  db_tx_end: {
    default: 'commit',
    type: 'commit, commit-allow-override, rollback or rollback-allow-override',
    values: ['commit', 'commit-allow-override', 'rollback', 'rollback-allow-override'],
    meaning: 'How every transaction ends, and whether the preference tx may decide otherwise.',
  },
  db_hoisted_tx_settings: {
    default: ['statement_timeout', 'plan_filter.statement_cost_limit', 'default_transaction_isolation'],
    type: 'list of setting names',
    meaning:
      'Settings attached to a function (ALTER FUNCTION … SET) that apply to the whole transaction that calls it.',
  },
  db_statement_timeout: {
    default: limits.statementMilliseconds.default,
    type: 'milliseconds, or null for no limit',
    meaning: 'How long a statement may run; a function’s own statement_timeout comes before it.',
  },
  db_pool_acquisition_timeout: {
    default: limits.poolWaitSeconds.default,
    type: 'whole number of seconds, 1 to 600',
    meaning: 'How long a call waits for a connection to the database before it is answered with 504.',
  },
  db_aggregates_enabled: {
    default: false,
    type: 'true or false',
    meaning: 'Whether select may use avg(), count(), max(), min() and sum().',
  },
  db_plan_enabled: {
    default: false,
    type: 'true or false',
    meaning: 'Whether Accept: application/vnd.pgrst.plan answers with the execution plan. Not for production.',
  },
  openapi_mode: {
    default: 'follow-privileges',
    type: 'follow-privileges, ignore-privileges or disabled',
    values: ['follow-privileges', 'ignore-privileges', 'disabled'],
    meaning: 'Whether the root path describes what the caller’s role may use, everything, or nothing.',
  },
  openapi_security_active: {
    default: false,
    type: 'true or false',
    meaning: 'Whether the OpenAPI document has a security definition.',
  },
  openapi_server_proxy_uri: {
    default: null,
    type: 'absolute http or https URL, or null for the URL of the request',
    meaning: 'The base URL that the OpenAPI document names.',
  },
  server_timing_enabled: {
    default: false,
    type: 'true or false',
    meaning: 'Whether responses have a Server-Timing header.',
  },
  url_use_legacy_target_names: {
    default: true,
    type: 'true or false',
    meaning: 'Whether filters, orders and limits may name an embedded table although it has an alias.',
  },
  state_changes_days: {
    default: limits.stateChangeDays.default,
    type: 'whole number of days, 0 to 36500; 0 keeps them for ever',
    meaning:
      'How long the state changes of rows are stored: at least 30 days. The last state change of a row stays as long as the row.',
  },
  logs_days: {
    default: limits.logDays.default,
    type: 'whole number of days, 1 to 365',
    meaning: 'How long the log of requests stores a line.',
  },
  logs_requests: {
    default: limits.logRequests.default,
    type: 'whole number of requests, 1000 to 2000000',
    meaning: 'Requests that the log stores. The oldest are deleted first.',
  },
  logs_traces: {
    default: limits.keptTraces.default,
    type: 'whole number of calls, 100 to 100000',
    meaning: 'Request traces of failed, slow and requested calls that are stored. The oldest are deleted first.',
  },
  logs_slow_milliseconds: {
    default: limits.slowCallMilliseconds.default,
    type: 'whole number of milliseconds, 1 to 3600000',
    meaning: 'A request that takes longer is slow, and its trace is stored.',
  },
  logs_statistics_days: {
    default: limits.hourStatisticsDays.default,
    type: 'whole number of days, 8 to 3650',
    meaning: 'How long the number and the duration of requests per hour are stored.',
  },
  logs_error_days: {
    default: limits.errorDays.default,
    type: 'whole number of days, 8 to 3650',
    meaning: 'How long the counts of errors and of reached limits are stored.',
  },
  request_body_bytes: {
    default: limits.bodyBytes.default,
    type: 'whole number of bytes, 1024 to 67108864',
    meaning: 'The largest request body that /rest/v1 and /auth/v1 take.',
  },
  request_body_bytes_anonymous: {
    default: limits.anonymousBodyBytes.default,
    type: 'whole number of bytes, 1024 to 67108864',
    meaning: 'The largest request body that /rest/v1 takes of a caller without a session and without a secret key.',
  },
  client_error_verbosity: {
    default: 'verbose',
    type: 'verbose or minimal',
    values: ['verbose', 'minimal'],
    meaning: 'Whether errors have details and hint besides code and message.',
  },
  jwt_aud: {
    default: null,
    type: 'string, or null to accept any',
    meaning: 'The audience that an access token must name, if it names one.',
  },
  jwt_role_claim_key: {
    default: '.role',
    type: 'JSON path',
    meaning: 'The path of the database role in the claims.',
  },
  app_settings: {
    default: {},
    type: 'map of setting name to value; names hold a dot',
    meaning: 'Settings made for every transaction, readable in SQL with current_setting.',
  },
};

/** All settings with their default values. */
export const defaultRestSettings: RestSettings = Object.fromEntries(
  Object.entries(restSettings).map(([name, setting]) => [name, setting.default]),
) as unknown as RestSettings;
