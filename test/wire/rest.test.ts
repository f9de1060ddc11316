import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { limits } from '../../contract/limits.ts';
import { createApp, runSql } from '../support/apps.ts';
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
