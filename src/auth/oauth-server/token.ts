import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import type { OAuthClient } from '../../accounts/oauth/clients.ts';
import { exchangeOAuthCode, type MemberSignIn, OFFLINE_ACCESS } from '../../accounts/oauth/codes.ts';
import { scopeOfRefreshToken } from '../../accounts/sessions/application-sessions.ts';
import type { Grant } from '../../accounts/sessions/sessions.ts';
import { signToken } from '../../apps/keys/sign-jwt.ts';
import { currentKey } from '../../apps/keys/signing-keys.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { authCall } from '../call.ts';
import { type AuthContext, timeOf } from '../context.ts';
import { takeFromLimit } from '../rate-limit.ts';
import { json } from '../reply.ts';
import { exchangeShown, isRefreshToken } from '../sign-in/token.ts';
import { clientOf, type Issue, sessionBody } from '../sign-in/token-reply.ts';
import { requireClient } from './client-authentication.ts';
import { issuerOf, readFields } from './oauth-server.ts';
import { memberClaims } from './userinfo.ts';

type Fields = ReadonlyMap<string, string>;

const invalidGrant = (message: string): NinefoldError => new NinefoldError('oauth_invalid_grant', { message });

/**
 * RFC 6749, sections 4.1.3 and 6. For a code with the scope openid, the response also has an ID token (OpenID Connect
 * Core 1.0, section 3.1.3.3).
 */
export const applicationToken = authCall({
  id: 'auth.oauth.token',
  route: 'POST /oauth/token',
  caller: 'anyone',
  needs: { oauth_server_enabled: true },
  errors: [
    'oauth_invalid_client',
    'oauth_invalid_grant',
    'oauth_invalid_request',
    'oauth_invalid_scope',
    'oauth_unsupported_grant_type',
  ],
  runsHooks: true,
  summary: 'An application exchanges a code, or a refresh token, for tokens of its own.',
  form: {
    grant_type: required('What is exchanged.', 'authorization_code or refresh_token'),
    code: optional('The code, once and for a minute.'),
    code_verifier: optional('The verifier of the challenge.'),
    redirect_uri: optional('With a code: the redirect address of the authorization request.', 'URL'),
    refresh_token: optional('The refresh token.'),
    scope: optional('With a refresh token: the scopes of the access token, at most those that were granted.'),
    client_id: optional('The application, where it does not use HTTP Basic.', 'uuid'),
  },
  returns:
    'access_token, token_type, expires_in, scope, refresh_token with the scope offline_access, id_token with the scope openid',
  handle: async (context, request) => {
    await takeFromLimit(context, request, 'refresh');
    const fields = readFields(request);
    const client = await requireClient(context, request, fields);
    const grantType = fields.get('grant_type');
    if (!grantType) throw new NinefoldError('oauth_invalid_request', { message: 'grant_type is required' });
    if (!client.grant_types.split(',').includes(grantType)) throw new NinefoldError('oauth_unsupported_grant_type');
    return grantType === 'authorization_code'
      ? tokensForCode(context, request, client, fields)
      : tokensForRefreshToken(context, request, client, fields);
  },
});

async function tokensForCode(
  context: AuthContext,
  request: CallRequest,
  client: OAuthClient,
  fields: Fields,
): Promise<Reply> {
  const [code, verifier] = [fields.get('code'), fields.get('code_verifier')];
  if (!code) throw new NinefoldError('oauth_invalid_request', { message: 'code is required' });
  if (!verifier) throw new NinefoldError('oauth_invalid_request', { message: 'code_verifier is required' });
  const redirectUri = fields.get('redirect_uri') ?? null;
  const shown = { code, clientId: client.id, redirectUri, verifier };
  const lifetime = context.settings.jwt_exp;
  const exchanged = await exchangeOAuthCode(context.database, shown, clientOf(request), lifetime);
  switch (exchanged.verdict) {
    case 'granted': {
      const { grant, nonce, signIn } = exchanged;
      const [app, userId, { address }] = [context.app.ref, grant.user.id, request];
      context.events.emit({ type: 'auth', what: 'signed-in', app, userId, address });
      return tokens(context, request, grant, 'opened', await idTokenOf(context, client, grant, { nonce, signIn }));
    }
    case 'unknown':
    case 'replayed':
      throw invalidGrant('Invalid authorization code');
    case 'wrong-client':
      throw invalidGrant('Authorization code was not issued for this client');
    case 'wrong-redirect':
      throw invalidGrant('redirect_uri must be the address of the authorization request');
    case 'wrong-verifier':
      throw invalidGrant('PKCE verification failed');
    case 'banned':
      throw invalidGrant('User is banned');
  }
}

async function tokensForRefreshToken(
  context: AuthContext,
  request: CallRequest,
  client: OAuthClient,
  fields: Fields,
): Promise<Reply> {
  const shown = fields.get('refresh_token');
  if (!shown) throw new NinefoldError('oauth_invalid_request', { message: 'refresh_token is required' });
  if (!isRefreshToken(shown)) throw invalidGrant('Refresh token is not valid');
  const scope = await narrowedScope(context, client, shown, fields.get('scope'));
  const exchanged = await exchangeShown(context, request, shown, client.id);
  if (exchanged.verdict !== 'granted') throw invalidGrant('Refresh token is not valid');
  const { grant } = exchanged;
  const session = scope === null ? grant.session : { ...grant.session, scope };
  return tokens(context, request, { ...grant, session }, 'refreshed');
}

/**
 * Returns the scope that a client requests with a refresh token; null for the scope of the session. The access token
 * then has the narrowed scope, but the refresh token keeps the scope of the session (RFC 6749, section 6).
 * @throws oauth_invalid_scope for a scope that the member has not granted. In this case the refresh token is not used
 * up.
 */
async function narrowedScope(
  context: AuthContext,
  client: OAuthClient,
  refreshToken: string,
  asked: string | undefined,
): Promise<string | null> {
  if (!asked) return null;
  const granted = (await scopeOfRefreshToken(context.database, refreshToken, client.id))?.split(' ');
  if (granted === undefined) throw invalidGrant('Refresh token is not valid');
  const scopes = [...new Set(asked.split(' ').filter((scope) => scope !== ''))];
  const isGranted = scopes.length > 0 && scopes.every((scope) => granted.includes(scope));
  if (!isGranted) throw new NinefoldError('oauth_invalid_scope');
  return scopes.join(' ');
}

/**
 * Returns the response with tokens. It does not contain the account, which applications read at /oauth/userinfo. After
 * the exchange of a code, it contains a refresh token only if the code has the scope offline_access.
 */
async function tokens(
  context: AuthContext,
  request: CallRequest,
  grant: Grant,
  issue: Issue,
  idToken: { id_token?: string } = {},
): Promise<Reply> {
  const body = await sessionBody(context, request, grant, issue);
  const { access_token, token_type, expires_in, refresh_token } = body;
  const { scope } = grant.session;
  const isRefreshable = issue === 'refreshed' || scope?.split(' ').includes(OFFLINE_ACCESS);
  return json({
    ...{ access_token, token_type, expires_in },
    ...(isRefreshable && { refresh_token }),
    ...(scope && { scope }),
    ...idToken,
  });
}

/**
 * Returns the ID token (OpenID Connect Core 1.0, section 2). The app's shared secret signs no ID token, because every
 * holder of the secret could create one.
 */
async function idTokenOf(
  context: AuthContext,
  client: OAuthClient,
  { user, session }: Grant,
  { nonce, signIn }: { nonce: string | null; signIn: MemberSignIn },
): Promise<{ id_token?: string }> {
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
    auth_time: signIn.time,
    acr: signIn.aal,
    amr: authenticationMethods(signIn),
    client_id: client.id,
    ...(nonce && { nonce }),
    ...(await memberClaims(context, user, scopes)),
  };
  return { id_token: signToken(context.app, claims) };
}

/**
 * The values of sign-in methods in the claim amr of ID tokens (RFC 8176, section 2). Other methods have no registered
 * value.
 */
const values: Readonly<Record<string, string>> = {
  password: 'pwd',
  otp: 'otp',
  magiclink: 'otp',
  invite: 'otp',
  recovery: 'otp',
  'email/signup': 'otp',
  email_change: 'otp',
  totp: 'otp',
  'mfa/recovery_code': 'otp',
  'mfa/phone': 'sms',
  passkey: 'pop',
  'mfa/webauthn': 'pop',
};

/** Returns the claim amr of an ID token. `mfa` means that the session has shown a second factor. */
const authenticationMethods = ({ aal, methods }: Pick<MemberSignIn, 'aal' | 'methods'>): string[] => [
  ...new Set([...methods.flatMap((method) => values[method] ?? []), ...(aal >= 'aal2' ? ['mfa'] : [])]),
];
