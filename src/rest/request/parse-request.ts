import type { CallRequest } from '../../../contract/call-request.ts';
import type { RestSettings } from '../../../contract/settings.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { traceHeaders } from '../../observe/trace-context.ts';
import type { Action, ApiRequest, RowRange } from './api-request.ts';
import { jsonMediaType, parseAccept, parseMediaType } from './media-type.ts';
import { parsePayload, type ReadPayload } from './payload.ts';
import { parsePreferences } from './preferences.ts';
import { parseQueryParameters } from './query-parameters.ts';
import { allRows, intersect, isAllRows, isEmpty, limitOf, parseRangeHeader } from './row-range.ts';

/**
 * Parses the request of a client into a value. Pure; it uses settings, but no database.
 * @param read Reads the body; by default it is parsed here.
 * @throws NinefoldError with PostgREST's codes: PGRST100 to PGRST103, 106, 114, 117, 125, 126.
 */
export function parseRequest(request: CallRequest, settings: RestSettings, read?: ReadPayload): ApiRequest {
  const { method, headers } = request;
  const resource = resourceOf(request.path, settings);
  const { schema, negotiated } = schemaOf(method, headers, settings);
  const action = actionOf(resource, schema, method);
  const parameters = parseQueryParameters(request.query, takesArgumentsFromQuery(action));
  const topRange = topRangeOf(method, parameters.range, headers.range);
  const contentType = headers['content-type'] === undefined ? jsonMediaType : parseMediaType(headers['content-type']);
  const { payload, columns } = parsePayload(action, contentType, request.body, parameters.columns, read);
  const override = settings.db_tx_end === 'commit-allow-override' || settings.db_tx_end === 'rollback-allow-override';
  return {
    action,
    method,
    path: request.path,
    schema,
    schemaNegotiated: negotiated,
    parameters,
    topRange,
    preferences: parsePreferences(headers.prefer, override),
    accept: parseAccept(headers.accept),
    contentType,
    payload,
    columns,
    headers: headersForSettings(request),
    cookies: parseCookies(headers.cookie),
    requestId: request.requestId,
  };
}

const takesArgumentsFromQuery = (action: Action): boolean =>
  action.kind === 'options-function' || (action.kind === 'call' && action.method !== 'POST');

type Resource = { kind: 'root' } | { kind: 'relation'; name: string } | { kind: 'function'; name: string };

function resourceOf(path: string, settings: RestSettings): Resource {
  const segments = path.split('/').map(decodeSegment);
  // Removes the empty segment that comes from the slash at the start of the path.
  segments.shift();
  const [first, second] = segments;
  if (first === undefined || (first === '' && segments.length === 1)) {
    if (settings.openapi_mode === 'disabled') throw new NinefoldError('PGRST126');
    return settings.db_root_spec === null
      ? { kind: 'root' }
      : { kind: 'function', name: settings.db_root_spec.slice(settings.db_root_spec.indexOf('.') + 1) };
  }
  if (segments.length === 1) return { kind: 'relation', name: first };
  if (segments.length === 2 && first === 'rpc' && second !== undefined) return { kind: 'function', name: second };
  throw new NinefoldError('PGRST125');
}

function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new NinefoldError('PGRST125', { details: 'The path is not percent-encoded UTF-8.' });
  }
}

function schemaOf(
  method: string,
  headers: CallRequest['headers'],
  settings: RestSettings,
): { schema: string; negotiated: boolean } {
  const writes = method === 'POST' || method === 'PATCH' || method === 'PUT' || method === 'DELETE';
  const profile = headers[writes ? 'content-profile' : 'accept-profile'];
  const schemas = settings.db_schemas;
  if (profile === undefined) return { schema: schemas[0] ?? 'public', negotiated: schemas.length > 1 };
  if (schemas.includes(profile)) return { schema: profile, negotiated: true };
  throw new NinefoldError('PGRST106', {
    message: `Invalid schema: ${profile}`,
    hint: `Only the following schemas are exposed: ${schemas.join(', ')}`,
  });
}

function actionOf(resource: Resource, schema: string, method: string): Action {
  if (resource.kind === 'root') {
    if (method === 'GET' || method === 'HEAD') return { kind: 'describe-schema', schema, headOnly: method === 'HEAD' };
    if (method === 'OPTIONS') return { kind: 'options-root' };
    throw unsupportedMethod(method);
  }
  const target = { schema, name: resource.name };
  if (resource.kind === 'function') {
    if (method === 'GET' || method === 'HEAD' || method === 'POST') return { kind: 'call', target, method };
    if (method === 'OPTIONS') return { kind: 'options-function', target };
    throw new NinefoldError('PGRST101', { message: `Cannot use the ${method} method on RPC` });
  }
  switch (method) {
    case 'GET':
    case 'HEAD':
      return { kind: 'read', target, headOnly: method === 'HEAD' };
    case 'POST':
      return { kind: 'mutate', target, mutation: 'insert' };
    case 'PATCH':
      return { kind: 'mutate', target, mutation: 'update' };
    case 'PUT':
      return { kind: 'mutate', target, mutation: 'upsert-one' };
    case 'DELETE':
      return { kind: 'mutate', target, mutation: 'delete' };
    case 'OPTIONS':
      return { kind: 'options-relation', target };
    default:
      throw unsupportedMethod(method);
  }
}

const unsupportedMethod = (method: string): NinefoldError =>
  new NinefoldError('PGRST117', { message: `Unsupported HTTP method: ${method}` });

/** Returns the rows that limit, offset and, for GET, the Range header (RFC 9110, section 14.2) select together. */
function topRangeOf(method: string, parameter: RowRange, header: string | undefined): RowRange {
  const headerRange = method === 'GET' ? parseRangeHeader(header) : allRows;
  const limit = limitOf(parameter);
  if (isEmpty(headerRange)) {
    throw new NinefoldError('PGRST103', {
      details: 'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
    });
  }
  if (limit !== null && limit < 0n) throw negativeLimit();
  // limit=0 requests no rows. A Range header cannot express this, so the header is then ignored.
  const range = limit === 0n ? parameter : intersect(headerRange, parameter);
  if (limit !== 0n && isEmpty(range)) throw negativeLimit();
  if (method === 'PUT' && !isAllRows(range)) throw new NinefoldError('PGRST114');
  return range;
}

const negativeLimit = (): NinefoldError =>
  new NinefoldError('PGRST103', { details: 'Limit should be greater than or equal to zero.' });

/**
 * Returns the headers that the database receives: all except cookies. The headers of a trace name this request as the
 * parent, so that HTTP requests from SQL hand the trace on.
 */
export function headersForSettings({ headers, trace }: Pick<CallRequest, 'headers' | 'trace'>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !notForSettings.has(name)) kept[name] = value;
  }
  return trace ? Object.assign(kept, traceHeaders(trace)) : kept;
}

const notForSettings: ReadonlySet<string> = new Set(['cookie', 'traceparent', 'tracestate']);

const noCookies: Readonly<Record<string, string>> = {};

/** Parses a Cookie header (RFC 6265, section 5.4). If a name occurs twice, the first value is used. */
export function parseCookies(header: string | undefined): Readonly<Record<string, string>> {
  if (header === undefined) return noCookies;
  const cookies: Record<string, string> = Object.create(null);
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    const name = (equals === -1 ? part : part.slice(0, equals)).trim();
    if (name !== '' && !Object.hasOwn(cookies, name))
      cookies[name] = equals === -1 ? '' : part.slice(equals + 1).trim();
  }
  return cookies;
}
