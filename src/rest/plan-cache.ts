import type { CallRequest } from '../../contract/call-request.ts';
import type { RestSettings } from '../../contract/settings.ts';
import type { SchemaCache } from '../catalog/schema-cache.ts';
import type { PlanNames } from '../observe/events.ts';
import type { MutatePlan } from './plan/plan.ts';
import type { ApiRequest } from './request/api-request.ts';
import { headersForSettings, parseCookies } from './request/parse-request.ts';
import {
  canonicalOrder,
  decodeQuery,
  encodeComponent,
  encodePair,
  type QueryShape,
  shapeOfQuery,
} from './request/query-string.ts';
import type { MainStatement, QueryPlan } from './sql/build-statements.ts';

/**
 * The result of the first three steps of a request that runs a query. For a read from the cache, `plan` and the filters
 * of `request` contain the values of the request that was planned first. Only `main` and the canonical query contain
 * the values of this request.
 */
export interface PlannedQuery {
  readonly request: ApiRequest;
  readonly plan: QueryPlan;
  readonly names: PlanNames;
  readonly main: MainStatement;
}

/** A planned read, and the indexes of the values that each new request replaces. */
interface PlannedShape {
  readonly query: PlannedQuery;
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
 * The plans and the SQL of earlier requests. Clients often repeat requests with other values, so a read is cached once
 * per shape of its query, and an insert once per set of columns. `handleRest` takes each step that the cache does not have.
 */
export class PlanCache {
  /** The garbage collector removes the plans together with their schema cache, when an app changes or becomes idle. */
  readonly #shapes = new WeakMap<SchemaCache, Shapes>();

  /** Returns the cached read with the shape of a request, and with the values of the request; null if there is none. */
  findRead(callRequest: CallRequest, schemaCache: SchemaCache, settings: RestSettings): PlannedQuery | null {
    const shape = shapeOfRead(callRequest);
    const known = shape && this.#shapesFor(schemaCache, settings).reads.get(shape.key);
    return known ? withValues(known, shape, callRequest) : null;
  }

  /** Returns the cached insert into the same columns, with the rows of the request; null if there is none. */
  findInsert(
    callRequest: CallRequest,
    request: ApiRequest,
    schemaCache: SchemaCache,
    settings: RestSettings,
  ): PlannedQuery | null {
    const key = keyOfInsert(callRequest, request);
    const known = key === null ? undefined : this.#shapesFor(schemaCache, settings).inserts.get(key);
    return known ? withRows(known, request) : null;
  }

  /** Stores the query of a request if later requests can use it with other values. */
  store(callRequest: CallRequest, query: PlannedQuery, schemaCache: SchemaCache, settings: RestSettings): void {
    const { reads, inserts } = this.#shapesFor(schemaCache, settings);
    const shape = shapeOfRead(callRequest);
    if (shape && !reads.has(shape.key)) store(reads, shape.key, shapeOf(query, shape, callRequest));
    const key = keyOfInsert(callRequest, query.request);
    const insert = key === null ? null : insertOf(query);
    if (key !== null && insert) store(inserts, key, insert);
  }

  #shapesFor(schemaCache: SchemaCache, settings: RestSettings): Shapes {
    const known = this.#shapes.get(schemaCache);
    if (known?.settings === settings) return known;
    const shapes: Shapes = { settings, reads: new Map(), inserts: new Map() };
    this.#shapes.set(schemaCache, shapes);
    return shapes;
  }
}

function store<T>(shapes: Map<string, T>, key: string, shape: T): void {
  if (shapes.size >= MAX_SHAPES) shapes.clear();
  shapes.set(key, shape);
}

/** The shape of a read with its cache key. */
interface ReadShape extends QueryShape {
  /** All parts of the request that the first three steps read, except the values. */
  readonly key: string;
}

/** Returns the shape of a read; null for other requests and for queries that cannot be cached. */
function shapeOfRead({ method, path, query, headers }: CallRequest): ReadShape | null {
  if (method !== 'GET' && method !== 'HEAD') return null;
  const shape = shapeOfQuery(query);
  if (shape === null) return null;
  const key = `${method} ${path}?${shape.text}\n${headers.accept}\n${headers.prefer}\n${headers.range}\n${headers['accept-profile']}\n${headers['content-type']}`;
  return key.length <= MAX_SHAPE_LENGTH ? { text: shape.text, values: shape.values, key } : null;
}

/**
 * Returns what the cache stores of a planned read. Returns null if a value of the query string does not become a
 * parameter unchanged, because the value then affects the SQL.
 */
function shapeOf(planned: PlannedQuery, { values }: QueryShape, { query }: CallRequest): PlannedShape | null {
  const { main, plan } = planned;
  const { count } = planned.request.preferences;
  // Requests with these kinds of counts are not cached, because PostgreSQL's planner needs the actual values to
  // estimate the rows.
  if (plan.kind !== 'read' || count === 'planned' || count === 'estimated') return null;
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
  return { query: planned, slots, canonical };
}

function withValues(
  { query, slots, canonical }: PlannedShape,
  shape: QueryShape,
  callRequest: CallRequest,
): PlannedQuery {
  const { values } = shape;
  const params = query.main.params.slice();
  for (const [param, index] of slots) params[param] = values[index]?.text ?? '';
  let location = '';
  for (const [text, index] of canonical) {
    location += index === null ? text : text + encodeComponent(values[index]?.text ?? '');
  }
  const { request } = query;
  return {
    request: {
      ...request,
      parameters: { ...request.parameters, canonical: location },
      headers: headersForSettings(callRequest),
      cookies: parseCookies(callRequest.headers.cookie),
      requestId: callRequest.requestId,
    },
    plan: query.plan,
    names: query.names,
    main: { ...query.main, params },
  };
}

/**
 * Returns the cache key of an insert: all parts of the request on which the plan and the SQL depend. Returns null for
 * other requests.
 */
function keyOfInsert({ method, path, query, headers }: CallRequest, request: ApiRequest): string | null {
  const { action, payload, columns } = request;
  if (method !== 'POST' || action.kind !== 'mutate' || payload?.kind !== 'json') return null;
  const key = `${path}?${query}\n${headers.accept}\n${headers.prefer}\n${headers['content-profile']}\n${headers['content-type']}\n${payload.isObject}\n${columns.join('\0')}`;
  return key.length <= MAX_SHAPE_LENGTH ? key : null;
}

/** Returns what the cache stores of a planned insert. Returns null if the rows are not passed as one parameter. */
function insertOf({ plan, names, main }: PlannedQuery): PlannedInsert | null {
  const rows = main.origins.indexOf('body');
  if (plan.kind !== 'mutate' || rows < 0) return null;
  // Removes the rows, because the cache must not hold them in memory.
  const params = main.params.map((param, place) => (place === rows ? null : param));
  return { plan: { ...plan, payload: null }, names, main: { ...main, params }, rows };
}

function withRows({ plan, names, main, rows }: PlannedInsert, request: ApiRequest): PlannedQuery {
  const { payload } = request;
  const params = main.params.slice();
  params[rows] = payload?.kind === 'json' ? payload.body : null;
  return { request, plan: { ...plan, payload }, names, main: { ...main, params } };
}
