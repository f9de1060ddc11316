import type { CallRequest } from '../../contract/call-request.ts';
import type { RestSettings } from '../../contract/settings.ts';
import type { SchemaCache } from '../catalog/schema-cache.ts';
import type { PlanNames } from '../observe/events.ts';
import type { MutatePlan, Plan } from './plan/plan.ts';
import { planRequest } from './plan/plan-request.ts';
import { planNames } from './plan-names.ts';
import type { ApiRequest } from './request/api-request.ts';
import { headersForSettings, parseCookies, parseRequest } from './request/parse-request.ts';
import type { ReadPayload } from './request/payload.ts';
import {
  canonicalOrder,
  decodeQuery,
  encodeComponent,
  encodePair,
  type QueryShape,
  shapeOfQuery,
} from './request/query-string.ts';
import { type MainStatement, mainStatement, type QueryPlan } from './sql/build-statements.ts';

/**
 * The result of the first three steps of a request. For a read from the cache, `plan` and the filters of `request`
 * contain the values of the request that was planned first. Only `main` and the canonical query contain the values of
 * this request.
 */
export interface PlannedCall {
  readonly request: ApiRequest;
  readonly plan: Plan;
  readonly names: PlanNames;
  /** The query of the request; null if the request runs none. */
  readonly main: MainStatement | null;
}

/** A planned read, and the indexes of the values that each new request replaces. */
interface PlannedShape {
  readonly call: PlannedCall & { readonly main: MainStatement };
  /** Pairs of the index of a parameter and the index of its value. */
  readonly slots: readonly (readonly [param: number, value: number])[];
  /**
   * The parts of the canonical query in their order. Each part has the index of the value that follows it; null if no
   * value follows.
   */
  readonly canonical: readonly (readonly [text: string, value: number | null])[];
}

/** An insert without its rows, and the index of the parameter for the rows. */
interface PlannedInsert {
  readonly plan: MutatePlan;
  readonly names: PlanNames;
  readonly main: MainStatement;
  readonly rows: number;
}

/** Maximum number of cached shapes per schema cache. The cache is emptied when it is full. */
const MAX_SHAPES = 1000;
/** Maximum length of the key of a cached shape. */
const MAX_SHAPE_LENGTH = 4000;

interface Shapes {
  readonly settings: RestSettings;
  /** Planned reads by the key of their shape; null for shapes that cannot be cached. */
  readonly reads: Map<string, PlannedShape | null>;
  readonly inserts: Map<string, PlannedInsert>;
}

/**
 * Runs the first three steps of a request: it parses the request, plans it and builds the SQL. Clients often repeat
 * requests with other values, so a read is planned once per shape of its query, and an insert once per set of columns.
 * Pure except for the cache.
 */
export class PlanCache {
  /** The garbage collector removes the plans together with their schema cache, when an app changes or becomes idle. */
  readonly #shapes = new WeakMap<SchemaCache, Shapes>();

  /**
   * Plans a request, or returns its cached plan with the values of the request.
   * @param onParsed Called between the first and the second step.
   * @param read Reads the body, as in `parseRequest`.
   * @throws NinefoldError as `parseRequest` and `planRequest`
   */
  plan(
    request: CallRequest,
    schemaCache: SchemaCache,
    settings: RestSettings,
    onParsed: () => void = () => undefined,
    read?: ReadPayload,
  ): PlannedCall {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const shape = isRead ? shapeOfQuery(request.query) : null;
    const key = shape && keyOf(request, shape);
    const shapes = this.#shapesFor(schemaCache, settings);
    if (shape !== null && key !== null && key.length <= MAX_SHAPE_LENGTH) {
      const known = shapes.reads.get(key);
      if (known) {
        onParsed();
        return withValues(known, shape, request);
      }
      const planned = planAnew(request, schemaCache, settings, onParsed, read);
      if (known === undefined) store(shapes.reads, key, shapeOf(planned, shape, request));
      return planned;
    }
    const parsed = parseRequest(request, settings, read);
    onParsed();
    const insertKey = request.method === 'POST' ? keyOfInsert(request, parsed) : null;
    const known = insertKey === null ? undefined : shapes.inserts.get(insertKey);
    if (known) return withRows(known, parsed);
    const planned = planParsed(request, parsed, schemaCache, settings);
    const insert = insertKey === null ? null : insertOf(planned);
    if (insertKey !== null && insert) store(shapes.inserts, insertKey, insert);
    return planned;
  }

  #shapesFor(schemaCache: SchemaCache, settings: RestSettings): Shapes {
    const known = this.#shapes.get(schemaCache);
    if (known?.settings === settings) return known;
    const shapes: Shapes = { settings, reads: new Map(), inserts: new Map() };
    this.#shapes.set(schemaCache, shapes);
    return shapes;
  }
}

/** Runs the first three steps of a request without a cache: parses the request, plans it and builds the SQL. */
export function planAnew(
  callRequest: CallRequest,
  schemaCache: SchemaCache,
  settings: RestSettings,
  onParsed: () => void = () => undefined,
  read?: ReadPayload,
): PlannedCall {
  const request = parseRequest(callRequest, settings, read);
  onParsed();
  return planParsed(callRequest, request, schemaCache, settings);
}

function planParsed(
  { method }: CallRequest,
  request: ApiRequest,
  schemaCache: SchemaCache,
  settings: RestSettings,
): PlannedCall {
  const plan = planRequest(request, schemaCache, settings);
  const main = isQuery(plan) ? mainStatement(request, plan, settings) : null;
  return { request, plan, names: planNames(plan, method), main };
}

const isQuery = (plan: Plan): plan is QueryPlan => plan.kind !== 'options' && plan.kind !== 'describe';

function store<T>(shapes: Map<string, T>, key: string, shape: T): void {
  if (shapes.size >= MAX_SHAPES) shapes.clear();
  shapes.set(key, shape);
}

/** Returns the cache key of a read: all parts of the request that the first three steps read, except the values. */
const keyOf = ({ method, path, headers }: CallRequest, { text }: QueryShape): string =>
  `${method} ${path}?${text}\n${headers.accept}\n${headers.prefer}\n${headers.range}\n${headers['accept-profile']}\n${headers['content-type']}`;

/**
 * Returns what the cache stores of a planned read. Returns null if a value of the query string does not become a
 * parameter unchanged, because the value then affects the SQL.
 */
function shapeOf(call: PlannedCall, { values }: QueryShape, { query }: CallRequest): PlannedShape | null {
  const { main, plan } = call;
  const { count } = call.request.preferences;
  // Requests with these kinds of counts are not cached, because PostgreSQL's planner needs the actual values to
  // estimate the rows.
  if (plan.kind !== 'read' || main === null || count === 'planned' || count === 'estimated') return null;
  const indexes = new Map(values.map(({ parameter }, index) => [parameter, index]));
  const slots = main.origins.flatMap((origin, param): [number, number][] => {
    const index = typeof origin === 'number' ? indexes.get(origin) : undefined;
    return index === undefined ? [] : [[param, index]];
  });
  if (new Set(slots.map(([, index]) => index)).size < values.length) return null;
  const positioned = decodeQuery(query).map(([name, value], position) => [name, value, position] as const);
  const canonical = canonicalOrder(positioned).map(([name, value, position], i): [string, number | null] => {
    const index = indexes.get(position);
    const separator = i === 0 ? '' : '&';
    if (index === undefined) return [separator + encodePair([name, value]), null];
    return [`${separator}${encodePair([name, values[index]?.operator ?? ''])}`, index];
  });
  return { call: { ...call, main }, slots, canonical };
}

function withValues(
  { call, slots, canonical }: PlannedShape,
  shape: QueryShape,
  callRequest: CallRequest,
): PlannedCall {
  const { values } = shape;
  const params = call.main.params.slice();
  for (const [param, index] of slots) params[param] = values[index]?.text ?? '';
  let location = '';
  for (const [text, index] of canonical) {
    location += index === null ? text : text + encodeComponent(values[index]?.text ?? '');
  }
  const { request } = call;
  return {
    request: {
      ...request,
      parameters: { ...request.parameters, canonical: location },
      headers: headersForSettings(callRequest.headers),
      cookies: parseCookies(callRequest.headers.cookie),
      requestId: callRequest.requestId,
    },
    plan: call.plan,
    names: call.names,
    main: { ...call.main, params },
  };
}

/**
 * Returns the cache key of an insert: all parts of the request on which the plan and the SQL depend. Returns null for
 * other requests.
 */
function keyOfInsert({ path, query, headers }: CallRequest, request: ApiRequest): string | null {
  const { action, payload, columns } = request;
  if (action.kind !== 'mutate' || payload?.kind !== 'json') return null;
  const key = `${path}?${query}\n${headers.accept}\n${headers.prefer}\n${headers['content-profile']}\n${headers['content-type']}\n${payload.isObject}\n${columns.join('\0')}`;
  return key.length <= MAX_SHAPE_LENGTH ? key : null;
}

/** Returns what the cache stores of a planned insert. Returns null if the rows are not passed as one parameter. */
function insertOf({ plan, names, main }: PlannedCall): PlannedInsert | null {
  const rows = main?.origins.indexOf('body') ?? -1;
  if (plan.kind !== 'mutate' || main === null || rows < 0) return null;
  // Removes the rows, because the cache must not hold them in memory.
  const params = main.params.map((param, place) => (place === rows ? null : param));
  return { plan: { ...plan, payload: null }, names, main: { ...main, params }, rows };
}

function withRows({ plan, names, main, rows }: PlannedInsert, request: ApiRequest): PlannedCall {
  const { payload } = request;
  const params = main.params.slice();
  params[rows] = payload?.kind === 'json' ? payload.body : null;
  return { request, plan: { ...plan, payload }, names, main: { ...main, params } };
}
