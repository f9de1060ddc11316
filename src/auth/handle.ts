import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { statusOfSqlstate } from '../../contract/errors/sqlstate-status.ts';
import { DatabaseError } from '../database/database-error.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { requireKnownKey } from '../identity/resolve.ts';
import { deleteOwnAccount } from './account/delete-own-account.ts';
import { getUser } from './account/get-user.ts';
import { linkIdentityCall, unlinkIdentityCall } from './account/identities.ts';
import { reauthenticate } from './account/reauthenticate.ts';
import { updateUserCall } from './account/update-user.ts';
import { adminAudit } from './admin/audit.ts';
import {
  addCustomProviderCall,
  changeCustomProviderCall,
  deleteCustomProviderCall,
  getCustomProviderCall,
  listCustomProvidersCall,
} from './admin/custom-providers.ts';
import { adminDeleteFactor, adminListFactors, adminUpdateFactor } from './admin/factors.ts';
import { adminCreateUser, adminDeleteUser, adminGetUser, adminListUsers, adminUpdateUser } from './admin/users.ts';
import { requireAdmin } from './callers.ts';
import { type AuthContext, timeOf } from './context.ts';
import { generateLink } from './links/generate-link.ts';
import { invite } from './links/invite.ts';
import { magicLink, otp } from './links/otp.ts';
import { recover } from './links/recover.ts';
import { requireMemberPages } from './links/redirects.ts';
import { resend } from './links/resend.ts';
import { showLink, verify } from './links/verify.ts';
import { authorizeApplication } from './oauth-server/authorize.ts';
import {
  addOAuthClientCall,
  changeOAuthClientCall,
  deleteOAuthClientCall,
  getOAuthClientCall,
  listOAuthClientsCall,
  registerOAuthClient,
  renewOAuthClientSecret,
} from './oauth-server/clients.ts';
import {
  decideConsent,
  declineAuthorization,
  listGrants,
  revokeGrant,
  showAuthorization,
} from './oauth-server/consent.ts';
import { introspectToken, revokeToken } from './oauth-server/issued-tokens.ts';
import { openIdConfiguration } from './oauth-server/openid-configuration.ts';
import { applicationToken } from './oauth-server/token.ts';
import { userInfo } from './oauth-server/userinfo.ts';
import { authorize } from './providers/authorize.ts';
import { callback } from './providers/callback.ts';
import { confirmLinking, showLinking } from './providers/confirm-linking.ts';
import { health, jwks, signInWithSso } from './public-routes.ts';
import { challengeFactor } from './second-factors/challenge-factor.ts';
import { enrollFactor } from './second-factors/enroll-factor.ts';
import {
  adminDeletePasskey,
  adminListPasskeys,
  removePasskey,
  showPasskeys,
  updatePasskey,
} from './second-factors/passkeys.ts';
import {
  generateRecoveryCodes,
  regenerateRecoveryCodes,
  removeRecoveryCodes,
  showRecoveryCodes,
  verifyRecoveryCode,
} from './second-factors/recovery-codes.ts';
import { passkeyRegistrationOptions, verifyPasskeyRegistration } from './second-factors/register-passkey.ts';
import { passkeyAuthenticationOptions, signInWithPasskey } from './second-factors/sign-in-with-passkey.ts';
import { unenrollFactor } from './second-factors/unenroll-factor.ts';
import { verifyFactor } from './second-factors/verify-factor.ts';
import { logOut } from './sessions/log-out.ts';
import { continueElsewhere } from './sessions/open-further-session.ts';
import {
  adminEndSession,
  adminListSessions,
  adminLogOutUser,
  endOwnSession,
  listOwnSessions,
} from './sessions/sessions.ts';
import { showSettings } from './sign-in/settings.ts';
import { signUpCall } from './sign-in/sign-up.ts';
import { token } from './sign-in/token.ts';

export { authErrorReply } from './error-reply.ts';

/** Handles one call. `segments` are the values of the names in braces of the path, in order and percent-encoded. */
type Call = (context: AuthContext, request: CallRequest, ...segments: string[]) => Reply | Promise<Reply>;

type Methods = Readonly<Record<string, Call>>;

/** Returns a call that every caller may use. It needs no identity, but a key in the request must belong to this app. */
const open =
  (call: Call): Call =>
  (context, request, ...segments) => {
    requireKnownKey(context, request.headers, timeOf(context));
    return call(context, request, ...segments);
  };

/** The handlers of the calls, by path below /auth/v1 and by method. */
export const authRoutes: Readonly<Record<string, Methods>> = {
  '/health': { GET: open(health) },
  '/settings': { GET: open(showSettings) },
  '/.well-known/jwks.json': { GET: open(jwks) },
  '/signup': { POST: open(signUpCall) },
  '/token': { POST: open(token) },
  '/logout': { POST: logOut },
  '/user': { GET: getUser, PUT: updateUserCall, DELETE: deleteOwnAccount },
  '/admin/users': { GET: adminListUsers, POST: adminCreateUser },
  '/admin/users/{user_id}': { GET: adminGetUser, PUT: adminUpdateUser, DELETE: adminDeleteUser },

  '/sessions': { GET: listOwnSessions, POST: continueElsewhere },
  '/sessions/{session_id}': { DELETE: endOwnSession },
  '/admin/users/{user_id}/sessions': { GET: adminListSessions, DELETE: adminLogOutUser },
  '/admin/users/{user_id}/sessions/{session_id}': { DELETE: adminEndSession },
  '/admin/users/{user_id}/logout': { POST: adminLogOutUser },

  '/authorize': { GET: authorize },
  '/callback': { GET: callback, POST: callback },
  '/sso': { POST: open(signInWithSso) },
  '/user/identities/authorize': { GET: linkIdentityCall },
  '/user/identities/confirm': { GET: showLinking, POST: confirmLinking },
  '/user/identities/{identity_id}': { DELETE: unlinkIdentityCall },
  '/admin/custom-providers': { GET: listCustomProvidersCall, POST: addCustomProviderCall },
  '/admin/custom-providers/{identifier}': {
    GET: getCustomProviderCall,
    PUT: changeCustomProviderCall,
    DELETE: deleteCustomProviderCall,
  },

  '/otp': { POST: open(otp) },
  '/magiclink': { POST: open(magicLink) },
  '/recover': { POST: open(recover) },
  '/resend': { POST: open(resend) },
  '/verify': { GET: open(showLink), POST: open(verify) },
  '/reauthenticate': { GET: reauthenticate },
  '/invite': { POST: invite },
  '/admin/generate_link': { POST: generateLink },

  '/factors': { POST: enrollFactor },
  '/factors/recovery-codes': { GET: showRecoveryCodes, POST: generateRecoveryCodes, DELETE: removeRecoveryCodes },
  '/factors/recovery-codes/regenerate': { POST: regenerateRecoveryCodes },
  '/factors/recovery-codes/verify': { POST: verifyRecoveryCode },
  '/factors/{factor_id}': { DELETE: unenrollFactor },
  '/factors/{factor_id}/challenge': { POST: challengeFactor },
  '/factors/{factor_id}/verify': { POST: verifyFactor },
  '/passkeys': { GET: showPasskeys },
  '/passkeys/registration/options': { POST: passkeyRegistrationOptions },
  '/passkeys/registration/verify': { POST: verifyPasskeyRegistration },
  '/passkeys/authentication/options': { POST: open(passkeyAuthenticationOptions) },
  '/passkeys/authentication/verify': { POST: open(signInWithPasskey) },
  '/passkeys/{passkey_id}': { PATCH: updatePasskey, DELETE: removePasskey },
  '/admin/users/{user_id}/passkeys': { GET: adminListPasskeys },
  '/admin/users/{user_id}/passkeys/{passkey_id}': { DELETE: adminDeletePasskey },
  '/admin/users/{user_id}/factors': { GET: adminListFactors },
  '/admin/users/{user_id}/factors/{factor_id}': { PUT: adminUpdateFactor, DELETE: adminDeleteFactor },

  '/.well-known/openid-configuration': { GET: open(openIdConfiguration) },
  '/.well-known/oauth-authorization-server': { GET: open(openIdConfiguration) },
  '/oauth/authorize': { GET: open(authorizeApplication), POST: open(authorizeApplication) },
  '/oauth/authorizations/{authorization_id}': { GET: showAuthorization },
  '/oauth/authorizations/{authorization_id}/consent': { POST: decideConsent },
  '/oauth/authorizations/{authorization_id}/decline': { POST: open(declineAuthorization) },
  '/oauth/token': { POST: open(applicationToken) },
  '/oauth/introspect': { POST: open(introspectToken) },
  '/oauth/revoke': { POST: open(revokeToken) },
  '/oauth/userinfo': { GET: userInfo, POST: userInfo },
  '/oauth/clients/register': { POST: open(registerOAuthClient) },
  '/user/oauth/grants': { GET: listGrants, DELETE: revokeGrant },
  '/admin/oauth/clients': { GET: listOAuthClientsCall, POST: addOAuthClientCall },
  '/admin/oauth/clients/{client_id}': {
    GET: getOAuthClientCall,
    PUT: changeOAuthClientCall,
    DELETE: deleteOAuthClientCall,
  },
  '/admin/oauth/clients/{client_id}/regenerate_secret': { POST: renewOAuthClientSecret },
  '/admin/audit': { GET: adminAudit },
};

/** The routes with names in braces, each with a pattern of its path. */
const patterns: readonly (readonly [RegExp, Methods])[] = Object.entries(authRoutes)
  .filter(([path]) => path.includes('{'))
  .map(([path, methods]) => [new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`), methods]);

/** Returns the methods of a path and the values of its parameters; null for an unknown path. */
function routeOf(path: string): readonly [Methods, readonly string[]] | null {
  const methods = Object.hasOwn(authRoutes, path) ? authRoutes[path] : undefined;
  if (methods !== undefined) return [methods, []];
  for (const [pattern, matched] of patterns) {
    const match = pattern.exec(path);
    if (match) return [matched, match.slice(1)];
  }
  return null;
}

/**
 * The calls that issue or open links in mails, or that lead a browser to a page of the app. The console has no such
 * pages: below its path on the node's origin, a link would sign a builder in without the pages of the console.
 */
const LEADING: ReadonlySet<string> = new Set([
  ...['/otp', '/magiclink', '/recover', '/resend', '/invite', '/admin/generate_link', '/verify', '/reauthenticate'],
  ...['/authorize', '/callback', '/sso', '/user/identities/authorize', '/user/identities/confirm', '/oauth/authorize'],
]);

/** Matches the paths that need the secret key. */
const FOR_ADMIN = /^\/(?:admin\/|invite$)/;

/**
 * Handles a call of `/auth/v1` as GoTrue does.
 * @throws errors that `authErrorReply` renders, and errors of the database that are not about the call
 */
export async function handleAuth(context: AuthContext, request: CallRequest): Promise<Reply> {
  const path = request.path.replace(/(?<=.)\/$/, '');
  const route = routeOf(path);
  if (route === null) throw new NinefoldError('not_found');
  const [methods, segments] = route;
  const call = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
  if (call === undefined) {
    throw new NinefoldError('method_not_allowed', { headers: { allow: Object.keys(methods).join(', ') } });
  }
  const isLeading = LEADING.has(path) || (path === '/sessions' && request.method === 'POST');
  if (isLeading) requireMemberPages(context);
  try {
    if (FOR_ADMIN.test(path)) await requireAdmin(context, request);
    return await call(context, request, ...segments);
  } catch (error) {
    const refusal = refusedByApp(error);
    if (refusal === null) throw error;
    context.events.emit({ type: 'fault', requestId: request.requestId, where: 'auth', error });
    throw refusal;
  }
}

/**
 * SQLSTATEs of faults of the server itself, and not of the SQL that it ran: connections, resources, a shutdown, its
 * disk.
 */
const ofServer = /^(08|53|57P|58)/;

/**
 * Matches SQLSTATEs of a read-only transaction. A trigger of the app can make the transaction of the server's next
 * statement read-only, so such an error may come from the app.
 */
const leftBehind = /^25/;

/** SQLSTATE query_canceled: the statement ran for longer than the limit authStatementMilliseconds. */
const CANCELED = '57014';

/**
 * Returns the error of a trigger or constraint of the app against a change of an account. The client receives the
 * message of RAISE and the HTTP status of `PTxyz` (PostgREST, "RAISE errors with HTTP status codes"). For a violated
 * constraint, the client receives only the name of the constraint. For any other failure, it receives only the
 * SQLSTATE, because PostgreSQL's message could contain data of the app.
 */
function refusedByApp(error: unknown): NinefoldError | null {
  if (!(error instanceof DatabaseError)) return null;
  const { sqlstate, fields } = error;
  if (sqlstate === 'P0001') return new NinefoldError('database_refused', { message: fields.message, cause: error });
  const status = /^PT([45]\d\d)$/.exec(sqlstate)?.[1];
  if (status) {
    return new NinefoldError('database_refused', { message: fields.message, status: Number(status), cause: error });
  }
  if (!sqlstate.startsWith('23') && !sqlstate.startsWith('22')) return failedInApp(error);
  const rule = fields.constraint ? `: ${fields.constraint}` : '.';
  return new NinefoldError('database_refused', {
    message: `A rule of this app refused the change${rule}`,
    cause: error,
  });
}

/**
 * Returns the error if it was raised inside a function. Ninefold's own statements run no functions that fail, so this
 * function belongs to the app.
 */
function failedInApp(error: DatabaseError): NinefoldError | null {
  const { sqlstate, fields } = error;
  const where = fields.where?.split('\n')[0];
  if (where?.endsWith(' at RAISE')) {
    const status = statusOfSqlstate(sqlstate);
    return new NinefoldError('database_refused', { message: fields.message, status, cause: error });
  }
  if (sqlstate === CANCELED) {
    return new NinefoldError('database_refused', {
      status: 504,
      message: 'The app’s database took too long for this, so nothing was changed: a trigger of the app, or a lock.',
      limit: 'authStatementMilliseconds',
      cause: error,
    });
  }
  if ((where === undefined && !leftBehind.test(sqlstate)) || ofServer.test(sqlstate)) return null;
  return new NinefoldError('database_refused', {
    status: 500,
    message: `A trigger of this app failed for a reason of its own (${sqlstate}), so nothing was changed; the server’s log contains the reason under the request id.`,
    cause: error,
  });
}
