import type { Exchange, Reply } from '../../contract/exchange.ts';
import type { ProviderTokens } from '../accounts/flow-states.ts';
import type { Grant } from '../accounts/sessions.ts';
import { issueAccessToken } from '../identity/access-token.ts';
import type { WeakPassword } from './check-password.ts';
import { type AuthContext, timeOf } from './context.ts';
import { json } from './reply.ts';

/**
 * Returns the response that opens or continues a session in a client (GoTrue's AccessTokenResponse; RFC 6749, section 5.1).
 * `weakPassword` is part of it where a password was shown, null for a strong one; `providerTokens` after a sign-in at a provider.
 */
export const tokenReply = (
  context: AuthContext,
  exchange: Exchange,
  grant: Grant,
  weakPassword?: WeakPassword | null,
  providerTokens?: ProviderTokens | null,
): Reply =>
  json({
    ...sessionBody(context, exchange, grant),
    ...(weakPassword !== undefined && { weak_password: weakPassword }),
    ...(providerTokens && {
      provider_token: providerTokens.accessToken,
      provider_refresh_token: providerTokens.refreshToken,
    }),
  });

/** Returns a session as clients read it, with a new access token. */
export function sessionBody(context: AuthContext, exchange: Exchange, grant: Grant) {
  const nowSeconds = Math.floor(timeOf(context) / 1000);
  const { token, expiresAt } = issueAccessToken(context.app, grant, {
    issuer: `${exchange.baseUrl}/auth/v1`,
    nowSeconds,
    lifetimeSeconds: context.settings.jwt_exp,
  });
  return {
    access_token: token,
    token_type: 'bearer',
    expires_in: expiresAt - nowSeconds,
    expires_at: expiresAt,
    refresh_token: grant.refreshToken,
    user: grant.user,
  };
}

/** The client that makes a call, as its session remembers it. */
export const clientOf = (exchange: Exchange) => ({
  address: exchange.address,
  userAgent: exchange.headers['user-agent'],
});
