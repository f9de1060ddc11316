import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { RestSettings } from '../../contract/settings.ts';
import { storageFull } from '../apps/exceeded-bounds.ts';
import type { SchemaCache } from '../catalog/schema-cache.ts';
import type { Database } from '../database/database.ts';
import { DatabaseError } from '../database/database-error.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import type { TraceRecorder } from '../observe/events.ts';
import { type PlanCache, type PlannedCall, planAnew } from './plan-cache.ts';
import type { ApiRequest } from './request/api-request.ts';
import type { ReadPayload } from './request/payload.ts';
import { describeReply, optionsReply } from './response/describe-reply.ts';
import { queryReply } from './response/query-reply.ts';
import { Stopwatch } from './response/server-timing.ts';
import { type ResultSet, runBatch, runDescribe } from './run/run.ts';
import { buildStatements, type QueryPlan } from './sql/build-statements.ts';
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
  const { database, schemaCache, identity, settings, trace } = context;
  const timing = settings.server_timing_enabled ? new Stopwatch(context.jwtMilliseconds ?? 0) : null;

  const { request, plan: planned, names, main } = await planVisibly(context, callRequest, () => timing?.mark('parse'));
  const isHeld = context.isFull === true && planned.kind === 'call' && !planned.readOnly;
  const plan = isHeld ? { ...planned, readOnly: true } : planned;
  timing?.mark('plan');
  trace?.recordPlan(names);

  let reply: Reply;
  if (plan.kind === 'options') {
    timing?.mark('transaction');
    reply = optionsReply(plan);
  } else if (plan.kind === 'describe') {
    const batch = describeStatements(request, plan, identity, settings);
    const described = await runDescribe(database, batch, callRequest.signal);
    timing?.mark('transaction');
    reply = describeReply(request, plan, described, schemaCache, settings, `${callRequest.baseUrl}/rest/v1`);
  } else {
    const batch = buildStatements(request, plan, identity, settings, main ?? undefined);
    trace?.recordStatement(
      batch.statements[batch.main]?.text ?? null,
      batch.statements[batch.main]?.params.length ?? 0,
    );
    const { signal } = callRequest;
    const conflict = async () =>
      plan.kind === 'mutate' && plan.mutation === 'update' && request.preferences.conflict !== null
        ? await updateConflict({ database, request, plan, identity, settings, signal })
        : null;
    const result = await runBatch(database, batch, plan, signal, trace).catch(async (error: unknown) => {
      if (error instanceof NinefoldError && error.code === 'PGRST116') throw (await conflict()) ?? error;
      if (isHeld && error instanceof DatabaseError && error.sqlstate === READ_ONLY) throw storageFull(error);
      throw await withVisibleColumns(error, { database, schemaCache, role: identity.role });
    });
    const changed = result.page === 0 ? await conflict() : null;
    if (changed) throw changed;
    if (trace) trace.ran = performance.now();
    timing?.mark('transaction');
    reply = replyAndLetGo(request, plan, result, settings);
  }
  timing?.mark('response');
  if (timing) reply.headers['server-timing'] = timing.header;
  reply.headers.vary ??= VARY;
  return reply;
}

/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = '25006';

/** Headers of the request on which the response depends: those that PostgREST lists, and those with credentials. */
const VARY = 'Accept, Prefer, Range, Authorization, apikey';

/**
 * Plans a request. Hints in errors contain only names that the caller may use.
 * @throws NinefoldError
 */
async function planVisibly(context: RestContext, request: CallRequest, onParsed: () => void): Promise<PlannedCall> {
  const { database, schemaCache, identity, settings, plans, readPayload } = context;
  try {
    return plans
      ? plans.plan(request, schemaCache, settings, onParsed, readPayload)
      : planAnew(request, schemaCache, settings, onParsed, readPayload);
  } catch (error) {
    throw await withVisibleNames(error, { database, schemaCache, role: identity.role }, (visible) =>
      planAnew(request, visible, settings, undefined, readPayload),
    );
  }
}

/** Builds the reply. Destroys a streamed body that the reply does not use. */
function replyAndLetGo(request: ApiRequest, plan: QueryPlan, result: ResultSet, settings: RestSettings): Reply {
  let taken: Reply['body'] = null;
  try {
    const reply = queryReply(request, plan, result, settings);
    taken = reply.body;
    return reply;
  } finally {
    if (result.body !== taken && !Buffer.isBuffer(result.body)) result.body.destroy();
  }
}
