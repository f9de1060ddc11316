import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import type { ProviderTokens } from '../../accounts/providers/flow-states.ts';
import { type Grant, revokeSession } from '../../accounts/sessions/sessions.ts';
import { signToken } from '../../apps/keys/sign-jwt.ts';
import { type AccessTokenClaims, accessTokenClaims } from '../../identity/access-token.ts';
import { type AuthContext, timeOf } from '../context.ts';
import { customClaims } from '../hooks/access-token-hook.ts';
import { json } from '../reply.ts';
import type { WeakPassword } from './check-password.ts';

/**
 * How a call got the session of its response: it opened the session, exchanged the refresh token of the session, or
 * changed the session.
 */
export type Issue = 'opened' | 'refreshed' | 'changed';

/**
 * Returns the response that opens or continues a session in a client (GoTrue's AccessTokenResponse; RFC 6749, section
 * 5.1). `weakPassword` is included after a sign-in with a password and is null for a strong one. `providerTokens` is
 * included after a sign-in at a provider.
 */
export async function tokenReply(
  context: AuthContext,
  request: CallRequest,
  grant: Grant,
  more: { weakPassword?: WeakPassword | null; providerTokens?: ProviderTokens | null; issue?: Issue } = {},
): Promise<Reply> {
  const { weakPassword, providerTokens, issue } = more;
  return json({
    ...(await sessionBody(context, request, grant, issue)),
    ...(weakPassword !== undefined && { weak_password: weakPassword }),
    ...(providerTokens && {
      provider_token: providerTokens.accessToken,
      provider_refresh_token: providerTokens.refreshToken,
    }),
  });
}

/**
 * Returns a session as clients read it, with a new access token. Only this function issues access tokens of members.
 * @throws what `customClaims` throws while that hook is enabled; a session that the call opened then ends
 */
export async function sessionBody(context: AuthContext, request: CallRequest, grant: Grant, issue: Issue = 'opened') {
  const nowSeconds = Math.floor(timeOf(context) / 1000);
  const { settings } = context;
  const issued = accessTokenClaims(grant, {
    issuer: `${request.baseUrl}/auth/v1`,
    nowSeconds,
    lifetimeSeconds: settings.jwt_exp,
  });
  const claims = settings.hook_custom_access_token_enabled
    ? await claimsOfHook(context, request, grant, issued, issue)
    : issued;
  return {
    access_token: signToken(context.app, claims),
    token_type: 'bearer',
    expires_in: claims.exp - nowSeconds,
    expires_at: claims.exp,
    refresh_token: grant.refreshToken,
    user: grant.user,
  };
}

async function claimsOfHook(
  context: AuthContext,
  { address }: CallRequest,
  { session }: Grant,
  claims: AccessTokenClaims,
  issue: Issue,
): Promise<AccessTokenClaims> {
  const method = issue === 'refreshed' ? 'token_refresh' : (session.amr[0]?.method ?? '');
  try {
    return await customClaims(context, address, claims, method);
  } catch (error) {
    // The client received no token, so it could never end this session. The session is ended here.
    if (issue === 'opened') await revokeSession(context.database, session.id);
    throw error;
  }
}

/** Returns the client of a call in the form in which its session stores it. */
export const clientOf = (request: CallRequest) => ({
  address: request.address,
  userAgent: request.headers['user-agent'],
  acceptLanguage: request.headers['accept-language'],
});
