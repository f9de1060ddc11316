import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection, NodeStatus } from '../../contract/admin.ts';
import { rightNames } from '../../contract/server-rights.ts';
import { admin, createAppWith, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { inDatabase, outcomeOf, withClient } from '../support/database.ts';
import { startNode, type TestNode } from '../support/node.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

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
});
