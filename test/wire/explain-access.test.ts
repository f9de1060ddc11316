import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AccessCause, AccessExplanation, AccessOutcome } from '../../contract/access.ts';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { type Member, signUpMember } from '../support/clients.ts';

const node = inject('node');

const schema = `
  create table public.notes (
    id int primary key,
    owner uuid not null default auth.uid(),
    title text not null default 'untitled',
    locked boolean not null default false
  );
  alter table public.notes enable row level security;
  create policy "own notes" on public.notes to authenticated
    using ((select auth.uid()) = owner) with check (owner = auth.uid() and title <> 'forbidden');
  create policy "locked stay" on public.notes as restrictive for update to authenticated using (not locked);

  create table public.letters (id int primary key, body text);
  create table public.vault (id int primary key, owner uuid);
  alter table public.vault enable row level security;
  create table public.ledger (id int primary key, amount int);
  revoke all on public.ledger from anon, authenticated;
  create table public.cards (id int primary key, holder text, pin text);
  revoke all on public.cards from anon, authenticated;
  grant select (id, holder), update (holder) on public.cards to authenticated;

  create table public.inbox (id int primary key, recipient text, body text);
  alter table public.inbox enable row level security;
  create policy "anybody writes" on public.inbox for insert with check (true);
  create policy "recipients read" on public.inbox for select using (recipient = (auth.jwt() ->> 'email'));

  create table public.tickets (id int primary key, state text);
  alter table public.tickets enable row level security;
  create policy "anybody changes" on public.tickets for update using (true);
  create policy "anybody deletes" on public.tickets for delete using (true);

  create table public.teams (id int primary key, lead uuid);
  alter table public.teams enable row level security;
  create policy "led teams" on public.teams for select using (lead = auth.uid());
  create table public.tasks (id int primary key, team_id int references public.teams, state text);
  alter table public.tasks enable row level security;
  create policy "tasks of led teams" on public.tasks for select
    using (exists (select from public.teams t where t.id = tasks.team_id));
  create policy "done ones" on public.tasks for select using (state = 'done' or state = 'public');

  create table public.loops (id int primary key);
  alter table public.loops enable row level security;
  create policy "round" on public.loops using (exists (select from public.loops l where l.id > 0));
  create table public.shares (id int primary key, parts int);
  alter table public.shares enable row level security;
  create policy "whole" on public.shares using (parts > 0 and 10 / parts > 1);

  create table public.stamped (id int primary key, owner uuid, closed boolean not null default false);
  create function public.stamp() returns trigger language plpgsql as
    $$ begin new.owner := auth.uid(); return new; end $$;
  create function public.close_seven() returns trigger language plpgsql as
    $$ begin new.closed := new.id = 7; return new; end $$;
  create trigger stamp before insert on public.stamped for each row execute function public.stamp();
  create trigger close before update on public.stamped for each row execute function public.close_seven();
  alter table public.stamped enable row level security;
  create policy "own open ones" on public.stamped using (owner = auth.uid()) with check (owner = auth.uid() and not closed);
  create table public.entries (id int primary key, ledger_id int references public.ledger);

  create type public.mood as enum ('calm', 'loud');
  create table public."odd ""one" (
    gone text,
    id int primary key,
    "the 'Mood" public.mood,
    tags text[],
    score int generated always as (id * 10) stored
  ) partition by range (id);
  create table public.odd_part partition of public."odd ""one" for values from (0) to (1000);
  alter table public."odd ""one" drop column gone;
  alter table public."odd ""one" enable row level security;
  create function public.is_fit(public."odd ""one") returns boolean language sql stable as
    $$ select $1.score < 100 and 'x' = any ($1.tags) $$;
  create policy "it's ""fit""" on public."odd ""one"
    using (public.is_fit("odd ""one") and "the 'Mood" = 'calm');
  create table public.places (id int primary key, at timestamptz, span daterange, body jsonb, raw bytea);
  alter table public.places enable row level security;
  create policy "exact" on public.places using (at < now() and span @> '2024-01-01'::date
    and body ->> 'a' = E'b\\\\''" {,}' and length(raw) = 2 and exists (select where places.id = 1));

  create view public.note_titles as select id, title from public.notes;
  create view public.my_notes with (security_invoker) as select id, title from public.notes;
  create view public.ledger_lines with (security_invoker) as select * from public.ledger;
  create view public.big_ledger as select * from public.ledger where amount > 0;

  create function public.add(a int, b int) returns int language sql immutable as 'select a + b';
  create function public.hush() returns int language sql stable as 'select 1';
  revoke execute on function public.hush() from public, anon, authenticated, service_role;

  create schema private;
  create table private.plans (id int primary key);
  grant select on private.plans to authenticated;
`;

let app: AppConnection;
let ada: Member;
let bob: Member;

beforeAll(async () => {
  app = await createApp(node);
  await runSql(node, app.ref, schema);
  [ada, bob] = await Promise.all([signUpMember(app, 'ada'), signUpMember(app, 'bob')]);
  await runSql(
    node,
    app.ref,
    `insert into public.notes (id, owner, title, locked) values (1, '${ada.user.id}', 'Seeds', false),
       (2, '${bob.user.id}', 'Rain', false), (3, '${ada.user.id}', 'Fence', true), (4, '${ada.user.id}', 'Gone', false);
     insert into public.letters values (1, 'Dear all');
     insert into public.vault values (1, '${ada.user.id}');
     insert into public.ledger values (1, 100);
     insert into public.cards values (1, 'ada', '0000');
     insert into public.inbox values (1, '${ada.email}', 'Hello'), (2, '${bob.email}', 'Hi');
     insert into public.tickets values (1, 'new');
     insert into public.teams values (1, '${ada.user.id}'), (2, '${bob.user.id}');
     insert into public.tasks values (1, 1, 'new'), (2, 2, 'new'), (3, 2, 'done');
     insert into public.loops values (1);
     insert into public.stamped values (7, '${ada.user.id}');
     alter table public.stamped disable trigger stamp;
     update public.stamped set owner = '${ada.user.id}', closed = false;
     alter table public.stamped enable trigger stamp;
     insert into public.entries values (1, 1);
     insert into public."odd ""one" values (1, 'calm', '{x,"a,b"}'), (2, 'loud', '{x}'), (50, 'calm', '{x}');
     insert into public.places select i, '2024-01-01', '[2024-01-01,2024-02-01)',
       jsonb_build_object('a', E'b\\\\''" {,}'), '\\x00ff' from generate_series(1, 2) i;
     insert into public.shares values (1, 2), (2, 0)`,
  );
  await admin(node, 'PUT', `/apps/${app.ref}/settings/db_schemas`, { value: ['public', 'private'] });
});

interface Call {
  method?: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

const request = (url: string, { method = 'GET', path, body, headers = {} }: Call, more: Record<string, string>) => {
  const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  return fetch(`${url}${path}`, {
    method,
    headers: { ...json, ...headers, ...more },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
};

const who = (member: Member | null): Record<string, string> =>
  member
    ? { apikey: app.publishable_key, authorization: `Bearer ${member.session.access_token}` }
    : { apikey: app.publishable_key };

const why = async (member: Member | 'service' | null, call: Call): Promise<AccessExplanation> => {
  const as: Record<string, string> = member === 'service' ? {} : { 'x-ninefold-as': member?.user.id ?? 'anon' };
  const prefer = [call.headers?.prefer, 'explain=access'].filter(Boolean).join(', ');
  const answer = await request(`${app.url}/rest/v1`, call, { apikey: app.secret_key, ...as, prefer });
  expect([answer.status, answer.headers.get('preference-applied')]).toEqual([200, 'explain=access']);
  return (await answer.json()) as AccessExplanation;
};

/** What the member's own call meets. */
async function real(member: Member | 'service' | null, call: Call) {
  const answer = await request(
    `${app.url}/rest/v1`,
    call,
    member === 'service' ? { apikey: app.secret_key } : who(member),
  );
  const text = await answer.text();
  const json: unknown = text === '' ? null : JSON.parse(text);
  const code = answer.ok ? null : (json as { code: string }).code;
  return { status: answer.status, code, rows: Array.isArray(json) ? json.length : null };
}

interface Situation extends Call {
  what: string;
  as: 'ada' | 'anon' | 'service';
  outcome: AccessOutcome;
  cause: AccessCause | null;
  /** What the reason must name. */
  names?: string;
}

const wantsRows = { prefer: 'return=representation' };

const situations: Situation[] = [
  { what: 'rows of the member’s own', as: 'ada', path: '/notes?id=eq.1', outcome: 'allowed', cause: null },
  {
    what: 'another member’s row',
    as: 'ada',
    path: '/notes?id=eq.2',
    outcome: 'hidden',
    cause: 'policy_using',
    names: '"own notes"',
  },
  {
    what: 'some rows of others among them',
    as: 'ada',
    path: '/notes?id=lte.3',
    outcome: 'partly',
    cause: 'policy_using',
  },
  { what: 'a row that is not there', as: 'ada', path: '/notes?id=eq.99', outcome: 'absent', cause: null },
  {
    what: 'policies for another role only',
    as: 'anon',
    path: '/notes?id=eq.1',
    outcome: 'hidden',
    cause: 'no_policy',
    names: 'anon',
  },
  {
    what: 'a table without a policy',
    as: 'ada',
    path: '/vault',
    outcome: 'hidden',
    cause: 'no_policy',
    names: 'public.vault',
  },
  {
    what: 'an insert into a table without a policy',
    as: 'ada',
    method: 'POST',
    path: '/vault',
    body: { id: 2 },
    outcome: 'refused',
    cause: 'no_policy',
  },
  { what: 'a table without row-level security', as: 'anon', path: '/letters', outcome: 'allowed', cause: null },
  {
    what: 'a table without a grant',
    as: 'ada',
    path: '/ledger',
    outcome: 'refused',
    cause: 'grant',
    names: 'no SELECT on table public.ledger',
  },
  { what: 'a table without a grant, anonymously', as: 'anon', path: '/ledger', outcome: 'refused', cause: 'grant' },
  { what: 'columns that are granted', as: 'ada', path: '/cards?select=id,holder', outcome: 'allowed', cause: null },
  {
    what: 'all columns, where two are granted',
    as: 'ada',
    path: '/cards',
    outcome: 'refused',
    cause: 'grant',
    names: 'the column pin',
  },
  {
    what: 'a filter on a column that is not granted',
    as: 'ada',
    path: '/cards?select=id&pin=eq.0000',
    outcome: 'refused',
    cause: 'grant',
    names: 'pin',
  },
  {
    what: 'a change of a column that is not granted',
    as: 'ada',
    method: 'PATCH',
    path: '/cards?id=eq.1',
    body: { pin: '1' },
    outcome: 'refused',
    cause: 'grant',
    names: 'no UPDATE on the column pin',
  },
  {
    what: 'a schema without USAGE',
    as: 'ada',
    path: '/plans',
    headers: { 'accept-profile': 'private' },
    outcome: 'refused',
    cause: 'schema_usage',
    names: 'schema private',
  },
  {
    what: 'an insert in another’s name',
    as: 'ada',
    method: 'POST',
    path: '/notes',
    body: { id: 10, owner: '00000000-0000-0000-0000-000000000001' },
    outcome: 'refused',
    cause: 'policy_check',
    names: '"own notes"',
  },
  {
    what: 'an insert with a title that WITH CHECK refuses',
    as: 'ada',
    method: 'POST',
    path: '/notes',
    body: { id: 11, title: 'forbidden' },
    outcome: 'refused',
    cause: 'policy_check',
  },
  {
    what: 'an insert that takes the default owner',
    as: 'ada',
    method: 'POST',
    path: '/notes',
    body: { id: 12 },
    headers: wantsRows,
    outcome: 'allowed',
    cause: null,
  },
  {
    what: 'an insert of several rows, one of them refused',
    as: 'ada',
    method: 'POST',
    path: '/notes',
    body: [
      { id: 13, title: 'a' },
      { id: 14, title: 'forbidden' },
    ],
    outcome: 'refused',
    cause: 'policy_check',
  },
  {
    what: 'an insert that fails for a key that is taken',
    as: 'ada',
    method: 'POST',
    path: '/notes',
    body: { id: 1 },
    outcome: 'allowed',
    cause: null,
  },
  {
    what: 'an insert whose row may be written, and not read back',
    as: 'ada',
    method: 'POST',
    path: '/inbox',
    body: { id: 20, recipient: 'bob' },
    headers: wantsRows,
    outcome: 'refused',
    cause: 'select_policy_on_write',
    names: '"recipients read"',
  },
  {
    what: 'the same without asking for the row',
    as: 'ada',
    method: 'POST',
    path: '/inbox',
    body: { id: 21, recipient: 'bob' },
    outcome: 'allowed',
    cause: null,
  },
  {
    what: 'a claim of the member’s token',
    as: 'ada',
    path: '/inbox',
    outcome: 'partly',
    cause: 'policy_using',
    names: '"recipients read"',
  },
  {
    what: 'a change of the member’s own row',
    as: 'ada',
    method: 'PATCH',
    path: '/notes?id=eq.1',
    body: { title: 'Seed' },
    headers: wantsRows,
    outcome: 'allowed',
    cause: null,
  },
  {
    what: 'a change of another’s row',
    as: 'ada',
    method: 'PATCH',
    path: '/notes?id=eq.2',
    body: { title: 'Mine' },
    headers: wantsRows,
    outcome: 'hidden',
    cause: 'policy_using',
  },
  {
    what: 'a change that a restrictive policy hides the row from',
    as: 'ada',
    method: 'PATCH',
    path: '/notes?id=eq.3',
    body: { title: 'x' },
    headers: wantsRows,
    outcome: 'hidden',
    cause: 'policy_using',
    names: '"locked stay"',
  },
  {
    what: 'a change that gives the row away',
    as: 'ada',
    method: 'PATCH',
    path: '/notes?id=eq.1',
    body: { owner: '00000000-0000-0000-0000-000000000001' },
    outcome: 'refused',
    cause: 'policy_check',
  },
  {
    what: 'a change with a filter, without a policy to read',
    as: 'ada',
    method: 'PATCH',
    path: '/tickets?id=eq.1',
    body: { state: 'x' },
    headers: wantsRows,
    outcome: 'hidden',
    cause: 'no_policy',
    names: 'for select',
  },
  {
    what: 'a deletion with a filter, without a policy to read',
    as: 'ada',
    method: 'DELETE',
    path: '/tickets?id=eq.1',
    headers: wantsRows,
    outcome: 'hidden',
    cause: 'no_policy',
  },
  {
    what: 'a deletion of the member’s own row',
    as: 'ada',
    method: 'DELETE',
    path: '/notes?id=eq.4',
    headers: wantsRows,
    outcome: 'allowed',
    cause: null,
  },
  {
    what: 'a policy that looks into a table with policies',
    as: 'ada',
    path: '/tasks?id=eq.2',
    outcome: 'hidden',
    cause: 'policy_using',
    names: '"done ones", "tasks of led teams"',
  },
  { what: 'one of several permissive policies', as: 'ada', path: '/tasks', outcome: 'partly', cause: 'policy_using' },
  {
    what: 'a policy that leads back to its own table',
    as: 'ada',
    path: '/loops',
    outcome: 'refused',
    cause: 'policy_error',
    names: 'infinite recursion',
  },
  {
    what: 'a policy that divides by zero only if it must',
    as: 'ada',
    path: '/shares',
    outcome: 'partly',
    cause: 'policy_using',
  },
  {
    what: 'an upsert of the member’s own row',
    as: 'ada',
    method: 'POST',
    path: '/notes',
    body: { id: 1, title: 'Again' },
    headers: { prefer: 'resolution=merge-duplicates, return=representation' },
    outcome: 'allowed',
    cause: null,
  },
  {
    what: 'an upsert that meets another’s row',
    as: 'ada',
    method: 'POST',
    path: '/notes',
    body: { id: 2, title: 'Mine now' },
    headers: { prefer: 'resolution=merge-duplicates' },
    outcome: 'refused',
    cause: 'policy_check',
    names: 'there already',
  },
  { what: 'a view with its owner’s rights', as: 'ada', path: '/note_titles?id=lte.3', outcome: 'allowed', cause: null },
  {
    what: 'a view with the caller’s rights',
    as: 'ada',
    path: '/my_notes?id=eq.2',
    outcome: 'hidden',
    cause: 'beneath_view',
    names: 'public.notes',
  },
  {
    what: 'a view with the caller’s rights over a table without a grant',
    as: 'ada',
    path: '/ledger_lines',
    outcome: 'refused',
    cause: 'beneath_view',
    names: 'public.ledger',
  },
  {
    what: 'a view with its owner’s rights over the same',
    as: 'ada',
    path: '/big_ledger',
    outcome: 'allowed',
    cause: null,
  },
  {
    what: 'a function',
    as: 'ada',
    method: 'POST',
    path: '/rpc/add',
    body: { a: 1, b: 2 },
    outcome: 'allowed',
    cause: null,
  },
  {
    what: 'a function without EXECUTE',
    as: 'ada',
    path: '/rpc/hush',
    outcome: 'refused',
    cause: 'grant',
    names: 'EXECUTE on function public.hush()',
  },
  { what: 'the service role, which bypasses policies', as: 'service', path: '/vault', outcome: 'allowed', cause: null },
  {
    what: 'a row that a trigger makes the member’s own',
    as: 'ada',
    method: 'POST',
    path: '/stamped',
    body: { id: 8, owner: '00000000-0000-0000-0000-000000000001' },
    outcome: 'allowed',
    cause: null,
  },
  {
    what: 'a change that a trigger makes one that is refused',
    as: 'ada',
    method: 'PATCH',
    path: '/stamped?id=eq.7',
    body: { closed: false },
    outcome: 'refused',
    cause: 'policy_check',
    names: '"own open ones"',
  },
  {
    what: 'an embedded table without a grant',
    as: 'ada',
    path: '/entries?select=id,ledger(amount)',
    outcome: 'refused',
    cause: 'grant',
    names: 'no SELECT on table public.ledger, needed to embed',
  },
  {
    what: 'an embedded table of which policies hide rows',
    as: 'ada',
    path: '/teams?select=id,tasks(id)',
    outcome: 'partly',
    cause: 'policy_using',
  },
  {
    what: 'a filter that PostgreSQL cannot read',
    as: 'ada',
    path: '/notes?id=eq.one',
    outcome: 'undecided',
    cause: null,
    names: '22P02',
  },
  {
    what: 'one page of the rows',
    as: 'ada',
    path: '/notes?order=id&limit=1',
    outcome: 'partly',
    cause: 'policy_using',
  },
  {
    what: 'a change of nothing',
    as: 'ada',
    method: 'PATCH',
    path: '/notes?id=eq.1',
    body: {},
    headers: wantsRows,
    outcome: 'absent',
    cause: null,
  },
  {
    what: 'a partitioned table with a dropped and a computed column, and names that need quotes',
    as: 'ada',
    path: `/${encodeURIComponent('odd "one')}`,
    outcome: 'partly',
    cause: 'policy_using',
    names: `2 of 3 rows that match are hidden by the policies for select "it's "fit""`,
  },
  {
    what: 'an insert into it whose computed column is refused',
    as: 'ada',
    method: 'POST',
    path: `/${encodeURIComponent('odd "one')}`,
    body: { id: 60, "the 'Mood": 'calm', tags: ['x'] },
    outcome: 'refused',
    cause: 'policy_check',
  },
  {
    what: 'values of types that are hard to print',
    as: 'ada',
    path: '/places',
    outcome: 'partly',
    cause: 'policy_using',
    names: '1 of 2 rows',
  },
  {
    what: 'one object, where the row is hidden',
    as: 'ada',
    path: '/notes?id=eq.2',
    headers: { accept: 'application/vnd.pgrst.object+json' },
    outcome: 'hidden',
    cause: 'policy_using',
  },
];

describe('the explanation of an access', () => {
  it.each(situations)(
    'agrees with what the call meets: $what',
    async ({ what: _, as, outcome, cause, names, ...call }) => {
      const member = { ada, anon: null, service: 'service' as const }[as];
      const explained = await why(member, call);
      const met = await real(member, call);
      expect(explained).toMatchObject({ outcome, cause, actual: { status: met.status, code: met.code }, agrees: true });
      if (met.rows !== null) expect(explained.actual.rows).toBe(met.rows);
      if (names !== undefined) expect(explained.reason).toContain(names);
    },
  );
});

describe('an explanation', () => {
  it('shows each policy that was asked, with the values of the row and of the member in it', async () => {
    const { rows, as } = await why(ada, { method: 'PATCH', path: '/notes?id=eq.3', body: { title: 'x' } });
    expect(as).toEqual({ role: 'authenticated', user_id: ada.user.id });
    expect(rows).toHaveLength(1);
    const asked = rows[0]?.checks.map(({ policies_for, of, passes }) => [policies_for, of, passes]);
    expect(asked).toEqual([
      ['update', 'existing', false],
      ['select', 'existing', true],
      ['update', 'new', false],
      ['select', 'new', true],
    ]);
    const [own, locked] = rows[0]?.checks[0]?.policies ?? [];
    expect(own).toMatchObject({
      name: 'own notes',
      permissive: true,
      result: true,
      filled: `('${ada.user.id}' = '${ada.user.id}')`,
    });
    expect(locked).toMatchObject({ name: 'locked stay', permissive: false, result: false, filled: '(NOT true)' });
  });

  it('asks the parts of an expression one by one, and says which of them failed', async () => {
    const body = { id: 30, title: 'forbidden' };
    const { rows } = await why(ada, { method: 'POST', path: '/notes', body });
    const policy = rows[0]?.checks[0]?.policies[0];
    expect(policy).toMatchObject({
      joined_by: 'and',
      result: false,
      conditions: [
        { expression: '(owner = auth.uid())', result: true, values: { owner: ada.user.id, 'auth.uid()': ada.user.id } },
        { expression: "(title <> 'forbidden'::text)", filled: "('forbidden' <> 'forbidden'::text)", result: false },
      ],
    });
  });

  it('names the grants by which a privilege is held', async () => {
    const { grants } = await why(ada, { path: '/cards?select=id' });
    expect(grants).toEqual([
      expect.objectContaining({ privilege: 'USAGE', on: 'schema public', held: true }),
      {
        privilege: 'SELECT',
        on: 'table public.cards',
        needed: 'to read',
        held: true,
        missing_columns: [],
        through: ['authenticated'],
      },
    ]);
  });

  it('changes nothing, whatever it tries', async () => {
    const all = async () =>
      (await request(`${app.url}/rest/v1`, { path: '/notes?order=id' }, { apikey: app.secret_key })).json();
    const before = await all();
    await why(ada, { method: 'POST', path: '/notes', body: { id: 40 } });
    await why(ada, { method: 'PATCH', path: '/notes?id=eq.1', body: { title: 'changed' } });
    await why(ada, { method: 'DELETE', path: '/notes' });
    await why('service', { method: 'DELETE', path: '/notes' });
    expect(await all()).toEqual(before);
  });

  it('is given through the builder’s door, too', async () => {
    const door = `${node.url}/admin/v1/apps/${app.ref}/rest/v1`;
    const asked = async (as: Record<string, string>) => {
      const headers = { authorization: `Bearer ${node.operatorToken}`, prefer: 'explain=access', ...as };
      const answer = await request(door, { path: '/notes?id=eq.2' }, headers);
      const { as: whom, outcome, agrees } = (await answer.json()) as AccessExplanation;
      return [answer.status, whom.role, outcome, agrees];
    };
    expect(await asked({ 'x-ninefold-as': ada.user.id })).toEqual([200, 'authenticated', 'hidden', true]);
    expect(await asked({ 'x-ninefold-as': bob.user.id })).toEqual([200, 'authenticated', 'allowed', true]);
    expect(await asked({ 'x-ninefold-as': 'anon' })).toEqual([200, 'anon', 'hidden', true]);
    expect(await asked({})).toEqual([200, 'service_role', 'allowed', true]);
  });

  it('refuses a header that names nobody', async () => {
    const headers = { apikey: app.secret_key, prefer: 'explain=access', 'x-ninefold-as': 'service_role' };
    const answer = await request(`${app.url}/rest/v1`, { path: '/notes' }, headers);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([400, 'validation_invalid']);
  });

  it('tells of a call that is about no table what it does not do', async () => {
    const headers = { apikey: app.secret_key, prefer: 'explain=access' };
    const answer = await request(`${app.url}/rest/v1`, { path: '/' }, headers);
    expect(((await answer.json()) as { code: string }).code).toBe('PGRST127');
  });
});

describe('anybody else who asks for it', () => {
  const answerTo = async (call: Call, more: Record<string, string>) => {
    const answer = await request(`${app.url}/rest/v1`, call, more);
    const { 'x-request-id': _id, date: _date, ...headers } = Object.fromEntries(answer.headers);
    return { status: answer.status, headers, body: await answer.text() };
  };
  const calls: Call[] = [
    { path: '/notes?id=eq.2' },
    { path: '/ledger' },
    { path: '/cards' },
    { path: '/rpc/hush' },
    { method: 'POST', path: '/notes', body: { id: 50, owner: '00000000-0000-0000-0000-000000000001' } },
    { method: 'PATCH', path: '/notes?id=eq.2', body: { title: 'x' } },
  ];

  it('gets the plain answer, byte for byte', async () => {
    for (const headers of [who(null), who(ada)]) {
      for (const call of calls) {
        const plain = await answerTo(call, headers);
        const asking = { ...headers, prefer: 'explain=access', 'x-ninefold-as': bob.user.id };
        expect(await answerTo(call, asking)).toEqual(plain);
      }
    }
  });

  it('is told that nobody knows the preference, where the handling is strict', async () => {
    const strict = (prefer: string) =>
      answerTo({ path: '/notes' }, { ...who(ada), prefer: `handling=strict, ${prefer}` });
    const [asked, unknown] = [await strict('explain=access'), await strict('explain=unknown')];
    expect(asked.status).toBe(400);
    expect(asked.body).toBe(unknown.body.replace('explain=unknown', 'explain=access'));
  });
});
