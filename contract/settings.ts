import { answerLimits } from './limits/answers.ts';
import { databaseLimits } from './limits/database.ts';
import { recordLimits } from './limits/records.ts';
import { requestLimits } from './limits/requests.ts';
import { defaultsOf, defineSettings, settingsOf, type ValuesOf } from './setting.ts';

/**
 * The settings of an app's `/rest/v1`, of its state machines, and of stored data about its requests. Names and meanings
 * are PostgREST's with underscores (https://docs.postgrest.org/en/stable/references/configuration.html), except those
 * of `states_…`, `logs_…` and `request_…`.
 */
export const restSettings = defineSettings({
  db_schemas: {
    kind: 'list',
    default: ['public'],
    format: 'list of schema names, at least one',
    isRequired: true,
    meaning:
      'The schemas whose tables, views and functions are reachable. The first one is used when a request names none.',
    row: { section: 'dataApi', label: 'Schemas' },
  },
  db_extra_search_path: {
    kind: 'list',
    default: ['public', 'extensions'],
    format: 'list of schema names',
    meaning:
      'Schemas added to the search path of every request, for extensions and helpers; they are not reachable by that.',
    row: { section: 'dataApi', label: 'Search path' },
  },
  db_anon_role: {
    kind: 'text',
    default: 'anon',
    isNullable: true,
    format: 'role name, or null to refuse calls without a token',
    meaning: 'The database role of a call without a token.',
    row: { section: 'dataApi', label: 'Role without a token' },
  },
  db_pre_request: {
    kind: 'text',
    default: null,
    format: 'function name, schema.name, or null',
    meaning: 'A function without parameters that runs in every transaction, after role and claims are set.',
    row: { section: 'dataApi', label: 'Function before each call' },
  },
  db_root_spec: {
    kind: 'text',
    default: null,
    format: 'function name, or null',
    meaning: 'A function that answers the root path in place of the OpenAPI document.',
    row: { section: 'dataApi', label: 'Function for the root path' },
  },
  db_tx_end: {
    kind: 'choice',
    default: 'commit',
    values: ['commit', 'commit-allow-override', 'rollback', 'rollback-allow-override'],
    meaning: 'How every transaction ends, and whether the preference tx may decide otherwise.',
    row: { section: 'dataApi', label: 'End of a transaction' },
  },
  db_hoisted_tx_settings: {
    kind: 'list',
    default: ['statement_timeout', 'plan_filter.statement_cost_limit', 'default_transaction_isolation'],
    format: 'list of setting names',
    meaning:
      'Settings attached to a function (ALTER FUNCTION … SET) that apply to the whole transaction that calls it.',
    row: { section: 'dataApi', label: 'Settings of functions' },
  },
  db_aggregates_enabled: {
    kind: 'boolean',
    default: false,
    meaning: 'Whether select may use avg(), count(), max(), min() and sum().',
    row: {
      section: 'dataApi',
      label: 'Aggregates',
      effect: 'Calls may use avg(), count(), max(), min() and sum().',
      without: 'Calls may not use aggregate functions: one call could read every row of a table.',
    },
  },
  db_plan_enabled: {
    kind: 'boolean',
    default: false,
    meaning: 'Whether Accept: application/vnd.pgrst.plan answers with the execution plan. Not for production.',
    row: {
      section: 'dataApi',
      label: 'Execution plans',
      effect:
        'Callers can ask for the execution plan of a call. It shows names and sizes of tables: not for production.',
      without: 'Callers cannot ask for execution plans.',
    },
  },
  openapi_mode: {
    kind: 'choice',
    default: 'follow-privileges',
    values: ['follow-privileges', 'ignore-privileges', 'disabled'],
    meaning: 'Whether the root path describes what the caller’s role may use, everything, or nothing.',
    row: { section: 'dataApi', label: 'OpenAPI document' },
  },
  openapi_security_active: {
    kind: 'boolean',
    default: false,
    meaning: 'Whether the OpenAPI document has a security definition.',
    row: { section: 'dataApi', label: 'OpenAPI security' },
  },
  openapi_server_proxy_uri: {
    kind: 'text',
    default: null,
    format: 'absolute http or https URL, or null for the URL of the request',
    meaning: 'The base URL that the OpenAPI document names.',
    row: { section: 'dataApi', label: 'OpenAPI address' },
  },
  server_timing_enabled: {
    kind: 'boolean',
    default: false,
    meaning: 'Whether responses have a Server-Timing header.',
    row: { section: 'dataApi', label: 'Server-Timing' },
  },
  url_use_legacy_target_names: {
    kind: 'boolean',
    default: true,
    meaning: 'Whether filters, orders and limits may name an embedded table although it has an alias.',
    row: { section: 'dataApi', label: 'Older target names' },
  },
  client_error_verbosity: {
    kind: 'choice',
    default: 'verbose',
    values: ['verbose', 'minimal'],
    meaning: 'Whether errors have details and hint besides code and message.',
    row: { section: 'dataApi', label: 'Errors to clients' },
  },
  jwt_aud: {
    kind: 'text',
    default: null,
    format: 'string, or null to accept any',
    meaning: 'The audience that an access token must name, if it names one.',
    row: { section: 'dataApi', label: 'Audience of tokens' },
  },
  jwt_role_claim_key: {
    kind: 'text',
    default: '.role',
    format: 'JSON path',
    meaning: 'The path of the database role in the claims.',
    row: { section: 'dataApi', label: 'Claim of the role' },
  },
  app_settings: {
    kind: 'map',
    default: {},
    format: 'map of setting name to value; names hold a dot',
    meaning: 'Settings made for every transaction, readable in SQL with current_setting.',
    row: { section: 'dataApi', label: 'Settings for functions' },
  },

  ...settingsOf(answerLimits),
  ...settingsOf(databaseLimits),
  ...settingsOf(recordLimits),
  ...settingsOf(requestLimits),
});

export type RestSettings = ValuesOf<typeof restSettings>;

export type OpenApiMode = RestSettings['openapi_mode'];

/** All settings with their default values. */
export const defaultRestSettings = defaultsOf(restSettings);
