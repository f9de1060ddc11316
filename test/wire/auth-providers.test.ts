import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import ws from 'ws';
import type { AppConnection, SettingEntry } from '../../contract/admin.ts';
import type { ProviderCheck } from '../../contract/providers.ts';
import { admin, createApp } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { type HttpResponse, send } from '../support/http.ts';
import { startNode, type TestNode } from '../support/node.ts';
import { type OpenIdServer, startOpenIdProvider, throughProvider } from '../support/openid-provider.ts';
import { startScriptedProvider } from '../support/scripted-provider.ts';
import { uniqueEmail } from '../support/unique.ts';

const REF = 'with-providers';
let node: TestNode;
let openId: OpenIdServer;
let app: AppConnection;
let ownHost: string;

beforeAll(async () => {
  node = await startNode({ env: { NINEFOLD_WORKERS: '2', NINEFOLD_HTTP_ALLOW: '127.0.0.1' } });
  app = await createApp(node, { ref: REF });
  ownHost = `${REF}.localhost:${new URL(node.url).port}`;
  openId = await startOpenIdProvider(`http://${ownHost}/auth/v1/callback`);
  const { error } = await clientOf(app, app.secret_key).auth.admin.customProviders.createProvider({
    provider_type: 'oidc',
    identifier: 'custom:real',
    name: 'Real',
    client_id: 'client',
    client_secret: 'secret',
    issuer: openId.issuer,
  });
  expect(error).toBeNull();
});
afterAll(async () => {
  await node?.stop();
  await openId?.close();
});

const headerOf = (response: HttpResponse, name: string): string => String(response.headers[name] ?? '');
const browser = { 'sec-fetch-mode': 'navigate' };

/** Sends a request like a browser that has resolved a name below localhost. */
const ask = (path: string, headers: Record<string, string> = {}) =>
  send(node.url, path, { headers: { host: ownHost, ...headers } });

describe('a sign-in at a provider, over HTTP', () => {
  it('redirects a browser to the app’s own origin, binds the flow to a cookie, and returns with a code', async () => {
    const email = uniqueEmail();
    openId.member = { id: email, email, email_verified: true, name: 'Ada' };
    const client = clientOf(app);
    const { data } = await client.auth.signInWithOAuth({
      provider: 'custom:real' as 'github',
      options: { redirectTo: 'http://localhost:5173/back', skipBrowserRedirect: true },
    });
    const { pathname, search } = new URL(data.url ?? '');
    const first = await send(node.url, pathname + search, { headers: browser });
    expect(first.status).toBe(302);
    expect(headerOf(first, 'location')).toBe(`http://${ownHost}/auth/v1/authorize${search}`);
    const second = await ask(`/auth/v1/authorize${search}`, browser);
    expect(headerOf(second, 'location')).toContain(`${openId.issuer}/auth?`);
    const cookie = String((second.headers['set-cookie'] as unknown as string[])[0]);
    expect(cookie).toMatch(/; Path=\/auth\/v1\/callback; Max-Age=600; HttpOnly; SameSite=Lax$/);
    const back = await throughProvider(headerOf(second, 'location'));
    expect(back.host).toBe(ownHost);
    const third = await ask(back.pathname + back.search, { ...browser, cookie: cookie.split(';')[0] ?? '' });
    const end = new URL(headerOf(third, 'location'));
    expect(end.origin + end.pathname).toBe('http://localhost:5173/back');
    expect(new URLSearchParams(end.hash.slice(1)).get('access_token')).toEqual(expect.any(String));
  });

  it('uses the app’s own host in the callback address if a header names another site', async () => {
    const response = await send(node.url, `/apps/${REF}/auth/v1/authorize?provider=custom:real`, {
      headers: { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
    });
    expect(String(response.headers['set-cookie'])).toMatch(/^nf-sign-in-[0-9a-f]{64}=[\w-]+; Path=.*; HttpOnly/);
    const page = new URL(headerOf(response, 'location'));
    expect(page.searchParams.get('redirect_uri')).toBe(`http://${ownHost}/auth/v1/callback`);
  });

  it('answers a request over the builder’s proxy without a Location header', async () => {
    const response = await send(node.url, `/admin/v1/apps/${REF}/auth/v1/authorize?provider=custom:real`, {
      headers: { authorization: `Bearer ${node.operatorToken}` },
    });
    expect(response.status).toBe(302);
    expect(response.headers.location).toBeUndefined();
  });
});

describe('POST /admin/v1/apps/:ref/providers/:name/check', () => {
  const check = (name: string) => admin<ProviderCheck>(node, 'POST', `/apps/${REF}/providers/${name}/check`);
  const set = (key: string, value: unknown) => admin(node, 'PUT', `/apps/${REF}/settings/${key}`, { value });

  it('says of a certified provider whether it knows the secret, and whether it responds', async () => {
    expect(await check('custom:real')).toEqual({
      verdict: 'accepted',
      words: 'Real knows the client id and the secret.',
    });
    const { customProviders } = clientOf(app, app.secret_key).auth.admin;
    await customProviders.createProvider({
      ...{ provider_type: 'oidc', identifier: 'custom:wrong', name: 'Other', issuer: openId.issuer },
      ...{ client_id: 'client', client_secret: 'another secret' },
    });
    expect(await check('custom:wrong')).toEqual({
      verdict: 'refused',
      words: 'Other refuses the client id or the secret (invalid_client).',
    });
    const closed = { client_id: 'me', secret: 'x', url: 'http://127.0.0.1:9', enabled: true };
    for (const [key, value] of Object.entries(closed)) await set(`external_gitlab_${key}`, value);
    expect(await check('gitlab')).toMatchObject({ verdict: 'unreachable' });
    expect(await check('custom:none')).toMatchObject({ verdict: 'incomplete' });
    expect(await check('google')).toEqual({ verdict: 'incomplete', words: 'provider is not enabled.' });
  });

  it('knows the errors that GitHub returns with status 200, and shows at most 200 characters of an error', async () => {
    const github = await startScriptedProvider();
    try {
      for (const [key, value] of Object.entries({ client_id: 'me', secret: 'x', url: github.url, enabled: true })) {
        await set(`external_github_${key}`, value);
      }
      const saying = async (error: unknown) => {
        github.answers.set('/login/oauth/access_token', { error });
        return check('github');
      };
      expect(await saying('bad_verification_code')).toMatchObject({ verdict: 'accepted' });
      expect(await saying('incorrect_client_credentials')).toMatchObject({ verdict: 'refused' });
      expect(await saying('redirect_uri_mismatch')).toMatchObject({
        verdict: 'unclear',
        words: 'GitHub answered with redirect_uri_mismatch, status 200, which tells nothing about the credentials.',
      });
      expect((await saying('<b>'.repeat(1000))).words.length).toBeLessThan(300);
      github.answers.set('/login/oauth/access_token', { access_token: 'never' });
      expect(await check('github')).toMatchObject({ verdict: 'unclear' });
      const [request] = github.requests;
      expect(request?.line).toBe('POST /login/oauth/access_token');
      expect(Object.fromEntries(new URLSearchParams(request?.body))).toMatchObject({
        ...{ grant_type: 'authorization_code', client_id: 'me', client_secret: 'x' },
        redirect_uri: `http://${ownHost}/auth/v1/callback`,
      });
    } finally {
      await github.close();
    }
  });
});

describe('linkIdentity of the stock client, over HTTP', () => {
  const PAGE = '/auth/v1/user/identities/confirm';

  /** Follows a linking as a browser does, up to the page that asks; returns its cookie and the fields of its form. */
  async function comeBack(start: string) {
    const back = await throughProvider(start);
    const callback = await ask(back.pathname + back.search, browser);
    const cookie = String((callback.headers['set-cookie'] as unknown as string[])[0]);
    const asks = new URL(headerOf(callback, 'location'));
    expect([asks.host, asks.pathname]).toEqual([ownHost, PAGE]);
    expect(cookie).toMatch(/; Path=\/auth\/v1\/user\/identities\/confirm; Max-Age=300; HttpOnly; SameSite=Lax$/);
    const pair = cookie.split(';')[0] ?? '';
    const page = await ask(asks.pathname + asks.search, { ...browser, cookie: pair });
    const fields = [...page.body.matchAll(/type="hidden" name="(\w+)" value="(.*?)"/g)];
    return { page, cookie: pair, fields: Object.fromEntries(fields.map(([, name, value]) => [name, value])) };
  }

  it.each(['pkce', 'implicit'] as const)(
    'links the identity once the member has confirmed it, and returns to redirectTo (%s)',
    async (flowType) => {
      await admin(node, 'PUT', `/apps/${REF}/settings/security_manual_linking_enabled`, { value: true });
      const { session, email } = await signUpMember(app);
      const client = createClient(app.url, app.publishable_key, {
        auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false, flowType },
        realtime: { transport: ws as never },
      });
      await client.auth.setSession(session);
      const external = uniqueEmail();
      openId.member = { id: external, email: external, email_verified: true, name: 'Ada' };
      const options = { redirectTo: 'http://localhost:5173/back', skipBrowserRedirect: true };
      const linking = () => client.auth.linkIdentity({ provider: 'custom:real' as 'github', options });
      await expect.poll(async () => (await linking()).error, { timeout: 5000 }).toBeNull();
      const { page, cookie, fields } = await comeBack((await linking()).data.url ?? '');
      for (const shown of ['Real', email, external]) expect(page.body).toContain(shown);
      const providers = async () =>
        (await client.auth.getUserIdentities()).data?.identities.map(({ provider }) => provider);
      expect(await providers()).toEqual(['email']);
      const confirmed = await send(node.url, PAGE, {
        method: 'POST',
        headers: { host: ownHost, ...browser, cookie, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ ...fields, decision: 'link' }).toString(),
      });
      const end = new URL(headerOf(confirmed, 'location'));
      expect(end.origin + end.pathname).toBe(options.redirectTo);
      if (flowType === 'pkce') {
        const { data } = await client.auth.exchangeCodeForSession(end.searchParams.get('code') ?? '');
        expect(data.session?.provider_token).toEqual(expect.any(String));
      } else {
        expect(new URLSearchParams(end.hash.slice(1)).get('access_token')).toEqual(expect.any(String));
      }
      expect(await providers()).toEqual(['email', 'custom:real']);
    },
  );

  it('shows the confirmation page only on the app’s own origin, and sets no cookie on the node’s origin', async () => {
    const query = '?id=11111111-1111-4111-8111-111111111111';
    const response = await send(node.url, `/apps/${REF}${PAGE}${query}`, { headers: browser });
    expect(response).toMatchObject({ status: 303, headers: { location: `http://${ownHost}${PAGE}${query}` } });
    const callback = await send(node.url, `/apps/${REF}/auth/v1/callback?state=x&code=c`, { headers: browser });
    expect(headerOf(callback, 'location')).toBe(`http://${ownHost}/auth/v1/callback?state=x&code=c`);
    expect([response.headers['set-cookie'], callback.headers['set-cookie']]).toEqual([undefined, undefined]);
  });
});

describe('GET /admin/v1/apps/:ref/sign-ins', () => {
  it('returns the number of sign-ins by each method in the last 30 days', async () => {
    const counted = await createApp(node);
    const { email, password } = await signUpMember(counted);
    await clientOf(counted).auth.signInWithPassword({ email, password });
    await clientOf(counted).auth.signInWithPassword({ email, password: 'another one' });
    const path = `/apps/${counted.ref}/sign-ins`;
    expect(await admin(node, 'GET', path)).toEqual({ days: 30, ways: { password: 2 } });
    expect((await send(node.url, `/admin/v1${path}`)).status).toBe(401);
  });
});

describe('the settings of a provider', () => {
  it('take effect at once, and the secret is never shown', async () => {
    const set = (key: string, value: unknown) => admin(node, 'PUT', `/apps/${REF}/settings/${key}`, { value });
    await set('external_google_client_id', 'google-client');
    await set('external_google_secret', 'a very secret text');
    const entries = await admin<SettingEntry[]>(node, 'GET', `/apps/${REF}/settings`);
    expect(entries.find(({ key }) => key === 'external_google_secret')).toMatchObject({
      is_secret: true,
      is_set: true,
    });
    expect(JSON.stringify(entries)).not.toContain('a very secret text');
    const external = async () => {
      const response = await fetch(`${app.url}/auth/v1/settings`);
      return ((await response.json()) as { external: Record<string, boolean> }).external.google;
    };
    expect(await external()).toBe(false);
    await set('external_google_enabled', true);
    await expect.poll(external, { timeout: 5000 }).toBe(true);
  });
});
