import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AdviceEntry, AdviceKind, RolesChapter } from '../../../../../../contract/specification-roles.ts';
import { type AppDatabase, scriptIn, startAppDatabase } from '../../../../../../test/support/app-database.ts';
import { loadFacts } from '../../../../../catalog/facts.ts';
import type { Pool } from '../../../../../database/pool.ts';
import { Entries } from '../../../entries.ts';
import { rolesChapter } from '../roles.ts';

let database: AppDatabase;
let owner: Pool;

/** Runs SQL as the owner of the app. */
const script = (sql: string) => scriptIn(owner, sql);

beforeAll(async () => {
  database = await startAppDatabase('advice');
  owner = database.as('app_owner');
  await database.pool.script('create role clerk; grant clerk to app_authenticator; create role outsider;');
}, 60_000);

afterAll(async () => {
  await database?.stop();
});

const table = 'create table t (id int primary key, owner uuid, status text);';
const granted = `${table} grant all on t to anon, authenticated, service_role;`;
const secured = `${granted} alter table t enable row level security; create index on t (owner);`;
const own = '(select auth.uid()) = owner';

beforeEach(async () => {
  await script(`drop schema if exists public cascade; create schema public;
    grant usage on schema public to anon, authenticated, service_role, clerk;`);
});

async function chapter(): Promise<RolesChapter> {
  const facts = await loadFacts(owner, { exposedSchemas: ['public'], authenticator: 'app_authenticator' });
  return rolesChapter(new Entries(facts));
}

const about = (advice: readonly AdviceEntry[], kind: AdviceKind) => advice.filter((entry) => entry.about === kind);

const verdicts = ({ cells }: RolesChapter) =>
  cells.map((cell) => [cell.role, cell.entity, cell.operation, cell.verdict].join(' '));

interface Case {
  name: string;
  sql: string;
  kind: AdviceKind;
  ids: string[];
  words: RegExp;
  /** True if the fix is meant to change the operations that callers may perform. */
  changes?: boolean;
  /** Other advice that the fix leads to. */
  leadsTo?: string[];
}

const cases: Case[] = [
  {
    name: 'a table without row-level security',
    sql: granted,
    kind: 'no row-level security',
    ids: ['no row-level security: public.t'],
    words: /anon and authenticated may do with every row what the grants allow/,
    changes: true,
    leadsTo: ['no policy: public.t'],
  },
  {
    name: 'a table without row-level security that is granted to PUBLIC',
    sql: `${table} grant select on t to public;`,
    kind: 'no row-level security',
    ids: ['no row-level security: public.t'],
    words: /anon, authenticated and clerk may do/,
    changes: true,
    leadsTo: ['no policy: public.t'],
  },
  {
    name: 'row-level security without a policy',
    sql: secured,
    kind: 'no policy',
    ids: ['no policy: public.t'],
    words: /take the grants away/,
  },
  {
    name: 'row-level security without a policy, on a table with a grant to PUBLIC',
    sql: `${secured} grant select on t to public;`,
    kind: 'no policy',
    ids: ['no policy: public.t'],
    words: /anon, authenticated and clerk hold grants and reach no row/,
  },
  {
    name: 'row-level security without a policy, on a table that references members',
    sql: 'create table t (id int primary key, "Who" uuid references auth.users); grant all on t to authenticated; alter table t enable row level security;',
    kind: 'no policy',
    ids: ['no policy: public.t'],
    words: /whose Who is the member/,
    changes: true,
  },
  {
    name: 'a view without security_invoker',
    sql: `${secured} create policy own on t to authenticated using (${own}); revoke all on t from anon;
      create view v as select id, owner from t; grant select on v to anon, authenticated;`,
    kind: 'view as its owner',
    ids: ['view as its owner: public.v'],
    words: /reads public\.t with the rights of its owner.*anon and authenticated may read every row/,
    changes: true,
  },
  {
    name: 'a view over a view without security_invoker',
    sql: `${secured} create policy own on t to authenticated using (${own}); revoke all on t from anon;
      create view inner_view with (security_invoker) as select id, owner from t; revoke all on inner_view from public;
      create view v as select * from inner_view; grant select on v to authenticated;`,
    kind: 'view as its owner',
    ids: ['view as its owner: public.v'],
    words: /reads public\.t/,
    changes: true,
  },
  {
    name: 'a SECURITY DEFINER function without its own search path',
    sql: `create function f(a int, variadic b text[]) returns int language plpgsql security definer as 'begin return 1; end';`,
    kind: 'function without search_path',
    ids: ['function without search_path: public.f(integer, text[])'],
    words: /whoever calls it chooses what its unqualified names mean/,
  },
  {
    name: 'a SECURITY DEFINER procedure without its own search path',
    sql: `create procedure "do it"() language sql as 'select 1';`,
    kind: 'function without search_path',
    ids: ['function without search_path: public."do it"()'],
    words: /sets no search_path/,
  },
  {
    name: 'a policy that calls auth.uid() for each row',
    sql: `${secured} create policy "own ""rows""" on t to authenticated using (auth.uid() = owner or auth.jwt() ->> 'role' = 'x') with check (owner = auth.uid());`,
    kind: 'call for each row',
    ids: ['call for each row: public.t: own "rows"'],
    words: /calls auth\.uid\(\) and auth\.jwt\(\) for each row/,
  },
  {
    name: 'a policy that reads a setting for each row, within a subquery',
    sql: `${secured} create table m (who uuid primary key); grant select on m to authenticated; alter table m enable row level security;
      create policy m on m using (who = (select auth.uid()));
      create policy p on t to authenticated using (exists (select 1 from m where m.who = auth.uid() and current_setting('app.x', true) = 'y'));`,
    kind: 'call for each row',
    ids: ['call for each row: public.t: p'],
    words: /auth\.uid\(\) and current_setting\(\)/,
  },
  {
    name: 'a policy that calls has_role for each row',
    sql: `${secured} create policy p on t to authenticated using (ninefold.has_role('agent') and status <> 'closed');`,
    kind: 'call for each row',
    ids: ['call for each row: public.t: p'],
    words: /ninefold\.has_role\(\)/,
  },
  {
    name: 'a policy on a field without an index',
    sql: `${granted} alter table t enable row level security; create policy own on t to authenticated using (${own});`,
    kind: 'no index',
    ids: ['no index: public.t: owner'],
    words: /Policy "own" finds rows of public\.t by owner/,
  },
  {
    name: 'a policy whose subquery filters a field without an index',
    sql: `${secured} create table members (team int, "user" uuid); grant select on members to authenticated;
      alter table members enable row level security; create policy p on members for insert with check (false);
      create policy team on t to authenticated using (exists (select 1 from members m where m.team = t.id and m."user" = (select auth.uid())));`,
    kind: 'no index',
    ids: ['no index: public.members: team, user'],
    words: /Policy "team" of public\.t finds rows of public\.members by team and user/,
  },
  {
    name: 'a foreign key without an index',
    sql: 'create table a (id int primary key); create table b (a int constraint to_a references a);',
    kind: 'foreign key without index',
    ids: ['foreign key without index: public.b: to_a'],
    words: /No index begins with a, by which to_a points to public\.a/,
  },
  {
    name: 'a policy that reads its own table',
    sql: `${secured} create policy own on t to authenticated using (exists (select from t as o where o.owner = t.owner and status = 'open')) with check (status = 'open');`,
    kind: 'policies in a circle',
    ids: ['policies in a circle: public.t: public.t, public.t'],
    words:
      /public\.t, then public\.t: infinite recursion \(42P17\)\. PostgreSQL refuses select on public\.t by authenticated/,
    changes: true,
  },
  {
    name: 'policies of three tables that read each other, one through a security_invoker view',
    sql: `${secured} create table u (id int primary key, t int); create table v (id int primary key, u int); grant all on u, v to authenticated;
      create view w with (security_invoker) as select id, u from v; grant select on w to authenticated;
      alter table u enable row level security; alter table v enable row level security;
      create policy a on t for select to authenticated using (id in (select u.t from u)); create policy b on u to authenticated using (id in (select w.u from w));
      create policy c on v for select to authenticated using (exists (select from t where t.id = v.id));`,
    kind: 'policies in a circle',
    ids: ['policies in a circle: public.t: public.t, public.u, public.w, public.v, public.t'],
    words: /select on public\.t by authenticated.*select on public\.w by authenticated/,
    changes: true,
  },
  {
    name: 'a policy for a role that no call has',
    sql: `${secured} create policy own on t to authenticated using (${own}); create policy lost on t to outsider using (true);`,
    kind: 'unreachable policy',
    ids: ['unreachable policy: public.t: lost'],
    words: /no call ever has the role outsider/,
  },
  {
    name: 'a policy for a role that has no grant',
    sql: `${secured} create policy own on t to authenticated using (${own}); create policy lost on t for delete to clerk using (true);`,
    kind: 'unreachable policy',
    ids: ['unreachable policy: public.t: lost'],
    words: /clerk has no grant for it/,
  },
  {
    name: 'a policy for a role that bypasses row-level security',
    sql: `${secured} create policy own on t to authenticated using (${own}); create policy all_of_it on t to service_role using (true);`,
    kind: 'unreachable policy',
    ids: ['unreachable policy: public.t: all_of_it'],
    words: /row-level security does not bind service_role/,
  },
  {
    name: 'two equal permissive policies',
    sql: `${secured} revoke all on t from anon; create policy a on t to authenticated using (${own}) with check (status = 'open'); create policy b on t to authenticated using (status = 'closed');`,
    kind: 'overlapping policies',
    ids: ['overlapping policies: public.t: a, b'],
    words: /"a" and "b" are for the same select, insert, update and delete of authenticated/,
  },
  {
    name: 'two permissive policies for one operation and role',
    sql: `${secured} create policy "the rows of a member's own, all of them" on t to authenticated using (${own});
      create policy open on t for select using (status = 'open');`,
    kind: 'overlapping policies',
    ids: [`overlapping policies: public.t: open, the rows of a member's own, all of them`],
    words: /the same select of authenticated/,
  },
  {
    name: 'a grant to anon that no policy lets anon use',
    sql: `${secured} create policy own on t to authenticated using (${own});`,
    kind: 'idle grant',
    ids: ['idle grant: public.t'],
    words: /anon holds select, insert, update and delete/,
  },
  {
    name: 'a grant to PUBLIC that no policy lets anon use',
    sql: `${table} alter table t enable row level security; create index on t (owner);
      grant select on t to public; grant insert (id, owner) on t to public;
      create policy own on t to authenticated using (${own});`,
    kind: 'idle grant',
    ids: ['idle grant: public.t'],
    words: /anon holds select and insert/,
  },
  {
    name: 'a function that runs as another role by its setting',
    sql: `create function public.as_service() returns int language sql set search_path = '' as 'select 1';
      alter function public.as_service() set role = 'service_role';`,
    kind: 'setting that changes the rights',
    ids: ['setting that changes the rights: public.as_service(): role'],
    words: /it runs as service_role, whoever the caller is, and row-level security does not bind it/,
  },
  {
    name: 'a function whose setting PostgreSQL refuses',
    sql: `create function public.twice() returns int language sql security definer set search_path = '' as 'select 1';
      alter function public.twice() set role = 'service_role';`,
    kind: 'setting that changes the rights',
    ids: ['setting that changes the rights: public.twice(): role'],
    words: /every call is refused \(42501\)/,
    changes: true,
  },
  {
    name: 'a function that switches row security off',
    sql: `create function public.odd() returns int language sql set search_path = '' set row_security = off as 'select 1';`,
    kind: 'setting that changes the rights',
    ids: ['setting that changes the rights: public.odd(): row_security'],
    words: /switches row_security off: .*refused \(42501\)/,
  },
  {
    name: 'a status that is an enum, without a state machine',
    sql: `create type stage as enum ('new', 'it''s open', 'closed');
      create table t (id int primary key, "orderStatus" stage default 'it''s open');`,
    kind: 'status without machine',
    ids: ['status without machine: public.t: orderStatus'],
    words: /orderStatus has 3 values and no state machine.*New rows then start as it's open/,
    changes: true,
  },
  {
    name: 'a status of type text with a few values in a check or a domain',
    sql: `create domain phase as text check (value in ('a', 'b'));
      create table t (id int primary key, status text default 'y' check (status in ('x', 'y')), phase phase);`,
    kind: 'status without machine',
    ids: ['status without machine: public.t: phase', 'status without machine: public.t: status'],
    words: /New rows then start as a\./,
    changes: true,
  },
  {
    name: 'a time of deletion that the policy for SELECT excludes',
    sql: `create table t (id int primary key, owner uuid, deleted_at timestamptz); create index on t (owner);
      grant select, update on t to authenticated; alter table t enable row level security;
      create policy seen on t for select to authenticated using (deleted_at is null and ${own});
      create policy changed on t for update to authenticated using (${own});`,
    kind: 'update that a SELECT policy refuses',
    ids: ['update that a SELECT policy refuses: public.t: deleted_at'],
    words: /sets deleted_at is refused \(42501\).*"seen" excludes it/,
  },
  {
    name: 'a mark of deletion that the policy for SELECT excludes',
    sql: `create table t (id int primary key, owner uuid, is_deleted boolean not null default false); create index on t (owner);
      grant select, update on t to authenticated; alter table t enable row level security;
      create policy seen on t for select to authenticated using (not is_deleted);
      create policy changed on t for update to authenticated using (${own});`,
    kind: 'update that a SELECT policy refuses',
    ids: ['update that a SELECT policy refuses: public.t: is_deleted'],
    words: /sets is_deleted is refused/,
  },
  {
    name: 'a transition to a state that no policy for UPDATE accepts',
    sql: `create table t (id int primary key, owner uuid, state text not null default 'new'); create index on t (owner);
      grant select, update on t to authenticated; alter table t enable row level security;
      create policy own on t to authenticated using (${own}) with check (state <> 'paid' and ${own});
      select ninefold.define_machine('public.t', 'state', 'new', '[{"name": "pay", "from": "new", "to": "paid"},
        {"name": "drop", "from": "any", "to": "dropped", "when": "owner is not null", "sets": {"owner": "null"}}]');`,
    kind: 'transition that no member can take',
    ids: ['transition that no member can take: public.t: state: pay'],
    words: /No member can take the transition pay, from new to paid: the policies refuse a row in the state paid/,
  },
];

describe('SQL of advice', () => {
  it.each(cases)('removes the advice: $name', async ({ sql, kind, ids, words, changes, leadsTo }) => {
    await script(sql);
    const before = await chapter();
    const given = about(before.advice, kind);
    expect(given.map((entry) => entry.id)).toEqual(ids);
    expect(given[0]?.words).toMatch(words);
    await script(given.map((entry) => entry.sql).join('\n'));
    const after = await chapter();
    expect(about(after.advice, kind)).toEqual([]);
    // A fix must not cause other advice.
    const known = new Set([...before.advice.map((entry) => entry.id), ...(leadsTo ?? [])]);
    expect(after.advice.filter((entry) => !known.has(entry.id))).toEqual([]);
    if (!changes) expect(verdicts(after)).toEqual(verdicts(before));
    else expect(verdicts(after)).not.toEqual(verdicts(before));
  });
});

it('the SQL of an advice transfers a SECURITY DEFINER function of a superuser to the app’s owner if a superuser runs the SQL', async () => {
  await database.pool.script(`create function public.root() returns text language sql security definer set search_path = '' as 'select current_user::text';
    create function public.kept() returns int language sql security definer set search_path = '' as 'select 1';
    revoke execute on function public.kept() from public, anon, authenticated, service_role;
    create function public.mild() returns int language sql set search_path = '' as 'select 1';`);
  const before = await chapter();
  const given = about(before.advice, 'function as a superuser');
  expect(given.map(({ id, severity }) => [id, severity])).toEqual([
    ['function as a superuser: public.root()', 'security'],
  ]);
  expect(given[0]?.words).toMatch(
    /belongs to a superuser: anon, authenticated.* may call it, and it runs with all rights/,
  );
  expect(before.cells.find(({ entity }) => entity === 'public.root()')?.reason).toMatch(/a superuser: with all rights/);
  await database.pool.script(given.map((entry) => entry.sql).join('\n'));
  const after = await chapter();
  expect(about(after.advice, 'function as a superuser')).toEqual([]);
  expect(verdicts(after)).toEqual(verdicts(before));
});

it('chapters 6 and 7 describe whether PostgreSQL runs or refuses functions with settings', async () => {
  await script(`
    create function public.as_service() returns text language sql set search_path = '' as 'select current_user::text';
    create function public.twice() returns text language sql security definer set search_path = '' as 'select current_user::text';
    create function public.as_postgres() returns text language sql set search_path = '' as 'select current_user::text';
    create function public.as_session() returns text language sql set search_path = '' as 'select current_user::text';
    create function public.replica() returns text language sql set search_path = '' as 'select current_user::text';
    alter function public.as_service() set role = 'service_role'; alter function public.twice() set role = 'service_role';
    alter function public.as_postgres() set role = 'outsider'; alter function public.as_session() set session_authorization = 'app_owner';`);
  await database.pool.script(`alter function public.replica() set session_replication_role = 'replica'`);
  const { cells } = await chapter();
  const login = database.as('app_authenticator');
  const called: string[] = [];
  const reported: string[] = [];
  for (const name of ['as_service', 'twice', 'as_postgres', 'as_session', 'replica']) {
    const result = login.run([
      { text: 'set role anon', params: [] },
      { text: `select public.${name}()`, params: [] },
    ]);
    called.push(
      await result.then(
        ([, row]) => String(row?.rows[0]?.[0]),
        (error) => error.sqlstate,
      ),
    );
    const cell = cells.find(({ role, entity }) => role === 'anon' && entity === `public.${name}()`);
    reported.push(cell?.verdict === 'never' ? (/\((\w{5})\)/.exec(cell.reason)?.[1] ?? '') : 'service_role');
  }
  expect(called).toEqual(['service_role', '42501', '42501', '42501', '42501']);
  expect(reported).toEqual(called);
});

it('an app gets no advice on updates and transitions that some policy accepts, or that the app makes itself', async () => {
  await script(`create table t (id int primary key, owner uuid, deleted_at timestamptz, state text not null default 'new'); create index on t (owner);
    grant select, update on t to authenticated; alter table t enable row level security;
    create policy seen on t for select to authenticated using (deleted_at is null or ${own});
    create policy changed on t for update to authenticated using (${own}) with check (state <> 'paid' and ${own});
    select ninefold.define_machine('public.t', 'state', 'new', '[{"name": "pay", "from": "new", "to": "paid"},
      {"name": "void", "from": "any", "to": "void", "roles": ["service_role", "pg_database_owner"]}]');
    create function pay(t int) returns void language sql security definer set search_path = '' as
      $$ update public.t set state = 'paid' where id = pay.t $$;`);
  const kinds = (await chapter()).advice.map((entry) => entry.about);
  expect(kinds).not.toContain('update that a SELECT policy refuses');
  expect(kinds).not.toContain('transition that no member can take');
});

it('an app gets no advice on policies that ask only for the role of the caller, beside one that reads the row', async () => {
  await script(`${table} grant all on t to authenticated; alter table t enable row level security; create index on t (owner);
    create policy own on t to authenticated using (${own});
    create policy leads on t to authenticated using ((select ninefold.has_role('lead')));
    create policy agents on t for select to authenticated using ((select ninefold.has_role('agent')));`);
  expect(about((await chapter()).advice, 'overlapping policies')).toEqual([]);
});

it('an app that follows all advice gets no advice', async () => {
  await script(`
    create table teams (id int primary key);
    create table members (team int references teams, who uuid references auth.users, primary key (team, who));
    create index on members (who);
    create table notes (id int primary key, team int references teams, owner uuid references auth.users, status text);
    create index on notes (team); create index on notes (owner);
    alter table teams enable row level security; alter table members enable row level security; alter table notes enable row level security;
    grant select on teams, members to authenticated; grant all on notes to authenticated, service_role; grant select on notes to anon;
    create policy own on members for select to authenticated using (who = (select auth.uid()));
    create policy mine on teams for select to authenticated using (id in (select m.team from members m where m.who = (select auth.uid())));
    create policy published on notes for select to anon using (status = 'published');
    create policy team on notes to authenticated
      using (owner = (select auth.uid()) or exists (select 1 from members m where m.team = notes.team and m.who = (select auth.uid())));
    create policy narrow on notes as restrictive for delete to authenticated using (status <> 'kept');
    create view open_notes with (security_invoker) as select id, status from notes;
    create view note_states with (security_barrier) as select status from notes;
    grant select on open_notes, note_states to authenticated;
    create function count_notes() returns bigint language sql stable set search_path = '' as 'select count(*) from public.notes';
    create function bound() returns bigint language sql stable return (select count(*) from notes);`);
  expect((await chapter()).advice).toEqual([]);
});

it('the advice does not report a policy as unreachable if it is for a role of auth calls or for an owner with FORCE', async () => {
  await script(`${secured} create policy own on t to authenticated using (${own});
    create policy hook on t for select to supabase_auth_admin using (true);
    create table u (id int primary key); alter table u enable row level security; alter table u force row level security;
    grant select on u to authenticated; create policy o on u to app_owner using (true); create policy a on u to authenticated using (true);`);
  expect(about((await chapter()).advice, 'unreachable policy')).toEqual([]);
});

it('the words of a policy say that its subqueries see only the rows that the member may read', async () => {
  await script(`
    create table members (team int, who uuid); alter table members enable row level security;
    create policy own on members for select using (who = auth.uid());
    create table tasks (id int primary key, team int, open boolean); alter table tasks enable row level security;
    create policy team on tasks for select using (exists (select from members m where m.team = tasks.team and m.who = auth.uid()));
    create table topics (id int primary key); alter table topics enable row level security;
    create policy everybody on topics for select using (true);
    create table notes (id int primary key, task int references tasks, topic int, team int, free int);
    create table free (id int primary key);
    alter table notes enable row level security;
    create policy of_task on notes for select using (task in (select id from tasks));
    create policy of_open on notes for insert with check (not exists (select from tasks t where t.id = notes.task and not t.open));
    create policy of_topic on notes for update using (topic in (select id from topics) and free in (select id from free));
    create policy of_member on notes for delete using (team in (select m.team from members m));`);
  const { policies } = await chapter();
  const words = policies.filter(({ entity }) => entity === 'public.notes').map((policy) => [policy.name, policy.words]);
  expect(Object.fromEntries(words)).toEqual({
    of_task: 'task is the id of a row that the member may read in tasks',
    of_open: 'task is the id of no row that the member may read in tasks whose not open',
    of_topic: 'topic is the id of a row in topics and free is the id of a row in free',
    of_member: 'team is the team of a row that the member may read in members',
  });
  expect(policies.find(({ entity }) => entity === 'public.tasks')?.words).toBe(
    'team is the team of a row in members whose who is the member',
  );
});
