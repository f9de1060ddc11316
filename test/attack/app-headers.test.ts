import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createAppWith } from '../support/apps.ts';
import { type HttpResponse, send } from '../support/http.ts';
import { expectRefusal } from '../support/refusal.ts';

/** Headers that an app's functions set on their own responses must have no effect outside of the app. */
const node = inject('node');
const operator = { authorization: `Bearer ${node.operatorToken}` };

let app: AppConnection;
beforeAll(async () => {
  app = await createAppWith(
    node,
    `create function public.reply(headers text, status text default '200') returns text language sql volatile as
       $$ select set_config('response.headers', headers, true), set_config('response.status', status, true); select 'body' $$;
     create function public.fail(headers jsonb, status int) returns void language plpgsql volatile as
       $$ begin raise sqlstate 'PGRST' using message = '{"code":"X1","message":"no"}',
          detail = jsonb_build_object('status', status, 'headers', headers)::text; end $$;
     create function public.heard() returns json language sql stable as
       $$ select json_build_object('headers', current_setting('request.headers')::json, 'cookies', current_setting('request.cookies')::json) $$;
     create table public.things (id int primary key);`,
  );
});

type Entry = 'path' | 'builder' | 'own';
const entries: Entry[] = ['path', 'builder', 'own'];

/** Returns the path and the headers for a call of the app. */
function target(entry: Entry, path: string): [path: string, headers: Record<string, string>] {
  switch (entry) {
    case 'path':
      return [`/apps/${app.ref}${path}`, { apikey: app.anon_key }];
    case 'builder':
      return [`/admin/v1/apps/${app.ref}${path}`, operator];
    case 'own':
      return [path, { apikey: app.anon_key, host: `${app.ref}.localhost:${new URL(node.url).port}` }];
  }
}

function call(entry: Entry, name: string, body: unknown, more: Record<string, string> = {}): Promise<HttpResponse> {
  const [path, headers] = target(entry, `/rest/v1/rpc/${name}`);
  return send(node.url, path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', ...more },
    body: JSON.stringify(body),
  });
}
const reply = (entry: Entry, headers: object[], status = '200') =>
  call(entry, 'reply', { headers: JSON.stringify(headers), status });

/** Headers that affect the origin, the browser or a proxy, or that send a browser to another address. */
const hostile: [name: string, value: string][] = [
  ['Set-Cookie', 'ninefold_builder=x; Path=/'],
  ['Clear-Site-Data', '"*"'],
  ['Service-Worker-Allowed', '/'],
  ['Strict-Transport-Security', 'max-age=0'],
  ['Refresh', '0; url=http://evil.example'],
  ['Report-To', '{"group":"default","endpoints":[{"url":"https://evil.example"}]}'],
  ['Reporting-Endpoints', 'default="https://evil.example"'],
  ['NEL', '{"report_to":"default","max_age":1,"include_subdomains":true}'],
  ['Accept-CH', 'Sec-CH-UA-Model'],
  ['Critical-CH', 'Sec-CH-UA-Model'],
  ['Alt-Svc', 'h2="evil.example:443"'],
  ['SourceMap', 'https://evil.example/map'],
  ['X-SourceMap', 'https://evil.example/map'],
  ['X-Auto-Login', 'realm=com.google&args=continue%3Dhttps://evil.example'],
  ['Origin-Agent-Cluster', '?0'],
  ['Content-Security-Policy-Report-Only', "default-src 'none'; report-uri https://evil.example"],
  ['Cross-Origin-Embedder-Policy', 'require-corp'],
  ['Permissions-Policy', 'camera=*'],
  ['Feature-Policy', 'camera *'],
  ['Referrer-Policy', 'unsafe-url'],
  ['Access-Control-Allow-Credentials', 'true'],
  ['Access-Control-Allow-Private-Network', 'true'],
  ['Timing-Allow-Origin', '*'],
  ['Speculation-Rules', '"/rules.json"'],
  ['Supports-Loading-Mode', 'credentialed-prerender'],
  ['No-Vary-Search', 'params'],
  ['Use-As-Dictionary', 'match="/*"'],
  ['Set-Login', 'logged-out'],
  ['Activate-Storage-Access', 'load'],
  ['Attribution-Reporting-Register-Source', '{}'],
  ['Document-Policy', 'force-load-at-top'],
  ['Content-Security-Policy', 'sandbox allow-scripts allow-same-origin'],
  ['X-Frame-Options', 'ALLOWALL'],
  ['X-DNS-Prefetch-Control', 'on'],
  ['X-XSS-Protection', '1; report=https://evil.example'],
  ['X-Accel-Redirect', '/etc/passwd'],
  ['X-Sendfile', '/etc/passwd'],
  ['X-LiteSpeed-Location', '/admin'],
  ['Surrogate-Control', 'max-age=1000'],
  ['Proxy-Authenticate', 'Basic'],
  ['WWW-Authenticate', 'Basic realm="The console"'],
  ['WWW-Authenticate', 'Bearer, Basic realm="The console"'],
  ['Link', '</apps/x/rest/v1/rpc/script>; rel=preload; as=script'],
  ['Link', '<https://evil.example>; rel="next", <https://evil.example>; rel=preconnect'],
  ['Link', '</x.css>; rel=stylesheet'],
  ['Location', 'http://evil.example'],
  ['Location', '//evil.example'],
  ['Location', '/\\evil.example'],
  ['Location', '/\t/evil.example'],
  ['Location', 'javascript:alert(1)'],
  ['Content-Type', 'multipart/x-mixed-replace; boundary=x'],
  ['Any-Name-Of-Its-Own', 'x'],
];

describe.each(['path', 'builder'] as const)('responses of an app on the node’s origin (%s)', (entry) => {
  it.each(hostile)('are sent without the header %s: %s', async (name, value) => {
    const expected = await reply(entry, []);
    const plain = (response: HttpResponse) => {
      const { 'x-request-id': _, date: __, 'content-type': ___, ...rest } = response.headers;
      return rest;
    };
    for (const written of [name, name.toUpperCase(), name.toLowerCase()]) {
      const answers = [
        await reply(entry, [{ [written]: value }]),
        await reply(entry, [{ [written]: value }, { [name]: value }]),
      ];
      for (const response of answers) {
        expect(plain(response)).toEqual(plain(expected));
        expect(response.headers['content-type'] ?? '').not.toContain('multipart');
      }
    }
    const failed = await call(entry, 'fail', { headers: { [name]: value }, status: 400 });
    expect(failed.status).toBe(400);
    if (!['link', 'content-type'].includes(name.toLowerCase()) && expected.headers[name.toLowerCase()] === undefined) {
      expect(failed.headers[name.toLowerCase()]).toBeUndefined();
    }
    expect(JSON.stringify(failed.headers)).not.toContain('evil.example');
  });

  it('cannot execute scripts, on every method and path and also as errors', async () => {
    const expectInert = ({ headers }: HttpResponse) => {
      expect(headers['content-security-policy']).toBe("sandbox; default-src 'none'; frame-ancestors 'none'");
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      expect(headers['access-control-allow-origin']).toBe(entry === 'path' ? '*' : undefined);
    };
    expectInert(
      await reply(entry, [{ 'content-type': 'text/html' }, { 'Access-Control-Allow-Origin': 'https://evil.example' }]),
    );
    for (const path of [
      '/rest/v1/',
      '/rest/v1/things',
      '/rest/v1/nothing',
      '/auth/v1/user',
      '/auth/v1/settings',
      '/auth/v1/nothing',
    ]) {
      for (const method of ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']) {
        const [to, headers] = target(entry, path);
        expectInert(await send(node.url, to, { method, headers: { ...headers, origin: 'https://evil.example' } }));
      }
    }
    if (entry === 'path') {
      for (const path of ['', '/', '/openapi.json', '/x', '/storage/v1/x', '/rest/v2']) {
        const response = await send(node.url, `/apps/${app.ref}${path}`);
        expect(response.headers['content-security-policy']).toMatch(/^sandbox;/);
      }
    }
  });

  it('contain no Location of the app in a redirect, but the Location of the new row after an insert', async () => {
    for (const status of ['300', '301', '302', '303', '307', '308']) {
      const response = await reply(entry, [{ Location: '/admin/v1/apps' }], status);
      expect([response.status, response.headers.location]).toEqual([Number(status), undefined]);
    }
    const [path, headers] = target(entry, '/rest/v1/things');
    const made = await send(node.url, path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', prefer: 'return=headers-only' },
      body: JSON.stringify({ id: entry === 'path' ? 1 : 2 }),
    });
    expect([made.status, made.headers.location]).toEqual([201, `/things?id=eq.${entry === 'path' ? 1 : 2}`]);
  });

  it('contain the app’s headers that affect only the response itself, like Cache-Control', async () => {
    const said = {
      'cache-control': 'public, max-age=9',
      'content-disposition': 'attachment; filename="a.csv"',
      'content-language': 'de',
      etag: '"1"',
      link: '</things?offset=10>; rel="next"',
      'retry-after': '9',
      'x-powered-by': 'rows',
      'x-total-count': '7',
    };
    const response = await reply(
      entry,
      Object.entries(said).map(([name, value]) => ({ [name]: value })),
    );
    expect(response.headers).toMatchObject(said);
  });

  it.each(['serviceworker', 'worker', 'sharedworker', 'script', 'audioworklet', 'paintworklet'])(
    'are refused to a browser that loads them as a %s',
    async (dest) => {
      const asked = { 'sec-fetch-dest': dest, ...(dest === 'serviceworker' && { 'service-worker': 'script' }) };
      for (const headers of [asked, { 'service-worker': 'script' }]) {
        const response = await call(entry, 'reply', { headers: '[{"content-type":"text/javascript"}]' }, headers);
        expect([response.status, expectRefusal(response)]).toEqual([403, 'script_refused']);
      }
    },
  );

  it('come from functions of the app, which receive no cookie and no token of a builder', async () => {
    const response = await call(
      entry,
      'heard',
      {},
      { cookie: 'ninefold_builder=secret; __Host-ninefold_builder=secret' },
    );
    expect(JSON.parse(response.body).cookies).toEqual({});
    expect(response.body).not.toContain('secret');
    expect(response.body).not.toContain(node.operatorToken);
  });
});

describe('responses on an app’s own origin', () => {
  it('contain the headers and cookies that the app sets', async () => {
    const response = await reply('own', [
      { 'Set-Cookie': 'a=1' },
      { 'Set-Cookie': 'b=2' },
      { 'Service-Worker-Allowed': '/' },
      { 'Content-Security-Policy': "default-src 'self'" },
      { Location: 'https://elsewhere.example/' },
    ]);
    expect(response.headers).toMatchObject({
      'set-cookie': ['a=1', 'b=2'],
      'service-worker-allowed': '/',
      'content-security-policy': "default-src 'self'",
      'x-content-type-options': 'nosniff',
      location: 'https://elsewhere.example/',
    });
    const heard = await call('own', 'heard', {}, { cookie: 'a=1' });
    expect(JSON.parse(heard.body).cookies).toEqual({ a: '1' });
  });

  it.each([
    ['Strict-Transport-Security', 'max-age=9; includeSubDomains'],
    ['Clear-Site-Data', '"cookies"'],
    ['X-Accel-Redirect', '/etc/passwd'],
    ['X-Sendfile', '/etc/passwd'],
  ])('are sent without %s, which affects more than the app', async (name, value) => {
    expect((await reply('own', [{ [name]: value }])).headers[name.toLowerCase()]).toBeUndefined();
  });

  it('do not exist for the node’s paths, which are not found there', async () => {
    const { host = '' } = target('own', '')[1];
    for (const path of [
      '/assets/',
      '/assets/../index.html',
      '/docs',
      '/admin/v1/setup',
      '/admin/v1/session',
      '/admin/v1/apps',
      `/admin/v1/apps/${app.ref}/rest/v1/things`,
      `/apps/${app.ref}/rest/v1/things`,
      '/apps/console/auth/v1/settings',
      '/docs/errors',
      '/docs/errors/not_found',
      '/%61dmin/v1/apps',
      '//admin/v1/apps',
    ]) {
      const response = await send(node.url, path, { headers: { ...operator, host, accept: 'text/html' } });
      expect([path, response.status, expectRefusal(response)]).toEqual([path, 404, 'not_found']);
    }
    for (const [path, status] of [
      ['/', 200],
      ['/account/sign-in', 200],
      ['/team', 200],
    ] as const) {
      const { status: found, body } = await send(node.url, path, {
        headers: { ...operator, host, accept: 'text/html' },
      });
      expect([path, found, body.includes('data-surface="portal"')]).toEqual([path, status, true]);
    }
    const response = await send(node.url, '/openapi.json', { headers: { host, apikey: app.anon_key } });
    expect(JSON.parse(response.body).openapi).toBe('3.1.1');
    expect((await send(node.url, '/rest/v1/things', { headers: { host, apikey: app.anon_key } })).status).toBe(200);
  });

  it('link to the documentation of an error on the node’s origin', async () => {
    const { host = '' } = target('own', '')[1];
    const response = await send(node.url, '/rest/v1/nothing', { headers: { host, apikey: app.anon_key } });
    expect(response.headers.link).toBe(`<${node.url}/docs/errors/PGRST205>; rel="help"`);
  });

  it('come from the app if the absolute URL in the request line names its host', async () => {
    const port = new URL(node.url).port;
    const response = await send(node.url, `http://${app.ref}.localhost:${port}/admin/v1/setup`, { headers: operator });
    expect(expectRefusal(response)).toBe('not_found');
  });
});

describe('responses to members', () => {
  it.each(entries)('are not cacheable, unless the app sets Cache-Control (%s)', async (entry) => {
    for (const path of ['/rest/v1/things', '/rest/v1/nothing', '/rest/v1/', '/auth/v1/settings', '/auth/v1/user']) {
      const [to, headers] = target(entry, path);
      const response = await send(node.url, to, { headers });
      expect([path, response.headers['cache-control']]).toEqual([path, 'no-store']);
      expect([path, response.headers.vary]).toEqual([path, expect.stringContaining('Authorization, apikey')]);
    }
    const cached = await reply(entry, [{ 'Cache-Control': 'public, max-age=60' }]);
    expect(cached.headers['cache-control']).toBe('public, max-age=60');
    expect(cached.headers.vary).toBe('Accept, Prefer, Range, Authorization, apikey');
    expect((await reply(entry, [{ Vary: 'Accept' }])).headers.vary).toBe('Accept');
  });
});

describe('response.headers', () => {
  it.each(entries)('accepts names that are properties of JavaScript objects (%s)', async (entry) => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      const { status, body, headers } = await reply(entry, [{ [name]: 'x' }]);
      expect([status, body]).toEqual([200, '"body"']);
      const written = Object.hasOwn(headers, name.toLowerCase()) ? headers[name.toLowerCase()] : undefined;
      expect([name, written]).toEqual([name, entry === 'own' && name !== '__proto__' ? 'x' : undefined]);
    }
  });

  it.each(entries)('rejects names and values that contain a line break (%s)', async (entry) => {
    for (const header of [{ x: 'a\r\nset-cookie: b=1' }, { 'x\r\nset-cookie': 'b=1' }, { x: 'a\nb' }, { 'x y': 'a' }]) {
      const response = await reply(entry, [header]);
      expect([response.headers['set-cookie'], JSON.parse(response.body).code]).toEqual([undefined, 'PGRST111']);
    }
  });
});
