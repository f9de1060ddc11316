import type { CallRequest, CancelSignal, Reply } from '../../contract/call-request.ts';
import type { RestSettings } from '../../contract/settings.ts';
import type { SchemaCache } from '../catalog/schema-cache.ts';
import type { Database } from '../database/database.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import type { TraceRecorder } from '../observe/events.ts';
import type { OptionsPlan, Plan } from './plan/plan.ts';
import { planForFullDatabase, planRequest } from './plan/plan-request.ts';
import type { PlanCache, PlannedQuery } from './plan-cache.ts';
import { planNames } from './plan-names.ts';
import type { ApiRequest } from './request/api-request.ts';
import { parseRequest } from './request/parse-request.ts';
import type { ReadPayload } from './request/payload.ts';
import { describeReply } from './response/open-api/document.ts';
import { queryReply } from './response/query-reply.ts';
import { type ResultSet, runBatch, runDescribe } from './run/run.ts';
import { buildStatements, mainStatement, type QueryPlan } from './sql/build-statements.ts';
import { describeStatements } from './sql/describe.ts';
import { updateConflict } from './update-conflict.ts';
import { withVisibleColumns, withVisibleNames } from './visible-names.ts';

/** The dependencies of a data request. */
export interface RestContext {
  /** Connections with the app's authenticator role, which can switch to the caller's role. */
  readonly database: Database;
  readonly schemaCache: SchemaCache;
  readonly identity: Identity;
  readonly settings: RestSettings;
  /** The plans of earlier requests. Without cached plans, each request is planned. */
  readonly plans?: PlanCache;
  /** True if the database may not grow: Functions then run in a read-only transaction. */
  readonly isFull?: boolean;
  /** Returns the body in parsed form if it was parsed before this step; by default, this step parses the body. */
  readonly readPayload?: ReadPayload | undefined;
  /** Duration of authentication in milliseconds, for the Server-Timing header. */
  readonly jwtMilliseconds?: number;
  /** Records the steps of the request. */
  readonly trace?: TraceRecorder;
}

/**
 * Handles one request to `/rest/v1`: request → plan → sql → run → response. Row-level security decides which rows the
 * caller can read and change; this code does not. `restErrorReply` renders the errors.
 * @throws NinefoldError
 * @throws DatabaseError
 * @throws ConnectionError
 * @throws PoolTimeoutError
 */
export async function handleRest(context: RestContext, callRequest: CallRequest): Promise<Reply> {
  const { database, schemaCache, identity, settings, plans, trace } = context;
  const { signal } = callRequest;
  const timing = settings.server_timing_enabled ? new Stopwatch(context.jwtMilliseconds ?? 0) : null;

  const knownRead = plans?.findRead(callRequest, schemaCache, settings);
  const request = knownRead?.request ?? parseRequest(callRequest, settings, context.readPayload);
  timing?.mark('parse');

  const known = knownRead ?? plans?.findInsert(callRequest, request, schemaCache, settings);
  const planned = known?.plan ?? (await planVisibly(context, request));
  const plan = context.isFull ? planForFullDatabase(planned) : planned;
  const names = known?.names ?? planNames(plan, callRequest.method);
  timing?.mark('plan');
  trace?.recordPlan(names);

  let reply: Reply;
  if (plan.kind === 'options') {
    timing?.mark('transaction');
    reply = optionsReply(plan);
  } else if (plan.kind === 'describe') {
    const batch = describeStatements(request, plan, identity, settings);
    const described = await runDescribe(database, batch, signal);
    timing?.mark('transaction');
    reply = describeReply(request, plan, described, schemaCache, settings, `${callRequest.baseUrl}/rest/v1`);
  } else {
    const query = known ?? { request, plan, names, main: mainStatement(request, plan, settings) };
    if (!known) plans?.store(callRequest, query, schemaCache, settings);
    const batch = buildStatements(request, plan, identity, settings, query.main);
    trace?.recordStatement(query.main.text, query.main.params.length);

    const result = await runBatch(database, batch, plan, signal, trace).catch((error: unknown) =>
      throwToClient(context, query, signal, error),
    );
    const changed = result.page === 0 ? await conflictOf(context, query, signal) : null;
    if (changed) throw changed;
    if (trace) trace.ran = performance.now();
    timing?.mark('transaction');
    reply = buildReply(request, plan, result, settings);
  }
  timing?.mark('response');
  if (timing) reply.headers['server-timing'] = timing.header;
  reply.headers.vary ??= VARY;
  return reply;
}

/** Headers of the request on which the response depends: those that PostgREST lists, and those with credentials. */
const VARY = 'Accept, Prefer, Range, Authorization, apikey';

/**
 * Resolves the names of a request. Hints in errors contain only names that the caller may use.
 * @throws NinefoldError
 */
async function planVisibly(
  { database, schemaCache, identity, settings }: RestContext,
  request: ApiRequest,
): Promise<Plan> {
  try {
    return planRequest(request, schemaCache, settings);
  } catch (error) {
    throw await withVisibleNames(error, { database, schemaCache, role: identity.role }, (visible) =>
      planRequest(request, visible, settings),
    );
  }
}

/** Throws the error of a query as the caller may see it. */
async function throwToClient(
  context: RestContext,
  query: PlannedQuery,
  signal: CancelSignal,
  error: unknown,
): Promise<never> {
  const { database, schemaCache, identity } = context;
  if (error instanceof NinefoldError && error.code === 'PGRST116') {
    throw (await conflictOf(context, query, signal)) ?? error;
  }
  throw await withVisibleColumns(error, { database, schemaCache, role: identity.role });
}

/** Returns the error of an update that changed no row because of another caller; null for every other query. */
async function conflictOf(
  { database, identity, settings }: RestContext,
  { request, plan }: PlannedQuery,
  signal: CancelSignal,
): Promise<NinefoldError | null> {
  if (plan.kind !== 'mutate' || plan.mutation !== 'update' || request.preferences.conflict === null) return null;
  return updateConflict({ database, request, plan, identity, settings, signal });
}

/** Returns the response with the allowed methods of a path (RFC 9110, section 9.3.7). */
const optionsReply = (plan: OptionsPlan): Reply => ({
  status: 200,
  headers: { allow: plan.allow.join(','), 'access-control-allow-origin': '*' },
  body: null,
});

/** Builds the reply. Destroys a streamed body that the reply does not use. */
function buildReply(request: ApiRequest, plan: QueryPlan, result: ResultSet, settings: RestSettings): Reply {
  let used: Reply['body'] = null;
  try {
    const reply = queryReply(request, plan, result, settings);
    used = reply.body;
    return reply;
  } finally {
    if (result.body !== used && !Buffer.isBuffer(result.body)) result.body.destroy();
  }
}

/**
 * Measures the duration of each step in milliseconds for the Server-Timing header
 * (https://www.w3.org/TR/server-timing/).
 */
class Stopwatch {
  readonly #marks: [string, number][] = [];
  #last = performance.now();

  /** @param jwtMilliseconds Duration of authentication. */
  constructor(jwtMilliseconds: number) {
    this.#marks.push(['jwt', jwtMilliseconds]);
  }

  /** Records the duration since the previous mark. */
  mark(step: 'parse' | 'plan' | 'transaction' | 'response'): void {
    const now = performance.now();
    this.#marks.push([step, now - this.#last]);
    this.#last = now;
  }

  get header(): string {
    return this.#marks.map(([step, milliseconds]) => `${step};dur=${milliseconds.toFixed(1)}`).join(', ');
  }
}
