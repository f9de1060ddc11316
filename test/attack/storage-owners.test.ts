import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { limits } from '../../contract/limits.ts';
import { createAppWith, deleteApp, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { ownNode } from '../support/own-node.ts';

/** The slowest upload of another app in milliseconds. On a busy machine, it takes half of this without an attack. */
const SLOWEST = 2000;

/** Owners of apps who try to harm the files of other apps. */
const node = ownNode('storage-owners', () => ({ NINEFOLD_WORKERS: '1' }));

const bucket = `insert into storage.buckets (id, name) values ('files', 'files');`;
let neighbour: AppConnection;
beforeAll(async () => {
  neighbour = await createAppWith(node, bucket);
});

const filesOf = (app: AppConnection) => clientOf(app, app.secret_key ?? '').storage.from('files');

/** Uploads files of the neighbour. Returns the milliseconds in which 19 of 20 uploads end: one may meet a busy moment of the machine. */
async function slowestOfNeighbour(count = 60): Promise<number> {
  const files = filesOf(neighbour);
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    expect((await files.upload(`n/${i}`, `text ${i}`, { upsert: true })).error).toBeNull();
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[Math.floor(count * 0.95)] ?? 0;
}

/** Expects that the sweep deletes a file of the neighbour. It may delete other files at the same time. */
async function expectSwept(): Promise<void> {
  const files = filesOf(neighbour);
  const first = async (sql: string) => (await runSql(node, neighbour.ref, sql)).results[0]?.rows[0]?.[0];
  await files.upload('swept', `swept ${Math.random()}`);
  const content = await first(`select version from storage.objects where name = 'swept'`);
  const count = () => first(`select count(*) from ninefold.stored_files where id::text = '${content}'`);
  expect(await count()).toBe('1');
  await files.remove(['swept']);
  await expect.poll(count, { timeout: 60_000 }).toBe('0');
}

/** Code that runs for an hour, and ignores that it is cancelled. */
const endless = `
  create function public.endless() returns boolean language plpgsql as $$
  begin
    for i in 1..3600 loop
      begin perform pg_sleep(1); exception when query_canceled then null; end;
    end loop;
    return true;
  end $$;
  grant execute on function public.endless() to public;`;

const hostile: readonly [what: string, sql: string][] = [
  [
    'a view in place of storage.objects that never answers',
    `${endless} alter table storage.objects rename to kept;
     create view storage.objects as select * from storage.kept where public.endless();
     grant all on storage.objects to service_role, authenticated, anon`,
  ],
  [
    'triggers that never end',
    `${endless} create function public.wait() returns trigger language plpgsql as $$ begin perform public.endless(); return coalesce(new, old); end $$;
     create trigger zz before insert or update or delete on storage.objects for each row execute function public.wait()`,
  ],
  [
    'policies that compute without an end',
    `create function public.compute() returns boolean language plpgsql as $$ begin loop end loop; end $$;
     alter table storage.objects force row level security; revoke all on storage.objects from service_role;
     create policy p on storage.objects using (public.compute()); grant all on storage.objects to service_role`,
  ],
  ['no table storage.objects', 'drop table storage.objects cascade'],
];

describe('an owner with', () => {
  it.each(hostile)('%s delays no upload and no sweep of another app', async (_, sql) => {
    const app = await createAppWith(node, bucket);
    const files = filesOf(app);
    for (let i = 0; i < 5; i++) await files.upload(String(i), `hostile ${i}`);
    await files.remove(['0', '1']);
    await runSql(node, app.ref, sql);
    const end = new AbortController();
    const attacks = Array.from({ length: 20 }, (_each, i) =>
      fetch(`${app.url}/storage/v1/object/files/attack-${i}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${app.secret_key}` },
        body: `attack ${i}`,
        signal: end.signal,
      }).then(
        (response) => response.arrayBuffer(),
        () => null,
      ),
    );
    expect(await slowestOfNeighbour()).toBeLessThan(SLOWEST);
    await expectSwept();
    end.abort();
    await Promise.all(attacks);
    await deleteApp(node, app.ref);
  });
});

describe('uploads of one app', () => {
  const sockets: Socket[] = [];
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
  });

  it('are refused above their number, and leave the uploads of others alone', async () => {
    const app = await createAppWith(node, bucket);
    const { hostname, port, pathname } = new URL(app.url);
    const max = limits.appUploads.default;
    const statuses: string[] = [];
    for (let i = 0; i < max + 20; i++) {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.on('data', (data) => statuses.push(data.toString().slice(9, 12)));
      socket.write(
        `POST ${pathname}/storage/v1/object/files/slow-${i} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${app.secret_key}\r\ncontent-length: 200000\r\n\r\nx`,
      );
      sockets.push(socket);
    }
    await expect.poll(() => statuses, { timeout: 10_000 }).toEqual(Array(20).fill('429'));
    expect((await filesOf(app).upload('one-more', 'x')).error).toMatchObject({ code: 'TooManyUploads' });
    expect(await slowestOfNeighbour()).toBeLessThan(SLOWEST);
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await filesOf(app).upload('after', 'x', { upsert: true })).error).toBeNull();
  });

  it('never choose a path on the disk of the node', async () => {
    const files = filesOf(neighbour);
    for (const name of [
      '..%2f..%2f..%2fescaped',
      '%2e%2e/escaped',
      '....//escaped',
      'C:%5Cescaped',
      '~/escaped',
      'a%00/escaped',
      '/etc/escaped',
    ])
      await files.upload(name, `of ${name}`);
    await clientOf(neighbour, neighbour.secret_key ?? '').storage.createBucket('../../escaped');
    await runSql(
      node,
      neighbour.ref,
      `insert into storage.buckets (id, name) values ('../../b', '../../b');
       insert into storage.objects (bucket_id, name, version) values ('../../b', '../../../../etc/passwd', '../../../../../etc/passwd'), ('files', '../x', '%2e%2e')`,
    );
    for (const path of ['..%2F..%2Fb/..%2F..%2F..%2F..%2Fetc%2Fpasswd', 'files/..%2Fx']) {
      const response = await fetch(`${neighbour.url}/storage/v1/object/authenticated/${path}`, {
        headers: { authorization: `Bearer ${neighbour.secret_key}` },
      });
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(await response.text()).not.toContain('root:');
    }
    const root = join(node.home, 'files');
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    const stored = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
    expect(stored.length).toBeGreaterThan(0);
    expect(
      stored.filter(
        (path) =>
          !/^\/(?:apps\/[a-z0-9-]+\/[0-9a-f]{2}\/[0-9a-f]{64}\.[0-9a-f-]{36}|incoming\/[0-9a-f-]{36})$/.test(path),
      ),
    ).toEqual([]);
  });
});
