import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppConnection, consoleHeader, type NodeStatus } from '../../contract/admin.ts';
import { rightNames } from '../../contract/server-rights.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createAppWith, runSql } from '../support/apps.ts';
import { signInBuilder } from '../support/builder.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { inDatabase, outcomeOf, withClient } from '../support/database.ts';
import { startNode, type TestNode } from '../support/node.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { joined } from '../support/realtime.ts';

/** A node on a server whose login has only the attributes that managed services give. */
let postgres: TestPostgres;
let node: TestNode;
let app: AppConnection;

beforeAll(async () => {
  postgres = await startPostgres('managed');
  await withClient(postgres.url, (client) =>
    client.query(`create role cloud_admin login createrole createdb bypassrls password 'for tests'`),
  );
  const url = new URL(postgres.url);
  url.username = 'cloud_admin';
  url.password = 'for tests';
  node = await startNode({ env: { NINEFOLD_DATABASE_URL: url.href, NINEFOLD_WORKERS: '2' } });
  app = await createAppWith(
    node,
    `create table notes (id bigint generated always as identity primary key, owner uuid default auth.uid(), text text);
     alter table notes enable row level security;
     create policy own on notes to authenticated using (owner = (select auth.uid())) with check (owner = (select auth.uid()));
     grant all on notes to authenticated, service_role;`,
  );
}, 60_000);
afterAll(async () => {
  await node.stop();
  await postgres.stop();
});

describe('a node whose login is no superuser', () => {
  it('serves sign-up, rows under policies, the service role and sign-out', async () => {
    const [ann, ben] = [await signUpMember(app), await signUpMember(app)];
    expect((await ann.client.from('notes').insert({ text: 'of Ann' })).error).toBeNull();
    expect((await ben.client.from('notes').select('text')).data).toEqual([]);
    const service = clientOf(app, app.secret_key);
    expect((await service.from('notes').select('text')).data).toEqual([{ text: 'of Ann' }]);
    expect((await service.auth.admin.listUsers()).data.users).toHaveLength(2);
    await ann.client.auth.signOut({ scope: 'global' });
    const reply = await fetch(`${app.url}/rest/v1/notes`, {
      headers: { apikey: app.publishable_key, authorization: `Bearer ${ann.session.access_token}` },
    });
    expect(reply.status).toBe(401);
  });

  it('says in its status which rights it lacks', async () => {
    const status = await admin<NodeStatus>(node, 'GET', '/status');
    expect(status.missing_rights).toEqual(rightNames);
  });

  it('answers a table that the SQL page has made at once, and one that psql has made within two seconds', async () => {
    const service = clientOf(app, app.secret_key);
    await runSql(node, app.ref, 'create table made_here (id int); grant all on made_here to service_role');
    expect((await service.from('made_here').select()).error).toBeNull();
    await withClient(app.database_url ?? '', (client) =>
      client.query('create table made_there (id int); grant all on made_there to service_role'),
    );
    await expect
      .poll(async () => (await service.from('made_there').select()).error, { timeout: 2500, interval: 100 })
      .toBeNull();
  });

  it('delivers changes of rows, files, runs of jobs and requests that SQL sends', async () => {
    const member = await signUpMember(app);
    const received: string[] = [];
    await runSql(
      node,
      app.ref,
      `alter publication supabase_realtime add table notes;
       insert into storage.buckets (id, name, public) values ('open', 'open', true);
       create table ticks (at timestamptz default now());
       select cron.schedule('tick', '1 seconds', 'insert into public.ticks default values');
       select net.http_get('http://127.0.0.1:1/');`,
    );
    const changes = { event: 'INSERT', schema: 'public', table: 'notes' } as const;
    await joined(
      member.client.channel('notes').on('postgres_changes', changes, ({ new: row }) => received.push(row.text)),
    );
    expect((await member.client.from('notes').insert({ text: 'live' })).error).toBeNull();
    await expect.poll(() => received).toEqual(['live']);
    await member.client.realtime.disconnect();

    const bucket = clientOf(app, app.secret_key).storage.from('open');
    expect((await bucket.upload('a.txt', 'bytes')).error).toBeNull();
    expect(await (await fetch(bucket.getPublicUrl('a.txt').data.publicUrl)).text()).toBe('bytes');

    const rows = (sql: string) => withClient(app.database_url ?? '', async (client) => (await client.query(sql)).rows);
    await expect.poll(() => rows('select count(*) > 0 as ran from ticks')).toEqual([{ ran: true }]);
    await expect
      .poll(() => rows('select error_msg is not null as refused from net._http_response'))
      .toEqual([{ refused: true }]);
    await runSql(node, app.ref, `select cron.unschedule('tick')`);
  });

  it('derives the specification, and says in chapter 9 which rights it lacks', async () => {
    const { chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
    expect(chapters.entities?.entities.map(({ name }) => name)).toContain('notes');
    expect(chapters.limits?.missing_rights).toEqual(rightNames);
    expect(await admin<{ denied?: unknown }>(node, 'POST', `/apps/${app.ref}/probe`, {})).toBeTruthy();
  });

  it('copies an app with its rows, and deletes the copy', async () => {
    const copy = await admin<AppConnection>(node, 'POST', `/apps/${app.ref}/clone`, { ref: 'copied' });
    const rows = await clientOf(copy, copy.secret_key).from('notes').select('text');
    expect(rows.data).toContainEqual({ text: 'of Ann' });
    await admin(node, 'DELETE', '/apps/copied', { confirm: 'copied' });
    expect((await fetch(`${node.url}/apps/copied/rest/v1/`)).status).toBe(404);
  });

  it('lets only builders who may create apps run SQL', async () => {
    const email = 'guest@example.com';
    const password = 'correct horse battery';
    const { url } = await admin<{ url: string }>(node, 'POST', `/apps/${app.ref}/team/invitations`, {
      email,
      role: 'owner',
    });
    const secret = new URL(url).hash.replace('#token=', '');
    const post = (path: string, body: object, headers = {}) =>
      fetch(`${node.url}/admin/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', [consoleHeader]: '1', ...headers },
        body: JSON.stringify(body),
      });
    expect((await post('/invitations/accept', { secret, name: 'Guest', password })).status).toBe(204);
    const { name, value } = await signInBuilder(node, { email, password });
    const refused = await post(`/apps/${app.ref}/sql`, { sql: 'select 1' }, { cookie: `${name}=${value}` });
    expect([refused.status, await refused.json()]).toEqual([
      403,
      expect.objectContaining({ code: 'server_for_one_team' }),
    ]);
  });

  it('gives no owner the rights of its login, nor a way into another app', async () => {
    const other = await createAppWith(node, 'create table secrets (value text)');
    await withClient(app.database_url ?? '', async (client) => {
      for (const sql of [
        'set role cloud_admin',
        'set session authorization cloud_admin',
        'grant cloud_admin to current_user',
        `set role "app_${other.ref}"`,
        `grant "app_${other.ref}" to current_user`,
        'set role ninefold_server',
        `set role "app_${app.ref}_server"`,
        'create role mine',
        'alter role service_role superuser',
        'alter schema ninefold owner to current_user',
        'create or replace function ninefold.note_change(kind text, what text, statement text) returns void language sql as $$ $$',
        'alter function ninefold.session_start(int) owner to current_user',
        'create function ninefold.mine() returns int language sql as $$ select 1 $$',
        'delete from ninefold.schema_files',
        `alter database "app_${other.ref}" rename to mine`,
      ]) {
        expect([sql, await outcomeOf(client, sql)]).toEqual([sql, expect.stringMatching(/^42501$|^0A000$/)]);
      }
    });
    const elsewhere = withClient(inDatabase(app.database_url ?? '', `app_${other.ref}`), (client) =>
      client.query('select 1'),
    );
    await expect(elsewhere).rejects.toThrow('permission denied for database');
  });

  it('has met no missing right besides those that it names', () => {
    expect(
      node
        .logs()
        .split('\n')
        .filter((line) => /permission denied|42501/.test(line)),
    ).toEqual([]);
  });
});
