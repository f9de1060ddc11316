import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type AppConnection, consoleHeader } from '../../contract/admin.ts';
import { limits } from '../../contract/limits.ts';
import { createApp, runSql } from '../support/apps.ts';
import { type HttpResponse, send, sendBytes } from '../support/http.ts';
import { startNode } from '../support/node.ts';
import { expectNoFault, expectRefusal } from '../support/refusal.ts';

/** Malformed HTTP, unusual paths, and headers that the server must not repeat. */
const node = inject('node');
let app: AppConnection;
let rest: string;
beforeAll(async () => {
  app = await createApp(node);
  rest = `/apps/${app.ref}/rest/v1`;
  await runSql(
    node,
    app.ref,
    'create table public.things (id int primary key, name text); insert into public.things values (1)',
  );
});

/** Parses the responses that one connection received. */
function answersIn(heard: string): HttpResponse[] {
  return heard.split(/(?=HTTP\/1\.1 \d{3} )/).map((text) => {
    const [head = '', body = ''] = text.split(/\r\n\r\n/);
    const [first = '', ...lines] = head.split('\r\n');
    const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(/: ?(.*)/s)));
    return { status: Number(first.split(' ')[1]), headers, body };
  });
}

const host = `Host: ${new URL(node.url).host}\r\n`;

describe('malformed HTTP', () => {
  const get = (line: string, headers = host) => `GET ${line} HTTP/1.1\r\n${headers}\r\n`;
  const post = (headers: string, body: string) => `POST ${rest}/things HTTP/1.1\r\n${host}${headers}\r\n${body}`;
  const second = `GET /health HTTP/1.1\r\n${host}\r\n`;
  const broken: [string, () => string | Uint8Array][] = [
    ['no Host header', () => get('/health', '')],
    ['two Host headers', () => get('/health', `${host}Host: other\r\n`)],
    ['an unknown method', () => `FOO ${rest}/things HTTP/1.1\r\n${host}\r\n`],
    ['a method in lower case', () => `get ${rest}/things HTTP/1.1\r\n${host}\r\n`],
    ['CONNECT', () => `CONNECT example.com:80 HTTP/1.1\r\n${host}\r\n`],
    ['TRACE', () => `TRACE ${rest}/things HTTP/1.1\r\n${host}\r\n`],
    ['QUERY without a type', () => `QUERY ${rest}/things HTTP/1.1\r\n${host}\r\n`],
    ['PROPFIND', () => `PROPFIND ${rest}/things HTTP/1.1\r\n${host}\r\n`],
    ['a TLS handshake', () => new Uint8Array([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00])],
    ['HTTP/2 without asking', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown HTTP version', () => `GET / HTTP/9.9\r\n${host}\r\n`],
    ['a NUL in the path', () => get(`${rest}/th\0ings`)],
    ['bytes above ASCII in the path', () => get(`${rest}/th\xff\xfengs`)],
    ['a space in the path', () => get(`${rest}/th ings`)],
    ['a NUL in a header', () => get('/health', `${host}X: a\0b\r\n`)],
    ['a folded header', () => get('/health', `${host}X: a\r\n b\r\n`)],
    ['a space before the colon', () => get('/health', 'Host : a\r\n')],
    ['bare line feeds', () => get('/health').replaceAll('\r\n', '\n')],
    ['a path beyond the limit', () => get(`${rest}/${'a'.repeat(limits.urlBytes.default)}`)],
    ['a header beyond the limit', () => get('/health', `${host}X: ${'a'.repeat(limits.urlBytes.default)}\r\n`)],
    ['an invalid Expect header', () => post('Expect: nonsense\r\nContent-Length: 2\r\n', '{}')],
    [
      'Content-Length and Transfer-Encoding together',
      () => post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${second}`),
    ],
    ['two Content-Length headers', () => post('Content-Length: 2\r\nContent-Length: 60\r\n', `{}${second}`)],
    ['a negative Content-Length', () => post('Content-Length: -2\r\n', second)],
    ['a Content-Length with a plus sign', () => post('Content-Length: +2\r\n', `{}${second}`)],
    ['a hexadecimal Content-Length', () => post('Content-Length: 0x2\r\n', `{}${second}`)],
    ['a Content-Length of 20 digits', () => post('Content-Length: 99999999999999999999\r\n', second)],
    ['a Content-Length beyond the limit', () => post(`Content-Length: ${limits.bodyBytes.default + 1}\r\n`, second)],
    ['an invalid chunk size', () => post('Transfer-Encoding: chunked\r\n', `ZZ\r\nxx\r\n0\r\n\r\n${second}`)],
    [
      'an endless chunk extension',
      () => post('Transfer-Encoding: chunked\r\n', `2;${'a'.repeat(40_000)}\r\n{}\r\n0\r\n\r\n`),
    ],
    ['an unknown transfer coding', () => post('Transfer-Encoding: xchunked\r\n', second)],
    [
      'chunked that is not the last transfer coding',
      () => post('Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${second}`),
    ],
  ];
  it.each(broken)(
    'gets one error, and the server answers no further request on the connection: %s',
    async (what, bytes) => {
      const answers = answersIn(await sendBytes(node.url, bytes()));
      expect(answers.map(({ status }) => status)).toHaveLength(1);
      expectRefusal(answers[0] as HttpResponse, what);
    },
  );

  it('cannot exceed the body limit with chunks', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 0x20);
    const chunks = Array.from({ length: limits.bodyBytes.default / chunk.length + 1 }, () => chunk);
    const response = await send(node.url, `${rest}/things`, {
      method: 'POST',
      headers: { apikey: app.service_role_key, 'content-type': 'application/json' },
      chunks,
      ownConnection: true,
    }).catch((error: Error) => error.message);
    // The server responds and closes the connection. A client that still writes gets an error.
    if (typeof response === 'string') expect(response).toMatch(/EPIPE|ECONNRESET|socket hang up/);
    else expect(expectRefusal(response)).toBe('body_too_large');
    expect((await send(node.url, '/health')).status).toBe(200);
  });

  it('GET with a request target in absolute form gets the same response', async () => {
    const [response] = answersIn(
      await sendBytes(
        node.url,
        `GET http://elsewhere.example${rest}/things?select=id HTTP/1.1\r\n${host}apikey: ${app.anon_key}\r\nConnection: close\r\n\r\n`,
      ),
    );
    expect(response).toMatchObject({ status: 200, body: '[{"id":1}]' });
  });
});

describe('paths', () => {
  it.each([
    '/apps/../admin/v1/apps',
    '/apps/x/../../admin/v1/apps',
    '/apps/%2e%2e/admin/v1/apps',
    '/apps/..%2fadmin%2fv1%2fapps',
    '//admin/v1/apps',
    '/ADMIN/v1/apps',
    '/admin/v1/apps/%00',
    '/admin/v1/apps/%ff/sql',
    '/admin/v1/apps/%/sql',
    '/admin/v1/..%2f..%2fetc%2fpasswd',
    '/admin/v1/',
    '/apps/%00/rest/v1/things',
    '/apps/%/rest/v1/things',
    `/apps/${'a'.repeat(500)}/rest/v1/things`,
    `/apps/${"a'--"}/rest/v1/things`,
    '/apps//rest/v1/things',
    '/assets/../../../../etc/passwd',
    '/assets/..%2f..%2f..%2f..%2fetc%2fpasswd',
    '/assets/..%5c..%5csecrets',
    '/assets/%00',
    '/..%2f..%2f.ninefold/secrets/operator-token',
    '/.ninefold/secrets/operator-token',
    '/%2e%2e/%2e%2e/package.json',
  ])('get an error if they name no route: %s', async (path) => {
    const response = await send(node.url, path);
    expectRefusal(response);
    expect(response.body).not.toMatch(/root:|operator-token|"dependencies"/);
  });

  it('of an app lead to the same resource if a letter is percent-encoded', async () => {
    for (const path of [
      `/apps/%${app.ref.charCodeAt(0).toString(16)}${app.ref.slice(1)}/rest/v1/things?select=id`,
      `/apps/${app.ref}/%72est/v1/things?select=id`,
      `/apps/${app.ref}/rest/v1/%74hings?select=id`,
    ]) {
      expect(await send(node.url, path, { headers: { apikey: app.anon_key } })).toMatchObject({
        status: 200,
        body: '[{"id":1}]',
      });
    }
  });

  it('below an app reach no path outside of the app', async () => {
    for (const path of [
      '/..',
      '/../../..',
      '/%2e%2e/%2e%2e/%2e%2e/admin/v1/apps',
      '/..%2f..%2fauth%2fv1%2fadmin%2fusers',
      '//',
      '/;x',
      '/%',
      '/%ff',
      '/%00',
    ]) {
      expectRefusal(await send(node.url, rest + path, { headers: { apikey: app.secret_key } }), path);
    }
  });
});

describe('request headers', () => {
  const hostile = [
    'a\tb',
    '"',
    "'; select 1; --",
    '\xff\xfe\x80',
    '%0d%0ax-evil:1',
    '\\r\\nx-evil: 1',
    '=,;=,;',
    'a=b; a="',
    '*/*;q=9999999999999999999999',
    'application/vnd.pgrst.object+json;nulls=',
    'application/vnd.pgrst.plan+json; options=analyze|verbose; for="x',
    'bytes=0-1,5-2',
    '0-99999999999999999999999',
    '-1--2',
    "handling=strict, timezone='; set role x; --",
    'tx=commit,return=nonsense,count=exact,max-affected=-1,resolution=',
    '__proto__=1, constructor=2',
    'multipart/form-data',
    'application/json; charset=utf-7',
    'text/csv; header="',
    'x'.repeat(20_000),
    ','.repeat(5000),
    ';'.repeat(5000),
  ];
  const names = [
    'accept',
    'accept-profile',
    'content-profile',
    'content-type',
    'prefer',
    'range',
    'range-unit',
    'authorization',
    'apikey',
    'cookie',
    'origin',
    'x-request-id',
    'x-forwarded-for',
    'x-forwarded-host',
    'forwarded',
    'x-http-method-override',
    'x-ninefold-as',
    'if-none-match',
    'if-modified-since',
    'access-control-request-headers',
    'set-cookie',
    '__proto__',
    'host',
  ];
  it.each(names)('get no server error and no copied header in the response with hostile values of %s', async (name) => {
    for (const value of hostile) {
      for (const method of ['GET', 'POST']) {
        const response = await send(node.url, `${rest}/things?limit=1`, {
          method,
          headers: { apikey: app.anon_key, 'content-type': 'application/json', prefer: 'tx=rollback', [name]: value },
          ...(method === 'POST' ? { body: '{"id":2}' } : {}),
        });
        expectNoFault(response, `${method} ${name}: ${value.slice(0, 60)}`);
        expect(response.headers['x-evil']).toBeUndefined();
      }
    }
  });

  it('repeat x-request-id only if the value is harmless', async () => {
    const idFor = async (sent: string) =>
      (await send(node.url, '/health', { headers: { 'x-request-id': sent } })).headers['x-request-id'];
    expect(await idFor('trace-1.a:b_c')).toBe('trace-1.a:b_c');
    for (const sent of ['<script>', 'a b', '"', '\xff', 'x'.repeat(129), 'a, b', '']) {
      expect(await idFor(sent)).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    }
  });

  it('are refused if a valid Authorization header follows an invalid one', async () => {
    const [response] = answersIn(
      await sendBytes(
        node.url,
        `GET /admin/v1/apps HTTP/1.1\r\n${host}Authorization: Bearer wrong\r\nAuthorization: Bearer ${node.operatorToken}\r\nConnection: close\r\n\r\n`,
      ),
    );
    expect(expectRefusal(response as HttpResponse)).toBe('operator_required');
  });

  it('from another site do not allow that site to frame or read the page', async () => {
    const response = await send(node.url, '/', { headers: { accept: 'text/html' } });
    if (response.status === 200) {
      expect(response.headers['content-security-policy']).toMatch(/frame-ancestors 'none'/);
      expect(response.headers['x-content-type-options']).toBe('nosniff');
      expect(response.headers['access-control-allow-origin']).toBeUndefined();
    } else expectRefusal(response);
    const admin = await send(node.url, '/admin/v1/apps', { headers: { origin: 'https://evil.example' } });
    expect(admin.headers['access-control-allow-origin']).toBeUndefined();
  });
});

it('the node sends short response headers even if the request is long', async () => {
  const long = `${rest}/things?id=in.(${Array.from({ length: 5000 }, (_, i) => i).join(',')})`;
  const response = await send(node.url, long, { headers: { apikey: app.anon_key } });
  expect(response.status).toBe(200);
  expect(JSON.stringify(response.headers).length).toBeLessThan(8000);
});

describe('a Host header that no setting names', () => {
  const { port } = new URL(node.url);
  const paths = () => [
    ...['/', '/sign-in', '/docs/errors', '/assets/x.js', '/admin/v1/apps', '/admin/v1/setup', '/x', '/healthy'],
    ...[`${rest}/things`, `/apps/${app.ref}/auth/v1/settings`, `/apps/${app.ref}/openapi.json`, '/%61pps/x/rest/v1/'],
    `/admin/v1/apps/${app.ref}/rest/v1/things`,
  ];

  it.each([
    'evil.example',
    `evil.example:${port}`,
    `127.0.0.1.evil.example:${port}`,
    'localhost.evil.example',
    'xlocalhost',
    'console.localhost',
    '10.1.2.3',
    `169.254.169.254:${port}`,
    '[fe80::1]',
  ])('is refused with 421 on every path but those of monitoring: %s', async (name) => {
    const headers = { host: name, accept: 'text/html', apikey: app.anon_key, authorization: `Bearer ${app.anon_key}` };
    for (const path of paths()) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const response = await send(node.url, path, { method, headers });
        expect([path, method, response.status]).toEqual([path, method, 421]);
        expect(expectRefusal(response, path)).toBe('misdirected_request');
        expect(response.headers['access-control-allow-origin']).toBeUndefined();
      }
    }
    expect(await send(node.url, '/health', { headers })).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  });

  it('gives a page of that name no session of a builder after its name was pointed at the node', async () => {
    const name = `rebound.example:${port}`;
    const headers = {
      ...{ host: name, origin: `http://${name}`, 'sec-fetch-site': 'same-origin' },
      ...{ 'content-type': 'application/json', [consoleHeader]: '1' },
    };
    const body = JSON.stringify({ email: 'a@example.org', password: 'correct horse battery' });
    const response = await send(node.url, '/admin/v1/session', { method: 'POST', headers, body });
    expect([response.status, response.headers['set-cookie']]).toEqual([421, undefined]);
  });

  it('is refused although a target in absolute form names the node', async () => {
    const own = new URL(node.url).host;
    const heard = await sendBytes(
      node.url,
      `GET http://${own}${rest}/things HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    );
    expect(answersIn(heard)[0]?.status).toBe(421);
  });

  it('is served if NINEFOLD_HOSTS names it', async () => {
    const served = await startNode({ env: { NINEFOLD_HOSTS: 'console.internal', NINEFOLD_WORKERS: '1' } });
    try {
      const ask = async (name: string) => (await send(served.url, '/docs/errors', { headers: { host: name } })).status;
      expect([await ask('console.internal:8080'), await ask('a.console.internal')]).toEqual([200, 421]);
    } finally {
      await served.stop();
    }
  });
});

it('a host below the domain serves only its own app', async () => {
  const served = await startNode({ env: { NINEFOLD_DOMAIN: 'apps.example.com', NINEFOLD_WORKERS: '1' } });
  try {
    const [one, two] = await Promise.all([createApp(served), createApp(served)]);
    await runSql(served, one.ref, 'create table public.things (id int)');
    const ask = (name: string, key: string) =>
      send(served.url, '/rest/v1/things', { headers: { host: name, apikey: key } });
    expect(await ask(`${one.ref}.apps.example.com`, one.anon_key)).toMatchObject({ status: 200, body: '[]' });
    expect(expectRefusal(await ask(`${two.ref}.apps.example.com`, one.anon_key))).toBe('key_unknown');
    for (const name of [
      'console.apps.example.com',
      `${one.ref}.apps.example.com.evil.example`,
      `evil${one.ref}.apps.example.com`,
      `${one.ref}.evil.example`,
      `x.${one.ref}.apps.example.com`,
      '..apps.example.com',
      '%2e.apps.example.com',
      `${one.ref}@apps.example.com`,
      `${one.ref}.apps.example.com:80:80`,
      '../admin/v1.apps.example.com',
      '',
    ]) {
      expectRefusal(await ask(name, one.anon_key), name);
    }
  } finally {
    await served.stop();
  }
});
