import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AppDatabase, scriptIn, startAppDatabase } from '../../../test/support/app-database.ts';
import { changesApp, member, StoringSink, type TestApp } from '../../../test/support/changes-app.ts';
import { hostOf } from '../../../test/support/pools.ts';
import type { Pool } from '../../database/pool.ts';
import { rowsAsText } from '../../database/statement.ts';
import { AppChanges } from './app-changes.ts';
import { ChangeLog } from './change-log.ts';

let database: AppDatabase;
let owner: Pool;
let app: TestApp;
let changes: AppChanges;

beforeAll(async () => {
  database = await startAppDatabase('change-log');
  owner = database.as('app_owner');
  await owner.script(`create table public.counters (id int primary key, n int);
    insert into public.counters select i, 0 from generate_series(1, 20) i;
    create table public.bulk (id int primary key);
    grant select on public.counters, public.bulk to authenticated;
    alter publication supabase_realtime add table public.counters, public.bulk`);
  app = changesApp(database);
  changes = new AppChanges(app, new ChangeLog(app));
}, 60_000);

afterAll(async () => {
  changes?.close();
  await app?.serverDatabase.close();
  await database?.stop();
});

const follow = async (table: string): Promise<StoringSink> => {
  const sink = new StoringSink();
  await changes.subscribe(
    [{ id: 1, event: '*', schema: 'public', table, filter: null, select: null }],
    member('x'),
    sink,
  );
  return sink;
};

const url = () => {
  const { host, port } = hostOf(database.target);
  return `postgres://app_owner:secret@${host}:${port}/${database.target.database}`;
};

it('delivers each change of 12 writers with open transactions once, and the changes of a row in their order', async () => {
  const clients = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const client = new pg.Client({ connectionString: url() });
      client.on('error', () => undefined);
      await client.connect();
      return client;
    }),
  );
  const until = performance.now() + 2500;
  let committed = 0;
  const writers = clients.map(async (client, i) => {
    for (let round = 0; performance.now() < until; round++) {
      await client.query(`begin isolation level ${i % 3 === 0 ? 'repeatable read' : 'read committed'}`);
      try {
        await client.query('update public.counters set n = n + 1 where id = $1', [1 + ((i * 7 + round * 3) % 20)]);
        await delay((i * 13 + round * 29) % 60);
        await client.query(round % 5 === 4 ? 'rollback' : 'commit');
        if (round % 5 !== 4) committed++;
      } catch {
        await client.query('rollback');
      }
    }
  });
  // The subscriber joins while transactions are open.
  await delay(200);
  const sink = await follow('counters');
  const before = rowsAsText((await owner.run([{ text: 'select id, n from public.counters', params: [] }]))[0] as never);
  const joined = committed;
  await Promise.all(writers);
  await Promise.all(clients.map((client) => client.end()));
  await delay(500);
  const last = new Map<number, number>();
  for (const { data } of sink.received) {
    const { id, n } = data.record as { id: number; n: number };
    if (last.has(id)) expect(n).toBe((last.get(id) ?? 0) + 1);
    last.set(id, n);
  }
  const after = rowsAsText((await owner.run([{ text: 'select id, n from public.counters', params: [] }]))[0] as never);
  for (const { id, n } of after) {
    const known = before.find((row) => row.id === id)?.n;
    expect(last.get(Number(id)) ?? Number(known)).toBe(Number(n));
  }
  expect(sink.received.length).toBeGreaterThanOrEqual(committed - joined);
  expect(sink.ended).toEqual([]);
}, 20_000);

it('ends the channels of a table that one transaction changes too often, or that is truncated', async () => {
  const [bulk, counters] = [await follow('bulk'), await follow('counters')];
  await scriptIn(owner, 'insert into public.bulk select generate_series(1, 20000)');
  await expect.poll(() => bulk.ended).toHaveLength(1);
  expect(bulk.ended[0]).toContain('too many changes');
  expect(counters.ended).toEqual([]);
  const again = await follow('bulk');
  await scriptIn(owner, 'truncate public.bulk');
  await expect.poll(() => again.ended).toHaveLength(1);
});

it('writes nothing about tables that nobody watches', async () => {
  const sink = await follow('counters');
  const count = async () =>
    rowsAsText(
      (await database.pool.run([{ text: 'select count(*) from ninefold.changes', params: [] }]))[0] as never,
    )[0]?.count;
  await database.pool.script(`truncate ninefold.watched; delete from ninefold.changes;
    select setval('ninefold.watched_bits', 0)`);
  await scriptIn(owner, 'insert into public.bulk values (0)');
  expect(await count()).toBe('0');
  expect(sink.ended).toEqual([]);
});

it('tells every channel that changes may be missing after a crash of PostgreSQL, before it delivers later changes', async () => {
  const sink = await follow('counters');
  const server = app.serverDatabase;
  const [backend] = await database.as('app_owner').run([{ text: 'select pg_backend_pid() as pid', params: [] }]);
  process.kill(Number(backend && rowsAsText(backend)[0]?.pid), 'SIGKILL');
  await expect
    .poll(
      () =>
        server.run([{ text: 'select 1', params: [] }]).then(
          () => true,
          () => false,
        ),
      { timeout: 20_000 },
    )
    .toBe(true);
  await expect.poll(() => sink.ended, { timeout: 20_000 }).toHaveLength(1);
  expect(sink.ended[0]).toContain('restarted');
  expect(sink.received).toEqual([]);
  const again = await follow('counters');
  await scriptIn(database.as('app_owner'), 'update public.counters set n = 0 where id = 1');
  expect(await again.take(1)).toHaveLength(1);
}, 60_000);
