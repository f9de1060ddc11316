import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import type { AuthCode, ProviderTokens } from '../../accounts/providers/flow-states.ts';
import type { Grant } from '../../accounts/sessions/sessions.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AuthContext } from '../context.ts';
import { ProviderUnavailable } from '../providers/find-provider.ts';
import { ProviderFailure } from '../providers/provider-fetch.ts';
import { sessionBody } from '../sign-in/token-reply.ts';

/** Returns the address to which a member is redirected if the client exchanges a code (PKCE). */
export function withCode(target: string, { code }: AuthCode): string {
  const url = new URL(target);
  url.searchParams.set('code', code);
  return url.href;
}

/**
 * Returns the address to which a member is redirected if the client gets the session in the fragment.
 * @throws the hook's error if the hook returns no token
 */
export async function withSession(
  context: AuthContext,
  request: CallRequest,
  target: string,
  grant: Grant | null,
  tokens: ProviderTokens,
): Promise<string> {
  if (grant === null) throw new Error('a sign-in gave neither a code nor a session');
  const { user: _, ...session } = await sessionBody(context, request, grant);
  const fragment = new URLSearchParams({
    ...Object.fromEntries(Object.entries(session).map(([name, value]) => [name, String(value)])),
    provider_token: tokens.accessToken,
    ...(tokens.refreshToken !== undefined && { provider_refresh_token: tokens.refreshToken }),
    sb: '',
  });
  return `${target.replace(/#.*$/s, '')}#${fragment}`;
}

/**
 * An error of RFC 6749, section 4.1.2.1, without a code of Ninefold. The provider reports it, or the member cancels.
 */
export class OAuthError extends Error {
  readonly error: string;
  readonly description: string;

  constructor(error: string, description: string) {
    super(error);
    this.error = error;
    this.description = description;
  }
}

/**
 * Returns the address to which a member is redirected after an error. The address contains the error's message for the
 * site. Emits the event of a failed sign-in.
 * @throws the error itself if it is a fault of the node
 */
export function afterFailure(context: AuthContext, request: CallRequest, target: string, error: unknown): string {
  const shown = asShown(error);
  if (shown === null) throw error;
  const { app, events } = context;
  if (shown instanceof NinefoldError && shown.status >= 500) {
    events.emit({ type: 'fault', requestId: request.requestId, where: 'auth', error });
  }
  events.emit({ type: 'auth', what: 'sign-in-failed', app: app.ref, userId: null, address: request.address });
  return withError(target, shown, true);
}

/** Returns an error whose message may be shown; null for a fault of the node. */
function asShown(error: unknown): NinefoldError | OAuthError | null {
  if (error instanceof NinefoldError || error instanceof OAuthError) return error;
  if (error instanceof ProviderFailure)
    return new NinefoldError('provider_failed', { message: error.message, cause: error });
  if (error instanceof ProviderUnavailable) {
    const message = `Unsupported provider: ${error.message}`;
    return new NinefoldError('oauth_provider_not_supported', { message, cause: error });
  }
  return null;
}

const DENIED: ReadonlySet<string> = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification']);
/** The names of errors in RFC 6749, section 4.1.2.1, by HTTP status. */
const NAMES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  503: 'temporarily_unavailable',
};

/** Returns an address with an error in the query and, for clients of the implicit flow, also in the fragment. */
export function withError(target: string, error: unknown, inFragment: boolean): string {
  const parameters = errorParameters(error);
  const url = new URL(target);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (inFragment) url.hash = new URLSearchParams({ ...parameters, sb: '' }).toString();
  return url.href;
}

const shortened = (text: string): string => text.slice(0, limits.claimCharacters.default);

function errorParameters(error: unknown): Record<string, string> {
  if (error instanceof OAuthError) {
    const { error: name, description } = error;
    return { error: shortened(name), ...(description !== '' && { error_description: shortened(description) }) };
  }
  if (!(error instanceof NinefoldError)) throw error;
  const { code, status, message } = error;
  const name = DENIED.has(code) ? 'access_denied' : (NAMES[status] ?? 'server_error');
  return { error: name, error_code: code, error_description: message };
}
