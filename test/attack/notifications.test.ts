import { beforeAll, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { PortalNotifications } from '../../contract/notifications.ts';
import { createApp, createTemplate, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { superuserUrl, withClient } from '../support/database.ts';

/** Attempts of an owner or a member to misuse notifications: to read those of others, to gain privileges, to flood. */
const node = inject('node');

let template: AppConnection;
beforeAll(async () => {
  template = await createTemplate(
    node,
    `create table public.people (id uuid primary key references auth.users (id), name text not null);
    create table public.tasks (id int generated always as identity primary key, title text not null, assignee uuid, author uuid default auth.uid());
    alter table public.tasks enable row level security;
    create policy own on public.tasks using (auth.uid() in (assignee, author)) with check (true);
    select ninefold.notify('public.tasks', 'assignment', 'assignee'), ninefold.notify('public.tasks', 'mention', 'title')`,
  );
});

async function team(): Promise<{ app: AppConnection; ada: Member; bob: Member }> {
  const app = await createApp(node, { from: template.ref });
  const [ada, bob] = await Promise.all([signUpMember(app, 'ada'), signUpMember(app, 'bob')]);
  await runSql(node, app.ref, `insert into public.people values ('${ada.user.id}', 'Ada'), ('${bob.user.id}', 'Bob')`);
  return { app, ada, bob };
}

const ask = (app: AppConnection, { session }: Member, path = '', init: RequestInit = {}) =>
  fetch(`${app.url}/portal/v1/notifications${path}`, {
    ...init,
    headers: { apikey: app.publishable_key, authorization: `Bearer ${session.access_token}` },
  });
const read = async (app: AppConnection, member: Member, path = '') =>
  (await (await ask(app, member, path)).json()) as PortalNotifications;

const stored = async (app: AppConnection, sql: string) =>
  (await withClient(await superuserUrl(node, `app_${app.ref}`), (client) => client.query(sql))).rows;

it('a member cannot read, mark or write the notifications of another member', async () => {
  const { app, ada, bob } = await team();
  await ada.client.from('tasks').insert({ title: 'Secret', assignee: bob.user.id }).throwOnError();
  const [own] = (await read(app, bob)).notifications;
  expect(own).toMatchObject({ kind: 'assignment', is_read: false });
  expect((await read(app, ada)).notifications).toEqual([]);
  expect((await read(app, ada, `?id=${own?.id}`)).notifications).toEqual([]);
  await ask(app, ada, '', { method: 'PUT', body: JSON.stringify({ read: [own?.id] }) });
  expect((await read(app, bob)).state.unread).toBe(1);
  for (const body of [
    '{"read":["9223372036854775808"]}',
    '{"read":"all","user_id":"x"}',
    '{"read":["1,2"]}',
    '[]',
    '\0',
  ]) {
    expect((await ask(app, ada, '', { method: 'PUT', body })).status).toBe(400);
  }
  // The tables and the function that writes are out of reach of data calls, even if the owner exposes the schema.
  await runSql(
    node,
    app.ref,
    `insert into ninefold.settings (key, value) values ('db_schemas', to_jsonb(array['public', 'ninefold']))`,
  );
  const exposed = ada.client.schema('ninefold');
  await expect.poll(async () => (await exposed.from('notifications').select('id')).error?.code).not.toBe('PGRST106');
  expect((await exposed.from('notifications').select('id')).data).toEqual([]);
  for (const attempt of [
    exposed.from('notifications').update({ read_at: 'now()' }).eq('id', own?.id),
    exposed.from('notified_members').select('unsubscribe_key'),
    exposed
      .from('notification_choices')
      .insert({ user_id: bob.user.id, kind: 'mention', in_app: false, mail: 'never' }),
    exposed.from('notification_rules').delete().eq('kind', 'mention'),
    exposed.rpc('write_notifications', {
      told: [{ user: bob.user.id, kind: 'mention', field: 'x', entity: 1, key: {} }],
    }),
    exposed.rpc('stop_notifying', { entity: 'public.tasks', kind: 'mention', field: 'title' }),
  ]) {
    expect((await attempt).error?.code).toBe('42501');
  }
});

it('code of the owner in triggers, domains, casts and policies runs with no more privileges than those of the caller', async () => {
  const { app, ada, bob } = await team();
  await runSql(
    node,
    app.ref,
    `create table public.log (who text, session text); grant all on public.log to public;
    create function public.note() returns boolean language plpgsql volatile as $$
    declare
      caller text := current_setting('role');
    begin
      insert into public.log values (current_user, session_user);
      perform set_config('role', 'none', true);
      insert into public.log values (current_user, session_user);
      perform set_config('role', caller, true);
      return true;
    exception when others then return true;
    end $$;
    grant execute on function public.note() to public;
    create domain public.noisy as text check (public.note());
    alter table public.tasks add column extra public.noisy default 'x';
    create policy loud on public.people using (public.note());
    alter table public.people enable row level security;
    grant select on public.people to authenticated;
    create function public.forge() returns trigger language plpgsql as $$
    begin
      perform ninefold.write_notifications(jsonb_build_array(jsonb_build_object('user', new.assignee, 'kind', 'mention', 'field', 'x',
        'entity', 'ninefold.settings'::regclass::oid, 'key', jsonb_build_object('key', 'jwt_secret'))));
      return null;
    end $$;
    create trigger forge after insert on public.tasks for each row execute function public.forge();
    create view public.tasks_view as select *, public.note() from public.tasks`,
  );
  await ada.client.from('tasks').insert({ title: 'Hi @Bob', assignee: bob.user.id }).throwOnError();
  // The forged notification names a row that no member may read.
  expect((await read(app, bob)).notifications.map(({ row }) => row.entity)).toEqual(['tasks']);
  const callers = await stored(app, 'select distinct who from public.log');
  expect(callers.map(({ who }) => who)).not.toContain('ninefold_server');
  expect(callers.every(({ who }) => who === 'authenticated' || /^app_.*(?<!_server)$/.test(who))).toBe(true);
  for (const attempt of [
    'create trigger t before insert on ninefold.notifications for each row execute function public.forge()',
    'create policy p on ninefold.notifications using (true)',
    'alter function ninefold.write_notifications(jsonb) owner to current_user',
    'create or replace function ninefold.tell_members() returns trigger language plpgsql as $$ begin return null; end $$',
    `insert into ninefold.notifications (user_id, kind, field, entity, key, in_app) values ('${bob.user.id}', 'mention', 'x', 1, '{}', true)`,
    'update ninefold.notified_members set unsubscribe_key = gen_random_uuid()',
    `select ninefold.notify('pg_catalog.pg_class', 'mention', 'relname')`,
  ]) {
    await expect(runSql(node, app.ref, attempt)).rejects.toThrow(/42501|22023|0A000/);
  }
});

it('a text with thousands of names tells few members, and a policy that takes long ends the call', async () => {
  const { app, ada, bob } = await team();
  await runSql(node, app.ref, 'grant select on public.people to authenticated');
  const started = performance.now();
  const names = Array.from({ length: 5000 }, (_, i) => `@Bob @Ada${i}`).join(' ');
  await ada.client.from('tasks').insert({ title: names, assignee: null }).throwOnError();
  await ada.client
    .from('tasks')
    .insert({ title: '@'.repeat(100_000) })
    .throwOnError();
  await ada.client
    .from('tasks')
    .insert({ title: `@${'a '.repeat(50_000)}` })
    .throwOnError();
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(await stored(app, 'select count(*)::int as n from ninefold.notifications')).toEqual([{ n: 1 }]);
  await ada.client.from('tasks').insert({ title: 'Task', assignee: bob.user.id }).throwOnError();
  expect((await read(app, bob)).notifications).toHaveLength(1);
  await runSql(
    node,
    app.ref,
    'create policy slow on public.tasks as restrictive for select using (pg_sleep(60) is not null)',
  );
  const slow = await ask(app, bob);
  expect([slow.status, ((await slow.json()) as { code: string }).code]).toEqual([503, 'notifications_unreadable']);
  expect((await clientOf(app).from('people').select()).error).toBeNull();
});

it('a member does not learn the state of a row by a notification without the privilege to read the field', async () => {
  const { app, bob } = await team();
  await runSql(
    node,
    app.ref,
    `alter table public.tasks add column status text not null default 'open';
    select ninefold.define_machine('public.tasks', 'status', 'open', '[{"name": "suspect", "from": "open", "to": "suspected"}]');
    select ninefold.notify('public.tasks', 'transition', 'status', '{assignee}');
    revoke select on public.tasks from authenticated; grant select (id, title, assignee, author) on public.tasks to authenticated;
    insert into public.tasks (title, assignee) values ('Task', '${bob.user.id}');
    update public.tasks set status = 'suspected'`,
  );
  expect((await read(app, bob)).notifications.map(({ kind }) => kind)).toEqual(['assignment']);
  await runSql(node, app.ref, 'grant select (status) on public.tasks to authenticated');
  expect((await read(app, bob)).notifications.map(({ kind }) => kind)).toEqual(['transition', 'assignment']);
});

it('rules and state machines that the owner writes by hand do not stop changes of the schema by the server', async () => {
  const { app } = await team();
  await runSql(
    node,
    app.ref,
    `insert into ninefold.notification_rules (entity, kind, field) values ('public.tasks', 'mention', 'gone');
    insert into ninefold.machines (entity, field, initial) values ('public.tasks', 'gone', 'open')`,
  );
  await expect(runSql(node, app.ref, 'alter table public.tasks add column more int')).rejects.toThrow(/2BP01/);
  await stored(app, 'alter table ninefold.labels set (fillfactor = 100)');
});

it('mentions use up only a part of the mails that the app may send in an hour', async () => {
  const { app, ada, bob } = await team();
  const eve = await signUpMember(app, 'eve');
  await runSql(
    node,
    app.ref,
    `grant select on public.people to authenticated; insert into public.people values ('${eve.user.id}', 'Eve');
    insert into ninefold.settings (key, value) values ('rate_limit_email_sent', '2'), ('smtp_host', '"127.0.0.1"'), ('smtp_port', '2525'),
      ('smtp_admin_email', '"desk@example.com"') on conflict (key) do update set value = excluded.value`,
  );
  await ada.client.from('tasks').insert({ title: '@Bob and @Eve', assignee: bob.user.id }).throwOnError();
  await eve.client.from('tasks').insert({ title: 'Task', assignee: eve.user.id }).throwOnError();
  await ada.client.from('tasks').insert({ title: 'Task', assignee: eve.user.id }).throwOnError();
  await stored(
    app,
    `update ninefold.notifications set mail_at = now() - interval '1 second'; select pg_notify('ninefold', '{"type":"mail"}')`,
  );
  const mails = `select count(*)::int as n from ninefold.mails where kind = 'activity_notification'`;
  await expect.poll(() => stored(app, mails), { timeout: 20_000 }).toEqual([{ n: 1 }]);
  await stored(app, `select pg_notify('ninefold', '{"type":"mail"}')`);
  const waiting = 'select count(distinct user_id)::int as n from ninefold.notifications where mail_at is not null';
  expect(await stored(app, waiting)).toEqual([{ n: 1 }]);
  expect(await stored(app, mails)).toEqual([{ n: 1 }]);
});
