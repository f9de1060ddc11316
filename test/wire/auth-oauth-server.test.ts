import type { SupabaseClient } from '@supabase/supabase-js';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { send } from '../support/http.ts';
import { CALLBACK, locationOf, makeOAuthApp, type OAuthApp, verifierOf, withCode } from '../support/oauth-app.ts';

/** The app as a provider of OpenID Connect for other applications. */
const node = inject('node');
let app: AppConnection;
let ada: SupabaseClient;
let oauth: OAuthApp;

beforeAll(async () => {
  oauth = await makeOAuthApp(node, {
    oauth_server_authorization_path: '/consent',
    site_url: 'http://localhost:5173',
  });
  app = oauth.app;
  ada = await oauth.member();
});

describe('an application that signs members in', () => {
  it('works with a library of OpenID Connect: discovery, code, ID token, userinfo, refresh', async () => {
    const toOwnHost: openid.CustomFetch = async (url, options) => {
      const { pathname, search } = new URL(url);
      const headers = Object.fromEntries(new Headers(options.headers as Record<string, string>).entries());
      const body = options.body === undefined || options.body === null ? undefined : String(options.body);
      const response = await oauth.ask(pathname + search, {
        method: options.method,
        headers,
        ...(body !== undefined && { body }),
      });
      return new Response(response.body, {
        status: response.status,
        headers: { 'content-type': String(response.headers['content-type']) },
      });
    };
    const config = await openid.discovery(
      new URL(`http://${oauth.host}/auth/v1`),
      oauth.photos.client_id,
      oauth.photos.client_secret,
      openid.ClientSecretBasic(oauth.photos.client_secret),
      { execute: [openid.allowInsecureRequests], [openid.customFetch]: toOwnHost },
    );
    config[openid.customFetch] = toOwnHost;
    const verifier = openid.randomPKCECodeVerifier();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'openid email profile offline_access',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: 'st',
      nonce: 'no',
    });
    const page = locationOf(await oauth.ask(url.pathname + url.search));
    expect(page.origin + page.pathname).toBe('http://localhost:5173/consent');
    const id = page.searchParams.get('authorization_id') ?? '';
    const details = await ada.auth.oauth.getAuthorizationDetails(id);
    expect(details.data).toMatchObject({
      client: { id: oauth.photos.client_id, name: 'Photos' },
      scope: 'openid email profile offline_access',
    });
    const approved = await ada.auth.oauth.approveAuthorization(id, { skipBrowserRedirect: true });
    const back = new URL(approved.data?.redirect_url ?? '');
    const tokens = await openid.authorizationCodeGrant(config, back, {
      pkceCodeVerifier: verifier,
      expectedState: 'st',
      expectedNonce: 'no',
    });
    const user = (await ada.auth.getUser()).data.user;
    expect(tokens.claims()).toMatchObject({
      sub: user?.id,
      aud: oauth.photos.client_id,
      email: user?.email,
      name: 'Ada',
      nonce: 'no',
    });
    const info = await openid.fetchUserInfo(config, tokens.access_token, user?.id ?? '');
    expect(info).toMatchObject({ sub: user?.id, email: user?.email, name: 'Ada' });
    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(JSON.parse(Buffer.from(renewed.access_token.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
      client_id: oauth.photos.client_id,
      scope: 'openid email profile offline_access',
      sub: user?.id,
    });
  });

  it('needs no second consent if it is confidential, but always one if it is public', async () => {
    await oauth.codeFor(ada, {});
    const again = locationOf(await oauth.authorize()).searchParams.get('authorization_id') ?? '';
    expect((await ada.auth.oauth.getAuthorizationDetails(again)).data).toMatchObject({
      redirect_url: expect.stringContaining('code='),
    });
    const phone = { client: oauth.publicClient.client_id, redirect: 'photos-app://callback' };
    await oauth.codeFor(ada, phone);
    const asked = locationOf(await oauth.authorize(phone)).searchParams.get('authorization_id') ?? '';
    expect((await ada.auth.oauth.getAuthorizationDetails(asked)).data).toHaveProperty('client');
  });

  it('loses its sessions when the member revokes the consent', async () => {
    const bob = await oauth.member();
    const verifier = verifierOf();
    const { body } = await oauth.exchange(withCode(await oauth.codeFor(bob, { verifier }), verifier));
    const call = () =>
      oauth.ask('/auth/v1/oauth/userinfo', { headers: { authorization: `Bearer ${body.access_token}` } });
    expect((await call()).status).toBe(200);
    expect((await bob.auth.oauth.listGrants()).data).toMatchObject([{ client: { name: 'Photos' } }]);
    expect((await bob.auth.oauth.revokeGrant({ clientId: oauth.photos.client_id })).error).toBeNull();
    await expect.poll(async () => (await call()).status, { timeout: 5000 }).toBe(403);
    const refreshed = await oauth.exchange({ grant_type: 'refresh_token', refresh_token: body.refresh_token ?? '' });
    expect(refreshed.body.error).toBe('invalid_grant');
    expect((await bob.auth.oauth.listGrants()).data).toEqual([]);
  });

  it('is registered, changed and deleted by the stock client', async () => {
    const server = clientOf(app, app.secret_key).auth.admin.oauth;
    const made = await server.createClient({
      client_name: 'Notes',
      redirect_uris: [CALLBACK],
      scope: 'openid profile',
    });
    expect(made.data?.scope).toBe('openid profile');
    const id = made.data?.client_id ?? '';
    expect(made.data?.client_secret).toMatch(/^[\w-]{43}$/);
    expect((await server.getClient(id)).data?.client_secret).toBeUndefined();
    const renewed = await server.regenerateClientSecret(id);
    expect(renewed.data?.client_secret).not.toBe(made.data?.client_secret);
    const refused = await oauth.authorize({}, { client_id: id, scope: 'openid email' });
    expect(new URL(refused.headers.location ?? '').searchParams.get('error')).toBe('invalid_scope');
    expect((await server.updateClient(id, { client_name: 'Notes 2' })).data?.client_name).toBe('Notes 2');
    expect((await server.deleteClient(id)).error).toBeNull();
    expect((await server.getClient(id)).error?.status).toBe(404);
  });
});

describe('a request of an application', () => {
  it.each<[string, Record<string, string>]>([
    ['another path in redirect_uri', { redirect_uri: `${CALLBACK}/more` }],
    ['another host in redirect_uri', { redirect_uri: 'https://evil.example/callback' }],
    ['an additional query', { redirect_uri: `${CALLBACK}?a=1` }],
    ['an additional fragment', { redirect_uri: `${CALLBACK}#a` }],
    ['an unknown application', { client_id: '00000000-0000-0000-0000-000000000000' }],
    ['a client_id that is not a UUID', { client_id: `' or true --` }],
  ])('with %s causes no redirect', async (_what, change) => {
    const response = await oauth.authorize({}, change);
    expect([response.status, response.headers.location]).toEqual([400, undefined]);
  });

  it.each<[string, Record<string, string>, string?]>([
    ['an empty code_challenge', { code_challenge: '' }],
    ['the code_challenge_method plain', { code_challenge_method: 'plain' }],
    ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['an unknown scope', { scope: 'openid admin' }, 'invalid_scope'],
    ['a request object', { request: 'eyJ' }, 'request_not_supported'],
    ['response_mode=fragment', { response_mode: 'fragment' }],
  ])('with %s is reported to the application, with its state', async (_what, change, error = 'invalid_request') => {
    const url = locationOf(await oauth.authorize({}, change));
    expect(url.origin + url.pathname).toBe(CALLBACK);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      error,
      iss: `http://${oauth.host}/auth/v1`,
      state: 'of the application',
    });
  });

  it('can be decided once, and only by the member who opened it first', async () => {
    const id =
      locationOf(
        await oauth.authorize({ client: oauth.publicClient.client_id, redirect: 'photos-app://callback' }),
      ).searchParams.get('authorization_id') ?? '';
    const eve = await oauth.member();
    expect((await ada.auth.oauth.approveAuthorization(id, { skipBrowserRedirect: true })).error?.status).toBe(404);
    await ada.auth.oauth.getAuthorizationDetails(id);
    expect((await eve.auth.oauth.getAuthorizationDetails(id)).error?.status).toBe(404);
    expect((await eve.auth.oauth.approveAuthorization(id, { skipBrowserRedirect: true })).error?.status).toBe(404);
    const denied = await ada.auth.oauth.denyAuthorization(id, { skipBrowserRedirect: true });
    expect(new URL(denied.data?.redirect_url ?? '').searchParams.get('error')).toBe('access_denied');
    expect((await ada.auth.oauth.approveAuthorization(id, { skipBrowserRedirect: true })).error?.status).toBe(400);
  });

  it('cannot be opened by a page of another site', async () => {
    const id = locationOf(await oauth.authorize()).searchParams.get('authorization_id') ?? '';
    const token = (await ada.auth.getSession()).data.session?.access_token;
    const response = await oauth.ask(`/auth/v1/oauth/authorizations/${id}`, {
      headers: { authorization: `Bearer ${token}`, origin: 'https://evil.example' },
    });
    expect([response.status, response.body]).toEqual([400, expect.stringContaining('unauthorized request origin')]);
  });
});

describe('a code', () => {
  it('opens one session for many concurrent exchanges; a later exchange ends that session', async () => {
    const verifier = verifierOf();
    const fields = withCode(await oauth.codeFor(ada, { verifier }), verifier);
    const first = await oauth.exchange(fields);
    expect(first.status).toBe(200);
    const call = () =>
      oauth.ask('/auth/v1/oauth/userinfo', { headers: { authorization: `Bearer ${first.body.access_token}` } });
    expect((await call()).status).toBe(200);
    expect((await oauth.exchange(fields)).body.error).toBe('invalid_grant');
    await expect.poll(async () => (await call()).status, { timeout: 5000 }).toBe(403);

    const second = withCode(await oauth.codeFor(ada, { verifier }), verifier);
    const answers = await Promise.all(Array.from({ length: 16 }, () => oauth.exchange(second)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('is valid for a minute', async () => {
    const verifier = verifierOf();
    const fields = withCode(await oauth.codeFor(ada, { verifier }), verifier);
    const codes = "from auth.oauth_authorizations where status = 'approved' and authorization_code is not null";
    const { results } = await runSql(
      node,
      oauth.app.ref,
      `select max(extract(epoch from expires_at - now())) between 1 and 60 ${codes};
       update auth.oauth_authorizations set expires_at = now() where status = 'approved'`,
    );
    expect(results[0]?.rows).toEqual([['t']]);
    expect((await oauth.exchange(fields)).body.error).toBe('invalid_grant');
  });

  it('is refused with another verifier, address or application, and stays valid for its own', async () => {
    const verifier = verifierOf();
    const code = await oauth.codeFor(ada, { verifier });
    const refused = [
      await oauth.exchange(withCode(code, verifierOf())),
      await oauth.exchange(withCode(code, verifier, { redirect_uri: 'https://evil.example' })),
      await oauth.exchange(withCode(code, verifier, { client_id: oauth.publicClient.client_id }), {}),
    ];
    expect(refused.map(({ status, body }) => [status, body.error])).toEqual(Array(3).fill([400, 'invalid_grant']));
    const wrongSecret = { authorization: `Basic ${Buffer.from(`${oauth.photos.client_id}:wrong`).toString('base64')}` };
    expect(await oauth.exchange(withCode(code, verifier), wrongSecret)).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
    expect((await oauth.exchange(withCode(code, verifier, { client_id: oauth.photos.client_id }), {})).status).toBe(
      401,
    );
    expect((await oauth.exchange(withCode(code, verifier))).status).toBe(200);
  });
});

describe('a token of an application', () => {
  it('can read the account but not change it', async () => {
    const verifier = verifierOf();
    const { body } = await oauth.exchange(withCode(await oauth.codeFor(ada, { verifier }), verifier));
    const call = async (method: string, path: string, fields?: object) =>
      (
        await oauth.ask(`/auth/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${body.access_token}`, 'content-type': 'application/json' },
          ...(fields && { body: JSON.stringify(fields) }),
        })
      ).status;
    expect(await call('GET', '/user')).toBe(200);
    expect(await call('PUT', '/user', { password: 'another long password' })).toBe(403);
    expect(await call('POST', '/factors', { factor_type: 'totp' })).toBe(403);
    expect(await call('GET', '/sessions')).toBe(403);
    expect(await call('GET', '/user/oauth/grants')).toBe(403);
    expect(await call('POST', '/passkeys/registration/options', {})).toBe(403);
    const refreshed = await clientOf(app).auth.refreshSession({ refresh_token: body.refresh_token ?? '' });
    expect(refreshed.error?.status).toBe(400);
    expect(
      (await oauth.exchange({ grant_type: 'refresh_token', refresh_token: body.refresh_token ?? '' })).status,
    ).toBe(200);
    expect(await call('POST', '/logout?scope=global')).toBe(204);
    expect((await ada.auth.getUser()).error).toBeNull();
  });

  it('is not issued for a refresh token of the app itself', async () => {
    const session = (await ada.auth.getSession()).data.session;
    const fields = { grant_type: 'refresh_token', refresh_token: session?.refresh_token ?? '' };
    expect((await oauth.exchange(fields)).body.error).toBe('invalid_grant');
    expect((await ada.auth.refreshSession()).error).toBeNull();
  });
});

it('the provider is not available while the setting is off', async () => {
  const other = await createApp(node);
  const response = await send(node.url, `/apps/${other.ref}/auth/v1/.well-known/openid-configuration`, {});
  expect([response.status, JSON.parse(response.body).error_code]).toEqual([404, 'feature_disabled']);
});

it('the provider publishes its metadata also at the well-known paths before the issuer’s path (RFC 8414, section 3)', async () => {
  const { body } = await oauth.ask('/auth/v1/.well-known/openid-configuration');
  expect(JSON.parse(body).issuer).toBe(`http://${oauth.host}/auth/v1`);
  for (const name of ['oauth-authorization-server', 'openid-configuration']) {
    const own = await oauth.ask(`/.well-known/${name}/auth/v1`, { headers: { accept: 'text/html' } });
    const below = await send(node.url, `/.well-known/${name}/apps/${app.ref}/auth/v1`, {});
    expect([own.status, own.body, below.status, below.body]).toEqual([200, body, 200, body]);
    expect((await send(node.url, `/.well-known/${name}/auth/v1`, {})).status).toBe(404);
  }
});
