import type { Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import type { RestSettings } from '../../../contract/settings.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type CallPlan, type MutatePlan, type Plan, type ReadPlan, returnsVoid } from '../plan/plan.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { encodeComponent } from '../request/query-string.ts';
import { limitOf } from '../request/row-range.ts';
import { type ResultSet, singularityError, tooManyAffected } from '../run/run.ts';
import type { QueryPlan } from '../sql/build-statements.ts';

/**
 * Builds the response from the result of the query. Pure.
 * @throws NinefoldError PGRST103, 111, 112 and 116
 */
export function queryReply(request: ApiRequest, plan: QueryPlan, result: ResultSet, settings: RestSettings): Reply {
  const reply =
    plan.mediaType.kind === 'plan' ? explainReply(request, plan, result) : replyOf(request, plan, result, settings);
  const status = overriddenStatus(result.status);
  if (status !== null) reply.status = status;
  const { headers, cookies } = overriddenHeaders(result.headers);
  Object.assign(reply.headers, headers);
  if (cookies.length) reply.cookies = cookies;
  const warning = legacyNamesWarning(plan);
  if (warning !== null) reply.headers.warning = warning;
  return reply;
}

/**
 * Returns the Warning header (RFC 7234, section 5.5) for a request that uses the name of an embedded relation although
 * it has an alias. PostgREST has deprecated this.
 */
function legacyNamesWarning({ legacyNames }: QueryPlan): string | null {
  if (legacyNames.length === 0) return null;
  const changes = legacyNames.map(({ name, alias }) => `\`${name}\` to \`${alias}\``).join(', ');
  const text =
    'Embedded resource was referenced by relation name even though it has an alias. This is deprecated and will ' +
    `stop working in a future release. Update ${changes} in query string filters, orders or limits.`;
  // Headers are ASCII, so other characters of names are replaced.
  return `299 Ninefold "${text.replaceAll(/[^\x20-\x7e]|["\\]/g, '?')}"`;
}

function replyOf(request: ApiRequest, plan: QueryPlan, result: ResultSet, settings: RestSettings): Reply {
  // These checks are for reads and read-only calls. For all other requests, the statement itself has failed and was
  // rolled back if the number of rows was wrong.
  const { maxAffected, handling } = request.preferences;
  if (plan.mediaType.kind === 'object' && result.page !== 1) throw singularityError(result.page);
  if (plan.kind === 'call' && handling === 'strict' && maxAffected !== null && result.page > maxAffected) {
    throw tooManyAffected(result.page);
  }
  switch (plan.kind) {
    case 'read':
      return readReply(request, plan, result, settings);
    case 'mutate':
      return mutateReply(request, plan, result);
    case 'call':
      return callReply(request, plan, result, settings);
  }
}

const explainReply = (request: ApiRequest, plan: QueryPlan, result: ResultSet): Reply => ({
  status: 200,
  headers: contentHeaders(request, plan),
  body: result.body,
});

function contentHeaders(request: ApiRequest, { contentType }: QueryPlan): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': contentType };
  if (request.schemaNegotiated) headers['content-profile'] = request.schema;
  return headers;
}

/** Returns the Content-Range header in units of rows: `0-24/*`, `* /0`. */
const contentRange = (first: number, count: number, total: number | null): string =>
  `${total !== 0 && count > 0 ? `${first}-${first + count - 1}` : '*'}/${total ?? '*'}`;

function withPreferences(
  headers: Record<string, string>,
  request: ApiRequest,
  plan: QueryPlan,
): Record<string, string> {
  const applied = preferenceApplied(request, plan);
  if (applied !== null) headers['preference-applied'] = applied;
  return headers;
}

/**
 * Returns status and Content-Range of a page.
 * @throws NinefoldError PGRST103 if the page starts after the last row.
 */
function pageOf(request: ApiRequest, result: ResultSet, total: number | null): { status: number; range: string } {
  const first = Number(request.topRange.lower);
  if (total !== null && first > total) {
    throw new NinefoldError('PGRST103', {
      details: `An offset of ${first} was requested, but there are only ${total} rows.`,
      headers: { 'content-range': contentRange(first, result.page, total) },
    });
  }
  const status = total !== null && result.page < total ? 206 : 200;
  return { status, range: contentRange(first, result.page, total) };
}

/**
 * Returns the total number of rows, or an estimate. Unlike in PostgREST, an estimate is never smaller than the position of
 * the last row in the response.
 */
function totalOf(request: ApiRequest, result: ResultSet, settings: RestSettings): number | null {
  const { total, estimate, page } = result;
  const known = page === 0 ? 0 : Number(request.topRange.lower) + page;
  switch (request.preferences.count) {
    case 'planned':
      return estimate === null ? null : Math.max(estimate, known);
    case 'estimated': {
      const limit = settings.db_max_rows;
      if (total === null || estimate === null || (limit !== null && total <= limit)) return total;
      return Math.max(total, estimate, known);
    }
    default:
      return total;
  }
}

function readReply(request: ApiRequest, plan: ReadPlan, result: ResultSet, settings: RestSettings): Reply {
  const { status, range } = pageOf(request, result, totalOf(request, result, settings));
  const { canonical } = request.parameters;
  const headers = contentHeaders(request, plan);
  headers['content-range'] = range;
  const location = `/${encodeComponent(plan.target.name)}${canonical === '' ? '' : `?${canonical}`}`;
  if (location.length <= limits.contentLocationBytes.default) headers['content-location'] = location;
  if (isCutShort(request, result, settings)) headers[MAX_ROWS_HEADER] = String(settings.db_max_rows);
  return { status, headers: withPreferences(headers, request, plan), body: plan.headOnly ? null : result.body };
}

function mutateReply(request: ApiRequest, plan: MutatePlan, result: ResultSet): Reply {
  const { representation, count } = request.preferences;
  const showsBody = representation === 'representation';
  const headers = withPreferences(showsBody ? contentHeaders(request, plan) : {}, request, plan);
  const total = count === 'exact' || count === 'estimated' ? result.page : null;
  const body = showsBody ? result.body : null;
  switch (plan.mutation) {
    case 'insert': {
      headers['content-range'] = contentRange(0, 0, total);
      const location = locationOf(plan, result);
      if (location !== null) headers.location = location;
      // A 201 response gets a body even if the body is empty. A 204 response has none.
      const onlyMerged = plan.onConflict?.resolution === 'merge-duplicates' && (result.inserted ?? 0) <= 0;
      return { status: onlyMerged ? 200 : 201, headers, body: body ?? '' };
    }
    case 'upsert-one':
      return { status: showsBody ? ((result.inserted ?? 0) > 0 ? 201 : 200) : 204, headers, body };
    case 'update':
      headers['content-range'] = contentRange(0, result.page, total);
      return { status: showsBody ? 200 : 204, headers, body };
    case 'delete':
      headers['content-range'] = contentRange(0, 0, total);
      return { status: showsBody ? 200 : 204, headers, body };
  }
}

/** Returns the URL of the inserted row, with its primary key as a filter. */
function locationOf(plan: MutatePlan, result: ResultSet): string | null {
  if (result.location === null) return null;
  const key = JSON.parse(result.location) as Record<string, string | null>;
  const filters = Object.entries(key).map(
    ([name, value]) => `${encodeComponent(name)}=${encodeComponent(value === null ? 'is.null' : `eq.${value}`)}`,
  );
  return `/${encodeComponent(plan.target.name)}?${filters.join('&')}`;
}

/**
 * The header that reports that the response ends because of db_max_rows and not because of the request. So there may be
 * more rows. PostgREST has no such header.
 */
const MAX_ROWS_HEADER = 'ninefold-max-rows';

function isCutShort(request: ApiRequest, result: ResultSet, { db_max_rows: max }: RestSettings): boolean {
  if (max === null || result.page < max) return false;
  const asked = limitOf(request.topRange);
  return asked === null || asked > result.page;
}

function callReply(request: ApiRequest, plan: CallPlan, result: ResultSet, settings: RestSettings): Reply {
  const { status, range } = pageOf(request, result, result.total);
  if (returnsVoid(plan.routine)) {
    return { status: 204, headers: withPreferences({ 'content-range': range }, request, plan), body: null };
  }
  const headers = contentHeaders(request, plan);
  headers['content-range'] = range;
  if (isCutShort(request, result, settings) && plan.routine.returns.set)
    headers[MAX_ROWS_HEADER] = String(settings.db_max_rows);
  return { status, headers: withPreferences(headers, request, plan), body: plan.headOnly ? null : result.body };
}

/**
 * Parses status and headers that functions set for the response (PostgREST docs, "Response Headers", "Response Status
 * Code").
 */

/**
 * Parses the setting response.status. Returns null if it is not set.
 * @throws NinefoldError PGRST112
 */
function overriddenStatus(setting: string | null): number | null {
  if (setting === null) return null;
  const match = /^(\d{3})/.exec(setting);
  const status = match ? Number(match[1]) : 0;
  if (status < 200 || status > 599) throw new NinefoldError('PGRST112');
  return status;
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Headers that determine the framing of a message. Only the server may set them, because wrong values would make a
 * client or proxy misread the next response.
 */
const framing = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that a function has set. */
interface OverriddenHeaders {
  /** Names in lower case; several values of one name are joined as a list (RFC 9110, section 5.3). */
  readonly headers: Readonly<Record<string, string>>;
  /** Values of Set-Cookie. */
  readonly cookies: readonly string[];
}

const noHeaders: OverriddenHeaders = { headers: {}, cookies: [] };

/**
 * Parses the setting response.headers, an array of objects with one name and value each.
 * @throws NinefoldError PGRST111, also for invalid names and values.
 */
export function overriddenHeaders(setting: string | null): OverriddenHeaders {
  if (setting === null) return noHeaders;
  let value: unknown;
  try {
    value = JSON.parse(setting);
  } catch {
    throw new NinefoldError('PGRST111');
  }
  if (!Array.isArray(value)) throw new NinefoldError('PGRST111');
  // The object has no prototype, so that a header named `constructor` is treated like any other.
  const headers: Record<string, string> = Object.create(null);
  const cookies: string[] = [];
  for (const element of value) {
    const [name, text] = headerOf(element);
    if (name === 'set-cookie') cookies.push(text);
    else headers[name] = headers[name] === undefined ? text : `${headers[name]}, ${text}`;
  }
  return { headers, cookies };
}

function headerOf(element: unknown): [string, string] {
  const pairs = typeof element === 'object' && element !== null ? Object.entries(element) : [];
  const [name, text] = pairs[0] ?? [];
  if (pairs.length !== 1 || name === undefined || typeof text !== 'string') throw new NinefoldError('PGRST111');
  if (!headerName.test(name) || !headerValue.test(text)) throw new NinefoldError('PGRST111');
  if (framing.has(name.toLowerCase())) throw new NinefoldError('PGRST111');
  return [name.toLowerCase(), text];
}

/**
 * Returns the header Preference-Applied (RFC 7240, section 3) with the preferences that had an effect; null if there
 * are none.
 */
function preferenceApplied(request: ApiRequest, plan: Plan): string | null {
  const { preferences, parameters } = request;
  const mutation = plan.kind === 'mutate' ? plan : null;
  const isInsert = mutation?.mutation === 'insert';
  const hasConflictTarget = (mutation?.target.primaryKey.length ?? 0) > 0 || parameters.onConflict !== null;
  const limitsRows = plan.kind === 'call' || mutation?.mutation === 'update' || mutation?.mutation === 'delete';
  const applied: string[] = [];
  const add = (name: string, value: unknown, counts = true): void => {
    if (counts && value !== null) applied.push(`${name}=${value}`);
  };
  add('resolution', preferences.resolution, isInsert && hasConflictTarget);
  add('missing', preferences.missing, isInsert || mutation?.mutation === 'update');
  add('return', preferences.representation, mutation !== null);
  add('count', preferences.count);
  add('tx', preferences.transaction);
  add('handling', preferences.handling);
  add('conflict', preferences.conflict, mutation?.mutation === 'update');
  add('timezone', preferences.timezone);
  add('max-affected', preferences.maxAffected, limitsRows && preferences.handling === 'strict');
  return applied.length ? applied.join(', ') : null;
}
