import { describe, expect, it } from 'vitest';
import type { AppConnection, AppSummary } from '../../contract/admin.ts';
import type { VersionList } from '../../contract/changes.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { inDatabase, superuserUrl, withClient } from '../support/database.ts';
import { startNode } from '../support/node.ts';
import { conflict, last, makeNodeOld, makeOld, newest, recordSchemaFile } from '../support/old-app.ts';
import { ownNode } from '../support/own-node.ts';
import { startPostgres } from '../support/postgres.ts';

const node = ownNode('update');

const tasks = `
  create table public.tasks (id bigint generated always as identity primary key, owner uuid not null default auth.uid(), title text,
    status text not null default 'open');
  alter table public.tasks enable row level security;
  create policy own on public.tasks to authenticated using (owner = (select auth.uid()));`;

/** A schema file of a version before 0.1.0. */
const fileOfBefore = '0091_transitions_under_policies';

const restart = async () => {
  await node.stop();
  await node.startAgain();
};

/** Returns the app with its current URL, which changes with the node's port. */
const here = (app: AppConnection): AppConnection => ({ ...app, url: `${node.url}/apps/${app.ref}` });

const call = (app: AppConnection, path: string) =>
  fetch(`${here(app).url}${path}`, { headers: { apikey: app.secret_key } });

const listed = async (ref: string) => (await admin<AppSummary[]>(node, 'GET', '/apps')).find((app) => app.ref === ref);

const specification = (app: AppConnection) =>
  fetch(`${node.url}/admin/v1/apps/${app.ref}/specification`, {
    headers: { authorization: `Bearer ${node.operatorToken}` },
  });

/**
 * Creates an app of the previous release, with a table and with the objects of `sql`, which the superuser runs.
 */
async function oldApp(ref: string, sql = ''): Promise<{ app: AppConnection; member: Member }> {
  const app = await createApp(node, { ref });
  const member = await signUpMember(app);
  await makeOld(
    node,
    ref,
    `set role "app_${ref}"; ${tasks}
     insert into public.tasks (owner, title) values ('${member.user.id}', 'Kept');
     insert into ninefold.settings (key, value) values ('jwt_exp', '1800');
     reset role; ${sql}`,
  );
  return { app, member };
}

/** Waits until the app serves again and returns the status of its answer. The node tries a refused app again after seconds. */
async function servedAgain(app: AppConnection): Promise<number> {
  for (;;) {
    const { status } = await call(app, '/rest/v1/tasks');
    if (status !== 503) return status;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

describe('an app of the previous release', () => {
  it('is updated by the start of a newer node without losing data', async () => {
    const { app, member } = await oldApp('of-old');
    await restart();

    const client = clientOf(here(app));
    const { email, password, session } = member;
    const again = await client.auth.signInWithPassword({ email, password });
    expect(again.error).toBeNull();
    expect(again.data.user?.id).toBe(member.user.id);
    const kept = clientOf(here(app));
    const resumed = await kept.auth.setSession(session);
    expect(resumed.error).toBeNull();
    expect((await kept.from('tasks').select('id, title')).data).toEqual([{ id: 1, title: 'Kept' }]);
    await client.from('tasks').insert({ title: 'New' }).throwOnError();

    expect((await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' })).error).toBeNull();

    const machine = `select ninefold.define_machine('public.tasks', 'status', 'open', '[{"name": "finish", "from": "open", "to": "done"}]')`;
    await runSql(node, app.ref, machine);
    await client.from('tasks').update({ status: 'done' }).eq('title', 'Kept').throwOnError();
    const moved = await client.from('tasks').select('status, state_changes').eq('title', 'Kept');
    expect(moved.data).toMatchObject([{ status: 'done', state_changes: [{ from: 'open', to: 'done' }] }]);
    const back = await client.from('tasks').update({ status: 'open' }).eq('title', 'Kept');
    expect([back.status, back.error?.code]).toEqual([409, 'NF001']);

    const { chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
    expect(Object.values(chapters).filter((chapter) => chapter === undefined)).toEqual([]);
    expect(Object.keys(chapters)).toHaveLength(9);
    expect(chapters.states?.machines).toMatchObject([{ entity: 'public.tasks', enforced: true, problems: [] }]);
    expect(chapters.limits?.limits.find((limit) => limit.id === 'accessTokenSeconds')?.value).toBe(1800);
    await expect
      .poll(async () => (await admin<VersionList>(node, 'GET', `/apps/${app.ref}/versions`)).versions.length, {
        timeout: 10_000,
      })
      .toBeGreaterThan(0);
  }, 120_000);

  it('is refused with an explanation while its database refuses an update, and other apps keep working', async () => {
    const { app } = await oldApp('in-the-way', conflict.create);
    const { app: other } = await oldApp('beside');
    await restart();

    const refused = await call(app, '/rest/v1/tasks');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    const told = await refused.json();
    expect(told).toMatchObject({ code: 'app_outdated', message: expect.stringContaining('not as this version') });
    expect(JSON.stringify(told)).not.toContain(newest);
    expect((await call(app, '/auth/v1/settings')).status).toBe(503);
    expect((await call(other, '/rest/v1/tasks')).status).toBe(200);

    const shown = await specification(app);
    expect(shown.status).toBe(503);
    expect(await shown.json()).toMatchObject({
      code: 'app_outdated',
      message: expect.stringMatching(new RegExp(`has not taken the step ${newest} .*: ${conflict.message}`)),
      details: { step: newest },
    });
    // A builder of the app can still read its data.
    expect((await runSql(node, app.ref, 'select title from public.tasks')).results[0]?.rows).toEqual([['Kept']]);
    await admin(node, 'GET', `/apps/${app.ref}`);

    await withClient(await superuserUrl(node, `app_${app.ref}`), (client) => client.query(conflict.drop));
    expect(await servedAgain(app)).toBe(200);
    expect((await specification(app)).status).toBe(200);
  }, 120_000);

  it('does not delay the start while its owner holds a lock, and is updated after the lock is released', async () => {
    const { app } = await oldApp('locked');
    const { database_url: url } = await admin<AppConnection>(node, 'GET', `/apps/${app.ref}/connection`);
    await withClient(url ?? '', async (owner) => {
      // The node takes this advisory lock while it applies schema files.
      await owner.query('select pg_advisory_lock(9009001)');
      expect((await call(app, '/rest/v1/tasks')).status).toBe(503);
      const shown = await specification(app);
      expect(await shown.json()).toMatchObject({
        code: 'app_outdated',
        message: expect.stringContaining('lock timeout'),
      });
    });
    // A client that polls the list of apps, as the console does, is enough; nobody needs to call the app.
    const isMarked = async () => (await listed(app.ref))?.outdated === true;
    expect(await isMarked()).toBe(true);
    await expect.poll(isMarked, { timeout: 30_000 }).toBe(false);
    expect((await call(app, '/rest/v1/tasks')).status).toBe(200);
  }, 120_000);

  it('can be copied before it is updated, and the copy is updated too', async () => {
    const { app } = await oldApp('copied', conflict.create);
    const copy = await createApp(node, { from: app.ref, ref: 'a-copy' });
    expect((await call(copy, '/rest/v1/tasks')).status).toBe(503);
    await withClient(await superuserUrl(node, `app_${copy.ref}`), (client) => client.query(conflict.drop));
    expect(await servedAgain(copy)).toBe(200);
    expect((await call(app, '/rest/v1/tasks')).status).toBe(503);
  }, 120_000);
});

describe('an app of a version before 0.1.0', () => {
  it('is refused, and the error explains how to carry the data over', async () => {
    const app = await createApp(node, { ref: 'early' });
    await recordSchemaFile(node, app.ref, fileOfBefore);
    expect((await call(app, '/rest/v1/tasks')).status).toBe(503);
    const shown = await specification(app);
    expect([shown.status, await shown.json()]).toMatchObject([
      503,
      {
        code: 'app_outdated',
        message: expect.stringMatching(/another version of Ninefold.*pg_dump.*apps create --from/),
        details: { step: null },
      },
    ]);
  }, 60_000);
});

describe('a node with databases of a version before 0.1.0', () => {
  it('ends with a sentence about carrying the data over, and changes nothing on the server', async () => {
    const postgres = await startPostgres('databases-of-before');
    const state = () =>
      withClient(postgres.url, async (client) => {
        const { rows } = await client.query(
          `select array(select rolname::text from pg_roles order by 1) as roles,
             array(select datname::text from pg_database order by 1) as databases`,
        );
        return rows;
      });
    await withClient(postgres.url, (client) => client.query('create database ninefold_template'));
    await withClient(inDatabase(postgres.url, 'ninefold_template'), (client) =>
      client.query(`create schema ninefold; create table ninefold.schema_files (name text primary key);
        insert into ninefold.schema_files values ('0001_base'), ('${fileOfBefore}')`),
    );
    const before = await state();
    await expect(startNode({ env: { NINEFOLD_DATABASE_URL: postgres.url } })).rejects.toThrow(
      /ended with 1:[\s\S]*another version of Ninefold.*pg_dump.*apps create --from/,
    );
    expect(await state()).toEqual(before);
    await postgres.stop();
  }, 60_000);
});

describe('a node of the previous release', () => {
  it('is updated with all its apps: rows, members, sessions, state machines, keys and settings stay', async () => {
    const app = await createApp(node, { ref: 'previous' });
    const member = await signUpMember(app);
    await makeOld(
      node,
      app.ref,
      `set role "app_${app.ref}"; ${tasks}
       insert into public.tasks (owner, title) values ('${member.user.id}', 'Kept');
       select ninefold.define_machine('public.tasks', 'status', 'open', '[{"name": "finish", "from": "open", "to": "done"}]');
       select ninefold.define_role('editor', 'Edits'), ninefold.grant_role('${member.user.id}', 'editor');
       select ninefold.define_screen('/tasks', 'Tasks', 'list', 'public.tasks');
       insert into ninefold.settings (key, value) values ('jwt_exp', '1800'); reset role;`,
    );
    const asSuperuser = async (sql: string) =>
      withClient(await superuserUrl(node, `app_${app.ref}`), async (client) => (await client.query(sql)).rows);
    const journal = async () =>
      (await asSuperuser('select what from ninefold.journal order by id')).map(({ what }) => what);
    const before = await journal();
    const inConsole = async (sql: string) =>
      withClient(await superuserUrl(node, 'app_console'), async (client) => (await client.query(sql)).rows);
    await inConsole(`
      with u as (insert into auth.users (id, email) values (gen_random_uuid(), 'old@example.com') returning id),
      b as (insert into public.builders (user_id, name) select id, 'Old' from u returning user_id)
      insert into public.memberships (app, user_id, role) select '${app.ref}', user_id, 'reader' from b`);
    await makeNodeOld(node);
    await restart();
    expect(await asSuperuser('select max(name) as name from ninefold.schema_files')).toEqual([{ name: last }]);
    expect(await journal()).toEqual(before);
    const { email, password, session } = member;
    const client = clientOf(here(app));
    expect((await client.auth.setSession(session)).error).toBeNull();
    const again = await client.auth.signInWithPassword({ email, password });
    expect([again.error, again.data.user?.id, again.data.user?.app_metadata.roles]).toEqual([
      null,
      member.user.id,
      ['editor'],
    ]);
    expect((await client.from('tasks').select('title, status')).data).toEqual([{ title: 'Kept', status: 'open' }]);
    await client.from('tasks').insert({ title: 'New' }).throwOnError();
    await client.from('tasks').update({ status: 'done' }).eq('title', 'Kept').throwOnError();
    const back = await client.from('tasks').update({ status: 'open' }).eq('title', 'Kept');
    expect([back.status, back.error?.code]).toEqual([409, 'NF001']);

    const { chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
    expect(chapters.states?.machines).toMatchObject([{ entity: 'public.tasks', enforced: true, problems: [] }]);
    expect(chapters.limits?.limits.find((limit) => limit.id === 'accessTokenSeconds')?.value).toBe(1800);

    // After the update, the app has the protections of this release: its SQL sees no other database, and the end of a
    // session by SQL ends its access token.
    const seen = await runSql(node, app.ref, `select string_agg(datname, ',') from pg_database`);
    expect(seen.results[0]?.rows).toEqual([[`app_${app.ref}`]]);
    await runSql(node, app.ref, `update auth.sessions set not_after = now() where user_id = '${member.user.id}'`);
    await expect.poll(async () => (await client.from('tasks').select('id')).status, { timeout: 10_000 }).toBe(401);

    const fresh = await createApp(node, { ref: 'fresh' });
    expect((await signUpMember(fresh)).user.email).toContain('@');
    expect((await listed(app.ref))?.outdated ?? false).toBe(false);
  }, 180_000);
});
