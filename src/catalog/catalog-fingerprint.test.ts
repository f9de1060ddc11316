import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { Connection } from '../database/connection.ts';
import { parseConnectionUrl } from '../database/connection-config.ts';
import { catalogFingerprint, changedRelations } from './catalog-fingerprint.ts';

let postgres: TestPostgres;
let connection: Connection;
let client: pg.Client;

beforeAll(async () => {
  postgres = await startPostgres('catalog-state');
  connection = await Connection.open(parseConnectionUrl(postgres.url, 'test'), 5000);
  client = new pg.Client(postgres.url);
  await client.connect();
  const definitions = [
    ...['app', 'screens', 'pages', 'menus', 'labels', 'file_fields', 'machines', 'transitions', 'roles'],
    'notification_rules',
  ];
  await client.query(`create schema ninefold; create role member_role; create role other_role; create table t (id int);
    ${definitions.map((name) => `create table ninefold.${name} (id int);`).join('')}
    create table public.jobs (schedule text); create function ninefold.scheduled_jobs() returns json language sql
      as 'select json_agg(j) from public.jobs j';
    create table public.edge (name text); create function ninefold.edge_functions() returns json language sql
      as 'select json_agg(e) from public.edge e';
    create table public.buckets (id text); create function ninefold.described_buckets(integer, integer) returns json language sql
      as 'select json_agg(b) from public.buckets b';
    create function ninefold.user_mapping_writes() returns table (mapping oid, transaction text) language sql
      as 'select oid, xmin::text from pg_catalog.pg_user_mapping';`);
});
afterAll(async () => {
  await client?.end();
  connection?.close();
  await postgres?.stop();
});

const state = () => catalogFingerprint({ run: (statements) => connection.run(statements) });

it.each([
  'insert into buckets values ($$photos$$)',
  'insert into edge values ($$hello$$)',
  'insert into jobs values ($$0 5 * * *$$)',
  'update jobs set schedule = $$0 6 * * *$$',
  'alter table t add column more text',
  'alter table t alter column more set default $$x$$',
  'alter table t drop column more',
  'comment on table t is $$words$$',
  'comment on table t is $$other words$$',
  'grant select on t to public',
  'revoke select on t from public',
  'create policy p on t using (true)',
  'alter policy p on t using (false)',
  'drop policy p on t',
  'create function f() returns int language sql as $$ select 1 $$',
  'create or replace function f() returns int language sql as $$ select 2 $$',
  'create index i on t (id)',
  'grant member_role to other_role',
  'revoke member_role from other_role',
  'alter role other_role createdb',
  'alter role other_role set statement_timeout = 5',
  'alter database postgres set statement_timeout = 50000',
  'comment on role other_role is $$words$$',
  'alter role other_role set search_path = t',
  'alter function f() security definer',
  'create trigger g before update on t for each row execute function suppress_redundant_updates_trigger()',
  'alter table t disable trigger g',
  'create rule r as on delete to t do instead nothing',
  'create table heir () inherits (t)',
  'alter table heir no inherit t',
  'create type kind as enum ($$a$$)',
  'alter type kind add value $$b$$',
  'alter table t add constraint small check (id < 1000) not valid',
  'alter table t validate constraint small',
  'alter language plpgsql rename to plpgsql_too',
  'alter language plpgsql_too rename to plpgsql',
  'create cast (kind as text) with inout',
  'create access method heap_too type table handler heap_tableam_handler',
  // Changes after which an object belongs to an extension.
  'create extension hstore',
  'alter extension hstore add table t',
  'alter extension hstore drop table t',
  'alter extension hstore add function f()',
  'alter extension hstore drop function f()',
  // A foreign table becomes writable when its wrapper gets a handler.
  'create foreign data wrapper w',
  'create server s foreign data wrapper w',
  'create foreign table far (id int) server s',
  'alter foreign table far options (add place $$there$$)',
  'create extension postgres_fdw',
  'alter foreign data wrapper w handler postgres_fdw_handler',
  'alter server s options (add host $$there$$)',
  'alter foreign data wrapper w no handler',
  'drop foreign table far',
  // Objects whose names PostgreSQL prints in expressions and definitions.
  'create collation looking (provider = icu, locale = $$de$$)',
  'alter collation looking rename to seeing',
  'create schema other; create operator === (function = int4eq, leftarg = int, rightarg = int)',
  'alter operator === (int, int) set schema other',
  'create operator class ints for type int using hash as operator 1 =, function 1 hashint4(int)',
  'alter operator class ints using hash rename to numbers',
  'create text search configuration words (copy = simple)',
  'alter text search configuration words rename to speech',
  'create text search dictionary book (template = simple)',
  'alter text search dictionary book rename to tome',
  'insert into ninefold.machines values (1)',
  'update ninefold.machines set id = 2',
  'delete from ninefold.machines',
])('the fingerprint of the catalog changes after: %s', async (change) => {
  const before = await state();
  expect(await state()).toBe(before);
  await client.query(change);
  expect(await state()).not.toBe(before);
});

it("the fingerprint of the catalog changes after a change of the server's settings", async () => {
  const before = await state();
  await client.query('alter system set work_mem = $$5MB$$');
  await client.query('select pg_reload_conf()');
  await vi.waitFor(async () => expect(await state()).not.toBe(before), 5000);
});

it('the fingerprint of the catalog ignores functions that the app puts before PostgreSQL’s own in the search path', async () => {
  await client.query(`create schema evil; create function evil.age(xid) returns int language sql as 'select 1'`);
  await connection.run([{ text: `select set_config('search_path', 'evil, pg_catalog', false)`, params: [] }]);
  const before = await state();
  await client.query('comment on table t is $$changed, and as many as before$$');
  expect(await state()).not.toBe(before);
});

it('the fingerprint of the catalog changes after a commit whose transaction began before the last seen transaction', async () => {
  const older = new pg.Client(postgres.url);
  await older.connect();
  await older.query('begin; comment on table t is $$older$$');
  await client.query('comment on schema public is $$younger$$');
  const before = await state();
  await older.query('commit');
  expect(await state()).not.toBe(before);
  await older.end();
});

it('the fingerprint of the catalog does not change after rows were written, a table was analysed and a change was rolled back', async () => {
  await client.query('insert into t select generate_series(1, 100)');
  const before = await state();
  await client.query('insert into t select generate_series(1, 100)');
  await client.query('begin; alter table t add column gone text; rollback');
  expect(await state()).toBe(before);
});

it.each([
  ['comment on table t is $$changed$$', ['pg_description of pg_class']],
  ['comment on schema ninefold is $$changed$$', ['pg_description']],
  ['create policy named on t using (true)', ['pg_policy']],
  ['insert into ninefold.labels values (1)', ['ninefold.labels']],
  ['insert into ninefold.file_fields values (1)', ['ninefold.file_fields']],
  ['alter table t add column named int', ['pg_attribute', 'pg_class']],
])('changedRelations names the relations that %s changes', async (sql, relations) => {
  const before = await state();
  await client.query(sql);
  expect([...changedRelations(before, await state())].sort()).toEqual(relations);
});
