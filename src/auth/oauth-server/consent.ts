import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import {
  type Authorization,
  decideAuthorization,
  declineSilentAuthorization,
  lookAtAuthorization,
  releaseAuthorization,
} from '../../accounts/oauth/authorizations.ts';
import { listOAuthGrants, revokeOAuthGrant } from '../../accounts/oauth/grants.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { readBody, text } from '../body.ts';
import { requireMember } from '../callers.ts';
import type { AuthContext } from '../context.ts';
import { allowedRedirect } from '../links/redirects.ts';
import { json, noContent } from '../reply.ts';
import { hasSecondFactor, requireSession } from '../sessions/assurance.ts';
import { answerTo } from './authorize.ts';
import { requireOAuthServer } from './oauth-server.ts';

/**
 * Handles GET /oauth/authorizations/{authorization_id}: returns what an application requests from the calling member,
 * and assigns the request to this member. If the member allowed it before, or the request has the prompt none, the
 * response leads back to the application. `needs_sign_in` means that the member must sign in again before an approval.
 */
export async function showAuthorization(context: AuthContext, request: CallRequest, segment = ''): Promise<Reply> {
  const { user, sessionId } = await requireDecider(context, request);
  const looked = await lookAtAuthorization(context.database, segment, { userId: user.id, sessionId });
  const authorization = found(looked, 'authorization request cannot be processed');
  const { verdict, redirectUri, scope, prompt, client } = authorization;
  if (verdict !== 'waits' && verdict !== 'sign-in') return json(answerOf(context, authorization));
  return json({
    authorization_id: segment,
    redirect_uri: redirectUri,
    client: Object.fromEntries(Object.entries(client).filter(([, value]) => value !== null)),
    user: { id: user.id, email: user.email },
    scope,
    ...(prompt !== '' && { prompt }),
    ...(verdict === 'sign-in' && { needs_sign_in: true }),
  });
}

const schema = z.object({ action: text(limits.authFieldCharacters.default) });

/**
 * Handles POST /oauth/authorizations/{authorization_id}/consent: the member allows or denies the request of an
 * application. `switch_account` releases the request, so that the member can sign in with another account and decide
 * there.
 */
export async function decideConsent(context: AuthContext, request: CallRequest, segment = ''): Promise<Reply> {
  const { user, sessionId } = await requireDecider(context, request);
  const { action } = readBody(request, schema);
  if (action === 'switch_account') {
    const isReleased = await releaseAuthorization(context.database, segment, user.id);
    if (!isReleased) throw new NinefoldError('oauth_authorization_not_found');
    return noContent;
  }
  if (action !== 'approve' && action !== 'deny') {
    throw new NinefoldError('validation_failed', { message: "action must be 'approve', 'deny' or 'switch_account'" });
  }
  const decision = action === 'approve' ? 'approved' : 'denied';
  const decided = await decideAuthorization(context.database, segment, { userId: user.id, sessionId }, decision);
  const authorization = found(decided, 'authorization request is no longer pending');
  if (authorization.verdict === 'sign-in') throw new NinefoldError('oauth_sign_in_too_old');
  return json(answerOf(context, authorization));
}

/**
 * Handles POST /oauth/authorizations/{authorization_id}/decline: the page for members ends a request with the prompt
 * `none` while no member is signed in. The caller needs no session and can only end the request with login_required.
 */
export async function declineAuthorization(context: AuthContext, _request: CallRequest, segment = ''): Promise<Reply> {
  requireOAuthServer(context);
  const declined = await declineSilentAuthorization(context.database, segment);
  if (declined === null) throw new NinefoldError('oauth_authorization_not_found');
  return json(answerOf(context, { ...declined, verdict: 'login_required' }));
}

/** Handles GET /user/oauth/grants: returns the grants of the calling member to applications. */
export async function listGrants(context: AuthContext, request: CallRequest): Promise<Reply> {
  requireOAuthServer(context);
  const { userId } = await requireMember(context, request);
  return json(await listOAuthGrants(context.database, userId));
}

/**
 * Handles DELETE /user/oauth/grants?client_id=: revokes the member's grant to an application and ends the application's
 * sessions.
 */
export async function revokeGrant(context: AuthContext, request: CallRequest): Promise<Reply> {
  requireOAuthServer(context);
  const { userId } = await requireMember(context, request);
  const clientId = new URLSearchParams(request.query).get('client_id') ?? '';
  if (!UUID.test(clientId)) {
    throw new NinefoldError('validation_failed', { message: 'client_id query parameter must be a UUID' });
  }
  if (!(await revokeOAuthGrant(context.database, userId, clientId))) throw new NinefoldError('oauth_consent_not_found');
  return noContent;
}

/**
 * Returns the member who decides. The session needs a second factor if the account has one, because the application
 * trusts this sign-in. The header Origin must be an origin where the app's members sign in, so that no page of another
 * site can decide.
 */
async function requireDecider(context: AuthContext, request: CallRequest) {
  requireOAuthServer(context);
  const { origin } = request.headers;
  if (origin && allowedRedirect(context, origin) === null) {
    throw new NinefoldError('validation_failed', { message: 'unauthorized request origin' });
  }
  const session = await requireSession(context, request, { mayBeAnonymous: true });
  if (session.user.is_anonymous)
    throw new NinefoldError('validation_failed', { message: 'An anonymous account cannot consent' });
  if (hasSecondFactor(session.user) && !session.isWhole) throw new NinefoldError('insufficient_aal');
  return session;
}

function found(authorization: Authorization | null, settled: string): Authorization {
  if (authorization === null) throw new NinefoldError('oauth_authorization_not_found');
  if (authorization.verdict === 'settled') throw new NinefoldError('validation_failed', { message: settled });
  return authorization;
}

/**
 * The errors of requests that are not approved (RFC 6749, section 4.1.2.1; OpenID Connect Core 1.0, section 3.1.2.6).
 */
const refusals: Readonly<Partial<Record<Authorization['verdict'], readonly [error: string, description: string]>>> = {
  denied: ['access_denied', 'User denied the request'],
  login_required: ['login_required', 'The member must sign in'],
  consent_required: ['consent_required', 'The member must consent'],
};

/** Returns the address that leads back to the application with the code or the refusal (RFC 6749, section 4.1.2). */
function answerOf(
  context: AuthContext,
  { verdict, redirectUri, state, code }: Pick<Authorization, 'verdict' | 'redirectUri' | 'state' | 'code'>,
): { redirect_url: string } {
  const [error, error_description] = refusals[verdict] ?? [];
  return { redirect_url: answerTo(context, redirectUri, { code, error, error_description, state }) };
}
