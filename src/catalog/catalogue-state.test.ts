import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { Connection } from '../database/connection.ts';
import { parseTarget } from '../database/target.ts';
import { catalogueState } from './catalogue-state.ts';

let postgres: TestPostgres;
let connection: Connection;
let client: pg.Client;

beforeAll(async () => {
  postgres = await startPostgres('catalogue-state');
  connection = await Connection.open(parseTarget(postgres.url, 'test'), 5000);
  client = new pg.Client(postgres.url);
  await client.connect();
  const definitions = ['app', 'screens', 'machines', 'transitions', 'roles'];
  await client.query(`create schema ninefold; create role member_role; create role other_role; create table t (id int);
    ${definitions.map((name) => `create table ninefold.${name} (id int);`).join('')}`);
});
afterAll(async () => {
  await client?.end();
  connection?.close();
  await postgres?.stop();
});

const state = () => catalogueState({ run: (statements) => connection.run(statements) });

it.each([
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
  'alter default privileges grant select on tables to public',
  'insert into ninefold.machines values (1)',
  'update ninefold.machines set id = 2',
  'delete from ninefold.machines',
])('is another one after: %s', async (change) => {
  const before = await state();
  expect(await state()).toBe(before);
  await client.query(change);
  expect(await state()).not.toBe(before);
});

it('is another one after a change whose transaction is older than the last one that was seen', async () => {
  const older = new pg.Client(postgres.url);
  await older.connect();
  await older.query('begin; comment on table t is $$older$$');
  await client.query('comment on schema public is $$younger$$');
  const before = await state();
  await older.query('commit');
  expect(await state()).not.toBe(before);
  await older.end();
});

it('is the same after rows were written, a table was analysed and a change was taken back', async () => {
  await client.query('insert into t select generate_series(1, 100)');
  const before = await state();
  await client.query('insert into t select generate_series(1, 100)');
  await client.query('begin; alter table t add column gone text; rollback');
  expect(await state()).toBe(before);
});
