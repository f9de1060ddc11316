import net from 'node:net';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createApp, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { cli } from '../support/node.ts';

const node = inject('node');
const ROWS = 100_000;

let app: Awaited<ReturnType<typeof createApp>>;
beforeAll(async () => {
  app = await createApp(node);
  await runSql(
    node,
    app.ref,
    `create table public.readings as select g as id, repeat('x', 200) as note from generate_series(1, ${ROWS}) g;
     alter table public.readings enable row level security;
     create policy readable on public.readings for select using (true);
     grant select on public.readings to anon;
     create function public.caller() returns text stable language sql as $$ select current_setting('application_name') $$;`,
  );
  const { code } = await cli(node, ['settings', app.ref, 'set', 'db_max_rows', 'null']);
  expect(code).toBe(0);
  while ((await get('readings?limit=1500', { method: 'HEAD' })).headers.get('content-range') !== '0-1499/*');
});

const get = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${app.url}/rest/v1/${path}`, { ...init, headers: { apikey: app.publishable_key, ...init.headers } });

describe('a page of 100,000 rows', () => {
  it('arrives complete, with its length and its range among all rows', async () => {
    const response = await get('readings?order=id', { headers: { prefer: 'count=exact' } });
    expect(response.headers.get('content-range')).toBe(`0-${ROWS - 1}/${ROWS}`);
    const text = await response.text();
    expect(Buffer.byteLength(text)).toBe(Number(response.headers.get('content-length')));
    const rows = JSON.parse(text) as { id: number }[];
    expect([rows.length, rows[0]?.id, rows.at(-1)?.id]).toEqual([ROWS, 1, ROWS]);
    const { data, error } = await clientOf(app).from('readings').select('id');
    expect([error, data?.length]).toEqual([null, ROWS]);
  }, 60_000);

  it('can be requested as CSV, too', async () => {
    const response = await get('readings?select=id&order=id', { headers: { accept: 'text/csv' } });
    expect((await response.text()).split('\n').length).toBe(ROWS + 1);
  }, 60_000);

  it('does not block other calls if its clients stop reading, and frees its connections afterwards', async () => {
    const { port } = new URL(app.url);
    const readers = await Promise.all(Array.from({ length: 24 }, () => slowReader(Number(port))));
    try {
      const answers = await Promise.all(Array.from({ length: 20 }, () => get('readings?select=id&id=eq.5&limit=1')));
      for (const answer of answers) expect(await answer.json()).toEqual([{ id: 5 }]);
    } finally {
      for (const reader of readers) reader.destroy();
    }
    await expect.poll(async () => (await get('readings?select=id&limit=2000')).status, { timeout: 20_000 }).toBe(200);
  }, 60_000);

  it('is not sent if the request is HEAD or asks for a single object', async () => {
    for (let i = 0; i < 25; i++) {
      expect((await get('readings', { method: 'HEAD' })).headers.get('content-range')).toBe(`0-${ROWS - 1}/*`);
    }
    const refused = await get('readings', { headers: { accept: 'application/vnd.pgrst.object+json' } });
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([406, 'PGRST116']);
  }, 60_000);
});

it('the application_name of the database session contains the request id', async () => {
  const response = await get('rpc/caller', { headers: { 'x-request-id': 'checkout-42' } });
  expect(response.headers.get('x-request-id')).toBe('checkout-42');
  expect(await response.json()).toBe('ninefold checkout-42');
});

/** Starts a client that requests all rows and reads none of them. Resolves when the answer has begun. */
function slowReader(port: number): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1' });
    socket.on('error', reject);
    socket.once('readable', () => resolve(socket));
    socket.write(
      `GET /apps/${app.ref}/rest/v1/readings HTTP/1.1\r\nHost: 127.0.0.1\r\napikey: ${app.publishable_key}\r\n\r\n`,
    );
  });
}
