import { readFile } from 'node:fs/promises';
import net, { type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { limits } from '../../contract/limits.ts';
import { admin, createAppWith } from '../support/apps.ts';
import { send } from '../support/http.ts';
import { ownNode } from '../support/own-node.ts';
import { partsOf } from '../support/processes.ts';

/** Clients that request much data and read nothing. */
const MEBIBYTE = 1024 * 1024;
const WORKERS = 2;
const node = ownNode('slow-readers', () => ({ NINEFOLD_WORKERS: String(WORKERS) }));

let app: AppConnection;
const sockets: Socket[] = [];
beforeAll(async () => {
  app = await createAppWith(
    node,
    `create table public.pages (id int primary key, note text);
     insert into public.pages select g, repeat(md5(g::text), 480) from generate_series(1, 1000) g;
     grant select on public.pages to anon;`,
  );
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

const page = () => `/apps/${app.ref}/rest/v1/pages?limit=1000`;

/** Writes requests and does not read the responses. By default, each response has 15 MB. */
function ask(times: number, path = page()): Socket {
  const { hostname, port } = new URL(node.url);
  const socket = net.connect(Number(port), hostname).pause();
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\napikey: ${app.publishable_key}\r\n\r\n`.repeat(times));
  sockets.push(socket);
  return socket;
}

/** Returns the memory of all workers, in bytes (proc_pid_status(5)). */
async function memory(): Promise<number> {
  const { workers } = await partsOf(node.pid);
  const sizes = workers.map(
    async (pid) => /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1],
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + Number(size) * 1024, 0);
}

/** Only Linux shows the memory of another process without a program, in /proc/<pid>/status. */
const onLinux = process.platform === 'linux' ? it : it.skip;

describe('sixty connections whose clients never read a response of 15 MB', () => {
  onLinux.each([
    ['one request each', 1],
    ['fifty requests each', 50],
  ])('take a bounded amount of memory, with %s', async (_what, times) => {
    expect((await send(node.url, page(), { headers: { apikey: app.publishable_key } })).body.length).toBeGreaterThan(
      15_000_000,
    );
    const before = await memory();
    for (let i = 0; i < 60; i++) ask(times);
    let max = 0;
    for (let i = 0; i < 40; i++) {
      max = Math.max(max, await memory());
      const health = await send(node.url, '/health', { ownConnection: true });
      expect(health.status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    // The 200 MiB are for results that arrive from the database and for garbage, which Node.js 24 collects later than
    // Node.js 20.
    const bound = WORKERS * (2 * limits.slowReaderBytes.default + 200 * MEBIBYTE);
    expect(max - before, `${Math.round((max - before) / MEBIBYTE)} MiB`).toBeLessThan(bound);
    const response = await send(node.url, `/apps/${app.ref}/rest/v1/pages?id=eq.5&select=id`, {
      headers: { apikey: app.publishable_key },
    });
    expect(response.body).toBe('[{"id":5}]');
    for (const socket of sockets.splice(0)) socket.destroy();
  });
});

describe('a hundred connections whose clients never read a streamed page', () => {
  it('do not keep the connections of the app’s other calls', async () => {
    // With this setting each page of more than a thousand rows is streamed from its own database connection.
    await admin(node, 'PUT', `/apps/${app.ref}/settings/db_max_rows`, { value: 100_000 });
    for (let i = 0; i < 100; i++) ask(1, `/apps/${app.ref}/rest/v1/pages?limit=5000`);
    const statuses = new Map<number, number>();
    for (let i = 0; i < 40; i++) {
      const { status } = await send(node.url, `/apps/${app.ref}/rest/v1/pages?id=eq.${i}&select=id`, {
        headers: { apikey: app.publishable_key },
        ownConnection: true,
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses]).toEqual([[200, 40]]);
    for (const socket of sockets.splice(0)) socket.destroy();
  });
});
