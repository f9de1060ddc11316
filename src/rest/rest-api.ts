import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { RestSettings } from '../../contract/settings.ts';
import type { User } from '../accounts/users/user.ts';
import type { App } from '../apps/app.ts';
import { ruleKey, type SchemaCache } from '../catalog/schema-cache.ts';
import { DatabaseError, type DatabaseErrorFields } from '../database/database-error.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { type ClaimsOf, impersonatedIdentity, namedCaller } from '../identity/impersonation.ts';
import { roleRules } from '../identity/resolve.ts';
import type { TraceRecorder } from '../observe/events.ts';
import type { DescribeCondition } from './explain/check-row.ts';
import { explainAccess } from './explain/explain.ts';
import { wantsExplanation } from './explain/explain-request.ts';
import { handleRest } from './handle.ts';
import type { PlanCache } from './plan-cache.ts';
import { type BodyParser, parseAhead } from './request/body-parser.ts';
import { parsePreferences } from './request/preferences.ts';
import { restErrorReply } from './response/error-reply.ts';

/** The parts that the apps of a worker share. */
interface RestNode {
  readonly parser: BodyParser;
  readonly plans: PlanCache;
  /**
   * Returns the claims that an access token of an account would have, without creating a session. Throws the errors of
   * the app's hook.
   */
  readonly claimsOf: (app: App, request: CallRequest, user: User) => ReturnType<ClaimsOf>;
  readonly describe: DescribeCondition;
}

/** Creates the handler of an app's `/rest/v1`. */
export const restApi = (node: RestNode) => ({
  name: 'rest' as const,
  handle: async (
    app: App,
    request: CallRequest,
    identify: () => Promise<Identity>,
    trace: TraceRecorder,
  ): Promise<Reply> => {
    const { rest } = await loaded(app.settings());
    trace.slowMilliseconds = rest.logs_slow_milliseconds;
    const started = performance.now();
    const identity = await identify();
    const jwtMilliseconds = performance.now() - started;
    if (mayAskWhy(identity) && wantsExplanation(request)) {
      trace.call = 'rest.explain';
      return explain(app, request, identity, rest, node);
    }
    const { schemaCache, settings } = await schemaFor(app, identity, undoable(rest, request, identity));
    const readPayload = request.body === null ? undefined : await parseAhead(request, settings, app.ref, node.parser);
    const { database, isFull } = app;
    const { plans } = node;
    return handleRest(
      { database, schemaCache, identity, settings, plans, isFull, readPayload, jwtMilliseconds, trace },
      request,
    );
  },
  renderError,
});

/**
 * Creates the handler of `/apps/<ref>/openapi.json`: the calls that the caller may make, as OpenAPI 3.1. With the
 * setting openapi_mode, the document contains all calls, or there is no document. Callers without a key or token are
 * rejected.
 * @param documentFor Returns the document for a role; null if the app publishes none.
 */
export const openApi = (documentFor: (app: App, role: string) => Promise<string | null>) => ({
  name: 'rest' as const,
  handle: async (app: App, _request: CallRequest, identify: () => Promise<Identity>): Promise<Reply> => {
    const { role, source } = await identify();
    const body = await documentFor(app, role);
    if (body === null) throw new NinefoldError('not_found');
    if (source === 'none') throw new NinefoldError('key_missing');
    const headers = { 'content-type': 'application/vnd.oai.openapi+json;version=3.1', 'cache-control': 'no-store' };
    return { status: 200, headers, body };
  },
  renderError,
});

/** Returns true for a caller who may request the reason why a request is denied: the service role, or a builder. */
const mayAskWhy = ({ role, source }: Identity): boolean => role === 'service_role' || source === 'builder';

/** Renders an error in PostgREST's format. */
export async function renderError(
  error: unknown,
  app: App | null,
  _request: CallRequest,
  identity: Identity | null,
): Promise<Reply | null> {
  // The settings may be unreadable, and this may be the cause of the error. Then the defaults are used.
  const settings = app ? await app.settings().catch(() => null) : null;
  return restErrorReply(error, {
    authenticated: identity !== null && identity.role !== (settings?.rest.db_anon_role ?? 'anon'),
    verbosity: settings?.rest.client_error_verbosity ?? 'verbose',
    ruleHint: app && error instanceof DatabaseError ? await ruleHint(app, error.fields) : null,
  });
}

/**
 * Returns the comment on the constraint that a write violated, which describes the rule in chapter 5; null without a
 * comment.
 */
async function ruleHint(app: App, fields: DatabaseErrorFields): Promise<string | null> {
  const { sqlstate, schema, table, dataType, column, constraint } = fields;
  const name = table ?? dataType;
  const rule = constraint ?? column;
  if (!sqlstate.startsWith('23') || schema === undefined || name === undefined || rule === undefined) return null;
  const schemaCache = await app.schemaCache().catch(() => null);
  return schemaCache?.ruleComments.get(ruleKey({ schema, name }, rule, constraint === undefined)) ?? null;
}

/** Explains why a request is denied, for the caller in the header `x-ninefold-as` or for the actual caller. */
async function explain(
  app: App,
  request: CallRequest,
  asker: Identity,
  rest: RestSettings,
  { parser, claimsOf, describe }: RestNode,
): Promise<Reply> {
  const named = namedCaller(request.headers['x-ninefold-as']);
  const rules = roleRules(app.record, rest);
  const identity =
    named === null
      ? asker
      : await impersonatedIdentity(app.database, rules, named, (user) => claimsOf(app, request, user));
  const { schemaCache, settings } = await schemaFor(app, identity, rest);
  const readPayload = await parseAhead(request, settings, app.ref, parser);
  const { database, isFull } = app;
  return explainAccess({ database, schemaCache, identity, settings, isFull, readPayload }, request, describe);
}

/**
 * Returns the settings for a request. A builder may always roll a request back, even if db_tx_end does not allow this
 * to other callers.
 */
const undoable = (rest: RestSettings, request: CallRequest, identity: Identity): RestSettings =>
  identity.source === 'builder' && parsePreferences(request.headers.prefer, true).transaction === 'rollback'
    ? { ...rest, db_tx_end: 'commit-allow-override' }
    : rest;

/**
 * Returns the schema cache and settings for a caller. Builders with the privileges of the service role see all schemas,
 * other callers the exposed ones.
 * @throws NinefoldError PGRST002
 */
export async function schemaFor(
  app: App,
  identity: Identity,
  rest: RestSettings,
): Promise<{ schemaCache: SchemaCache; settings: RestSettings }> {
  if (identity.source !== 'builder' || identity.role !== 'service_role') {
    return { schemaCache: await loaded(app.schemaCache()), settings: rest };
  }
  const schemaCache = await loaded(app.fullSchemaCache());
  return { schemaCache, settings: { ...rest, db_schemas: schemaCache.schemas } };
}

/**
 * Awaits cached data of the app's database. The next request retries a failed read.
 * @throws NinefoldError PGRST002 if reading failed, `app_damaged` if the app is damaged.
 */
async function loaded<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    throw cause instanceof NinefoldError ? cause : new NinefoldError('PGRST002', { cause });
  }
}
