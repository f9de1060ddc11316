import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import { exchangeOAuthCode } from '../accounts/oauth-authorizations.ts';
import { findOAuthClient, isClientSecret, type OAuthClient } from '../accounts/oauth-clients.ts';
import type { Grant } from '../accounts/sessions.ts';
import { currentKey } from '../apps/key-ring.ts';
import { signToken } from '../apps/sign-jwt.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { UUID } from '../identity/uuid.ts';
import { type AuthContext, timeOf } from './context.ts';
import { memberClaims } from './member-claims.ts';
import { issuerOf, readFields, requireOAuthServer } from './oauth-server.ts';
import { exchangeShown, isRefreshToken } from './refresh.ts';
import { json } from './reply.ts';
import { takeFromLimit } from './take-from-limit.ts';
import { clientOf, type Issue, sessionBody } from './token-reply.ts';

type Fields = ReadonlyMap<string, string>;

const invalidGrant = (message: string): NinefoldError => new NinefoldError('oauth_invalid_grant', { message });

/**
 * POST /oauth/token: an application exchanges a code or a refresh token for tokens of its own (RFC 6749, sections 4.1.3 and 6). With the
 * scope openid an ID token comes with a code (OpenID Connect Core 1.0, section 3.1.3.3).
 *
 * Throws oauth_invalid_request, oauth_invalid_client, oauth_invalid_grant and oauth_unsupported_grant_type.
 */
export async function applicationToken(context: AuthContext, exchange: Exchange): Promise<Reply> {
  requireOAuthServer(context);
  await takeFromLimit(context, exchange, 'refresh');
  const fields = readFields(exchange);
  const client = await requireClient(context, exchange, fields);
  const grantType = fields.get('grant_type');
  if (!grantType) throw new NinefoldError('oauth_invalid_request', { message: 'grant_type is required' });
  if (!client.grant_types.split(',').includes(grantType)) throw new NinefoldError('oauth_unsupported_grant_type');
  return grantType === 'authorization_code'
    ? tokensForCode(context, exchange, client, fields)
    : tokensForRefreshToken(context, exchange, client, fields);
}

/** Returns the application that calls, once it has authenticated in the way that it is registered for. */
async function requireClient(context: AuthContext, exchange: Exchange, fields: Fields): Promise<OAuthClient> {
  const { id, secret, method } = credentialsOf(exchange, fields);
  const client = UUID.test(id) ? await findOAuthClient(context.database, id) : null;
  const isGood = client?.token_endpoint_auth_method === method && (method === 'none' || isClientSecret(client, secret));
  if (client !== null && isGood) return client;
  throw new NinefoldError('oauth_invalid_client', {
    ...(method === 'client_secret_basic' && { headers: { 'www-authenticate': 'Basic realm="oauth"' } }),
  });
}

/** RFC 6749, section 2.3.1: the parts of HTTP Basic are form-encoded. */
function credentialsOf({ headers }: Exchange, fields: Fields) {
  const [, encoded] = /^basic +([\w+/=-]+)$/i.exec(headers.authorization ?? '') ?? [];
  if (encoded !== undefined) {
    const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
    return { id: formDecoded(id), secret: formDecoded(secret), method: 'client_secret_basic' } as const;
  }
  const secret = fields.get('client_secret') ?? '';
  const method = secret === '' ? 'none' : 'client_secret_post';
  return { id: fields.get('client_id') ?? '', secret, method } as const;
}

const formDecoded = (part: string): string => new URLSearchParams(`v=${part.replace(/&/g, '%26')}`).get('v') ?? '';

async function tokensForCode(
  context: AuthContext,
  exchange: Exchange,
  client: OAuthClient,
  fields: Fields,
): Promise<Reply> {
  const [code, verifier] = [fields.get('code'), fields.get('code_verifier')];
  if (!code) throw new NinefoldError('oauth_invalid_request', { message: 'code is required' });
  if (!verifier) throw new NinefoldError('oauth_invalid_request', { message: 'code_verifier is required' });
  const redirectUri = fields.get('redirect_uri') ?? null;
  const shown = { code, clientId: client.id, redirectUri, verifier };
  const exchanged = await exchangeOAuthCode(context.database, shown, clientOf(exchange));
  switch (exchanged.verdict) {
    case 'granted': {
      const { grant, nonce } = exchanged;
      const [app, userId, { address }] = [context.app.ref, grant.user.id, exchange];
      context.events.emit({ type: 'auth', what: 'signed-in', app, userId, address });
      return tokens(context, exchange, grant, 'opened', idTokenOf(context, client, grant, nonce));
    }
    case 'unknown':
    case 'replayed':
      throw invalidGrant('Invalid authorization code');
    case 'wrong-client':
      throw invalidGrant('Authorization code was not issued for this client');
    case 'wrong-redirect':
      throw invalidGrant('Invalid redirect_uri');
    case 'wrong-verifier':
      throw invalidGrant('PKCE verification failed');
    case 'banned':
      throw invalidGrant('User is banned');
  }
}

async function tokensForRefreshToken(
  context: AuthContext,
  exchange: Exchange,
  client: OAuthClient,
  fields: Fields,
): Promise<Reply> {
  const shown = fields.get('refresh_token');
  if (!shown) throw new NinefoldError('oauth_invalid_request', { message: 'refresh_token is required' });
  if (!isRefreshToken(shown)) throw invalidGrant('Refresh token is not valid');
  const exchanged = await exchangeShown(context, exchange, shown, client.id);
  if (exchanged.verdict === 'granted') return tokens(context, exchange, exchanged.grant, 'refreshed');
  throw invalidGrant('Refresh token is not valid');
}

/** The account is no part of the response: applications ask for it at /oauth/userinfo. */
async function tokens(
  context: AuthContext,
  exchange: Exchange,
  grant: Grant,
  issue: Issue,
  idToken: { id_token?: string } = {},
): Promise<Reply> {
  const body = await sessionBody(context, exchange, grant, issue);
  const { access_token, token_type, expires_in, refresh_token } = body;
  const { scope } = grant.session;
  return json({ access_token, token_type, expires_in, refresh_token, ...(scope && { scope }), ...idToken });
}

/** OpenID Connect Core 1.0, section 2. The app's shared secret signs no ID token: every application could make one. */
function idTokenOf(
  context: AuthContext,
  client: OAuthClient,
  { user, session }: Grant,
  nonce: string | null,
): { id_token?: string } {
  const scopes = (session.scope ?? '').split(' ');
  if (!scopes.includes('openid')) return {};
  if (currentKey(context.app).alg === 'HS256') {
    throw new NinefoldError('oauth_invalid_request', {
      message:
        'The app signs with HS256, which ID tokens cannot be signed with: make an asymmetric key the current one.',
    });
  }
  const now = Math.floor(timeOf(context) / 1000);
  const claims = {
    iss: issuerOf(context),
    sub: user.id,
    aud: client.id,
    exp: now + limits.oauthIdTokenSeconds.default,
    iat: now,
    auth_time: now,
    client_id: client.id,
    ...(nonce && { nonce }),
    ...memberClaims(user, scopes),
  };
  return { id_token: signToken(context.app, claims) };
}
