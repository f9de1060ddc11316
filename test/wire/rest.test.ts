import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { limits } from '../../contract/limits.ts';
import { createApp, runSql } from '../support/apps.ts';
import { send, sendBytes } from '../support/http.ts';
import { cli } from '../support/node.ts';

const node = inject('node');

describe('a call that needs the schema cache', () => {
  it('returns within the limit when to retry if reading the schema fails, and the next call reads the schema again', async () => {
    const app = await createApp(node);
    await runSql(
      node,
      app.ref,
      'create table public.t as select 1 as id; create view public.v as select id from public.t',
    );
    const get = () => fetch(`${app.url}/rest/v1/v`, { headers: { apikey: app.publishable_key } });
    await expect.poll(async () => (await get()).status).toBe(200);
    const owner = new pg.Client(app.database_url ?? '');
    await owner.connect();
    await owner.query('begin; lock table public.v in access exclusive mode');
    await runSql(node, app.ref, `notify pgrst, 'reload schema'`);
    let refused: Response | undefined;
    let waited = 0;
    await expect
      .poll(
        async () => {
          const asked = performance.now();
          refused = await get();
          waited = performance.now() - asked;
          return refused.status;
        },
        { timeout: 30_000 },
      )
      .toBe(503);
    expect(waited).toBeLessThan(2 * limits.schemaLockMilliseconds.default);
    expect(refused?.headers.get('retry-after')).toBe('1');
    expect(refused?.headers.get('proxy-status')).toBe('PostgREST; error=PGRST002');
    expect(await refused?.json()).toEqual({
      code: 'PGRST002',
      details: null,
      hint: null,
      message: 'Could not query the database for the schema cache. Retrying.',
    });
    await owner.query('rollback');
    await owner.end();
    const again = await get();
    expect([again.status, await again.json()]).toEqual([200, [{ id: 1 }]]);
  }, 60_000);
});

it('Server-Timing reports the time to identify the caller and the time of every later step', async () => {
  const app = await createApp(node);
  const { code } = await cli(node, ['settings', app.ref, 'set', 'server_timing_enabled', 'true']);
  expect(code).toBe(0);
  const timing = async () =>
    (await fetch(`${app.url}/rest/v1/`, { headers: { apikey: app.publishable_key } })).headers.get('server-timing');
  await expect
    .poll(timing)
    .toMatch(/^jwt;dur=\d+\.\d, parse;dur=\d+\.\d, plan;dur=\d+\.\d, transaction;dur=\d+\.\d, response;dur=\d+\.\d$/);
});

it('a page of any origin may send a preflight request and read the answer', async () => {
  const app = await createApp(node);
  const asked = await fetch(`${app.url}/rest/v1/anything`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://shop.example',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'apikey,prefer',
    },
  });
  expect(asked.status).toBe(200);
  expect(asked.headers.get('access-control-allow-origin')).toBe('*');
  expect(asked.headers.get('access-control-allow-methods')).toContain('PATCH');
  expect(asked.headers.get('access-control-allow-headers')).toContain('apikey, prefer');
  const answered = await fetch(`${app.url}/rest/v1/anything`, { headers: { origin: 'https://shop.example' } });
  expect(answered.headers.get('access-control-expose-headers')).toBe('*');
});

describe('a request to an app that is refused before its API gets it', () => {
  const long = 'a'.repeat(limits.urlBytes.default);
  const fromPage = { origin: 'https://shop.example' };
  const asked = { ...fromPage, 'access-control-request-method': 'GET', 'access-control-request-headers': 'apikey' };
  const readable = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' };
  /** Returns the addresses of a new app: on the node's origin, and on its own. */
  const addresses = async (): Promise<[path: string, headers: Record<string, string>][]> => {
    const { ref } = await createApp(node);
    return [
      [`/apps/${ref}`, {}],
      ['', { host: `${ref}.localhost:${new URL(node.url).port}` }],
    ];
  };

  it('can be read by pages of other origins, in the format of the API, if its URL is too long', async () => {
    for (const [path, headers] of await addresses()) {
      const target = `${path}/rest/v1/items?id=in.(${long})`;
      const preflight = await send(node.url, target, { method: 'OPTIONS', headers: { ...headers, ...asked } });
      expect(preflight).toMatchObject({ status: 200, headers: readable });
      const refused = await send(node.url, target, { headers: { ...headers, ...fromPage } });
      expect(refused).toMatchObject({ status: 431, headers: readable });
      expect(JSON.parse(refused.body)).toEqual({
        code: 'headers_too_large',
        message: 'The request line and headers are too large.',
        details: null,
        hint: expect.stringContaining('/rest/v1/rpc/'),
      });
      const ofAuth = await send(node.url, `${path}/auth/v1/settings?x=${long}`, {
        headers: { ...headers, ...fromPage },
      });
      expect(ofAuth).toMatchObject({ status: 431, headers: readable });
      expect(JSON.parse(ofAuth.body)).toMatchObject({ code: 431, error_code: 'headers_too_large' });
    }
  });

  it('can be read by pages of other origins if no API has the path or the body is too large', async () => {
    for (const [path, headers] of await addresses()) {
      const missing = await send(node.url, `${path}/functions/v1/hello`, { headers: { ...headers, ...fromPage } });
      expect(missing).toMatchObject({ status: 404, headers: readable });
      const length = { 'content-type': 'application/json', 'content-length': String(limits.bodyBytes.default + 1) };
      const large = await send(node.url, `${path}/rest/v1/items`, {
        method: 'POST',
        headers: { ...headers, ...fromPage, ...length },
        ownConnection: true,
      });
      expect(large).toMatchObject({ status: 413, headers: readable });
    }
  });

  it.each([
    [
      'its URL is longer than the parser reads',
      `GET /rest/v1/items?id=in.(${long}${long}${long}) HTTP/1.1`,
      431,
      'headers_too_large',
    ],
    ['it is malformed', 'GET /rest/v1/it ems HTTP/1.1', 400, 'bad_request'],
  ])('can be read by pages of other origins if %s', async (_, line, status, code) => {
    const received = await sendBytes(
      node.url,
      `${line}\r\nHost: any.localhost\r\nOrigin: https://shop.example\r\n\r\n`,
    );
    const [head = '', body = ''] = received.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toMatch(/^access-control-allow-origin: \*\r?$/m);
    expect(head).toMatch(/^content-type: application\/json/m);
    expect(JSON.parse(body)).toMatchObject({ code });
  });
});

it('counts at least the rows that it sends if the estimate of count=planned is smaller', async () => {
  const app = await createApp(node);
  await runSql(
    node,
    app.ref,
    `create table public.items as select i as id from generate_series(1, 10) i; analyze public.items;
     insert into public.items select i from generate_series(11, 15) i`,
  );
  const rangeOf = async (query: string): Promise<string | null> => {
    const headers = { apikey: app.secret_key, prefer: 'count=planned' };
    return (await fetch(`${app.url}/rest/v1/items?${query}`, { headers })).headers.get('content-range');
  };
  await expect.poll(() => rangeOf('')).toBe('0-14/15');
  expect(await rangeOf('limit=3')).toBe('0-2/10');
  expect(await rangeOf('offset=12')).toBe('12-14/15');
});
