import { createHash, timingSafeEqual } from 'node:crypto';
import type { CallRequest } from '../../contract/call-request.ts';
import { type AppRole, appRoles } from '../../contract/least-roles.ts';
import type { App } from '../apps/app.ts';
import { CONSOLE_REF } from '../apps/registry/app-record.ts';
import type { BuilderRights } from '../apps/team/team-store.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { isActingToken, requireActing } from '../identity/acting-token.ts';
import type { BuilderSession } from '../identity/builder-session.ts';
import { type Identity, serviceRole } from '../identity/identity.ts';
import {
  type ClaimsOf,
  type ImpersonatedCaller,
  impersonatedIdentity,
  namedCaller,
} from '../identity/impersonation.ts';
import { roleRules } from '../identity/resolve.ts';
import { readBuilderToken } from './account/session-cookie.ts';
import type { AdminContext, Caller } from './context.ts';
import { openApp } from './open-app.ts';

/** Compares secrets in constant time. */
export function equalSecrets(a: string, b: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/**
 * Returns the caller by the token in the header Authorization or by the cookie of the console.
 *
 * @throws `operator_required` for other callers
 * @throws `console_required` for a cookie that a page of another site sent, `session_ambiguous`
 * @throws `second_factor_needed` for a builder whose session has not shown the builder's second factor, unless
 * `mayLackFactor`
 * @throws `second_factor_required` for a builder without a second factor on a node that requires one, unless
 * `mayAddFactor`
 */
export async function callerOf(
  context: AdminContext,
  request: CallRequest,
  { mayLackFactor = false, mayAddFactor = false } = {},
): Promise<Caller> {
  const token = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token && equalSecrets(token, context.operatorToken)) return { kind: 'operator' };
  const session = token ? await memberOfConsole(context, request) : await sessionOf(context, request);
  const rights = session ? await context.registry.team.rightsOf(session.userId) : null;
  if (!session || !rights) throw new NinefoldError('operator_required');
  if (!mayLackFactor && lacksFactor(session, rights)) throw new NinefoldError('second_factor_needed');
  if (!mayAddFactor && mustAddFactor(rights)) throw new NinefoldError('second_factor_required');
  return { kind: 'builder', userId: session.userId, sessionId: session.id, ...rights };
}

/** Returns true if a builder has a second factor and the session has not shown it. */
export const lacksFactor = ({ aal }: BuilderSession, { hasSecondFactor }: BuilderRights): boolean =>
  hasSecondFactor && aal < 'aal2';

/** Returns true if the node requires a second factor and the builder has none. */
export const mustAddFactor = ({ hasSecondFactor, secondFactorFrom }: BuilderRights): boolean =>
  !hasSecondFactor && secondFactorFrom !== null && Date.parse(secondFactorFrom) <= Date.now();

async function memberOfConsole(context: AdminContext, request: CallRequest): Promise<BuilderSession | null> {
  const app = await openApp(context, CONSOLE_REF);
  const { role, userId, sessionId, claims } = await context.identify(app, request).catch(asSignedOut);
  const aal = typeof claims.aal === 'string' ? claims.aal : 'aal1';
  return role === 'authenticated' && userId !== null ? { userId, id: sessionId ?? '', aal } : null;
}

/** Returns the builder or operator who acts as a member, and the session with which the acting token ends. */
export const actorOf = (caller: Caller): { actor: string; actorSession: string } =>
  caller.kind === 'operator'
    ? { actor: 'operator', actorSession: '' }
    : { actor: caller.userId, actorSession: caller.sessionId };

/**
 * Returns the session of the builder whose cookie is in the request; null without a cookie.
 * @throws the errors of `callerOf`
 */
export async function sessionOf(context: AdminContext, request: CallRequest): Promise<BuilderSession | null> {
  const token = readBuilderToken(context.origins, request);
  if (token === null) return null;
  const app = await openApp(context, CONSOLE_REF);
  return context.builders.resolve(app, token).catch(asSignedOut);
}

/** Converts the error of a refused token to `operator_required`. */
function asSignedOut(error: unknown): never {
  if (error instanceof NinefoldError && error.status < 500) {
    throw new NinefoldError('operator_required', { details: { reason: error.code }, cause: error });
  }
  throw error;
}

/**
 * Checks that the caller may work on an app with at least the role `min`.
 * @throws `app_unknown` for the console itself; `builder_forbidden` if the builder has no role on the app;
 * `role_insufficient` if the role is lower than `min`
 */
export function requireApp(caller: Caller, ref: string, min: AppRole): void {
  if (ref === CONSOLE_REF) throw new NinefoldError('app_unknown');
  if (caller.kind === 'operator') return;
  const role = caller.apps.get(ref);
  if (role === undefined) throw new NinefoldError('builder_forbidden');
  if (appRoles.indexOf(role) > appRoles.indexOf(min)) {
    throw new NinefoldError('role_insufficient', { details: { role, needed: min } });
  }
}

/**
 * Checks that the caller may run SQL in an app. On a server that does not hide the apps from each other, the right to create apps
 * is needed, which means that the builder belongs to the team of the node.
 * @throws `server_for_one_team`
 */
export function requireTeam({ server }: Pick<AdminContext, 'server'>, caller: Caller): void {
  if (!server.missingRights.includes('catalog') || caller.kind === 'operator') return;
  if (!caller.ownsNode && !caller.createsApps) throw new NinefoldError('server_for_one_team');
}

/**
 * Returns the identity of a call through the builder proxy. Without the header `x-ninefold-as`, the identity is the
 * service role. The header can name another caller: `anon`, the id of a member, or a token of `actAsMember`.
 * @throws what the hook of the app throws; `acting_ended`; `acting_required` for an id with a call that would keep a
 * change
 */
export async function authoriseBuilderProxy(
  context: AdminContext,
  request: CallRequest,
  { ref, area }: { readonly ref: string; readonly area: string | null },
): Promise<Identity> {
  const caller = await callerOf(context, request);
  // The caller must be a developer, because the service role can read every row and change every member.
  requireApp(caller, ref, 'developer');
  const header = request.headers['x-ninefold-as'];
  const acting =
    header !== undefined && isActingToken(header) ? await actingMember(context, caller, ref, header) : null;
  const as = acting ?? namedCaller(header);
  if (as === null) return serviceRole;
  if (acting === null && as !== 'anon' && keepsChanges(request, area)) throw new NinefoldError('acting_required');
  const app = await openApp(context, ref);
  const more = acting === null ? {} : { act: { sub: actorOf(caller).actor }, exp: acting.expires };
  return identityAs(context, request, app, as, more);
}

/**
 * Returns the identity of a builder's call with the rights of another caller.
 * @param more Further claims.
 * @throws the errors of `impersonatedIdentity`
 */
export async function identityAs(
  context: AdminContext,
  request: CallRequest,
  app: App,
  as: ImpersonatedCaller,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Identity> {
  const { rest } = await app.settings();
  const claimsOf: ClaimsOf = (user) => context.claimsOf(app, request, user);
  const rules = roleRules(app.record, rest);
  return { ...(await impersonatedIdentity(app.database, rules, as, claimsOf, more)), source: 'builder' };
}

/**
 * Returns the identity of a channel that a builder joins. A browser cannot add headers to a WebSocket, so the join has
 * the value of `x-ninefold-as`. It stands in no URL, because URLs are logged.
 * @param as `anon` or a token of `actAsMember`; null for the service role.
 * @throws the errors of `authoriseBuilderProxy`; `acting_required` for the id of a member, because the channel can send
 */
export function authoriseBuilderChannel(
  context: AdminContext,
  request: CallRequest,
  ref: string,
  as: string | null,
): Promise<Identity> {
  if (as === null) return authoriseBuilderProxy(context, request, { ref, area: 'realtime' });
  if (as !== 'anon' && !isActingToken(as)) return Promise.reject(new NinefoldError('acting_required'));
  const joining = { ...request, headers: { ...request.headers, 'x-ninefold-as': as } };
  return authoriseBuilderProxy(context, joining, { ref, area: 'realtime' });
}

async function actingMember(
  context: AdminContext,
  caller: Caller,
  ref: string,
  token: string,
): Promise<{ userId: string; expires: number }> {
  const { record } = await openApp(context, CONSOLE_REF);
  const nowSeconds = Math.floor(Date.now() / 1000);
  return requireActing(record, token, { ref, ...actorOf(caller) }, nowSeconds);
}

/**
 * Returns true if the call may change data permanently: it does not only read, and does not request a rollback of its
 * changes. Only the data API takes such a request. An edge function may change data with any method.
 */
function keepsChanges({ method, headers }: CallRequest, area: string | null): boolean {
  if (area === 'functions') return true;
  const isTried = area === 'rest' && /(?:^|,)\s*(?:tx=rollback|explain=access)\s*(?:,|$)/.test(headers.prefer ?? '');
  return method !== 'GET' && method !== 'HEAD' && (!isTried || /tx=commit/.test(headers.prefer ?? ''));
}
