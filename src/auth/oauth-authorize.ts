import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import { beginAuthorization } from '../accounts/oauth-authorizations.ts';
import { findOAuthClient } from '../accounts/oauth-clients.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { UUID } from '../identity/uuid.ts';
import { redirectTo } from './authorize.ts';
import type { AuthContext } from './context.ts';
import { DEFAULT_SCOPE, issuerOf, OAUTH_SCOPES, requireOAuthServer } from './oauth-server.ts';
import { homeOf } from './redirects.ts';

/**
 * GET /oauth/authorize: an application asks that a member sign in to it (RFC 6749, section 4.1.1; PKCE with S256 is required). Leads the
 * browser to the page where members consent, with `authorization_id` in the query.
 *
 * A request without a known application and redirect address is answered with an error; other errors lead back to the application.
 */
export async function authorizeApplication(context: AuthContext, exchange: Exchange): Promise<Reply> {
  requireOAuthServer(context);
  const query = new URLSearchParams(exchange.query);
  const redirectUri = await requireRedirect(context, query);
  const back = (error: string, description: string): Reply =>
    redirectTo(answerTo(context, redirectUri, { error, error_description: description, state: query.get('state') }));
  const fault = faultOf(query);
  if (fault !== null) return back('invalid_request', fault);
  const page = consentPageOf(context);
  if (page === null) return back('server_error', 'oauth authorization path not configured');
  const id = await beginAuthorization(context.database, {
    clientId: query.get('client_id') ?? '',
    redirectUri,
    scope: scopesOf(query).join(' '),
    state: query.get('state'),
    nonce: query.get('nonce'),
    codeChallenge: query.get('code_challenge') ?? '',
  });
  if (id === null) return back('temporarily_unavailable', 'too many requests wait for a decision');
  return redirectTo(`${page}?authorization_id=${id}`);
}

/**
 * Returns the page where members consent: that of the app's front end (`oauth_server_authorization_path`), else the one among the pages
 * for members. Null if there is none: no host name leads to the app.
 */
function consentPageOf(context: AuthContext): string | null {
  const path = context.settings.oauth_server_authorization_path;
  if (path !== null) return `${homeOf(context).replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
  const origin = context.origins.appOrigin(context.app.ref);
  return origin && `${origin}/consent`;
}

/** Returns the redirect address of a request. Throws oauth_client_not_found; validation_failed for an address that is not registered. */
async function requireRedirect({ database }: AuthContext, query: URLSearchParams): Promise<string> {
  const [id, redirectUri] = [query.get('client_id'), query.get('redirect_uri')];
  if (!id) throw new NinefoldError('validation_failed', { message: 'client_id is required' });
  if (!redirectUri) throw new NinefoldError('validation_failed', { message: 'redirect_uri is required' });
  const client = UUID.test(id) ? await findOAuthClient(database, id) : null;
  if (client === null) throw new NinefoldError('oauth_client_not_found', { status: 400, message: 'invalid client_id' });
  if (!client.redirect_uris.split(',').includes(redirectUri)) {
    throw new NinefoldError('validation_failed', { message: 'invalid redirect_uri' });
  }
  return redirectUri;
}

const scopesOf = (query: URLSearchParams): string[] => {
  const scopes = (query.get('scope') || DEFAULT_SCOPE).split(' ').filter((scope) => scope !== '');
  return [...new Set(scopes)];
};

/** Returns what is wrong with a request; null for a good one. */
function faultOf(query: URLSearchParams): string | null {
  if ((query.get('response_type') ?? 'code') !== 'code') return 'only response_type=code is supported';
  const scopes = scopesOf(query);
  if (scopes.length === 0) return 'scope parameter cannot be empty';
  const unknown = scopes.find((scope) => !OAUTH_SCOPES.includes(scope));
  if (unknown !== undefined) return `unsupported scope: ${unknown.slice(0, limits.authFieldCharacters.default)}`;
  if (!query.get('code_challenge') || !query.get('code_challenge_method')) {
    return 'PKCE flow requires both code_challenge and code_challenge_method';
  }
  if (query.get('code_challenge_method')?.toLowerCase() !== 's256') return 'code_challenge_method must be S256';
  // A SHA-256 in base64url has as many characters (RFC 7636, section 4.2).
  if (!/^[\w-]{43}$/.test(query.get('code_challenge') ?? '')) return 'code_challenge must be a SHA-256 in base64url';
  const long = ['state', 'nonce'].find((name) => (query.get(name) ?? '').length > limits.oauthStateCharacters.default);
  return long === undefined ? null : `${long} is too long`;
}

/** Returns the redirect address with an answer in its query; `iss` tells providers apart (RFC 9207). */
export function answerTo(
  context: AuthContext,
  redirectUri: string,
  answer: Readonly<Record<string, string | null | undefined>>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...answer, iss: issuerOf(context) })) {
    if (value) url.searchParams.set(name, value);
  }
  return url.href;
}
