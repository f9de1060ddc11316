import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { createApp, deleteApp, runSql } from '../support/apps.ts';
import { inDatabase, outcomeOf, superuserUrl, withClient } from '../support/database.ts';
import { send } from '../support/http.ts';
import { expectRefusal } from '../support/refusal.ts';
import { uniqueRef } from '../support/unique.ts';

/** A database that existed before the app. Its owner is a stranger who expects Ninefold to connect as the superuser. */
const node = inject('node');
const operator = { authorization: `Bearer ${node.operatorToken}`, 'content-type': 'application/json' };
const made: { database: string; role: string }[] = [];

/** Creates a database and its owner, a plain login role. Returns also the owner's URL. */
async function strangersDatabase(): Promise<{ database: string; role: string; url: string }> {
  const name = `stranger_${randomBytes(4).toString('hex')}`;
  const superuser = await superuserUrl(node, 'postgres');
  await withClient(superuser, async (client) => {
    await client.query(`create role ${name} login password 'known'`);
    await client.query(`create database ${name} owner ${name}`);
  });
  made.push({ database: name, role: name });
  const url = new URL(inDatabase(superuser, name));
  url.username = name;
  url.password = 'known';
  return { database: name, role: name, url: url.href };
}

afterEach(async () => {
  await withClient(await superuserUrl(node, 'postgres'), async (client) => {
    for (const { database, role } of made.splice(0)) {
      await client.query(`drop database if exists ${database} with (force)`);
      await client.query(`drop role if exists ${role}`);
    }
  });
});

const attach = (database: string, ref = uniqueRef('attached')) =>
  send(node.url, '/admin/v1/apps', { method: 'POST', headers: operator, body: JSON.stringify({ ref, database }) });

const superusers = async () =>
  withClient(await superuserUrl(node, 'postgres'), (client) =>
    outcomeOf(client, 'select rolname from pg_roles where rolsuper'),
  );

describe('POST /apps with an existing database whose owner created a schema ninefold', () => {
  const take = (role: string) => `begin execute 'alter role ${role} superuser'; exception when others then null; end;`;
  it.each([
    [
      'a view in place of the table schema_files',
      (
        role: string,
      ) => `create function ninefold.take() returns text language plpgsql as $$ begin ${take(role)} return '0001_base'; end $$;
        create view ninefold.schema_files as select ninefold.take() as name;`,
    ],
    [
      'a trigger on the table of settings',
      (role: string) => `create table ninefold.schema_files (name text);
        insert into ninefold.schema_files values ('0001_base'), ('0002_auth');
        create table ninefold.settings (key text primary key, value jsonb, set_at timestamptz, set_by text);
        create function ninefold.take() returns trigger language plpgsql as $$ begin ${take(role)} return null; end $$;
        create trigger take after insert or delete on ninefold.settings for each statement execute function ninefold.take();`,
    ],
  ])('refuses the database before any of its code runs: %s', async (_, plant) => {
    const { database, role, url } = await strangersDatabase();
    await withClient(url, (client) => client.query(`create schema ninefold; ${plant(role)}`));
    expect(expectRefusal(await attach(database))).toBe('app_database_unfit');
    expect(await superusers()).toEqual([{ rolname: 'ninefold' }]);
  });

  it('refuses a database with a schema auth, and leaves the schema unchanged', async () => {
    const { database, url } = await strangersDatabase();
    await withClient(url, (client) =>
      client.query('create schema auth; create table auth.users (id int); insert into auth.users values (1)'),
    );
    expect(expectRefusal(await attach(database))).toBe('app_database_unfit');
    await withClient(url, async (client) => {
      expect(await outcomeOf(client, 'select id from auth.users')).toEqual([{ id: 1 }]);
    });
  });
});

it.each([
  'postgres',
  'template0',
  'template1',
  'ninefold_template',
  'app_console',
  'nowhere',
  'a\0b',
  'a"; drop database x; --',
  ' ',
])('the node refuses to create an app from the database %j', async (database) => {
  expect(expectRefusal(await attach(database))).toMatch(
    /^(app_database_unfit|app_database_unknown|validation_invalid)$/,
  );
});

it('the node refuses the database of an app, and any database unless the operator asks', async () => {
  const app = await createApp(node);
  expect(expectRefusal(await attach(`app_${app.ref}`))).toBe('app_database_unfit');
  const { database } = await strangersDatabase();
  const ref = uniqueRef('attached');
  expect((await attach(database, ref)).status).toBe(201);
  expect(expectRefusal(await attach(database))).toBe('app_database_unfit');
  const byKey = await send(node.url, '/admin/v1/apps', {
    method: 'POST',
    headers: { ...operator, authorization: `Bearer ${app.service_role_key}` },
    body: JSON.stringify({ ref: uniqueRef(), database }),
  });
  expect(expectRefusal(byKey)).toBe('operator_required');
  await deleteApp(node, ref);
});

it('the node keeps the objects that were created through the app when the app is deleted', async () => {
  const { database, url } = await strangersDatabase();
  await withClient(url, (client) => client.query('create table public.before as select 1 as id'));
  const ref = uniqueRef('attached');
  expect((await attach(database, ref)).status).toBe(201);
  await runSql(node, ref, 'create schema app; create table app.after as select 2 as id');
  await deleteApp(node, ref);
  await withClient(url, async (client) => {
    expect(await outcomeOf(client, 'select id from public.before')).toEqual([{ id: 1 }]);
    expect(await outcomeOf(client, 'select id from app.after')).toEqual([{ id: 2 }]);
  });
  expect((await attach(database, ref)).status).toBe(201);
  await deleteApp(node, ref);
});
