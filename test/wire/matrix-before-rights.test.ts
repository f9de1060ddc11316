import { beforeAll, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { probeOf } from '../support/probe.ts';

/** What PostgreSQL asks of a call before any right on what it is about: cells that forget it promise calls that nobody can make. */
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
     create function public.either(note text default '') returns int language sql as 'select 1';`,
  );
});

const cellOf = async (role: string, operation: string, entity: string) => {
  const { chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
  const found = chapters.roles?.cells.find(
    (cell) => cell.role === role && cell.operation === operation && cell.entity.startsWith(entity),
  );
  return found && { verdict: found.verdict, words: found.words };
};

it('a value is not given whose type is in a schema that the role may not use, and all others are', async () => {
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

it('and the probe says the same', async () => {
  const { cells } = await probeOf(node, app.ref);
  expect(cells.filter((cell) => cell.outcome === 'disagrees')).toEqual([]);
});

it('no call of a role gets past a function that runs before it and that it may not execute', async () => {
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
  ['public.asks', '42883', 'takes arguments, and is given none'],
  ['public.tidies', '42809', 'is a procedure'],
  ['public.stamps', '0A000', 'only triggers can call'],
  ['public.either', '42725', 'several take such a call'],
  ['elsewhere.gate', '3F000', 'there is no schema elsewhere'],
])('and no call at all past %s, which PostgreSQL does not run there', async (value, code, why) => {
  await admin(node, 'PUT', `/apps/${app.ref}/settings/db_pre_request`, { value });
  try {
    await expect
      .poll(() => cellOf('service_role', 'select', 'public.days'), { timeout: 1000 })
      .toMatchObject({ verdict: 'never' });
    expect((await clientOf(app, app.secret_key).from('days').select()).error?.code).toBe(code);
    const { chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
    const told = chapters.calls?.settings.find(({ key }) => key === 'db_pre_request')?.value;
    expect(told).toMatch(new RegExp(`${why} \\(${code}\\): every data call is refused`));
  } finally {
    await admin(node, 'DELETE', `/apps/${app.ref}/settings/db_pre_request`);
  }
});
