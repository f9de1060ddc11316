import type { AccessExplanation, ActualResponse, ExplainedRelation } from '../../../contract/access.ts';
import type { CallRequest, CancelSignal, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import type { RestSettings } from '../../../contract/settings.ts';
import { readArgumentAccess } from '../../access/argument-access.ts';
import {
  type RelationAccess,
  type RelationRights,
  readRelationAccess,
  readRoutineAccess,
} from '../../access/role-access.ts';
import { nameKey } from '../../catalog/schema-cache.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { RestContext } from '../handle.ts';
import type { CallArguments, CallPlan, MutatePlan, ReadPlan } from '../plan/plan.ts';
import { planForFullDatabase, planRequest } from '../plan/plan-request.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { parseRequest } from '../request/parse-request.ts';
import { isAllRows } from '../request/row-range.ts';
import { restErrorReply } from '../response/error-reply.ts';
import { queryReply } from '../response/query-reply.ts';
import { runBatch } from '../run/run.ts';
import { buildStatements, type QueryPlan } from '../sql/build-statements.ts';
import type { DescribeCondition } from './check-row.ts';
import { EXPLAIN_ACCESS, explainedRequest } from './explain-request.ts';
import { argumentGrant, executeGrant, kindOf, rowSecurityOf, schemaGrant, tableGrant } from './grants.ts';
import { inspectRows, nothingInspected } from './inspect-rows.ts';
import { embeddedNeeds, type Need, type Needs, needsOf } from './needs.ts';
import { agrees, noSuchRole, verdictOf } from './verdict.ts';
import { dependsOnCaller, needsBeneath, unwritableBecause } from './views.ts';

/**
 * Responds to `Prefer: explain=access` with an AccessExplanation: the result of the request for `context.identity` in
 * the database, and the reason. Changes nothing. Call it only if `wantsExplanation` returns true.
 * @throws NinefoldError as the request itself before it reaches the database; PGRST127 for a request without a relation
 * or function.
 * @throws ConnectionError
 * @throws PoolTimeoutError
 */
export async function explainAccess(
  context: RestContext,
  callRequest: CallRequest,
  describe: DescribeCondition,
): Promise<Reply> {
  const { schemaCache, settings } = context;
  const request = parseRequest(explainedRequest(callRequest), settings, context.readPayload);
  const planned = planRequest(request, schemaCache, settings);
  const plan = context.isFull ? planForFullDatabase(planned) : planned;
  if (plan.kind === 'options' || plan.kind === 'describe') {
    throw new NinefoldError('PGRST127', { details: 'Access is explained for tables, views and functions.' });
  }
  const explanation = await (plan.kind === 'call'
    ? explainCall(context, request, plan, callRequest.signal)
    : explainStatement(context, request, plan, describe, callRequest.signal));
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', 'preference-applied': EXPLAIN_ACCESS },
    body: callRequest.method === 'HEAD' ? null : JSON.stringify(explanation),
  };
}

async function explainCall(
  context: RestContext,
  request: ApiRequest,
  plan: CallPlan,
  signal: CancelSignal,
): Promise<AccessExplanation> {
  const { role, userId } = context.identity;
  const { schema, name, oid } = plan.routine;
  const actual = await dryRun(context, request, plan, signal);
  const access = await readRoutineAccess(context.database, oid, role);
  const used = access?.role ? await readArgumentAccess(context.database, oid, role, argumentNames(plan.arguments)) : [];
  const grants = access?.role
    ? [schemaGrant(schema, access.schema_usage), executeGrant(access), ...used.map(argumentGrant)]
    : [];
  const evidence = {
    role,
    target: `${schema}.${name}`,
    isView: false,
    unwritable: null,
    dependsOnCaller: false,
    inserts: true,
    isIdle: false,
    grants,
    beneath: [],
    embedded: [],
    actual,
  };
  const decided = access?.role ? verdictOf({ ...evidence, inspected: nothingInspected }) : noSuchRole(role);
  const whose = access?.security_definer ? `its owner, ${access.owner}` : `the caller, ${role}`;
  const verdict =
    decided.outcome === 'allowed'
      ? { ...decided, reason: `The function may be called. What it does is done with the rights of ${whose}.` }
      : decided;
  return {
    as: { role, user_id: userId },
    operation: 'execute',
    target: { schema, name, kind: 'function' },
    ...verdict,
    grants,
    row_security: null,
    rows: [],
    more_rows: false,
    beneath: [],
    embedded: [],
    actual,
    agrees: agrees({ verdict, inspected: nothingInspected, actual, countable: false }),
  };
}

function argumentNames(given: CallArguments): string[] {
  switch (given.kind) {
    case 'none':
      return [];
    case 'unnamed':
      return [given.parameter.name];
    case 'values':
      return given.values.map(({ parameter }) => parameter.name);
    case 'json':
      return given.parameters.map(({ name }) => name);
  }
}

async function explainStatement(
  context: RestContext,
  request: ApiRequest,
  plan: ReadPlan | MutatePlan,
  describe: DescribeCondition,
  signal: CancelSignal,
): Promise<AccessExplanation> {
  const { role, userId } = context.identity;
  const target = context.schemaCache.relations.get(nameKey(plan.target));
  if (!target) throw new NinefoldError('PGRST205');
  const actual = await dryRun(context, request, plan, signal);
  const needs = needsOf(plan);
  const about = {
    as: { role, user_id: userId },
    operation: needs.operation,
    target: { schema: target.schema, name: target.name, kind: target.isView ? ('view' as const) : ('table' as const) },
    actual,
  };
  const access = await readRelationAccess(context.database, target.oid, role);
  const [rights, ...beneathRights] = access?.relations ?? [];
  if (!access?.role || !rights) {
    const verdict = noSuchRole(role);
    const agreed = agrees({ verdict, inspected: nothingInspected, actual, countable: false });
    return { ...about, ...verdict, ...noDetails, agrees: agreed };
  }
  const grants = grantsOf(access, rights, needs);
  const security = rowSecurityOf(rights);
  const needed = needsBeneath(access.relations, plan, needs);
  const underlying = beneathRights.flatMap((relation) => {
    const own = needed.get(relation) ?? [];
    return own.length === 0 ? [] : [relationOf(relation, own)];
  });
  const embedded = await embeddedIn(context, plan);
  // Without USAGE on the schema, SQL cannot name the row type of the table, so the rows cannot be inspected.
  const inspected = access.schema_usage.held
    ? await inspectRows(
        context,
        { request, plan, target, rights, beneath: beneathRights, needs, security, describe },
        signal,
      )
    : nothingInspected;
  const inserts = needs.operation === 'insert' || needs.operation === 'upsert';
  const verdict = verdictOf({
    role,
    target: `${target.schema}.${target.name}`,
    isView: rights.kind === 'v',
    unwritable: unwritableBecause(rights, plan, needs),
    dependsOnCaller: dependsOnCaller(access.relations, role),
    inserts,
    isIdle: plan.kind === 'mutate' && plan.mutation === 'update' && plan.columns.length === 0,
    grants,
    beneath: underlying,
    embedded,
    inspected,
    actual,
  });
  return {
    ...about,
    target: { ...about.target, kind: kindOf(rights) },
    ...verdict,
    grants,
    row_security: security,
    rows: [...inspected.rows],
    more_rows: inspected.more,
    beneath: underlying,
    embedded,
    agrees: agrees({
      verdict,
      inspected,
      actual,
      countable: !target.isView && isCountable(request, plan, context.settings),
    }),
  };
}

const noDetails = { grants: [], row_security: null, rows: [], more_rows: false, beneath: [], embedded: [] };

/**
 * Returns the privileges that a statement needs. Without USAGE on the schema, this is the only one, because PostgreSQL
 * then checks no other privileges.
 */
const grantsOf = (access: RelationAccess, rights: RelationRights, needs: Needs) => [
  schemaGrant(rights.schema, access.schema_usage),
  ...needs.privileges.map((need) => tableGrant(rights, need)),
];

const relationOf = (relation: RelationRights, needs: readonly Need[]): ExplainedRelation => {
  const grants = needs.map((need) => tableGrant(relation, need));
  const [first] = grants;
  if (!first) throw new Error(`nothing is needed on ${relation.schema}.${relation.name}`);
  return {
    schema: relation.schema,
    name: relation.name,
    kind: kindOf(relation),
    as_role: relation.as_role,
    grant: grants.find(({ held }) => !held) ?? first,
    row_security: rowSecurityOf(relation),
  };
};

/** Returns the privileges on embedded relations of a request that returns rows. */
async function embeddedIn({ database, schemaCache, identity }: RestContext, plan: ReadPlan | MutatePlan) {
  const needs = plan.kind === 'read' || plan.format.kind !== 'none' ? embeddedNeeds(plan.read) : [];
  const found = needs.map(async ({ relation, need }) => {
    const oid = schemaCache.relations.get(nameKey(relation))?.oid;
    const access = oid === undefined ? null : await readRelationAccess(database, oid, identity.role);
    const rights = access?.relations[0];
    return rights ? [relationOf(rights, [need])] : [];
  });
  return (await Promise.all(found)).flat();
}

/** Returns true if the response has one row for each matching row that the caller may access. */
function isCountable(request: ApiRequest, plan: ReadPlan | MutatePlan, settings: RestSettings): boolean {
  const { read } = plan;
  const groups = read.select.some((item) => item.aggregate !== null);
  const joins = read.children.some(
    ({ embedding }) => embedding?.join === 'inner' || embedding?.placement.kind === 'spread',
  );
  const upserts = plan.kind === 'mutate' && plan.onConflict !== null;
  const isCut = (settings.db_max_rows ?? Number.POSITIVE_INFINITY) <= limits.explainedRows.default;
  return !groups && !joins && !upserts && !isCut && isAllRows(request.topRange);
}

/**
 * Executes the request in a transaction and rolls it back, as the preference tx=rollback does. Triggers, functions and
 * deferred constraints run. Only effects outside of transactions remain, such as values taken from a sequence.
 * @throws ConnectionError
 * @throws PoolTimeoutError
 */
async function dryRun(
  { database, identity, settings }: RestContext,
  request: ApiRequest,
  plan: QueryPlan,
  signal: CancelSignal,
): Promise<ActualResponse> {
  const rolledBack: ApiRequest = { ...request, preferences: { ...request.preferences, transaction: 'rollback' } };
  const batch = buildStatements(rolledBack, plan, identity, settings);
  try {
    const result = await runBatch(database, batch, plan, signal);
    const { status } = queryReply(rolledBack, plan, result, settings);
    return { status, code: null, message: null, rows: result.page };
  } catch (error) {
    if (signal.aborted || !(error instanceof DatabaseError || error instanceof NinefoldError)) throw error;
    const authenticated = identity.role !== (settings.db_anon_role ?? 'anon');
    const reply = restErrorReply(error, { authenticated, verbosity: 'verbose' });
    const { code, message } = JSON.parse(String(reply?.body)) as { code: string; message: string };
    return { status: reply?.status ?? 500, code, message, rows: null };
  }
}
