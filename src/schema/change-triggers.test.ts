import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AppDatabase, scriptIn, startAppDatabase } from '../../test/support/app-database.ts';
import { entityQueries } from '../catalog/entities.ts';
import { codeQueries } from '../catalog/executed-code.ts';
import type { Pool } from '../database/pool.ts';
import { rowsAsText } from '../database/statement.ts';

let database: AppDatabase;
let owner: Pool;

beforeAll(async () => {
  database = await startAppDatabase('change-triggers');
  await database.pool.script('grant ninefold_owner to app_owner');
  owner = database.as('app_owner');
}, 60_000);

afterAll(async () => {
  await database?.stop();
});

const rows = async (text: string, pool = database.pool) => {
  const [result] = await pool.run([{ text, params: [] }]);
  return result ? rowsAsText(result) : [];
};

const triggers = async (table: string) =>
  (
    await rows(
      `select tgname from pg_trigger where tgrelid = '${table}'::regclass and tgname ~ '^ninefold' and tgenabled = 'A' order by 1`,
    )
  ).map(({ tgname }) => tgname);

/** Watches every table until the end of the test. */
beforeEach(async () => {
  await database.pool.script(`delete from ninefold.changes;
    select setval('ninefold.watched_until', 99999999999), setval('ninefold.watched_bits', 9223372036854775807)`);
});

const watch = (table: string) =>
  database.pool.script(`insert into ninefold.watched values ('${table}'::regclass, 'infinity') on conflict do nothing`);

const written = async () =>
  (await rows('select operation, old, new, is_too_large from ninefold.changes order by id')).map(
    ({ operation, old, new: row, is_too_large: isTooLarge }) => [operation, old, row, isTooLarge],
  );

it('the triggers follow the publication and come back if the owner disables or drops them', async () => {
  await owner.script(
    'create table public.one (id int primary key); alter publication supabase_realtime add table public.one',
  );
  const both = ['ninefold_changed_rows', 'ninefold_truncated'];
  expect(await triggers('public.one')).toEqual(both);
  await owner.script('alter table public.one disable trigger all');
  expect(await triggers('public.one')).toEqual(both);
  await owner.script('alter publication supabase_realtime drop table public.one');
  expect(await triggers('public.one')).toEqual([]);
  await owner.script('alter publication supabase_realtime set table public.one where (id > 1)');
  expect(await triggers('public.one')).toEqual(both);
  await owner.script('drop publication supabase_realtime');
  expect(await triggers('public.one')).toEqual([]);
  await owner.script('create publication supabase_realtime for table public.one');
  expect(await triggers('public.one')).toEqual(both);
});

it('stores rows with odd columns, types and values as they are', async () => {
  await owner.script(`
    create domain public.short as text check (length(value) < 5); create type public.pair as (a int, b text);
    create table public.odd ("old" int, "new" text, "tg_op" text, gone int, "a""b" json, d public.short, p public.pair, r daterange,
      l int[], x bytea, t timestamptz, i interval, f float8, v int generated always as ("old" + 1) stored);
    alter table public.odd drop column gone;
    alter publication supabase_realtime add table public.odd`);
  await watch('public.odd');
  await scriptIn(
    owner,
    `insert into public.odd values (1, 'n', 'x', '{"z": "\\u0000"}', 'abc', row(1, 'b'), '[2026-01-02,2026-02-03)', '{1,null}', '\\x00ff',
      '2026-01-02 03:04:05+00', '-1 day 02:03:04', 0.1)`,
  );
  expect(await written()).toEqual([
    [
      'I',
      null,
      '{"old":1,"new":"n","tg_op":"x","a\\"b":{"z": "\\u0000"},"d":"abc","p":{"a":1,"b":"b"},"r":"[2026-01-02,2026-02-03)","l":[1,null],"x":"\\\\x00ff","t":"2026-01-02T03:04:05+00:00","i":"-1 days +02:03:04","f":0.1,"v":2}',
      'f',
    ],
  ]);
});

it('writes succeed and are stored in full under any settings of the writer', async () => {
  await owner.script(`create table public.plain (id int primary key, t timestamptz, f float8, x bytea, i interval, r daterange);
    create function public.note_row_change() returns trigger language plpgsql as 'begin raise; end';
    create operator public.= (leftarg = oid, rightarg = oid, function = pg_catalog.oidne);
    create function public.row_to_json(record) returns json language plpgsql as $$ begin return 1/0; end $$;
    alter publication supabase_realtime add table public.plain`);
  await watch('public.plain');
  const values = `'2026-01-02 03:04:05+00', 0.1, decode('00ff', 'hex'), make_interval(days => -1, hours => 2), '[2026-01-02,2026-02-03)'`;
  const settings = [
    'set local search_path = public, pg_catalog',
    `set local timezone = 'America/New_York'; set local datestyle = 'German'; set local intervalstyle = 'sql_standard'`,
    `set local extra_float_digits = -10; set local bytea_output = 'escape'`,
    'set local session_replication_role = replica; set local row_security = off',
    'set transaction isolation level serializable',
    `set local standard_conforming_strings = off; set local plpgsql.extra_errors = 'all'`,
    `set local "ninefold.changes_of_1" = 'x'; set local lock_timeout = 1; set local default_transaction_read_only = on`,
  ];
  for (const [i, setting] of settings.entries()) {
    await scriptIn(
      owner,
      `${setting}; insert into public.plain values (${i}, ${values.replaceAll('\\', setting.includes('strings') ? '\\\\' : '\\')})`,
    );
  }
  const stored = (await written()).map(([, , row]) => (row ?? '').replace(/"id":\d+/, '"id":0'));
  expect(stored).toHaveLength(settings.length);
  expect(new Set(stored)).toEqual(
    new Set([
      '{"id":0,"t":"2026-01-02T03:04:05+00:00","f":0.1,"x":"\\\\x00ff","i":"-1 days +02:00:00","r":"[2026-01-02,2026-02-03)"}',
    ]),
  );
});

it('stores the key of a row that is too large, also if its compressed form is small', async () => {
  await owner.script(`create table public.large (id int primary key, a text, b text); create table public.keyless (a text);
    alter publication supabase_realtime add table public.large, public.keyless`);
  await watch('public.large');
  await watch('public.keyless');
  await scriptIn(
    owner,
    `insert into public.large values (1, repeat('x', 1200000), repeat(E'\\x01', 20000000)), (2, repeat('y', 100000), '');
    insert into public.keyless select string_agg(md5(i::text), '') from generate_series(1, 70000) i`,
  );
  const stored = await written();
  expect(stored.map(([, , row, isTooLarge]) => [(row ?? '').slice(0, 20), isTooLarge])).toEqual([
    ['{"id":1}', 't'],
    ['{"id":2,"a":"yyyyyyy', 'f'],
    ['{}', 't'],
  ]);
}, 30_000);

it('rows of partitions and rows that move between them are changes of the published table', async () => {
  await owner.script(`create table public.parted (id int primary key, n int) partition by list (id);
    create table public.first partition of public.parted for values in (1);
    alter publication supabase_realtime add table public.parted;
    create table public.second partition of public.parted for values in (2)`);
  await watch('public.parted');
  await scriptIn(
    owner,
    'insert into public.second values (2, 0); update public.parted set id = 1; delete from public.first',
  );
  expect((await written()).map(([operation]) => operation)).toEqual(['I', 'D', 'I', 'D']);
});

it('code of the owner never runs as another role, and a role without privileges can write', async () => {
  await owner.script(`create type public.mood as enum ('a');
    create table public.ran (as_role text); grant insert on public.ran to public;
    create function public.to_json(public.mood) returns json language plpgsql as
      $$ begin insert into public.ran values (current_user); return '"cast"'; end $$;
    create cast (public.mood as json) with function public.to_json(public.mood);
    create table public.moods (id int primary key, m public.mood); grant insert on public.moods to anon;
    alter publication supabase_realtime add table public.moods`);
  await watch('public.moods');
  await scriptIn(database.as('app_authenticator'), `set local role anon; insert into public.moods values (1, 'a')`);
  expect((await written()).map(([operation]) => operation)).toEqual(['I']);
  const ran = await rows('select distinct as_role from public.ran');
  expect(ran.every(({ as_role: role }) => role === 'anon')).toBe(true);
  const refused = (sql: string) =>
    scriptIn(database.as('app_authenticator'), `set local role anon; ${sql}`).then(
      () => null,
      (error: Error) => error.message,
    );
  await database.pool.script('delete from ninefold.changes');
  const forged = `values ('public.moods'::regclass, 'I', false, '{}')`;
  expect(await refused(`insert into ninefold.changes (relation, operation, is_too_large, new) ${forged}`)).toContain(
    'changes_are_of_triggers',
  );
  expect(await written()).toEqual([]);
  expect(await refused('select * from ninefold.changes')).toContain('permission denied');
  expect(await refused(`select setval('ninefold.watched_until', 1)`)).toContain('permission denied');
  expect(await refused(`select ninefold.follow_touches('public.moods'::regclass)`)).toContain('permission denied');
});

it('the specification does not describe the triggers', async () => {
  await owner.script(
    'create table public.described (id int primary key); alter publication supabase_realtime add table public.described',
  );
  await database.pool.script(`select ninefold.follow_touches('public.described'::regclass)`);
  const [all] = await rows(
    `select count(*) from pg_trigger where tgrelid = 'public.described'::regclass and not tgisinternal`,
  );
  expect(all?.count).toBe('3');
  const read = async (text: string) => JSON.stringify(await rows(text, owner));
  expect(await read(entityQueries.triggers)).not.toMatch(/ninefold_(changed_rows|truncated|touched)/);
  const [touched] = await rows(`select 'ninefold.note_touched'::regproc::oid as oid`);
  expect(await read(codeQueries.fired)).not.toContain(`"function\\":${touched?.oid}`);
});
