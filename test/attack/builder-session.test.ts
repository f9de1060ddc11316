import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppConnection, consoleHeader, type SetupState } from '../../contract/admin.ts';
import { createApp, createAppWith } from '../support/apps.ts';
import { builder, type Cookie, makeBuilder, signInBuilder } from '../support/builder.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { type HttpResponse, send } from '../support/http.ts';
import { type NodeAddress, startNode, type TestNode } from '../support/node.ts';
import { expectRefusal } from '../support/refusal.ts';

/**
 * The cookie of a builder's session gives the pages of the console access to the management API, and has no other use.
 */
let node: TestNode;
let app: AppConnection;
let session: Cookie;
beforeAll(async () => {
  node = await startNode();
  session = await makeBuilder(node);
  app = await createAppWith(node, 'create table public.things (id int); insert into public.things values (1)');
});
afterAll(() => node.stop());

const pair = ({ name, value }: Cookie): string => `${name}=${value}`;
const fromConsole = { [consoleHeader]: '1' };

function ask(path: string, headers: Record<string, string>, method = 'GET', body?: unknown): Promise<HttpResponse> {
  return send(node.url, path, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ownConnection: true,
  });
}

describe('the cookie of a builder’s session', () => {
  it('gives the console access to the management API and to the app’s own calls', async () => {
    const headers = { cookie: pair(session), ...fromConsole };
    expect(JSON.parse((await ask('/admin/v1/session', headers)).body)).toEqual({
      name: builder.name,
      email: builder.email,
      needs_second_factor: false,
      must_add_second_factor: false,
      second_factor_due: null,
      owns_node: true,
    });
    expect((await ask('/admin/v1/apps', headers)).status).toBe(200);
    expect((await ask(`/admin/v1/apps/${app.ref}/rest/v1/things`, headers)).body).toBe('[{"id":1}]');
    const own = { ...headers, origin: node.url, 'sec-fetch-site': 'same-origin' };
    expect((await ask(`/admin/v1/apps/${app.ref}/sql`, own, 'POST', { sql: 'select 1' })).status).toBe(200);
  });

  it('makes the server derive the specification while the browser loads a page of the app', async () => {
    const cookie = pair(session);
    // Once the versions are recorded and the specification is derived, no background work reads the app's catalog.
    for (const path of ['versions', 'specification']) {
      const { status } = await ask(`/admin/v1/apps/${app.ref}/${path}`, { cookie, ...fromConsole });
      expect([path, status]).toEqual([path, 200]);
    }
    await withClient(await superuserUrl(node, `app_${app.ref}`), async (client) => {
      await client.query('begin; lock table ninefold.screens in access exclusive mode');
      const waiting = async (): Promise<number> => {
        const { rows } = await client.query(
          `select count(*)::int as count from pg_locks where relation = 'ninefold.screens'::regclass and not granted`,
        );
        return rows[0].count;
      };
      const page = { accept: 'text/html', 'sec-fetch-site': 'none' };
      expect((await ask(`/app/${app.ref}/entities`, page)).status).toBe(200);
      expect((await ask('/', { ...page, cookie })).status).toBe(200);
      expect((await ask('/app/unknown', { ...page, cookie })).status).toBe(200);
      expect(await waiting()).toBe(0);
      expect((await ask(`/app/${app.ref}/entities`, { ...page, cookie })).status).toBe(200);
      await expect.poll(waiting).toBe(1);
      await client.query('rollback');
    });
  });

  it('has a name for each port, and scripts and other sites cannot use it', () => {
    expect(session).toMatchObject({
      name: `ninefold_builder_${new URL(node.url).port}`,
      httpOnly: true,
      sameSite: 'Strict',
    });
  });

  it.each<[string, () => Record<string, string>]>([
    ['without the console’s header', () => ({})],
    ['with another value of the console’s header', () => ({ [consoleHeader]: '0' })],
    ['from another site', () => ({ ...fromConsole, 'sec-fetch-site': 'cross-site' })],
    ['from another origin of the site', () => ({ ...fromConsole, 'sec-fetch-site': 'same-site' })],
    ['that the user typed into the address bar', () => ({ ...fromConsole, 'sec-fetch-site': 'none' })],
    [
      'from an app’s origin',
      () => ({ ...fromConsole, origin: `http://${app.ref}.localhost:${new URL(node.url).port}` }),
    ],
    ['from another port', () => ({ ...fromConsole, origin: 'http://127.0.0.1:1' })],
    ['from a sandboxed page', () => ({ ...fromConsole, origin: 'null' })],
  ])('is rejected in a request %s, which has no effect', async (_, headers) => {
    const calls: [string, string, unknown?][] = [
      ['GET', '/session'],
      ['DELETE', '/session'],
      ['GET', '/apps'],
      ['GET', `/apps/${app.ref}/connection`],
      ['GET', `/apps/${app.ref}/rest/v1/things`],
      ['POST', `/apps/${app.ref}/sql`, { sql: 'delete from public.things' }],
      ['DELETE', `/apps/${app.ref}/rest/v1/things?id=eq.1`],
      ['DELETE', `/apps/${app.ref}`, { confirm: app.ref }],
    ];
    for (const [method, path, body] of calls) {
      const response = await ask(`/admin/v1${path}`, { cookie: pair(session), ...headers() }, method, body);
      expect([path, response.status, expectRefusal(response)]).toEqual([path, 403, 'console_required']);
    }
    const rows = await ask(`/admin/v1/apps/${app.ref}/rest/v1/things`, { cookie: pair(session), ...fromConsole });
    expect(rows.body).toBe('[{"id":1}]');
  });

  it('is set only for requests from pages of the console, so that no other site can sign a visitor in', async () => {
    const { email, password } = builder;
    for (const headers of [{}, { ...fromConsole, origin: 'http://evil.example' }]) {
      const response = await ask('/admin/v1/session', headers, 'POST', { email, password });
      expect([expectRefusal(response), response.headers['set-cookie']]).toEqual(['console_required', undefined]);
    }
  });

  it('is rejected if the request contains another cookie of the same name with a different value', async () => {
    const attacker = await signInBuilder(node, builder);
    const cookie = `${pair(attacker)}; ${pair(session)}`;
    for (const path of ['/admin/v1/session', '/admin/v1/apps']) {
      expect(expectRefusal(await ask(path, { cookie, ...fromConsole }))).toBe('session_ambiguous');
    }
    expect((await ask('/admin/v1/apps', { cookie: `${pair(session)}; ${pair(session)}`, ...fromConsole })).status).toBe(
      200,
    );
  });

  it('is not accepted as an access token by the console’s API or by an app’s API', async () => {
    const { publishable_key: apikey } = JSON.parse((await ask('/admin/v1/setup', {})).body) as SetupState;
    const authorization = `Bearer ${session.value}`;
    for (const [path, key] of [
      ['/apps/console/rest/v1/apps', apikey],
      ['/apps/console/auth/v1/user', apikey],
      [`/apps/${app.ref}/rest/v1/things`, app.anon_key],
    ] as const) {
      expect([path, (await ask(path, { apikey: key, authorization })).status]).toEqual([
        path,
        path.includes('auth') ? 403 : 401,
      ]);
    }
    expect(expectRefusal(await ask('/admin/v1/apps', { authorization, ...fromConsole }))).toBe('operator_required');
  });

  it('cannot be replaced by a token, a key or a modified cookie', async () => {
    const { publishable_key: apikey } = JSON.parse((await ask('/admin/v1/setup', {})).body) as SetupState;
    const { email, password } = builder;
    const signedIn = await ask('/apps/console/auth/v1/token?grant_type=password', { apikey }, 'POST', {
      email,
      password,
    });
    const { access_token } = JSON.parse(signedIn.body) as { access_token: string };
    expect((await ask('/admin/v1/apps', { authorization: `Bearer ${access_token}` })).status).toBe(200);
    const [head = '', claims = '', signature = ''] = session.value.split('.');
    const forged = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), exp: 9e9 }),
    ).toString('base64url');
    for (const value of [
      access_token,
      node.operatorToken,
      app.secret_key,
      app.service_role_key,
      apikey,
      'x',
      'a.b.c',
      '"',
      `${head}.${forged}.${signature}`,
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`,
      `${session.value}x`,
    ]) {
      const response = await ask('/admin/v1/apps', { cookie: `${session.name}=${value}`, ...fromConsole });
      expect([value, expectRefusal(response)]).toEqual([value, 'operator_required']);
      const shown = await ask('/admin/v1/session', { cookie: `${session.name}=${value}`, ...fromConsole });
      expect([shown.status, shown.body]).toEqual([200, 'null']);
    }
  });

  it('stops working when the builder signs out, SQL deletes the session or the builder’s row is deleted', async () => {
    const status = async (cookie: Cookie) =>
      (await ask('/admin/v1/apps', { cookie: pair(cookie), ...fromConsole })).status;
    const left = await signInBuilder(node, builder);
    expect(await status(left)).toBe(200);
    const out = await ask('/admin/v1/session', { cookie: pair(left), ...fromConsole, origin: node.url }, 'DELETE');
    expect([out.status, String(out.headers['set-cookie'])]).toEqual([
      204,
      expect.stringMatching(/^ninefold_builder_\d+=; Max-Age=0;/),
    ]);
    await expect.poll(() => status(left), { timeout: 1000 }).toBe(401);
    expect(await status(session)).toBe(200);
    await withClient(await superuserUrl(node, 'app_console'), async (client) => {
      await client.query('delete from auth.sessions');
      await expect.poll(() => status(session), { timeout: 1000 }).toBe(401);
      const another = await signInBuilder(node, builder);
      expect(await status(another)).toBe(200);
      await client.query('delete from public.builders');
      expect(await status(another)).toBe(401);
      const { email, password } = builder;
      const refused = await ask('/admin/v1/session', fromConsole, 'POST', { email, password });
      expect([expectRefusal(refused), refused.headers['set-cookie']]).toEqual(['operator_required', undefined]);
    });
  });

  it('is subject to the same limits as every other sign-in', async () => {
    const email = 'nobody@example.com';
    const codes = [];
    for (let i = 0; i < 25; i++) {
      codes.push(expectRefusal(await ask('/admin/v1/session', fromConsole, 'POST', { email, password: `wrong ${i}` })));
    }
    expect(codes[0]).toBe('invalid_credentials');
    expect(codes.at(-1)).toBe('over_request_rate_limit');
    const builders = await ask('/admin/v1/session', fromConsole, 'POST', { email, password: 'x', more: 1 });
    expect(expectRefusal(builders)).toBe('validation_invalid');
  });
});

describe('a node behind TLS', () => {
  const host = 'console.example.com';
  let secure: TestNode;
  let local: NodeAddress;
  beforeAll(async () => {
    const port = await freePort();
    const env = { NINEFOLD_URL: `https://${host}`, NINEFOLD_DOMAIN: 'example.com', NINEFOLD_PORT: String(port) };
    secure = await startNode({ env });
    local = { ...secure, url: `http://127.0.0.1:${port}` };
  });
  afterAll(() => secure.stop());

  it('binds the cookie to its own host, and accepts it only from its own pages', async () => {
    const cookie = await makeBuilder(local);
    expect(cookie).toMatchObject({ name: '__Host-ninefold_builder', secure: true });
    const status = async (headers: Record<string, string>) =>
      (await send(local.url, '/admin/v1/apps', { headers: { host, ...fromConsole, ...headers } })).status;
    expect(await status({ cookie: pair(cookie), origin: `https://${host}` })).toBe(200);
    expect(await status({ cookie: pair(cookie), origin: `http://${host}` })).toBe(403);
    expect(await status({ cookie: pair(cookie), origin: 'https://shop.example.com' })).toBe(403);
    // Any host of the domain can set a cookie without the prefix `__Host-`.
    expect(await status({ cookie: `ninefold_builder_443=${cookie.value}` })).toBe(401);
    expect(await status({ cookie: `ninefold_builder_443=x; ${pair(cookie)}` })).toBe(200);
  });

  it('sends Strict-Transport-Security with every response', async () => {
    const { ref, url, origin } = await createApp(local);
    expect([url, origin]).toEqual([`https://${ref}.example.com`, `https://${ref}.example.com`]);
    for (const path of [
      '/',
      '/health',
      '/docs/errors',
      '/assets/x.js',
      '/admin/v1/apps',
      `/apps/${ref}/rest/v1/`,
      '/x',
    ]) {
      const response = await send(local.url, path, { headers: { host, accept: 'text/html' } });
      expect([path, response.headers['strict-transport-security']]).toEqual([path, 'max-age=31536000']);
    }
    // On the app's own origin: pages for members, calls, and errors. No cache stores an error.
    for (const path of [
      '/',
      '/account',
      '/portal/v1/app',
      '/rest/v1/',
      '/portal/v1/x',
      '/account/assets/x.js',
      '/x.js',
    ]) {
      const { headers, status } = await send(local.url, path, {
        headers: { host: new URL(origin ?? '').host, accept: 'text/html' },
      });
      expect([path, headers['strict-transport-security']]).toEqual([path, 'max-age=31536000']);
      expect([path, status < 400 || headers['cache-control']]).toEqual([path, status < 400 || 'no-store']);
    }
  });
});

describe('responses of the node', () => {
  it('contain headers that forbid other sites to frame or read them', async () => {
    for (const path of [
      '/',
      '/health',
      '/docs/errors',
      '/docs/errors/internal',
      '/assets/x.js',
      '/admin/v1/apps',
      '/x',
      '/%',
    ]) {
      const { headers } = await send(node.url, path, { headers: { accept: 'text/html' } });
      expect(headers, path).toMatchObject({
        'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': expect.stringContaining('camera=()'),
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
      expect(headers['strict-transport-security']).toBeUndefined();
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});
