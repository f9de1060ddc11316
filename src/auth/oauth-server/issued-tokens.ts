import type { CallRequest } from '../../../contract/call-request.ts';
import type { OAuthClient } from '../../accounts/oauth/clients.ts';
import {
  type ApplicationSession,
  findApplicationSession,
  type SessionKey,
} from '../../accounts/sessions/application-sessions.ts';
import { revokeSession } from '../../accounts/sessions/sessions.ts';
import { required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { type Claims, verifyJwt } from '../../identity/verify-jwt.ts';
import { authCall } from '../call.ts';
import { type AuthContext, timeOf } from '../context.ts';
import { json } from '../reply.ts';
import { isRefreshToken } from '../sign-in/token.ts';
import { requireClient } from './client-authentication.ts';
import { readFields } from './oauth-server.ts';

/** A token that an application sends, with its session. An access token also has its claims. */
interface IssuedToken {
  readonly session: ApplicationSession;
  readonly claims: Claims | null;
}

/**
 * Only confidential applications may call. All tokens of others are reported as inactive, so that the call reveals
 * nothing about other applications and the app's own sessions.
 */
export const introspectToken = authCall({
  id: 'auth.oauth.introspect',
  route: 'POST /oauth/introspect',
  caller: 'anyone',
  needs: { oauth_server_enabled: true },
  errors: ['oauth_invalid_client', 'oauth_invalid_request'],
  summary: 'Tells an application whether one of its tokens is valid (RFC 7662).',
  form: { token: required('An access token or a refresh token of the application.') },
  returns: 'active, and of a valid token client_id, scope, sub, token_type and exp',
  handle: async (context, request) => {
    const { client, token } = await readCall(context, request);
    // A public client may not use this call, because every program can use the id of a public client (RFC 7662, section
    // 2.1).
    if (client.client_type === 'public') throw new NinefoldError('oauth_invalid_client');
    const issued = await findIssued(context, client, token);
    if (issued === null) return json({ active: false });
    const { session, claims } = issued;
    return json({
      active: true,
      client_id: client.id,
      sub: session.userId,
      scope: typeof claims?.scope === 'string' ? claims.scope : session.scope,
      token_type: claims === null ? 'refresh_token' : 'Bearer',
      ...(claims !== null && { iss: claims.iss, aud: claims.aud, exp: claims.exp, iat: claims.iat }),
    });
  },
});

/**
 * The response is the same for an invalid token and for a token of another application, but then nothing is ended.
 */
export const revokeToken = authCall({
  id: 'auth.oauth.revoke_token',
  route: 'POST /oauth/revoke',
  caller: 'anyone',
  needs: { oauth_server_enabled: true },
  errors: ['oauth_invalid_client', 'oauth_invalid_request'],
  summary: 'An application ends one of its sessions by an access token or a refresh token (RFC 7009).',
  form: { token: required('A token of the session.') },
  returns: '200, no body',
  handle: async (context, request) => {
    const { client, token } = await readCall(context, request);
    const issued = await findIssued(context, client, token, { takesUsed: true });
    if (issued !== null) {
      const { id, userId } = issued.session;
      const { address } = request;
      await revokeSession(context.database, id, userId, { action: 'logout', caller: { address } });
      context.events.emit({ type: 'auth', what: 'signed-out', app: context.app.ref, userId, address });
    }
    return { status: 200, headers: { 'cache-control': 'no-store' }, body: null };
  },
});

async function readCall(context: AuthContext, request: CallRequest): Promise<{ client: OAuthClient; token: string }> {
  const fields = readFields(request);
  const client = await requireClient(context, request, fields);
  const token = fields.get('token');
  if (!token) throw new NinefoldError('oauth_invalid_request', { message: 'token is required' });
  return { client, token };
}

/** Returns a valid token of an application with its session; null for any other text. */
async function findIssued(
  context: AuthContext,
  client: OAuthClient,
  token: string,
  options: { takesUsed?: boolean } = {},
): Promise<IssuedToken | null> {
  const { app, database, settings } = context;
  const find = (key: SessionKey) => findApplicationSession(database, key, client.id, settings, options);
  if (isRefreshToken(token)) {
    const session = await find({ refreshToken: token });
    return session && { session, claims: null };
  }
  const claims = verifiedClaims(app, token, Math.floor(timeOf(context) / 1000));
  const { session_id: sessionId, sub, client_id: clientId } = claims ?? {};
  if (claims === null || clientId !== client.id || typeof sessionId !== 'string' || !UUID.test(sessionId)) return null;
  const session = await find({ sessionId });
  return session !== null && session.userId === sub ? { session, claims } : null;
}

/** Returns the claims of an access token of the app; null for any other text and for an expired token. */
function verifiedClaims(app: AuthContext['app'], token: string, nowSeconds: number): Claims | null {
  try {
    const claims = verifyJwt(token, app, { nowSeconds });
    return Number(claims.exp) > nowSeconds ? claims : null;
  } catch (error) {
    if (error instanceof NinefoldError) return null;
    throw error;
  }
}
