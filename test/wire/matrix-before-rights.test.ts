import { beforeAll, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { probeOf } from '../support/probe.ts';

/**
 * Conditions that PostgreSQL checks before the privileges on the target of a call. If chapter 6 ignored them, its cells
 * would promise calls that no role can make.
 */
const node = inject('node');

let app: AppConnection;
beforeAll(async () => {
  app = await createApp(node);
  await runSql(
    node,
    app.ref,
    `create schema apart; create type apart.mood as enum ('calm');
     create table public.days (id int primary key, note text, mood apart.mood);
     create table public.moods (id int primary key, mood apart.mood);
     revoke update on public.moods from anon, authenticated; grant update (mood) on public.moods to anon, authenticated;
     insert into public.days values (1, 'first', 'calm'); insert into public.moods values (1, 'calm');
     create function public.feels(mood apart.mood) returns int language sql set search_path = '' as 'select 1';
     create function public.likes(day int, mood apart.mood default null) returns int language sql set search_path = '' as 'select 1';
     create function public.gate() returns void language sql set search_path = '' as 'select';
     revoke execute on function public.gate() from public, anon;
     create function public.asks(day int) returns int language sql set search_path = '' as 'select 1';
     create procedure public.tidies() language sql as 'select';
     create function public.stamps() returns trigger language plpgsql as 'begin return new; end';
     create function public.either(day int default 1) returns int language sql as 'select 1';
     create function public.either(note text default '') returns int language sql as 'select 1';
     create function public.twice() returns int language sql as 'select 1';
     create function public.twice(note text default '') returns int language sql as 'select 1';
     create table public.seen (at timestamptz default now()); grant insert on public.seen to anon, authenticated;
     create function public.writes() returns void language plpgsql as 'begin insert into public.seen default values; end';
     create function public.counts() returns void language sql as 'with w as (insert into public.seen default values returning 1) select';
     create function public.writes_stable() returns void language plpgsql stable as 'begin insert into public.seen default values; end';
     create function public.writes_where_it_may() returns void language plpgsql as $$ begin
       if current_setting('request.method', true) in ('GET', 'HEAD') then return; end if;
       insert into public.seen default values; end $$;
     create function public.writes_for_members() returns void language plpgsql as $$ begin
       if auth.uid() is not null then insert into public.seen default values; end if; end $$;
     create function public.stays() returns int language sql stable as 'select 1';
     create function public.moves() returns int language sql as 'select 1';
     create function apart.aside() returns int language sql as 'select 1';`,
  );
});

const cellOf = async (role: string, operation: string, entity: string) => {
  const { chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
  const found = chapters.roles?.cells.find(
    (cell) => cell.role === role && cell.operation === operation && cell.entity.startsWith(entity),
  );
  return found && { verdict: found.verdict, words: found.words };
};

it('the app refuses a value only if the role may not use the schema of its type', async () => {
  const rest = clientOf(app);
  const without = { verdict: 'when', words: 'without mood' };
  expect(await cellOf('anon', 'insert', 'public.days')).toEqual(without);
  expect((await rest.from('days').insert({ id: 2, mood: 'calm' })).error?.code).toBe('42501');
  expect((await rest.from('days').insert({ id: 2, note: 'second' })).error).toBeNull();
  expect(await cellOf('anon', 'update', 'public.days')).toEqual(without);
  expect((await rest.from('days').update({ mood: 'calm' }).eq('id', 1)).error?.code).toBe('42501');
  expect((await rest.from('days').update({ note: 'changed' }).eq('id', 1)).error).toBeNull();
  expect(await cellOf('anon', 'update', 'public.moods')).toEqual({ verdict: 'never', words: '' });
  expect((await rest.from('moods').update({ mood: 'calm' }).eq('id', 1)).error?.code).toBe('42501');
  expect(await cellOf('anon', 'select', 'public.days')).toEqual({ verdict: 'always', words: '' });
  expect((await rest.from('days').select().eq('mood', 'calm')).data).toHaveLength(1);
  expect(await cellOf('anon', 'execute', 'public.feels')).toEqual({ verdict: 'never', words: '' });
  expect((await rest.rpc('feels', { mood: 'calm' })).error?.code).toBe('42501');
  expect(await cellOf('anon', 'execute', 'public.likes')).toEqual(without);
  expect((await rest.rpc('likes', { day: 1, mood: 'calm' })).error?.code).toBe('42501');
  expect((await rest.rpc('likes', { day: 1 })).error).toBeNull();
});

it('the probe does not contradict the cells of a role that may not use the schema of a type', async () => {
  const { cells } = await probeOf(node, app.ref);
  expect(cells.filter((cell) => cell.outcome === 'disagrees')).toEqual([]);
});

it('the app refuses every call of a role that may not execute the function in db_pre_request', async () => {
  await admin(node, 'PUT', `/apps/${app.ref}/settings/db_pre_request`, { value: 'public.gate' });
  try {
    await expect
      .poll(() => cellOf('anon', 'select', 'public.days'), { timeout: 1000 })
      .toMatchObject({ verdict: 'never' });
    expect((await clientOf(app).from('days').select()).error?.code).toBe('42501');
    expect(await cellOf('service_role', 'select', 'public.days')).toMatchObject({ verdict: 'always' });
    expect((await clientOf(app, app.secret_key).from('days').select()).error).toBeNull();
    const { cells } = await probeOf(node, app.ref);
    expect(cells.filter((cell) => cell.outcome === 'disagrees')).toEqual([]);
  } finally {
    await admin(node, 'DELETE', `/apps/${app.ref}/settings/db_pre_request`);
  }
});

it.each([
  ['public.asks', '42883', 'requires arguments'],
  ['public.tidies', '42809', 'is a procedure'],
  ['public.stamps', '0A000', 'only triggers can call'],
  ['public.either', '42725', 'several take such a call'],
  ['public.twice', '42725', 'several take such a call'],
  ['twice', '42725', 'several take such a call'],
  ['asks', '42883', 'requires arguments'],
  ['nowhere_to_be_found', '42883', 'is not there'],
  ['pg_catalog.nowhere_to_be_found', '42883', 'is not there'],
  ['count', '42809', 'is not a plain function'],
  ['other.public.moves', '0A000', 'is another database'],
  ['a.b.public.moves', '42601', 'has three parts at most'],
  ['public.writes_stable', '0A000', 'is not declared VOLATILE'],
  ['elsewhere.gate', '3F000', 'there is no schema elsewhere'],
])('the app refuses every call if db_pre_request names %s, which PostgreSQL cannot call', async (value, code, why) => {
  await admin(node, 'PUT', `/apps/${app.ref}/settings/db_pre_request`, { value });
  try {
    await expect
      .poll(() => cellOf('service_role', 'select', 'public.days'), { timeout: 1000 })
      .toMatchObject({ verdict: 'never' });
    expect((await clientOf(app, app.secret_key).from('days').select()).error?.code).toBe(code);
    const { chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
    const reported = chapters.calls?.settings.find(({ key }) => key === 'db_pre_request')?.value;
    expect(reported).toMatch(new RegExp(`${why} \\(${code}\\): every data call is refused`));
  } finally {
    await admin(node, 'DELETE', `/apps/${app.ref}/settings/db_pre_request`);
  }
});

/** Sets the function that runs before each call until the test ends, and waits until the chapter shows it. */
async function withPreRequest(value: string, isTold: () => Promise<void>): Promise<void> {
  await admin(node, 'PUT', `/apps/${app.ref}/settings/db_pre_request`, { value });
  try {
    await isTold();
  } finally {
    await admin(node, 'DELETE', `/apps/${app.ref}/settings/db_pre_request`);
  }
}

it.each(['gate', 'aside'])(
  'the app finds the function %s without its schema only for roles that may use the schema',
  async (name) => {
    await admin(node, 'PUT', `/apps/${app.ref}/settings/db_extra_search_path`, { value: ['apart'] });
    try {
      await withPreRequest(name, async () => {
        await expect
          .poll(() => cellOf('anon', 'select', 'public.days'), { timeout: 1000 })
          .toMatchObject({ verdict: 'never' });
        const code = name === 'gate' ? '42501' : '42883';
        expect((await clientOf(app).from('days').select()).error?.code).toBe(code);
        const service = clientOf(app, app.secret_key);
        const { verdict } = (await cellOf('service_role', 'select', 'public.days')) ?? {};
        expect((await service.from('days').select()).error === null).toBe(verdict === 'always');
      });
    } finally {
      await admin(node, 'DELETE', `/apps/${app.ref}/settings/db_extra_search_path`);
    }
  },
);

it.each(['public.now', 'now'])(
  'the app finds PostgreSQL’s own function %s only if the name has no schema',
  async (name) => {
    await withPreRequest(name, async () => {
      const verdict = name === 'now' ? 'always' : 'never';
      await expect.poll(() => cellOf('anon', 'select', 'public.days'), { timeout: 1000 }).toMatchObject({ verdict });
      expect((await clientOf(app).from('days').select()).error?.code).toBe(name === 'now' ? undefined : '42883');
    });
  },
);

it.each(['public.writes', 'public.counts'])(
  'the app refuses every read-only call if db_pre_request names %s, because the function writes',
  async (name) => {
    await withPreRequest(name, async () => {
      await expect
        .poll(() => cellOf('anon', 'select', 'public.days'), { timeout: 1000 })
        .toMatchObject({ verdict: 'never' });
      const rest = clientOf(app);
      expect((await rest.from('days').select()).error?.code).toBe('25006');
      expect(await cellOf('anon', 'execute', 'public.stays')).toMatchObject({ verdict: 'never' });
      expect((await rest.rpc('stays')).error?.code).toBe('25006');
      expect(await cellOf('anon', 'execute', 'public.moves')).toMatchObject({ verdict: 'always' });
      expect((await rest.rpc('moves')).error).toBeNull();
      expect(await cellOf('anon', 'delete', 'public.days')).toMatchObject({ verdict: 'always' });
      expect((await rest.from('days').delete().eq('id', 99)).error).toBeNull();
      const { chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
      const reported = chapters.calls?.settings.find(({ key }) => key === 'db_pre_request')?.value;
      expect(reported).toMatch(/\(25006\): every call that only reads is refused/);
      const { cells } = await probeOf(node, app.ref);
      expect(cells.filter((cell) => cell.outcome === 'disagrees')).toEqual([]);
    });
  },
);

it('a pre-request function that writes sometimes makes read-only calls conditional, unless it checks the request method', async () => {
  await withPreRequest('public.writes_for_members', async () => {
    await expect
      .poll(() => cellOf('anon', 'select', 'public.days'), { timeout: 1000 })
      .toEqual({ verdict: 'when', words: 'where public.writes_for_members() writes nothing' });
    expect((await clientOf(app).from('days').select()).error).toBeNull();
    const { client } = await signUpMember(app);
    expect((await client.from('days').select()).error?.code).toBe('25006');
  });
  await withPreRequest('public.writes_where_it_may', async () => {
    await expect
      .poll(() => cellOf('anon', 'select', 'public.days'), { timeout: 1000 })
      .toMatchObject({ verdict: 'always' });
    expect((await clientOf(app).from('days').select()).error).toBeNull();
  });
});

it('the cells and the responses stay the same if settings of the database change, and chapter 7 shows lock_timeout as the database’s setting', async () => {
  const fresh = await createApp(node);
  const { ref } = fresh;
  const settings = [
    'default_transaction_read_only = on',
    'row_security = off',
    `default_transaction_isolation = 'serializable'`,
    'statement_timeout = 1',
    `search_path = ''`,
    `role = 'anon'`,
    `"DateStyle" = 'German'`,
    `timezone = 'Asia/Tokyo'`,
    'bytea_output = escape',
    `lock_timeout = '5s'`,
  ];
  await runSql(
    node,
    ref,
    `create table public.days (at timestamptz default '2026-01-02T00:00:00Z', b bytea default '\\x01');
     alter table public.days enable row level security; create policy p on public.days using (true);
     ${settings.map((setting) => `alter database "app_${ref}" set ${setting};`).join('\n')}`,
  );
  const { chapters } = await admin<Specification>(node, 'GET', `/apps/${ref}/specification`);
  const cells = chapters.roles?.cells.filter(({ role }) => role === 'anon').map(({ verdict }) => verdict);
  expect(cells).toEqual(['always', 'always', 'always', 'always']);
  const { error, data } = await clientOf(fresh).from('days').insert({}).select();
  expect({ error, data }).toEqual({ error: null, data: [{ at: '2026-01-02T00:00:00+00:00', b: '\\x01' }] });
  const timeouts = chapters.limits?.limits.filter(({ id }) => id.startsWith('database.lock_timeout'));
  expect(timeouts?.map(({ id, value }) => [id, value])).toEqual([
    ['database.lock_timeout', 0],
    ['database.lock_timeout.everyone', 5000],
  ]);
});
