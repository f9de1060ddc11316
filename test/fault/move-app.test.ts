import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection, AppSummary } from '../../contract/admin.ts';
import type { AppMove, ServerSummary } from '../../contract/servers.ts';
import { admin, createAppWith, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { inDatabase, withClient } from '../support/database.ts';
import { cli, makeUsedHome, startNode, type TestNode } from '../support/node.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { joined } from '../support/realtime.ts';

/** A node with the embedded server and a further one. */
let second: TestPostgres;
let node: TestNode;
let home: string;
let app: AppConnection;

const schema = `create table notes (id bigint generated always as identity primary key, owner uuid default auth.uid(), text text);
  alter table notes enable row level security;
  create policy own on notes to authenticated using (owner = (select auth.uid())) with check (owner = (select auth.uid()));
  grant all on notes to authenticated, service_role;
  alter publication supabase_realtime add table notes;
  insert into storage.buckets (id, name) values ('files', 'files');`;

beforeAll(async () => {
  second = await startPostgres('second-server');
  home = await makeUsedHome('move-app');
  node = await startNode({ home, env: { NINEFOLD_WORKERS: '2' } });
  app = await createAppWith(node, schema);
}, 60_000);
afterAll(async () => {
  await node.stop();
  await second.stop();
});

const move = (ref: string, server: string) => admin<AppMove>(node, 'POST', `/servers/${server}/apps`, { ref });
const serverOf = async (ref: string) => (await admin<AppSummary>(node, 'GET', `/apps/${ref}`)).server;
const onSecond = (ref: string, sql: string) =>
  withClient(inDatabase(second.url, `app_${ref}`), async (client) => (await client.query(sql)).rows);

describe('a node with two PostgreSQL servers', () => {
  it('adds a server by the command line, refuses its own one, and lists both', async () => {
    expect(await cli({ home }, ['servers', 'add', 'second', second.url])).toMatchObject({ code: 0 });
    const again = await cli({ home }, ['servers', 'add', 'third', second.url]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already')]);
    const list = await admin<ServerSummary[]>(node, 'GET', '/servers');
    expect(list).toMatchObject([
      { ref: 'own', apps: 1, is_up: true, missing_rights: [] },
      { ref: 'second', apps: 0, is_up: true, missing_rights: [] },
    ]);
  });

  it('creates an app on the server with the fewest apps, or on the named one, and serves, copies and deletes it there', async () => {
    const there = await createAppWith(node, schema);
    expect(await serverOf(there.ref)).toBe('second');
    const here = await createAppWith(node, schema, { server: 'own' });
    expect(await serverOf(here.ref)).toBeUndefined();
    const member = await signUpMember(there);
    expect((await member.client.from('notes').insert({ text: 'there' })).error).toBeNull();
    expect(await onSecond(there.ref, 'select text from notes')).toEqual([{ text: 'there' }]);
    const copy = await admin<AppConnection>(node, 'POST', `/apps/${there.ref}/clone`, { ref: 'copied' });
    expect((await clientOf(copy, copy.secret_key).from('notes').select('text')).data).toEqual([{ text: 'there' }]);
    await admin(node, 'DELETE', '/apps/copied', { confirm: 'copied' });
    await expect(onSecond('copied', 'select 1')).rejects.toThrow('does not exist');
  });

  it('moves an app that is written to: no acknowledged row is lost, and sessions, files, changes of rows and jobs continue', async () => {
    const member = await signUpMember(app);
    const bucket = clientOf(app, app.secret_key).storage.from('files');
    expect((await bucket.upload('a.txt', 'bytes')).error).toBeNull();
    await runSql(
      node,
      app.ref,
      `create table ticks (at timestamptz default now()); select cron.schedule('tick', '1 seconds', 'insert into public.ticks default values')`,
    );
    const service = clientOf(app, app.secret_key);
    const acknowledged: number[] = [];
    const codes = new Set<string>();
    let isOver = false;
    const until = performance.now() + 60_000;
    const writers = Array.from({ length: 4 }, async () => {
      // A failed test does not set isOver.
      while (!isOver && performance.now() < until) {
        const { data, error } = await service.from('notes').insert({ text: 'written' }).select('id');
        for (const { id } of data ?? []) acknowledged.push(id);
        if (error) codes.add(error.code);
      }
    });
    await expect.poll(() => acknowledged.length).toBeGreaterThan(20);
    const { moved, closed_ms } = await move(app.ref, 'second');
    expect(moved).toBe(true);
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 20);
    isOver = true;
    await Promise.all(writers);
    expect(closed_ms).toBeLessThan(20_000);
    expect([...codes].filter((code) => code !== 'app_moving')).toEqual([]);

    const stored = new Set((await onSecond(app.ref, 'select id::int from notes')).map(({ id }) => id));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect((await member.client.auth.refreshSession()).error).toBeNull();
    const received: string[] = [];
    const changes = { event: 'INSERT', schema: 'public', table: 'notes' } as const;
    await joined(
      member.client.channel('notes').on('postgres_changes', changes, ({ new: row }) => received.push(row.text)),
    );
    expect((await member.client.from('notes').insert({ text: 'live' })).error).toBeNull();
    await expect.poll(() => received).toContain('live');
    await member.client.realtime.disconnect();
    expect(await (await bucket.download('a.txt')).data?.text()).toBe('bytes');
    const [{ n: ticks } = { n: 0 }] = await onSecond(app.ref, 'select count(*)::int as n from ticks');
    await expect
      .poll(async () => (await onSecond(app.ref, 'select count(*)::int as n from ticks'))[0]?.n)
      .toBeGreaterThan(ticks);
  });

  it('closes the database that the app has left', async () => {
    const left = withClient(app.database_url ?? '', (client) => client.query('select 1'));
    await expect(left).rejects.toThrow(/not permitted to log in/);
  });

  it('leaves the app where it is if the node is killed during the move', async () => {
    const moving = move(app.ref, 'own').catch(() => null);
    const isMoving = async () =>
      (await fetch(`${app.url}/rest/v1/notes?limit=1`, { headers: { apikey: app.publishable_key } })).headers.get(
        'retry-after',
      );
    await expect.poll(isMoving, { interval: 5 }).toBe('2');
    await node.kill9();
    await moving;
    node = await startNode({ home, env: { NINEFOLD_WORKERS: '2' } });
    expect(await serverOf(app.ref)).toBe('second');
    const service = clientOf({ ...app, url: `${node.url}/apps/${app.ref}` }, app.secret_key);
    expect((await service.from('notes').insert({ text: 'again' })).error).toBeNull();
  });

  it('drains a server and removes it', async () => {
    const result = await cli({ home }, ['servers', 'drain', 'second']);
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('second has no apps') });
    expect(await serverOf(app.ref)).toBeUndefined();
    expect(await cli({ home }, ['servers', 'remove', 'second'])).toMatchObject({ code: 0 });
  });
});
