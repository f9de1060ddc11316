import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, createTemplate, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { startNode } from '../support/node.ts';

const node = inject('node');

const schema = `
  create table public.projects (
    id bigint generated always as identity primary key,
    owner uuid not null default auth.uid(),
    name text not null check (length(name) between 1 and 40)
  );
  create table public.tasks (
    id bigint generated always as identity primary key,
    project_id bigint not null references public.projects (id) on delete cascade,
    title text not null,
    done boolean not null default false,
    weight int
  );
  alter table public.projects enable row level security;
  alter table public.tasks enable row level security;
  create policy "own projects" on public.projects for all to authenticated
    using ((select auth.uid()) = owner) with check ((select auth.uid()) = owner);
  create policy "tasks of own projects" on public.tasks for all to authenticated
    using (exists (select from public.projects p where p.id = project_id));
  create function public.finish(project bigint) returns setof public.tasks language sql as $$
    update public.tasks set done = true where project_id = project and not done returning *
  $$;
  create function public.add(a int, b int) returns int language sql immutable as 'select a + b';
`;

let template: AppConnection;
beforeAll(async () => {
  template = await createTemplate(node, schema);
});

async function appWithMembers(): Promise<{ app: AppConnection; ada: Member; bob: Member }> {
  const app = await createApp(node, { from: template.ref });
  const [ada, bob] = await Promise.all([signUpMember(app, 'ada'), signUpMember(app, 'bob')]);
  return { app, ada, bob };
}

/** Creates a project with three tasks. */
async function projectOf({ client }: Member): Promise<number> {
  const { data: project } = await client
    .from('projects')
    .insert({ name: 'Garden' })
    .select('id')
    .single()
    .throwOnError();
  const tasks = ['Dig', 'Sow', 'Water'].map((title, i) => ({
    project_id: project.id,
    title,
    weight: i === 1 ? null : i,
  }));
  await client.from('tasks').insert(tasks).throwOnError();
  return project.id;
}

describe('a member with the stock client', () => {
  it('inserts, reads, changes and deletes rows, and receives the requested result', async () => {
    const { ada } = await appWithMembers();
    const id = await projectOf(ada);
    const from = (table: string) => ada.client.from(table);
    expect(await from('tasks').select('title').eq('project_id', id).order('id')).toMatchObject({
      status: 200,
      data: [{ title: 'Dig' }, { title: 'Sow' }, { title: 'Water' }],
    });
    const changed = await from('tasks').update({ done: true }).eq('title', 'Dig').select('title, done');
    expect(changed.data).toEqual([{ title: 'Dig', done: true }]);
    expect(await from('tasks').update({ weight: 9 }).eq('title', 'Sow')).toMatchObject({ status: 204, data: null });
    const deleted = await from('tasks').delete().eq('title', 'Water').select('title');
    expect(deleted.data).toEqual([{ title: 'Water' }]);
    const { count } = await from('tasks').select('*', { count: 'exact', head: true });
    expect(count).toBe(2);
  });

  it('sees which values another member changed since it read the row, but no values of hidden rows', async () => {
    const { app, ada, bob } = await appWithMembers();
    await runSql(
      node,
      app.ref,
      `create table public.plans (id int primary key, title text, body text, owner uuid);
       insert into public.plans values (1, 'Plan', 'Long', null), (2, 'Own', 'Long', '${ada.user.id}');
       alter table public.plans enable row level security;
       create policy shared on public.plans to authenticated using (owner is null or owner = auth.uid());
       grant select, update on public.plans to authenticated;`,
    );
    const save = ({ client }: Member, id: number, values: { title?: string; body?: string }, read: object) =>
      client
        .from('plans')
        .update(values)
        .match({ id, ...read })
        .setHeader('Prefer', 'return=representation,conflict=report')
        .select();
    const read = { title: 'Plan', body: 'Long' };
    expect((await save(bob, 1, { title: 'Bob’s' }, { title: 'Plan' })).data).toMatchObject([{ title: 'Bob’s' }]);
    expect(await save(ada, 1, { title: 'Ada’s', body: 'Longer' }, read)).toMatchObject({
      status: 409,
      data: null,
      error: { code: 'row_changed', details: { title: 'Bob’s' } },
    });
    expect((await save(bob, 2, { title: 'Mine' }, { title: 'guess' })).data).toEqual([]);
  });

  it('filters, sorts and pages', async () => {
    const { ada } = await appWithMembers();
    await projectOf(ada);
    const titles = async (query: PromiseLike<{ data: { title: unknown }[] | null; error: unknown }>) => {
      const { data, error } = await query;
      expect(error).toBeNull();
      return data?.map(({ title }) => title);
    };
    const tasks = () => ada.client.from('tasks').select('title');
    expect(await titles(tasks().is('weight', null))).toEqual(['Sow']);
    expect(await titles(tasks().not('weight', 'is', null).order('title'))).toEqual(['Dig', 'Water']);
    expect(await titles(tasks().in('title', ['Dig', 'Water', 'a,b"c)']).order('title'))).toEqual(['Dig', 'Water']);
    expect(await titles(tasks().like('title', '%a%'))).toEqual(['Water']);
    expect(await titles(tasks().ilike('title', 's%'))).toEqual(['Sow']);
    expect(await titles(tasks().gt('weight', 0).lte('weight', 2))).toEqual(['Water']);
    expect(await titles(tasks().neq('title', 'Dig').order('title', { ascending: false }).limit(1))).toEqual(['Water']);
    expect(await titles(tasks().order('title').range(1, 2))).toEqual(['Sow', 'Water']);
    expect(await titles(tasks().or('title.eq.Dig,weight.is.null').order('title'))).toEqual(['Dig', 'Sow']);
  });

  it('embeds related rows from either side of a relationship', async () => {
    const { ada } = await appWithMembers();
    await projectOf(ada);
    const { data: projects } = await ada.client
      .from('projects')
      .select('name, tasks(title)')
      .order('id', { referencedTable: 'tasks' });
    expect(projects).toEqual([{ name: 'Garden', tasks: [{ title: 'Dig' }, { title: 'Sow' }, { title: 'Water' }] }]);
    const { data: tasks } = await ada.client
      .from('tasks')
      .select('title, project:projects(name)')
      .eq('title', 'Sow')
      .single();
    expect(tasks).toEqual({ title: 'Sow', project: { name: 'Garden' } });
  });

  it('calls functions and selects fields of their results', async () => {
    const { ada } = await appWithMembers();
    const id = await projectOf(ada);
    expect((await ada.client.rpc('add', { a: 2, b: 3 })).data).toBe(5);
    expect((await ada.client.rpc('add', { a: 2, b: 3 }, { get: true })).data).toBe(5);
    const { data } = await ada.client.rpc('finish', { project: id }).select('title').eq('title', 'Dig');
    expect(data).toEqual([{ title: 'Dig' }]);
  });

  it('upserts', async () => {
    const { app, ada } = await appWithMembers();
    await runSql(node, app.ref, 'create table public.settings (key text primary key, value text)');
    const settings = () => ada.client.from('settings');
    await settings().upsert({ key: 'color', value: 'blue' }).throwOnError();
    await settings().upsert({ key: 'color', value: 'green' }).throwOnError();
    await settings().upsert({ key: 'color', value: 'red' }, { ignoreDuplicates: true }).throwOnError();
    expect((await settings().select()).data).toEqual([{ key: 'color', value: 'green' }]);
  });

  it('receives errors with the codes of PostgREST and PostgreSQL', async () => {
    const { ada } = await appWithMembers();
    const { client } = ada;
    expect((await client.from('nothing').select()).error).toMatchObject({ code: 'PGRST205' });
    expect((await client.from('tasks').select('nothing')).error).toMatchObject({ code: '42703' });
    expect((await client.from('tasks').select('nothing(*)')).error).toMatchObject({ code: 'PGRST200' });
    expect((await client.rpc('nothing')).error).toMatchObject({ code: 'PGRST202' });
    expect(await client.from('tasks').select().single()).toMatchObject({ status: 406, error: { code: 'PGRST116' } });
    expect(await client.from('projects').insert({ name: '' })).toMatchObject({ status: 400, error: { code: '23514' } });
    expect(await client.from('projects').insert({ nothing: 1 })).toMatchObject({
      status: 400,
      error: { code: 'PGRST204' },
    });
    expect(await client.from('tasks').select().eq('id', 'x')).toMatchObject({ status: 400, error: { code: '22P02' } });
  });
});

describe('two members of one app', () => {
  it('never see, change or delete each other’s rows', async () => {
    const { ada, bob } = await appWithMembers();
    const id = await projectOf(ada);
    expect((await bob.client.from('projects').select()).data).toEqual([]);
    expect((await bob.client.from('projects').select('*, tasks(*)').eq('id', id)).data).toEqual([]);
    expect((await bob.client.from('tasks').select('*', { count: 'exact' })).count).toBe(0);
    expect((await bob.client.from('projects').update({ name: 'Mine' }).eq('id', id).select()).data).toEqual([]);
    expect((await bob.client.from('tasks').delete().gt('id', 0).select()).data).toEqual([]);
    expect((await bob.client.rpc('finish', { project: id })).data).toEqual([]);
    const forged = await bob.client.from('projects').insert({ name: 'Forged', owner: ada.user.id });
    expect(forged).toMatchObject({ status: 403, error: { code: '42501' } });
    const moved = await bob.client.from('tasks').insert({ project_id: id, title: 'Trespass' });
    expect(moved).toMatchObject({ status: 403, error: { code: '42501' } });
    expect((await ada.client.from('tasks').select('title, done').order('id')).data).toEqual([
      { title: 'Dig', done: false },
      { title: 'Sow', done: false },
      { title: 'Water', done: false },
    ]);
  });

  it('see only their own rows under load, when their calls share connections', async () => {
    const { ada, bob } = await appWithMembers();
    await Promise.all([projectOf(ada), projectOf(bob)]);
    const owners = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const member = i % 2 ? ada : bob;
        const { data } = await member.client.from('projects').select('owner').throwOnError();
        return data.length === 1 && data[0]?.owner === member.user.id;
      }),
    );
    expect(owners.every(Boolean)).toBe(true);
  });
});

describe('two apps', () => {
  it('never see each other’s rows, members, keys or tokens', async () => {
    const [one, other] = [await appWithMembers(), await appWithMembers()];
    await projectOf(one.ada);
    const secret = clientOf(other.app, other.app.secret_key);
    expect((await secret.from('projects').select()).data).toEqual([]);
    const foreignKey = clientOf(one.app, other.app.publishable_key);
    expect((await foreignKey.from('projects').select()).status).toBe(401);
    const foreignSecret = clientOf(one.app, other.app.secret_key);
    expect((await foreignSecret.auth.admin.listUsers()).error?.status).toBe(401);
    const { email, password } = one.ada;
    expect((await clientOf(other.app).auth.signInWithPassword({ email, password })).error?.code).toBe(
      'invalid_credentials',
    );
    const { access_token: token, refresh_token: refresh } = one.ada.session;
    const response = await fetch(`${other.app.url}/rest/v1/projects`, {
      headers: { apikey: other.app.publishable_key, authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(401);
    expect((await clientOf(other.app).auth.refreshSession({ refresh_token: refresh })).error).toBeTruthy();
  });
});

describe('the secret key', () => {
  it('sees every row; the publishable key alone sees none', async () => {
    const { app, ada } = await appWithMembers();
    await projectOf(ada);
    for (const key of [app.secret_key, app.service_role_key]) {
      expect((await clientOf(app, key).from('projects').select('name')).data).toEqual([{ name: 'Garden' }]);
    }
    for (const key of [app.publishable_key, app.anon_key]) {
      expect((await clientOf(app, key).from('projects').select()).data).toEqual([]);
    }
  });
});

describe('a change of the schema', () => {
  it('is visible to the next calls without a restart', async () => {
    const { app, ada } = await appWithMembers();
    await ada.client.from('tasks').select().throwOnError();
    await runSql(
      node,
      app.ref,
      'create table public.labels (id int primary key, task_id bigint references public.tasks (id))',
    );
    await expect.poll(async () => (await ada.client.from('labels').select('id, tasks(title)')).status).toBe(200);
    await runSql(node, app.ref, 'alter table public.labels add column color text');
    await expect.poll(async () => (await ada.client.from('labels').insert({ id: 1, color: 'red' })).status).toBe(201);
    await runSql(node, app.ref, 'alter table public.labels rename to tags');
    await expect.poll(async () => (await ada.client.from('tags').select('color')).data).toEqual([{ color: 'red' }]);
    await runSql(node, app.ref, 'drop table public.tags');
    await expect.poll(async () => (await ada.client.from('tags').select()).error?.code).toBe('PGRST205');
  });
});

describe('an app without calls', () => {
  it('holds no database connection', async () => {
    const quiet = await startNode({ env: { NINEFOLD_POOL_IDLE_SECONDS: '1' } });
    try {
      const [busy, idle] = [await createApp(quiet), await createApp(quiet)];
      await clientOf(idle).from('nothing').select();
      const held = async () => {
        const sql = `select count(*) from pg_stat_activity where datname = 'app_${idle.ref}'`;
        return (await runSql(quiet, busy.ref, sql)).results[0]?.rows[0]?.[0];
      };
      await expect.poll(held, { timeout: 15_000 }).toBe('0');
      expect((await clientOf(idle).from('nothing').select()).error?.code).toBe('PGRST205');
    } finally {
      await quiet.stop();
    }
  });
});

describe('the builder’s proxy to data calls', () => {
  it('has the privileges of the service role or of a named member, and is refused to everybody else', async () => {
    const { app, ada } = await appWithMembers();
    await projectOf(ada);
    const proxy = `${node.url}/admin/v1/apps/${app.ref}/rest/v1/projects?select=name`;
    const rows = async (headers: Record<string, string>) => {
      const response = await fetch(proxy, { headers });
      return [
        response.status,
        response.ok ? await response.json() : ((await response.json()) as { code: string }).code,
      ];
    };
    const operator = { authorization: `Bearer ${node.operatorToken}` };
    expect(await rows(operator)).toEqual([200, [{ name: 'Garden' }]]);
    expect(await rows({ ...operator, 'x-ninefold-as': 'anon' })).toEqual([200, []]);
    expect(await rows({ ...operator, 'x-ninefold-as': ada.user.id })).toEqual([200, [{ name: 'Garden' }]]);
    expect(await rows({ ...operator, 'x-ninefold-as': 'service_role' })).toEqual([400, 'validation_invalid']);
    expect(await rows({ authorization: `Bearer ${ada.session.access_token}` })).toEqual([401, 'operator_required']);
    expect(await rows({ authorization: `Bearer ${app.secret_key}` })).toEqual([401, 'operator_required']);
    const unknown = await fetch(`${node.url}/admin/v1/apps/no-such-app/rest/v1/projects`);
    expect([unknown.status, ((await unknown.json()) as { code: string }).code]).toEqual([401, 'operator_required']);
  });
});
