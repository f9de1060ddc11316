import { createHash, randomBytes } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createApp } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { type HttpAnswer, send } from '../support/http.ts';
import { uniqueEmail } from '../support/unique.ts';

/** The app as a provider of OpenID Connect for other applications. */
const node = inject('node');
const CALLBACK = 'http://localhost:5199/callback';
const PASSWORD = 'correct horse battery';
let app: AppConnection;
let ownHost: string;
let ada: SupabaseClient;
let photos: { client_id: string; client_secret?: string };
let publicClient: { client_id: string };

beforeAll(async () => {
  app = await createApp(node);
  ownHost = `${app.ref}.localhost:${new URL(node.url).port}`;
  for (const [key, value] of Object.entries({
    oauth_server_enabled: true,
    oauth_server_authorization_path: '/consent',
    site_url: 'http://localhost:5173',
  })) {
    await admin(node, 'PUT', `/apps/${app.ref}/settings/${key}`, { value });
  }
  const server = clientOf(app, app.secret_key).auth.admin.oauth;
  await vi.waitFor(async () => expect((await server.listClients()).error).toBeNull(), 5000);
  const made = await server.createClient({ client_name: 'Photos', redirect_uris: [CALLBACK] });
  photos = made.data as typeof photos;
  const other = await server.createClient({
    client_name: 'Phone app',
    redirect_uris: ['photos-app://callback', 'https://photos.example.org/callback'],
    client_type: 'public',
    token_endpoint_auth_method: 'none',
  } as Parameters<typeof server.createClient>[0]);
  publicClient = other.data as typeof publicClient;
  ada = await member();
});

async function member(): Promise<SupabaseClient> {
  const client = clientOf(app);
  const { error } = await client.auth.signUp({
    email: uniqueEmail(),
    password: PASSWORD,
    options: { data: { name: 'Ada' } },
  });
  expect(error).toBeNull();
  return client;
}

/** Sends a request like a browser that has resolved a name below localhost. */
const ask = (path: string, options: Parameters<typeof send>[2] = {}): Promise<HttpAnswer> =>
  send(node.url, path, { ...options, headers: { host: ownHost, ...options.headers } });

const verifierOf = () => randomBytes(32).toString('base64url');
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

interface Asked {
  client?: string;
  redirect?: string;
  verifier?: string;
  scope?: string;
}

/** Requests an authorization; returns the response that redirects the browser. */
async function authorize(asked: Asked = {}, change: Record<string, string> = {}): Promise<HttpAnswer> {
  const query = new URLSearchParams({
    client_id: asked.client ?? photos.client_id,
    redirect_uri: asked.redirect ?? CALLBACK,
    response_type: 'code',
    scope: asked.scope ?? 'openid email profile',
    state: 'of the application',
    nonce: 'n-once',
    code_challenge: challengeOf(asked.verifier ?? verifierOf()),
    code_challenge_method: 'S256',
    ...change,
  });
  return ask(`/auth/v1/oauth/authorize?${query}`);
}

const locationOf = (answer: HttpAnswer): URL => new URL(String(answer.headers.location));

/** Runs the flow from an application's request to its code. */
async function codeFor(client: SupabaseClient, asked: Asked): Promise<string> {
  const id = locationOf(await authorize(asked)).searchParams.get('authorization_id') ?? '';
  const { data } = await client.auth.oauth.getAuthorizationDetails(id);
  const direct = (data as { redirect_url?: string } | null)?.redirect_url;
  const url =
    direct ?? (await client.auth.oauth.approveAuthorization(id, { skipBrowserRedirect: true })).data?.redirect_url;
  return new URL(url ?? '').searchParams.get('code') ?? '';
}

const basic = () => ({
  authorization: `Basic ${Buffer.from(`${photos.client_id}:${photos.client_secret}`).toString('base64')}`,
});

async function exchange(fields: Record<string, string>, headers: Record<string, string> = basic()) {
  const answer = await ask('/auth/v1/oauth/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
  return { status: answer.status, body: JSON.parse(answer.body) as Record<string, string> };
}

const withCode = (code: string, verifier: string, more: Record<string, string> = {}) => ({
  grant_type: 'authorization_code',
  code,
  code_verifier: verifier,
  redirect_uri: CALLBACK,
  ...more,
});

describe('an application that signs members in', () => {
  it('works with a library of OpenID Connect: discovery, code, ID token, userinfo, refresh', async () => {
    const toOwnHost: openid.CustomFetch = async (url, options) => {
      const { pathname, search } = new URL(url);
      const headers = Object.fromEntries(new Headers(options.headers as Record<string, string>).entries());
      const body = options.body === undefined || options.body === null ? undefined : String(options.body);
      const answer = await ask(pathname + search, {
        method: options.method,
        headers,
        ...(body !== undefined && { body }),
      });
      return new Response(answer.body, {
        status: answer.status,
        headers: { 'content-type': String(answer.headers['content-type']) },
      });
    };
    const config = await openid.discovery(
      new URL(`http://${ownHost}/auth/v1`),
      photos.client_id,
      photos.client_secret,
      openid.ClientSecretBasic(photos.client_secret),
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
    const page = locationOf(await ask(url.pathname + url.search));
    expect(page.origin + page.pathname).toBe('http://localhost:5173/consent');
    const id = page.searchParams.get('authorization_id') ?? '';
    const details = await ada.auth.oauth.getAuthorizationDetails(id);
    expect(details.data).toMatchObject({
      client: { id: photos.client_id, name: 'Photos' },
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
      aud: photos.client_id,
      email: user?.email,
      name: 'Ada',
      nonce: 'no',
    });
    const info = await openid.fetchUserInfo(config, tokens.access_token, user?.id ?? '');
    expect(info).toMatchObject({ sub: user?.id, email: user?.email, name: 'Ada' });
    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(JSON.parse(Buffer.from(renewed.access_token.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
      client_id: photos.client_id,
      scope: 'openid email profile offline_access',
      sub: user?.id,
    });
  });

  it('asks the member again for a public client on the device, and only once for a confidential client', async () => {
    await codeFor(ada, {});
    const again = locationOf(await authorize()).searchParams.get('authorization_id') ?? '';
    expect((await ada.auth.oauth.getAuthorizationDetails(again)).data).toMatchObject({
      redirect_url: expect.stringContaining('code='),
    });
    const phone = { client: publicClient.client_id, redirect: 'photos-app://callback' };
    await codeFor(ada, phone);
    const asked = locationOf(await authorize(phone)).searchParams.get('authorization_id') ?? '';
    expect((await ada.auth.oauth.getAuthorizationDetails(asked)).data).toHaveProperty('client');
  });

  it('loses its sessions when the member withdraws the consent', async () => {
    const bob = await member();
    const verifier = verifierOf();
    const { body } = await exchange(withCode(await codeFor(bob, { verifier }), verifier));
    const call = () => ask('/auth/v1/oauth/userinfo', { headers: { authorization: `Bearer ${body.access_token}` } });
    expect((await call()).status).toBe(200);
    expect((await bob.auth.oauth.listGrants()).data).toMatchObject([{ client: { name: 'Photos' } }]);
    expect((await bob.auth.oauth.revokeGrant({ clientId: photos.client_id })).error).toBeNull();
    await expect.poll(async () => (await call()).status, { timeout: 5000 }).toBe(403);
    const refreshed = await exchange({ grant_type: 'refresh_token', refresh_token: body.refresh_token ?? '' });
    expect(refreshed.body.error).toBe('invalid_grant');
    expect((await bob.auth.oauth.listGrants()).data).toEqual([]);
  });

  it('is registered, changed and deleted by the stock client', async () => {
    const server = clientOf(app, app.secret_key).auth.admin.oauth;
    const made = await server.createClient({ client_name: 'Notes', redirect_uris: [CALLBACK] });
    const id = made.data?.client_id ?? '';
    expect(made.data?.client_secret).toMatch(/^[\w-]{43}$/);
    expect((await server.getClient(id)).data?.client_secret).toBeUndefined();
    const renewed = await server.regenerateClientSecret(id);
    expect(renewed.data?.client_secret).not.toBe(made.data?.client_secret);
    expect((await server.updateClient(id, { client_name: 'Notes 2' })).data?.client_name).toBe('Notes 2');
    expect((await server.deleteClient(id)).error).toBeNull();
    expect((await server.getClient(id)).error?.status).toBe(404);
  });
});

describe('a request of an application', () => {
  it.each<[string, Record<string, string>]>([
    ['another path', { redirect_uri: `${CALLBACK}/more` }],
    ['another host', { redirect_uri: 'https://evil.example/callback' }],
    ['a query', { redirect_uri: `${CALLBACK}?a=1` }],
    ['a fragment', { redirect_uri: `${CALLBACK}#a` }],
    ['an unknown application', { client_id: '00000000-0000-0000-0000-000000000000' }],
    ['an application that is no UUID', { client_id: `' or true --` }],
  ])('with %s causes no redirect', async (_what, change) => {
    const answer = await authorize({}, change);
    expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
  });

  it.each<[string, Record<string, string>]>([
    ['no challenge', { code_challenge: '' }],
    ['the method plain', { code_challenge_method: 'plain' }],
    ['the implicit flow', { response_type: 'token' }],
    ['an unknown scope', { scope: 'openid admin' }],
  ])('with %s is reported to the application, with its state', async (_what, change) => {
    const url = locationOf(await authorize({}, change));
    expect(url.origin + url.pathname).toBe(CALLBACK);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      error: 'invalid_request',
      state: 'of the application',
    });
  });

  it('can be decided once, and only by the member who opened it', async () => {
    const id =
      locationOf(
        await authorize({ client: publicClient.client_id, redirect: 'photos-app://callback' }),
      ).searchParams.get('authorization_id') ?? '';
    const eve = await member();
    expect((await ada.auth.oauth.approveAuthorization(id, { skipBrowserRedirect: true })).error?.status).toBe(404);
    await ada.auth.oauth.getAuthorizationDetails(id);
    expect((await eve.auth.oauth.getAuthorizationDetails(id)).error?.status).toBe(404);
    expect((await eve.auth.oauth.approveAuthorization(id, { skipBrowserRedirect: true })).error?.status).toBe(404);
    const denied = await ada.auth.oauth.denyAuthorization(id, { skipBrowserRedirect: true });
    expect(new URL(denied.data?.redirect_url ?? '').searchParams.get('error')).toBe('access_denied');
    expect((await ada.auth.oauth.approveAuthorization(id, { skipBrowserRedirect: true })).error?.status).toBe(400);
  });

  it('cannot be read by a page of another site', async () => {
    const id = locationOf(await authorize()).searchParams.get('authorization_id') ?? '';
    const token = (await ada.auth.getSession()).data.session?.access_token;
    const answer = await ask(`/auth/v1/oauth/authorizations/${id}`, {
      headers: { authorization: `Bearer ${token}`, origin: 'https://evil.example' },
    });
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('unauthorized request origin')]);
  });
});

describe('a code', () => {
  it('opens one session for many concurrent exchanges; a later exchange ends that session', async () => {
    const verifier = verifierOf();
    const fields = withCode(await codeFor(ada, { verifier }), verifier);
    const first = await exchange(fields);
    expect(first.status).toBe(200);
    const call = () =>
      ask('/auth/v1/oauth/userinfo', { headers: { authorization: `Bearer ${first.body.access_token}` } });
    expect((await call()).status).toBe(200);
    expect((await exchange(fields)).body.error).toBe('invalid_grant');
    await expect.poll(async () => (await call()).status, { timeout: 5000 }).toBe(403);

    const second = withCode(await codeFor(ada, { verifier }), verifier);
    const answers = await Promise.all(Array.from({ length: 16 }, () => exchange(second)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('is refused with another verifier, address or application, and stays valid for its own', async () => {
    const verifier = verifierOf();
    const code = await codeFor(ada, { verifier });
    const refused = [
      await exchange(withCode(code, verifierOf())),
      await exchange(withCode(code, verifier, { redirect_uri: 'https://evil.example' })),
      await exchange(withCode(code, verifier, { client_id: publicClient.client_id }), {}),
    ];
    expect(refused.map(({ status, body }) => [status, body.error])).toEqual(Array(3).fill([400, 'invalid_grant']));
    const wrongSecret = { authorization: `Basic ${Buffer.from(`${photos.client_id}:wrong`).toString('base64')}` };
    expect(await exchange(withCode(code, verifier), wrongSecret)).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
    expect((await exchange(withCode(code, verifier, { client_id: photos.client_id }), {})).status).toBe(401);
    expect((await exchange(withCode(code, verifier))).status).toBe(200);
  });
});

describe('a token of an application', () => {
  it('can read the account but not change it', async () => {
    const verifier = verifierOf();
    const { body } = await exchange(withCode(await codeFor(ada, { verifier }), verifier));
    const call = async (method: string, path: string, fields?: object) =>
      (
        await ask(`/auth/v1${path}`, {
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
    expect((await exchange({ grant_type: 'refresh_token', refresh_token: body.refresh_token ?? '' })).status).toBe(200);
    expect(await call('POST', '/logout?scope=global')).toBe(204);
    expect((await ada.auth.getUser()).error).toBeNull();
  });

  it('is not issued for a refresh token of the app itself', async () => {
    const session = (await ada.auth.getSession()).data.session;
    const fields = { grant_type: 'refresh_token', refresh_token: session?.refresh_token ?? '' };
    expect((await exchange(fields)).body.error).toBe('invalid_grant');
    expect((await ada.auth.refreshSession()).error).toBeNull();
  });
});

it('is not available while the setting is off', async () => {
  const other = await createApp(node);
  const answer = await send(node.url, `/apps/${other.ref}/auth/v1/.well-known/openid-configuration`, {});
  expect([answer.status, JSON.parse(answer.body).error_code]).toEqual([404, 'feature_disabled']);
});

it("publishes its metadata also at the path before its issuer's path (RFC 8414, section 3)", async () => {
  const { body } = await ask('/auth/v1/.well-known/openid-configuration');
  expect(JSON.parse(body).issuer).toBe(`http://${ownHost}/auth/v1`);
  for (const name of ['oauth-authorization-server', 'openid-configuration']) {
    const own = await ask(`/.well-known/${name}/auth/v1`, { headers: { accept: 'text/html' } });
    const below = await send(node.url, `/.well-known/${name}/apps/${app.ref}/auth/v1`, {});
    expect([own.status, own.body, below.status, below.body]).toEqual([200, body, 200, body]);
    expect((await send(node.url, `/.well-known/${name}/auth/v1`, {})).status).toBe(404);
  }
});
