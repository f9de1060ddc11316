import type { CallRequest } from '../../contract/call-request.ts';
import type { RestSettings } from '../../contract/settings.ts';
import type { SchemaCache } from '../catalog/schema-cache.ts';
import type { Param } from '../database/statement.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { MutatePlan, Plan } from './plan/plan.ts';
import { planRequest } from './plan/plan-request.ts';
import type { ApiRequest } from './request/api-request.ts';
import { headersForSettings, parseCookies, parseRequest } from './request/parse-request.ts';
import type { ReadPayload } from './request/payload.ts';
import { type QueryShape, shapeOfQuery } from './request/query-shape.ts';
import { encodeComponent } from './request/query-string.ts';
import { type MainStatement, mainStatement, type QueryPlan } from './sql/build-statements.ts';

/**
 * Result of the first three steps of a request. For a read from the cache, only `main` and the canonical query contain
 * the actual values; `plan` and the filters of `request` contain placeholders.
 */
export interface PlannedCall {
  readonly request: ApiRequest;
  readonly plan: Plan;
  /** Null if the request runs no query. */
  readonly main: MainStatement | null;
}

/** A read with placeholders for values, and the positions of the placeholders. */
interface PlannedShape {
  readonly call: PlannedCall & { readonly main: MainStatement };
  /** Pairs of the index of a parameter and the index of its value. */
  readonly slots: readonly (readonly [param: number, value: number])[];
  /** The canonical query: text and indexes of values, alternating. */
  readonly canonical: readonly string[];
}

/** Maximum number of cached shapes per schema cache. The cache is emptied when it is full. */
const MAX_SHAPES = 1000;
/** Maximum length of a cached shape. */
const MAX_SHAPE_LENGTH = 4000;

/** An insert without its rows, and the index of the parameter for the rows. */
interface PlannedInsert {
  readonly plan: MutatePlan;
  readonly main: MainStatement;
  readonly rows: number;
}

interface Shapes {
  readonly settings: RestSettings;
  /** Null for shapes that cannot be cached. */
  readonly reads: Map<string, PlannedShape | null>;
  readonly inserts: Map<string, PlannedInsert>;
}

/** Plans by schema cache; the garbage collector removes them together with it. */
const shapesOf = new WeakMap<SchemaCache, Shapes>();

/**
 * Runs the steps request, plan and SQL text. Clients often repeat requests with other values, so a read is planned once
 * per shape of its query, and an insert once per set of columns. Pure except for the cache.
 * @param onParsed Called between the first and the second step.
 * @param read Reads the body, as in `parseRequest`.
 * @throws NinefoldError as `parseRequest` and `planRequest`
 */
export function planWithCache(
  request: CallRequest,
  schemaCache: SchemaCache,
  settings: RestSettings,
  onParsed: () => void = () => undefined,
  read?: ReadPayload,
): PlannedCall {
  const shape = request.method === 'GET' || request.method === 'HEAD' ? shapeOfQuery(request.query) : null;
  if (shape === null) return planAnew(request, schemaCache, settings, onParsed, read);
  const key = keyOf(request, shape);
  if (key.length > MAX_SHAPE_LENGTH) return planAnew(request, schemaCache, settings, onParsed);
  const { reads } = rememberedFor(schemaCache, settings);
  let planned = reads.get(key);
  if (planned === undefined) {
    planned = planShape(request, shape, schemaCache, settings);
    remember(reads, key, planned);
  }
  if (planned === null) return planAnew(request, schemaCache, settings, onParsed);
  onParsed();
  return withValues(planned, shape.values, request);
}

function planAnew(
  callRequest: CallRequest,
  schemaCache: SchemaCache,
  settings: RestSettings,
  onParsed: () => void,
  read?: ReadPayload,
): PlannedCall {
  const request = parseRequest(callRequest, settings, read);
  onParsed();
  return callRequest.method === 'POST'
    ? planPost(callRequest, request, schemaCache, settings)
    : planParsed(request, schemaCache, settings);
}

function planParsed(request: ApiRequest, schemaCache: SchemaCache, settings: RestSettings): PlannedCall {
  const plan = planRequest(request, schemaCache, settings);
  return { request, plan, main: isQuery(plan) ? mainStatement(request, plan, settings) : null };
}

/** Plans an insert, once per set of columns. */
function planPost(
  callRequest: CallRequest,
  request: ApiRequest,
  schemaCache: SchemaCache,
  settings: RestSettings,
): PlannedCall {
  const { action, payload, columns } = request;
  if (action.kind !== 'mutate' || payload?.kind !== 'json') return planParsed(request, schemaCache, settings);
  const { path, query, headers } = callRequest;
  const key = `${path}?${query}\n${headers.accept}\n${headers.prefer}\n${headers['content-profile']}\n${headers['content-type']}\n${payload.isObject}\n${columns.join('\0')}`;
  const { inserts } = rememberedFor(schemaCache, settings);
  const known = inserts.get(key);
  if (known) {
    const params = known.main.params.slice();
    params[known.rows] = payload.body;
    return { request, plan: { ...known.plan, payload }, main: { text: known.main.text, params } };
  }
  const planned = planParsed(request, schemaCache, settings);
  const { plan, main } = planned;
  const places = main?.params.flatMap((param, place) => (param === payload.body ? [place] : [])) ?? [];
  const [rows] = places;
  if (plan.kind === 'mutate' && main && rows !== undefined && places.length === 1 && key.length <= MAX_SHAPE_LENGTH) {
    const params = main.params.map((param, place) => (place === rows ? null : param));
    remember(inserts, key, { plan: { ...plan, payload: null }, main: { text: main.text, params }, rows });
  }
  return planned;
}

function remember<T>(shapes: Map<string, T>, key: string, shape: T): void {
  if (shapes.size >= MAX_SHAPES) shapes.clear();
  shapes.set(key, shape);
}

const isQuery = (plan: Plan): plan is QueryPlan => plan.kind !== 'options' && plan.kind !== 'describe';

function rememberedFor(schemaCache: SchemaCache, settings: RestSettings): Shapes {
  const known = shapesOf.get(schemaCache);
  if (known?.settings === settings) return known;
  const shapes: Shapes = { settings, reads: new Map(), inserts: new Map() };
  shapesOf.set(schemaCache, shapes);
  return shapes;
}

/** Returns all parts of a request that the first three steps read, except values. */
const keyOf = ({ method, path, headers }: CallRequest, { text }: QueryShape): string =>
  `${method} ${path}?${text}\n${headers.accept}\n${headers.prefer}\n${headers.range}\n${headers['accept-profile']}\n${headers['content-type']}`;

/**
 * Returns a placeholder. Clients hardly send such a pair of characters; if one does, the placeholder occurs at several
 * positions, and the shape is not cached.
 */
const placeholder = (index: number): string => `\u{f0000}${index}\u{f0001}`;

/** Plans a request with placeholders. Returns null if it is no read, or if a placeholder is not passed on unchanged. */
function planShape(
  request: CallRequest,
  shape: QueryShape,
  schemaCache: SchemaCache,
  settings: RestSettings,
): PlannedShape | null {
  const query = shape.withValues((index) => encodeURIComponent(placeholder(index)));
  let call: PlannedCall;
  try {
    call = planAnew({ ...request, query }, schemaCache, settings, () => undefined);
  } catch (error) {
    // Planned without placeholders, it fails with the caller's own values in the message.
    if (error instanceof NinefoldError) return null;
    throw error;
  }
  const { main } = call;
  const { count } = call.request.preferences;
  // For these counts, the planner needs the actual values.
  if (call.plan.kind !== 'read' || main === null || count === 'planned' || count === 'estimated') return null;
  const slots: [number, number][] = [];
  for (let index = 0; index < shape.values.length; index++) {
    const places = placesOf(main.params, placeholder(index));
    const [place] = places;
    if (places.length !== 1 || place === undefined || main.params[place] !== placeholder(index)) return null;
    slots.push([place, index]);
  }
  const canonical = call.request.parameters.canonical.split(/%F3%B0%80%80(\d+)%F3%B0%80%81/);
  if (canonical.length !== 2 * shape.values.length + 1) return null;
  return { call: { ...call, main }, slots, canonical };
}

function placesOf(params: readonly Param[], text: string): number[] {
  const places: number[] = [];
  params.forEach((param, place) => {
    if (typeof param === 'string' && param.includes(text)) places.push(place);
  });
  return places;
}

function withValues(
  { call, slots, canonical }: PlannedShape,
  values: readonly string[],
  callRequest: CallRequest,
): PlannedCall {
  const params = call.main.params.slice();
  for (const [place, index] of slots) params[place] = values[index] as string;
  let location = canonical[0] as string;
  for (let i = 1; i < canonical.length; i += 2) {
    location += encodeComponent(values[Number(canonical[i])] as string) + (canonical[i + 1] as string);
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
    main: { text: call.main.text, params },
  };
}
