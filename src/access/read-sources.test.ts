import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppDatabase, scriptIn, startAppDatabase } from '../../test/support/app-database.ts';
import type { Pool } from '../database/pool.ts';
import { readSources } from './read-sources.ts';

let database: AppDatabase;
let authenticator: Pool;

beforeAll(async () => {
  database = await startAppDatabase('read-sources');
  authenticator = database.as('app_authenticator');
  await scriptIn(
    database.as('app_owner'),
    `create table public.plain (id int primary key);
     create table public.other (id int primary key);
     create table public.members (id int primary key, until timestamptz);
     create table public."Odd Name" (id int primary key);
     create view public.shown as select p.id from public.plain p where exists (select from public.other o where o.id = p.id);
     create materialized view public.stored as select id from public.plain;
     create function public.inner_check(n int) returns boolean language sql stable as $$ select exists (select from "Odd Name" where id = n) $$;
     create function public.is_member(n int) returns boolean language plpgsql stable security definer as
       $$ begin -- other tables: members_of_nobody
         return exists (select from public.members m where m.id = n) and public.inner_check(n); end $$;
     create function public.is_dynamic(n int) returns boolean language plpgsql stable as
       $$ declare found boolean; begin execute 'select ' || n || ' > 0' into found; return found; end $$;
     create function public.is_constant(n int) returns boolean language plpgsql stable as
       $$ declare found boolean; begin execute 'select true from other' into found; return found; end $$;
     create function public.atomic_check(n int) returns boolean language sql stable begin atomic select exists (select from public.other where id = n); end;
     create table public.guarded (id int primary key);
     alter table public.guarded enable row level security;
     create policy p on public.guarded for select using (public.is_member(id));
     create table public.timed (id int primary key);
     create policy p on public.timed for select using (exists (select from public.members m where m.until > now()));
     create table public.dynamic (id int primary key);
     create policy p on public.dynamic for select using (public.is_dynamic(id));
     create table public.constant (id int primary key);
     create policy p on public.constant for select using (public.is_constant(id));
     create table public.written (id int primary key);
     create policy p on public.written for insert with check (public.is_member(id));
     create table public.atomic (id int primary key);
     create policy p on public.atomic for select using (public.atomic_check(id));
     create table public.parted (id int primary key) partition by range (id);
     create table public.part_1 partition of public.parted for values from (0) to (10);
     create function public.label(r public.plain) returns text language sql stable as $$ select 'x' from public.members $$;
     create table public.mine (id uuid primary key);
     create policy p on public.mine for select using (id = (select auth.uid()));`,
  );
});
afterAll(() => database.stop());

const sourcesOf = async (name: string, functions: string[] = []) => {
  const { tables, isComplete } = await readSources(authenticator, {
    relations: [{ schema: 'public', name }],
    functions: functions.map((each) => ({ schema: null, name: each })),
  });
  return { tables: tables.map((table) => table.name).sort(), isComplete };
};

describe('readSources', () => {
  it('follows views, policies, functions and partitions', async () => {
    expect(await sourcesOf('plain')).toEqual({ tables: ['plain'], isComplete: true });
    expect(await sourcesOf('shown')).toEqual({ tables: ['other', 'plain'], isComplete: true });
    expect(await sourcesOf('guarded')).toEqual({ tables: ['Odd Name', 'guarded', 'members'], isComplete: true });
    expect(await sourcesOf('atomic')).toEqual({ tables: ['atomic', 'other'], isComplete: true });
    expect(await sourcesOf('constant')).toEqual({ tables: ['constant', 'other'], isComplete: true });
    expect(await sourcesOf('parted')).toEqual({ tables: ['part_1', 'parted'], isComplete: true });
    expect(await sourcesOf('part_1')).toEqual({ tables: ['part_1', 'parted'], isComplete: true });
    expect(await sourcesOf('plain', ['label'])).toEqual({ tables: ['members', 'plain'], isComplete: true });
  });

  it('leaves out policies for writes', async () => {
    expect(await sourcesOf('written')).toEqual({ tables: ['written'], isComplete: true });
  });

  it('counts functions of schema auth that read settings as complete', async () => {
    expect(await sourcesOf('mine')).toEqual({ tables: ['mine'], isComplete: true });
  });

  it('is not complete for the time, dynamic SQL and materialized views', async () => {
    expect(await sourcesOf('timed')).toEqual({ tables: ['members', 'timed'], isComplete: false });
    expect(await sourcesOf('dynamic')).toEqual({ tables: ['dynamic'], isComplete: false });
    expect(await sourcesOf('stored')).toEqual({ tables: [], isComplete: false });
    expect((await sourcesOf('pg_stat_activity')).tables).toEqual([]);
  });
});
