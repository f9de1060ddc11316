import { z } from 'zod';
import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { adoptGoTrueToken, parseGoTrueToken } from '../../accounts/sessions/gotrue-refresh-token.ts';
import { type Exchanged, exchangeRefreshToken, refreshKey } from '../../accounts/sessions/refresh-tokens.ts';
import { required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { text } from '../body.ts';
import { authCall, SESSION } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { takeFromLimit } from '../rate-limit.ts';
import { clientOf, tokenReply } from './token-reply.ts';

const schema = z.object({
  refresh_token: text(limits.authTextCharacters.default).meta(required('The refresh token of the session.')),
});

/**
 * Matches a refresh token of this server, or a token of twelve characters from an imported session (GoTrue,
 * `legacyRefreshTokenPattern`).
 */
const REFRESH_TOKEN = /^(?:[A-Za-z0-9_-]{32}|[a-z0-9]{12})$/;

/** Returns true for a text in the format of a refresh token. */
export const isRefreshToken = (shown: string): boolean => REFRESH_TOKEN.test(shown) || parseGoTrueToken(shown) !== null;

/**
 * If the token directly before the active one is sent, the response contains the active token. An older token ends the
 * session (`exchangeRefreshToken`).
 */
export const refresh = authCall({
  id: 'auth.token.refresh_token',
  route: 'POST /token?grant_type=refresh_token',
  caller: 'anyone',
  body: schema,
  errors: [
    'refresh_token_already_used',
    'refresh_token_not_found',
    'session_expired',
    'session_not_found',
    'user_banned',
  ],
  runsHooks: true,
  summary: 'Exchanges a refresh token for a new session. Each refresh token is good for one exchange.',
  returns: `a session: ${SESSION}`,
  example: { refresh_token: 'the refresh token of a session' },
  supabaseJs: "supabase.auth.refreshSession({ refresh_token: 'the refresh token of a session' })",
  handle: async (context, request, { readBody }) => {
    const { refresh_token: shown } = readBody();
    if (!shown || !isRefreshToken(shown)) {
      throw new NinefoldError('validation_failed', { message: 'Refresh token is not valid' });
    }
    await takeFromLimit(context, request, 'refresh');
    const exchanged = await exchangeShown(context, request, shown);
    const emit = (what: 'refreshed' | 'reuse-detected', userId: string) =>
      context.events.emit({ type: 'auth', what, app: context.app.ref, userId, address: request.address });
    switch (exchanged.verdict) {
      case 'granted':
        emit('refreshed', exchanged.grant.user.id);
        return tokenReply(context, request, exchanged.grant, { issue: 'refreshed' });
      case 'reused':
        emit('reuse-detected', exchanged.userId);
        throw new NinefoldError('refresh_token_already_used');
      case 'unknown':
        throw new NinefoldError('refresh_token_not_found');
      case 'no-session':
      case 'wrong-client':
        throw new NinefoldError('session_not_found', {
          status: 400,
          message: 'Invalid Refresh Token: No Valid Session Found',
        });
      case 'banned':
        throw new NinefoldError('user_banned', { message: 'Invalid Refresh Token: User Banned' });
      case 'expired':
        throw new NinefoldError('session_expired', { limit: 'sessionTimeboxSeconds' });
      case 'inactive':
        throw new NinefoldError('session_expired', {
          message: 'Invalid Refresh Token: Session Expired (Inactivity)',
          limit: 'sessionInactivitySeconds',
        });
    }
  },
});

/**
 * Exchanges a refresh token, also one that was imported from a Supabase project.
 *
 * @param clientId The application that sends the token; null for the app itself. A token of another application is not
 * exchanged.
 */
export async function exchangeShown(
  context: AuthContext,
  request: CallRequest,
  shown: string,
  clientId: string | null = null,
): Promise<Exchanged> {
  const { database, settings, app } = context;
  // This runs before the exchange. The exchange locks the session of a stored token, so the token must be stored first.
  if (!REFRESH_TOKEN.test(shown)) await adoptGoTrueToken(database, shown);
  return exchangeRefreshToken(database, shown, clientOf(request), settings, refreshKey(app), clientId);
}
