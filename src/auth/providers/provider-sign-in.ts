import { createHmac } from 'node:crypto';
import * as client from 'openid-client';
import type { ProviderTokens } from '../../accounts/providers/flow-states.ts';
import type { AuthContext } from '../context.ts';
import { profileOfToken, verifyIdToken } from './id-token.ts';
import type { ProviderClient } from './provider-client.ts';
import { ProviderFailure } from './provider-fetch.ts';
import type { Profile } from './provider-profile.ts';
import type { Provider } from './provider-table.ts';

/**
 * Returns a value that is derived from the state of a sign-in or from the secret of a link. Only this node can derive
 * the value, so the database need not store it.
 */
export const derived = (
  context: Pick<AuthContext, 'nodeKey'>,
  purpose: 'verifier' | 'nonce' | 'browser' | 'link',
  secret: string,
) => createHmac('sha256', context.nodeKey()).update(`${purpose} ${secret}`).digest('base64url');

/**
 * Parameters that a client cannot pass on to the provider: those that the protocol sets, and those that are for
 * Ninefold.
 */
const RESERVED: ReadonlySet<string> = new Set([
  ...['client_id', 'client_secret', 'client_assertion', 'client_assertion_type', 'redirect_uri', 'response_type'],
  ...['response_mode', 'state', 'scope', 'code_challenge', 'code_challenge_method', 'code_verifier', 'nonce'],
  ...['request', 'request_uri', 'provider', 'scopes', 'redirect_to', 'skip_http_redirect', 'invite_token', 'apikey'],
]);

/**
 * Returns the page of a provider where a member signs in. PKCE and, for OpenID Connect, a nonce bind the response to
 * this state. The client's own parameters, such as `prompt`, are passed on.
 * @throws ProviderFailure
 */
export async function authorizationUrl(
  context: AuthContext,
  provider: Provider,
  { state, scopes, query }: { state: string; scopes: string; query: URLSearchParams },
): Promise<string> {
  const { configuration } = await context.providerClients.open(context, provider);
  const { entry } = provider;
  const passed = [...query].filter(([name]) => !RESERVED.has(name.toLowerCase()));
  const asked = [...entry.scopes, ...scopes.split(/[\s,]+/).filter((scope) => scope !== '')];
  const challenge = await client.calculatePKCECodeChallenge(derived(context, 'verifier', state));
  const url = client.buildAuthorizationUrl(configuration, {
    ...provider.parameters,
    ...Object.fromEntries(passed),
    redirect_uri: provider.redirectUri,
    scope: [...new Set(asked)].join(' '),
    state,
    ...(provider.usesPkce && { code_challenge: challenge, code_challenge_method: 'S256' }),
    ...(entry.kind === 'oidc' && { nonce: derived(context, 'nonce', state) }),
    ...(entry.kind === 'oidc' && entry.responseMode && { response_mode: entry.responseMode }),
  });
  return url.href;
}

/** A member who has signed in at a provider. */
export interface ProviderSignIn {
  readonly profile: Profile;
  readonly tokens: ProviderTokens;
}

/**
 * Exchanges the code of a callback and reads the profile of the person.
 * @param answer The parameters of the callback: code, state and iss. The parameter iss must name this provider (RFC
 * 9207).
 * @throws ProviderFailure, bad_id_token
 */
export async function finishAtProvider(
  context: AuthContext,
  provider: Provider,
  state: string,
  answer: URLSearchParams,
): Promise<ProviderSignIn> {
  const opened = await context.providerClients.open(context, provider);
  const isOpenId = provider.entry.kind === 'oidc';
  const url = new URL(provider.redirectUri);
  url.search = answer.toString();
  const response = await client
    .authorizationCodeGrant(opened.configuration, url, {
      expectedState: state,
      ...(provider.usesPkce && { pkceCodeVerifier: derived(context, 'verifier', state) }),
      ...(isOpenId && { expectedNonce: derived(context, 'nonce', state), idTokenExpected: true }),
    })
    .catch((error: unknown) => {
      throw new ProviderFailure(`Unable to exchange external code: ${answer.get('code')?.slice(0, 4)}`, {
        cause: error,
      });
    });
  const tokens = { accessToken: response.access_token, refreshToken: response.refresh_token };
  const profile = isOpenId
    ? await openIdProfile(provider, opened, response)
    : await apiProfile(provider, opened, response.access_token);
  return { profile, tokens };
}

async function openIdProfile(
  provider: Provider,
  opened: ProviderClient,
  response: client.TokenEndpointResponse,
): Promise<Profile> {
  const claims = await verifyIdToken(provider, opened, response.id_token ?? '', response.access_token);
  const { entry } = provider;
  const endpoint = opened.configuration.serverMetadata().userinfo_endpoint;
  if (entry.kind !== 'oidc' || !entry.readsUserInfo || claims.email !== undefined || !endpoint) {
    return profileOfToken(provider, claims);
  }
  const more = await client
    .fetchUserInfo(opened.configuration, response.access_token, claims.sub ?? '')
    .catch((error: unknown) => {
      throw new ProviderFailure('Error getting user profile from external provider', error);
    });
  return profileOfToken(provider, { ...more, ...claims });
}

async function apiProfile(provider: Provider, { configuration }: ProviderClient, token: string): Promise<Profile> {
  const { entry } = provider;
  if (entry.kind !== 'oauth2') throw new ProviderFailure('The provider has no profile');
  const base = provider.url ?? entry.base;
  const addresses = entry.profile(base, { token, secret: provider.secret ?? '' });
  const answers = await Promise.all(addresses.map((address) => readProfile(configuration, token, address)));
  const profile = entry.readAnswers(answers, base);
  if (profile.subject === '') throw new ProviderFailure('Error getting user profile from external provider');
  return profile;
}

async function readProfile(configuration: client.Configuration, token: string, address: string): Promise<unknown> {
  try {
    const headers = new Headers({ accept: 'application/json' });
    const response = await client.fetchProtectedResource(configuration, token, new URL(address), 'GET', null, headers);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return await response.json();
  } catch (error) {
    throw new ProviderFailure('Error getting user profile from external provider', error);
  }
}
