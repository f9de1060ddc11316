import { limits } from '../../../contract/limits.ts';
import type { RestSettings } from '../../../contract/settings.ts';
import type { Param, Statement } from '../../database/statement.ts';
import type { Identity } from '../../identity/identity.ts';
import { NAMED, setupText } from '../../identity/setup-text.ts';
import { type CallPlan, type MutatePlan, type Plan, type ReadPlan, returnsSingle } from '../plan/plan.ts';
import type { ApiRequest, MediaType, RowRange } from '../request/api-request.ts';
import { isAllRows, limitOf } from '../request/row-range.ts';
import { callText } from './call.ts';
import { countText, isGrouped, readText, SOURCE } from './read.ts';
import { bodyText, ROWS } from './response-body.ts';
import { arrayLiteral, identifier, Params } from './text.ts';
import { INSERTED, writeText } from './write.ts';

/** The plan of a request that runs one query. */
export type QueryPlan = ReadPlan | MutatePlan | CallPlan;

/** The query of a request. The role that runs the query is not part of it. */
export interface MainStatement extends Pick<Statement, 'text' | 'params'> {
  readonly origins: Params['origins'];
  /** True if the result is a possibly large page in a text format. */
  readonly isLong: boolean;
}

/** The statements of one transaction, in order. */
export interface Batch {
  readonly statements: readonly Statement[];
  /** Index of the statement that returns the result. */
  readonly main: number;
  /** Index of the statement that returns the planner's estimate of the number of rows; null if it was not requested. */
  readonly estimate: number | null;
  /** True for a read with a possibly large result: its body may be streamed. */
  readonly streams: boolean;
}

/**
 * Builds the parametrised statements of a plan. Pure. The SQL contains no values, so it is the same for all requests of
 * one shape.
 * @param made The query, if the cache has it already.
 */
export function buildStatements(
  request: ApiRequest,
  plan: QueryPlan,
  identity: Identity,
  settings: RestSettings,
  made: MainStatement = mainStatement(request, plan, settings),
): Batch {
  const statements = beforeQuery(request, plan, identity, settings);
  const main = statements.length;
  statements.push({ text: made.text, params: made.params, planKey: identity.role });
  const streams = made.isLong && !rollsBack(request, settings);
  let estimate: number | null = null;
  const { count } = request.preferences;
  if (plan.kind === 'read' && plan.mediaType.kind !== 'plan' && (count === 'planned' || count === 'estimated')) {
    estimate = statements.length;
    const params = new Params();
    statements.push({ text: `EXPLAIN (FORMAT JSON) ${countText(plan.read, params)}`, params: params.values });
  }
  if (rollsBack(request, settings)) {
    statements.push({ text: 'SET CONSTRAINTS ALL IMMEDIATE', params: [] }, { text: 'ROLLBACK', params: [] });
  }
  return { statements, main, estimate, streams: streams && estimate === null };
}

/** Returns the statements before the query: role, claims and settings, then the pre-request function. */
export function beforeQuery(request: ApiRequest, plan: Plan, identity: Identity, settings: RestSettings): Statement[] {
  const isolation = isolationStatement(plan, settings);
  const statements = [setupStatement(request, plan, identity, settings)];
  if (isolation) statements.unshift(isolation);
  if (settings.db_pre_request !== null) {
    const name = settings.db_pre_request.split('.').map(identifier).join('.');
    statements.push({ text: `SELECT ${name}()`, params: [], planKey: identity.role });
  }
  return statements;
}

function isLong(plan: QueryPlan): boolean {
  if (plan.kind === 'mutate' || (plan.kind === 'call' && !(plan.readOnly && plan.routine.returns.set))) return false;
  if (plan.mediaType.kind === 'plan' || plan.format.kind === 'custom' || plan.format.kind === 'none') return false;
  const rows = limitOf(plan.read.range);
  return rows === null || rows > BigInt(limits.bufferedPageRows.default);
}

function rollsBack({ preferences }: ApiRequest, { db_tx_end }: RestSettings): boolean {
  if (preferences.transaction !== null) return preferences.transaction === 'rollback';
  return db_tx_end === 'rollback' || db_tx_end === 'rollback-allow-override';
}

/** Builds the query of a request without the statements around it. */
export function mainStatement(request: ApiRequest, plan: QueryPlan, settings: RestSettings): MainStatement {
  const params = new Params();
  const text = queryText(request, plan, settings, params);
  return {
    text: explained(plan.mediaType, text),
    params: params.values,
    origins: params.origins,
    isLong: isLong(plan),
  };
}

function explained(mediaType: MediaType, text: string): string {
  if (mediaType.kind !== 'plan') return text;
  const options = [`FORMAT ${mediaType.format}`, ...mediaType.options].map((option) => option.toUpperCase());
  return `EXPLAIN (${options.join(', ')}) ${text}`;
}

const setting = (name: string): string => `nullif(current_setting('${name}', true), '')`;

/** Returns the query with the result columns that the run step reads. */
function queryText(request: ApiRequest, plan: QueryPlan, settings: RestSettings, params: Params): string {
  const routine = plan.kind === 'call' ? plan.routine : null;
  const columns: string[] = [];
  const add = (name: string, text: string): void => {
    columns.push(`${text} AS ${name}`);
  };
  // Rows of a table are never null. So count(*) is used, which need not read them.
  const page = routine === null ? 'count(*)' : returnsSingle(routine) ? '1' : `count(${ROWS})`;
  const from = rowsText(plan, params);
  add('page', page);
  // The media type handler is code of the app and may change response.headers and response.status. So it runs before
  // these settings are read.
  if (plan.format.kind === 'custom') add('body', bodyText(plan.format, routine));
  add('headers', setting('response.headers'));
  add('status', setting('response.status'));
  if (plan.kind === 'mutate') {
    if (returnsLocation(request, plan)) add('location', locationText(plan, params));
    if (plan.onConflict?.resolution === 'merge-duplicates') add('inserted', setting(INSERTED));
  } else {
    const total = totalText(request, plan, page, settings, params);
    if (total) add('total', total);
  }
  const guard = guardText(request, plan, page, params);
  if (guard) add('guard', guard);
  // The body is the last column of the result. It may be streamed, and all other columns must be known before its first
  // byte is sent.
  if (plan.format.kind !== 'custom') add('body', bodyText(plan.format, routine));
  return `${from.with} SELECT ${columns.join(', ')} FROM ${from.name}`;
}

/** Returns the query of the response's rows as common table expressions, and the name to select from. */
function rowsText(plan: QueryPlan, params: Params): { with: string; name: string } {
  if (plan.kind === 'read') return { with: `WITH ${ROWS} AS (${readText(plan.read, params)})`, name: ROWS };
  const source = plan.kind === 'call' ? callText(plan, params) : writeText(plan, params);
  // If no body is requested, nothing is selected. So an invalid column in `select` does not make the write fail.
  if (plan.kind === 'mutate' && plan.format.kind === 'none') {
    return { with: `WITH ${SOURCE} AS (${source})`, name: `${SOURCE} AS ${ROWS}` };
  }
  return { with: `WITH ${SOURCE} AS (${source}), ${ROWS} AS (${readText(plan.read, params)})`, name: ROWS };
}

function totalText(
  request: ApiRequest,
  plan: ReadPlan | CallPlan,
  page: string,
  settings: RestSettings,
  params: Params,
): string | null {
  const { count } = request.preferences;
  if (count !== 'exact' && count !== 'estimated') return null;
  if (settings.db_max_rows === null && isAllRows(request.topRange)) return page;
  // For an estimate, only one question must be answered exactly: whether there are more rows than one response
  // contains. So the count stops after that number.
  const enough =
    plan.kind === 'read' && count === 'estimated' && settings.db_max_rows !== null
      ? ` LIMIT ${params.bind(String(settings.db_max_rows + 1))}`
      : '';
  const all = `(SELECT count(*) FROM (${countText(plan.read, params)}${enough}) AS counted)`;
  return plan.kind === 'read' && !isGrouped(plan.read) ? unlessComplete(plan.read.range, page, all, params) : all;
}

/**
 * Returns SQL that counts the rows again only if the page is full or begins after the last row. Otherwise the page
 * contains the last row, so the number of all rows is known. PostgreSQL runs a subquery in CASE only if it is needed.
 */
function unlessComplete(range: RowRange, page: string, all: string, params: Params): string {
  const limit = limitOf(range);
  const first = range.lower === 0n ? null : `${params.bind(String(range.lower))}::int8`;
  const hasLast = [
    ...(limit === null ? [] : [`${page} < ${params.bind(String(limit))}::int8`]),
    ...(first === null ? [] : [`${page} > 0`]),
  ];
  if (hasLast.length === 0) return page;
  const known = first === null ? page : `${first} + ${page}`;
  return `CASE WHEN ${hasLast.join(' AND ')} THEN ${known} ELSE ${all} END`;
}

const returnsLocation = (request: ApiRequest, plan: MutatePlan): boolean =>
  plan.mutation === 'insert' && request.preferences.representation === 'headers-only';

/** Returns SQL with the primary key of the inserted row, if it is a single one, as a JSON object of strings. */
function locationText(plan: MutatePlan, params: Params): string {
  const keys = params.bind(arrayLiteral(plan.target.primaryKey));
  return (
    `CASE WHEN count(${ROWS}) = 1 THEN (SELECT json_object_agg(pair.key, pair.value) ` +
    `FROM json_each_text((SELECT row_to_json(written) FROM ${SOURCE} AS written LIMIT 1)) AS pair ` +
    `WHERE pair.key = ANY(${keys}::text[])) END`
  );
}

/** Start of the error message of a guard. The number of rows follows. */
export const GUARD = 'ninefold guard, rows: ';

/**
 * Returns SQL that rolls a write back if its number of rows is not allowed. If so, the SQL casts a string that is not a
 * number to an integer, and this error fails the transaction. The error contains the number of rows.
 */
function guardText(request: ApiRequest, plan: QueryPlan, page: string, params: Params): string | null {
  if (plan.kind === 'read' || (plan.kind === 'call' && plan.readOnly)) return null;
  const refused: string[] = [];
  const { maxAffected, handling } = request.preferences;
  const isUpsertOne = plan.kind === 'mutate' && plan.mutation === 'upsert-one';
  const isSingular = plan.mediaType.kind === 'object';
  if (isUpsertOne || isSingular) refused.push(`${page} <> 1`);
  const limitsRows = plan.kind === 'call' || plan.mutation === 'update' || plan.mutation === 'delete';
  if (limitsRows && maxAffected !== null && handling === 'strict') {
    refused.push(`${page} > ${params.bind(String(maxAffected))}::int8`);
  }
  if (refused.length === 0) return null;
  return `CASE WHEN ${refused.join(' OR ')} THEN (${params.bind(GUARD)}::text || ${page})::int4 END`;
}

/**
 * Returns the statement before the query. It sets role, claims and settings of the caller until the end of the
 * transaction (PostgREST docs, "Transactions", "Transaction-Scoped Settings"). Unlike PostgREST, it does not apply
 * settings of the caller's role (ALTER ROLE … SET): all apps share the roles anon and authenticated, so anyone who may
 * change the settings of such a role could change them for every app.
 */
export function setupStatement(request: ApiRequest, plan: Plan, identity: Identity, settings: RestSettings): Statement {
  const names: string[] = [];
  const params: Param[] = [];
  const set = (name: SettingName, value: string): void => {
    names.push(name);
    params.push(value);
  };
  const setNamed = (name: string, value: string): void => {
    names.push(NAMED);
    params.push(name, value);
  };
  set('search_path', [request.schema, ...settings.db_extra_search_path].map(identifier).join(', '));
  if (settings.db_statement_timeout !== null) set('statement_timeout', String(settings.db_statement_timeout));
  set('application_name', `ninefold ${request.requestId}`);
  set('role', identity.role);
  set('request.jwt.claims', identity.claimsJson);
  set('request.method', request.method);
  set('request.path', request.path);
  set('request.headers', JSON.stringify(request.headers));
  set('request.cookies', JSON.stringify(request.cookies));
  if (request.preferences.timezone !== null) set('timezone', request.preferences.timezone);
  if (plan.kind === 'call') for (const [name, value] of hoistedSettings(plan, settings)) setNamed(name, value);
  // Only names with a dot are set. A name without a dot would be a setting of PostgreSQL itself, such as the role.
  for (const [name, value] of Object.entries(settings.app_settings)) if (name.includes('.')) setNamed(name, value);
  if (isReadOnly(plan)) set('transaction_read_only', 'on');
  return { text: setupText(names.join(' ')), params, planKey: 'setup' };
}

/** The settings that a transaction can have. */
type SettingName =
  | 'search_path'
  | 'statement_timeout'
  | 'application_name'
  | 'role'
  | 'request.jwt.claims'
  | 'request.method'
  | 'request.path'
  | 'request.headers'
  | 'request.cookies'
  | 'timezone'
  | 'transaction_read_only';

const isReadOnly = (plan: Plan): boolean => (plan.kind === 'call' ? plan.readOnly : plan.kind !== 'mutate');

/**
 * Settings of a function that are never hoisted. The isolation level needs a statement of its own, and the role must
 * stay the caller's.
 */
const neverHoisted: ReadonlySet<string> = new Set(['default_transaction_isolation', 'role', 'session_authorization']);

const hoistedSettings = (plan: CallPlan, settings: RestSettings): CallPlan['routine']['settings'] =>
  plan.routine.settings.filter(([name]) => !neverHoisted.has(name) && settings.db_hoisted_tx_settings.includes(name));

const isolationLevels: Readonly<Record<string, string>> = {
  'repeatable read': 'REPEATABLE READ',
  serializable: 'SERIALIZABLE',
};

/**
 * Returns the statement that sets the isolation level of the called function; null for the default level. It must run
 * before the first query of the transaction.
 */
function isolationStatement(plan: Plan, settings: RestSettings): Statement | null {
  if (plan.kind !== 'call' || !settings.db_hoisted_tx_settings.includes('default_transaction_isolation')) return null;
  const level = isolationLevels[plan.routine.isolation?.toLowerCase() ?? ''];
  return level ? { text: `SET LOCAL transaction_isolation TO '${level}'`, params: [] } : null;
}
