import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type AppDatabase, scriptIn, startAppDatabase } from '../../../test/support/app-database.ts';
import { anon, changesApp, member, StoringSink, type TestApp } from '../../../test/support/changes-app.ts';
import type { Pool } from '../../database/pool.ts';
import { serviceRole } from '../../identity/identity.ts';
import { AppChanges } from './app-changes.ts';
import type { ChangeRequest } from './change-feed.ts';
import { ChangeLog } from './change-log.ts';

const ada = '00000000-0000-4000-8000-00000000ada0';
const bob = '00000000-0000-4000-8000-00000000b0b0';

let database: AppDatabase;
let owner: Pool;
let app: TestApp;
let changes: AppChanges;

beforeAll(async () => {
  database = await startAppDatabase('changes');
  owner = database.as('app_owner');
  await owner.script(`
    create table public.notes (id int primary key, owner uuid, title text, secret text);
    alter table public.notes enable row level security;
    create policy own on public.notes for select to authenticated using (owner = auth.uid());
    grant select (id, owner, title) on public.notes to authenticated;
    create table public.open (id int primary key, a text, b numeric);
    grant select on public.open to anon, authenticated;
    alter publication supabase_realtime add table public.notes, public.open;`);
  app = changesApp(database);
}, 60_000);

afterAll(async () => {
  changes?.close();
  await app?.serverDatabase.close();
  await database?.stop();
});

afterEach(() => changes?.close());

const on = (table: string, parts: Partial<ChangeRequest> = {}): ChangeRequest => ({
  id: 1,
  event: '*',
  schema: 'public',
  table,
  filter: null,
  select: null,
  ...parts,
});

async function follow(requests: readonly ChangeRequest[], identity = member(ada)): Promise<StoringSink> {
  const sink = new StoringSink();
  await changes.subscribe(requests, identity, sink);
  expect(sink.ready).toBe(1);
  return sink;
}

async function write(sql: string): Promise<void> {
  await scriptIn(owner, sql);
  changes.poke();
}

it('delivers inserts, updates and deletes to those who see the row before or after', async () => {
  changes = new AppChanges(app, new ChangeLog(app));
  const [first, second] = [await follow([on('notes')]), await follow([on('notes')], member(bob))];
  await write(`insert into public.notes values (1, '${ada}', 'a', 's'); update public.notes set title = 'b';
    update public.notes set owner = '${bob}'; delete from public.notes`);
  expect(await first.take(3)).toEqual([
    ['INSERT', { id: 1, owner: ada, title: 'a' }, undefined],
    ['UPDATE', { id: 1, owner: ada, title: 'b' }, { id: 1 }],
    ['DELETE', {}, { id: 1 }],
  ]);
  expect(await second.take(2)).toEqual([
    ['UPDATE', { id: 1, owner: bob, title: 'b' }, {}],
    ['DELETE', {}, { id: 1 }],
  ]);
});

it('delivers all rows of a table without policies, with the published columns and their types', async () => {
  changes = new AppChanges(app, new ChangeLog(app));
  const sink = await follow([on('open', { event: 'INSERT', id: 7 })], anon);
  await write(`insert into public.open values (1, 'x', 12345678901234567890.5)`);
  await sink.take(0);
  await expect.poll(() => sink.received).toHaveLength(1);
  expect(sink.received[0]).toMatchObject({
    ids: [7],
    data: {
      schema: 'public',
      table: 'open',
      type: 'INSERT',
      columns: [
        { name: 'id', type: 'int4' },
        { name: 'a', type: 'text' },
        { name: 'b', type: 'numeric' },
      ],
      errors: null,
    },
  });
  expect(sink.received[0]?.data.commit_timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

it.each([
  ['id=eq.2', [2]],
  ['id=in.(1,3)', [1, 3]],
  ['id=gt.1,a=like.%z%', [3]],
  ['a=not.is.null', [1, 2, 3]],
  ['a=eq."x,y"', [2]],
  ['b=gte.1.50', [2, 3]],
])('delivers the rows that pass the filter %s', async (filter, ids) => {
  changes = new AppChanges(app, new ChangeLog(app));
  const sink = await follow([on('open', { filter, event: 'INSERT' })]);
  await write(`truncate public.notes; delete from public.open;
    insert into public.open values (1, 'a', 1), (2, 'x,y', 1.5), (3, 'zz', 2)`);
  const taken = await sink.take(ids.length);
  expect(taken.map(([, record]) => (record as { id: number }).id)).toEqual(ids);
});

it('refuses tables that are not published, filters that cannot be read, and filters on columns without SELECT', async () => {
  changes = new AppChanges(app, new ChangeLog(app));
  const sink = new StoringSink();
  await owner.script('create table if not exists public.unpublished (id int)');
  const refused = (...requests: ChangeRequest[]) =>
    changes.subscribe(requests, member(ada), sink).then(
      () => null,
      (error: Error) => error.message,
    );
  expect(await refused(on('unpublished'))).toContain('Please check Realtime is enabled');
  expect(await refused(on('open', { filter: 'id=eq.x' }))).toContain('invalid input syntax for type integer');
  expect(await refused(on('open', { filter: 'id' }))).toContain('Error parsing `filter` params');
  expect(await refused(on('notes', { filter: 'secret=eq.s' }))).toContain('invalid column for filter secret');
  expect(sink.ready).toBe(0);
});

it('asks for the row if a policy cannot be evaluated on an image, and delivers no later state of it', async () => {
  changes = new AppChanges(app, new ChangeLog(app));
  await owner.script(`create schema if not exists hidden;
    create function hidden.may(owner uuid) returns bool language sql as 'select owner = auth.uid()';
    create table public.guarded (id int primary key, owner uuid, draft text); alter table public.guarded enable row level security;
    create policy p on public.guarded for select to authenticated using (hidden.may(owner));
    grant select on public.guarded to authenticated; alter publication supabase_realtime add table public.guarded`);
  const [first, second] = [await follow([on('guarded')]), await follow([on('guarded')], member(bob))];
  await write(`insert into public.guarded values (1, '${ada}', 'a')`);
  expect(await first.take(1)).toEqual([['INSERT', { id: 1, owner: ada, draft: 'a' }, undefined]]);
  await write(`update public.guarded set draft = 'secret'; update public.guarded set owner = '${bob}', draft = 'b'`);
  expect(await second.take(1)).toEqual([['UPDATE', { id: 1, owner: bob, draft: 'b' }, {}]]);
  expect(first.received).toEqual([]);
});

it('ends only the channels of callers for whom a policy raises an error', async () => {
  changes = new AppChanges(app, new ChangeLog(app));
  await owner.script(`create table public.raising (id int primary key); alter table public.raising enable row level security;
    create policy p on public.raising for select to authenticated using (1 / (case when auth.uid() = '${bob}' then 0 else 1 end) = 1);
    grant select on public.raising to authenticated; alter publication supabase_realtime add table public.raising`);
  const [first, second] = [await follow([on('raising')]), await follow([on('raising')], member(bob))];
  await write('insert into public.raising values (1)');
  expect(await first.take(1)).toEqual([['INSERT', { id: 1 }, undefined]]);
  await expect.poll(() => second.ended).toHaveLength(1);
  expect(second.ended[0]).toContain('division by zero');
  expect(first.ended).toEqual([]);
});

it('delivers the key and an error for a row that is too large, only to those who see it', async () => {
  changes = new AppChanges(app, new ChangeLog(app));
  const [first, second] = [await follow([on('notes')]), await follow([on('notes')], member(bob))];
  await write(
    `insert into public.notes select 9, '${ada}', string_agg(md5(i::text), '') from generate_series(1, 70000) i`,
  );
  await expect.poll(() => first.received).toHaveLength(1);
  expect(first.received[0]?.data).toMatchObject({ record: { id: 9 }, errors: ['Error 413: Payload Too Large'] });
  await write('delete from public.notes');
  expect(second.received).toEqual([]);
});

it('uses changed policies and privileges for the next change, and ends channels of tables that are no longer published', async () => {
  changes = new AppChanges(app, new ChangeLog(app));
  await owner.script('grant select on public.open to service_role');
  const [sink, all] = [await follow([on('open')]), await follow([on('open')], serviceRole)];
  const alter = async (sql: string) => {
    await owner.script(sql);
    app.notify({ type: 'schema' });
  };
  await alter(
    'alter table public.open enable row level security; revoke select on public.open from authenticated; grant select (id) on public.open to authenticated',
  );
  await write(`insert into public.open values (50, 'hidden', 1)`);
  expect(await all.take(1)).toEqual([['INSERT', { id: 50, a: 'hidden', b: 1 }, undefined]]);
  await alter('create policy p on public.open using (true)');
  await write(`insert into public.open values (51, 'x', 1)`);
  expect(await sink.take(1)).toEqual([['INSERT', { id: 51 }, undefined]]);
  await alter('alter publication supabase_realtime drop table public.open');
  await expect.poll(() => sink.ended).toHaveLength(1);
});
