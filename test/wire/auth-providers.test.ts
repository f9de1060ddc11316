import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection, SettingEntry } from '../../contract/admin.ts';
import { admin, createApp } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { type HttpAnswer, send } from '../support/http.ts';
import { startNode, type TestNode } from '../support/node.ts';
import { type OpenIdServer, startOpenIdProvider, throughProvider } from '../support/openid-provider.ts';
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

const headerOf = (answer: HttpAnswer, name: string): string => String(answer.headers[name] ?? '');
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

  it('ignores a Host in the callback address that does not belong to the app', async () => {
    const answer = await send(node.url, `/apps/${REF}/auth/v1/authorize?provider=custom:real`, {
      headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    });
    const page = new URL(headerOf(answer, 'location'));
    expect(page.searchParams.get('redirect_uri')).toBe(`http://${ownHost}/auth/v1/callback`);
  });

  it('answers a builder’s call without a Location header', async () => {
    const answer = await send(node.url, `/admin/v1/apps/${REF}/auth/v1/authorize?provider=custom:real`, {
      headers: { authorization: `Bearer ${node.operatorToken}` },
    });
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toBeUndefined();
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
