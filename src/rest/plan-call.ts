import type { Exchange } from '../../contract/exchange.ts';
import type { RestSettings } from '../../contract/settings.ts';
import type { Catalog } from '../catalog/catalog.ts';
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
 * The result of the first three steps of a call. For a read that is planned already with other values in its filters, the values are in
 * `main` and in the canonical query alone: `plan` and the filters of `request` hold placeholders.
 */
export interface PlannedCall {
  readonly request: ApiRequest;
  readonly plan: Plan;
  /** Null where the call runs no query. */
  readonly main: MainStatement | null;
}

/** A read with placeholders for values, and where these stand. */
interface PlannedShape {
  readonly call: PlannedCall & { readonly main: MainStatement };
  /** By the place of the parameter: the value that goes there. */
  readonly slots: readonly (readonly [param: number, value: number])[];
  /** The canonical query, in turns text and the place of a value. */
  readonly canonical: readonly string[];
}

/** More shapes of one schema are not remembered: then all are forgotten. */
const MAX_SHAPES = 1000;
/** A longer shape is not remembered. */
const MAX_SHAPE_LENGTH = 4000;

/** An insert without its rows, and the parameter that these are. */
interface PlannedInsert {
  readonly plan: MutatePlan;
  readonly main: MainStatement;
  readonly rows: number;
}

interface Shapes {
  readonly settings: RestSettings;
  /** Null: what cannot be remembered. */
  readonly reads: Map<string, PlannedShape | null>;
  readonly inserts: Map<string, PlannedInsert>;
}

/** Plans by schema; the garbage collector removes them with the schema. */
const shapesOf = new WeakMap<Catalog, Shapes>();

/**
 * Request → plan → SQL text of a call. Clients ask for the same with other values again and again, so a read is planned once for
 * each shape of its query, and an insert once for each set of columns. `onParsed` is called between the first step and the second; `read` is
 * parseRequest's. Throws what parseRequest and planRequest
 * throw. Pure but for what it remembers.
 */
export function planCall(
  exchange: Exchange,
  catalog: Catalog,
  settings: RestSettings,
  onParsed: () => void = () => undefined,
  read?: ReadPayload,
): PlannedCall {
  const shape = exchange.method === 'GET' || exchange.method === 'HEAD' ? shapeOfQuery(exchange.query) : null;
  if (shape === null) return planAnew(exchange, catalog, settings, onParsed, read);
  const key = keyOf(exchange, shape);
  if (key.length > MAX_SHAPE_LENGTH) return planAnew(exchange, catalog, settings, onParsed);
  const { reads } = rememberedFor(catalog, settings);
  let planned = reads.get(key);
  if (planned === undefined) {
    planned = planShape(exchange, shape, catalog, settings);
    remember(reads, key, planned);
  }
  if (planned === null) return planAnew(exchange, catalog, settings, onParsed);
  onParsed();
  return withValues(planned, shape.values, exchange);
}

function planAnew(
  exchange: Exchange,
  catalog: Catalog,
  settings: RestSettings,
  onParsed: () => void,
  read?: ReadPayload,
): PlannedCall {
  const request = parseRequest(exchange, settings, read);
  onParsed();
  return exchange.method === 'POST'
    ? planPost(exchange, request, catalog, settings)
    : planParsed(request, catalog, settings);
}

function planParsed(request: ApiRequest, catalog: Catalog, settings: RestSettings): PlannedCall {
  const plan = planRequest(request, catalog, settings);
  return { request, plan, main: isQuery(plan) ? mainStatement(request, plan, settings) : null };
}

/** Plans an insert once for each set of columns. */
function planPost(exchange: Exchange, request: ApiRequest, catalog: Catalog, settings: RestSettings): PlannedCall {
  const { action, payload, columns } = request;
  if (action.kind !== 'mutate' || payload?.kind !== 'json') return planParsed(request, catalog, settings);
  const { path, query, headers } = exchange;
  const key = `${path}?${query}\n${headers.accept}\n${headers.prefer}\n${headers['content-profile']}\n${headers['content-type']}\n${payload.isObject}\n${columns.join('\0')}`;
  const { inserts } = rememberedFor(catalog, settings);
  const known = inserts.get(key);
  if (known) {
    const params = known.main.params.slice();
    params[known.rows] = payload.body;
    return { request, plan: { ...known.plan, payload }, main: { text: known.main.text, params } };
  }
  const planned = planParsed(request, catalog, settings);
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

function rememberedFor(catalog: Catalog, settings: RestSettings): Shapes {
  const known = shapesOf.get(catalog);
  if (known?.settings === settings) return known;
  const shapes: Shapes = { settings, reads: new Map(), inserts: new Map() };
  shapesOf.set(catalog, shapes);
  return shapes;
}

/** All that the first three steps read of a call, but for the values. */
const keyOf = ({ method, path, headers }: Exchange, { text }: QueryShape): string =>
  `${method} ${path}?${text}\n${headers.accept}\n${headers.prefer}\n${headers.range}\n${headers['accept-profile']}\n${headers['content-type']}`;

/** No text that is sent holds such a pair: what does is told from a placeholder by standing in more than one place. */
const placeholder = (index: number): string => `\u{f0000}${index}\u{f0001}`;

/** Plans the call with placeholders; null where it is no read, or where one of them does not go through as it is. */
function planShape(
  exchange: Exchange,
  shape: QueryShape,
  catalog: Catalog,
  settings: RestSettings,
): PlannedShape | null {
  const query = shape.withValues((index) => encodeURIComponent(placeholder(index)));
  let call: PlannedCall;
  try {
    call = planAnew({ ...exchange, query }, catalog, settings, () => undefined);
  } catch (error) {
    // Asked again without placeholders, it fails with the caller's own words.
    if (error instanceof NinefoldError) return null;
    throw error;
  }
  const { main } = call;
  const { count } = call.request.preferences;
  // The planner's estimate takes the values out of the plan.
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
  exchange: Exchange,
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
      headers: headersForSettings(exchange.headers),
      cookies: parseCookies(exchange.headers.cookie),
      requestId: exchange.requestId,
    },
    plan: call.plan,
    main: { text: call.main.text, params },
  };
}
