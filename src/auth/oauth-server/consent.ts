import { z } from 'zod';
import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import {
  type Authorization,
  decideAuthorization,
  declineSilentAuthorization,
  lookAtAuthorization,
  releaseAuthorization,
} from '../../accounts/oauth/authorizations.ts';
import { listOAuthGrants, revokeOAuthGrant } from '../../accounts/oauth/grants.ts';
import { required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { text } from '../body.ts';
import { authCall, SOME_ID } from '../call.ts';
import type { Member } from '../callers.ts';
import type { AuthContext } from '../context.ts';
import { allowedRedirect } from '../links/redirects.ts';
import { json, noContent } from '../reply.ts';
import { hasSecondFactor, requireSession } from '../sessions/assurance.ts';
import { answerTo } from './authorize.ts';

/**
 * Assigns the request to the calling member. If the member allowed it before, or the request has the prompt none, the
 * response leads back to the application. `needs_sign_in` means that the member must sign in again before an approval.
 */
export const showAuthorization = authCall({
  id: 'auth.oauth.authorization',
  route: 'GET /oauth/authorizations/{authorization_id}',
  caller: 'member',
  needs: { oauth_server_enabled: true },
  errors: ['insufficient_aal', 'oauth_authorization_not_found'],
  summary: 'What an application asks the member for; where the member allowed it before, the way back.',
  returns: 'authorization_id, client, user, scope, redirect_uri, or redirect_url',
  supabaseJs: 'supabase.auth.oauth.getAuthorizationDetails(authorizationId)',
  handle: async (context, request, { member, path }) => {
    const { user, sessionId } = await requireDecider(context, request, member);
    const looked = await lookAtAuthorization(context.database, path.authorization_id, { userId: user.id, sessionId });
    const authorization = found(looked, 'authorization request cannot be processed');
    const { verdict, redirectUri, scope, prompt, client } = authorization;
    if (verdict !== 'waits' && verdict !== 'sign-in') return json(answerOf(context, authorization));
    return json({
      authorization_id: path.authorization_id,
      redirect_uri: redirectUri,
      client: Object.fromEntries(Object.entries(client).filter(([, value]) => value !== null)),
      user: { id: user.id, email: user.email },
      scope,
      ...(prompt !== '' && { prompt }),
      ...(verdict === 'sign-in' && { needs_sign_in: true }),
    });
  },
});

const schema = z.object({
  action: text(limits.authFieldCharacters.default).meta(
    required('The decision, or the release for another account.', 'approve, deny or switch_account'),
  ),
});

/** `switch_account` releases the request, so that the member can sign in with another account and decide there. */
export const decideConsent = authCall({
  id: 'auth.oauth.consent',
  route: 'POST /oauth/authorizations/{authorization_id}/consent',
  caller: 'member',
  needs: { oauth_server_enabled: true },
  body: schema,
  errors: ['insufficient_aal', 'oauth_authorization_not_found', 'oauth_sign_in_too_old'],
  summary: 'The member allows or denies what an application asks for.',
  returns: 'redirect_url',
  example: { action: 'approve' },
  supabaseJs: 'supabase.auth.oauth.approveAuthorization(authorizationId)',
  handle: async (context, request, { member, path, readBody }) => {
    const { user, sessionId } = await requireDecider(context, request, member);
    const { action } = readBody();
    if (action === 'switch_account') {
      const isReleased = await releaseAuthorization(context.database, path.authorization_id, user.id);
      if (!isReleased) throw new NinefoldError('oauth_authorization_not_found');
      return noContent;
    }
    if (action !== 'approve' && action !== 'deny') {
      throw new NinefoldError('validation_failed', { message: "action must be 'approve', 'deny' or 'switch_account'" });
    }
    const decision = action === 'approve' ? 'approved' : 'denied';
    const decided = await decideAuthorization(
      context.database,
      path.authorization_id,
      { userId: user.id, sessionId },
      decision,
    );
    const authorization = found(decided, 'authorization request is no longer pending');
    if (authorization.verdict === 'sign-in') throw new NinefoldError('oauth_sign_in_too_old');
    return json(answerOf(context, authorization));
  },
});

/** The page for members calls it. The caller needs no session and can only end the request with login_required. */
export const declineAuthorization = authCall({
  id: 'auth.oauth.decline',
  route: 'POST /oauth/authorizations/{authorization_id}/decline',
  caller: 'anyone',
  needs: { oauth_server_enabled: true },
  errors: ['oauth_authorization_not_found'],
  summary: 'Ends a request with prompt=none with login_required: no member is signed in.',
  returns: 'redirect_url',
  handle: async (context, _request, { path }) => {
    const declined = await declineSilentAuthorization(context.database, path.authorization_id);
    if (declined === null) throw new NinefoldError('oauth_authorization_not_found');
    return json(answerOf(context, { ...declined, verdict: 'login_required' }));
  },
});

export const listGrants = authCall({
  id: 'auth.oauth.grants',
  route: 'GET /user/oauth/grants',
  caller: 'member',
  needs: { oauth_server_enabled: true },
  errors: [],
  summary: 'What the member allows applications.',
  returns: 'a list of client, scopes, granted_at',
  supabaseJs: 'supabase.auth.oauth.listGrants()',
  handle: async (context, _request, { member }) => {
    const { userId } = member;
    return json(await listOAuthGrants(context.database, userId));
  },
});

export const revokeGrant = authCall({
  id: 'auth.oauth.revoke',
  route: 'DELETE /user/oauth/grants',
  caller: 'member',
  needs: { oauth_server_enabled: true },
  errors: ['oauth_consent_not_found'],
  summary: 'Takes back what the member allowed an application, and ends its sessions.',
  query: { client_id: required('The application.', 'uuid') },
  returns: '204, no body',
  supabaseJs: `supabase.auth.oauth.revokeGrant({ clientId: '${SOME_ID}' })`,
  handle: async (context, request, { member }) => {
    const { userId } = member;
    const clientId = new URLSearchParams(request.query).get('client_id') ?? '';
    if (!UUID.test(clientId)) {
      throw new NinefoldError('validation_failed', { message: 'client_id query parameter must be a UUID' });
    }
    if (!(await revokeOAuthGrant(context.database, userId, clientId)))
      throw new NinefoldError('oauth_consent_not_found');
    return noContent;
  },
});

/**
 * Returns the member who decides. The session needs a second factor if the account has one, because the application
 * trusts this sign-in. The header Origin must be an origin where the app's members sign in, so that no page of another
 * site can decide.
 */
async function requireDecider(context: AuthContext, request: CallRequest, member: Member) {
  const { origin } = request.headers;
  if (origin && allowedRedirect(context, origin) === null) {
    throw new NinefoldError('validation_failed', { message: 'unauthorized request origin' });
  }
  const session = await requireSession(context, member, { mayBeAnonymous: true });
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
