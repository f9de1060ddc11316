import { expect } from 'vitest';
import type { AccessCause, AccessExplanation, AccessOutcome } from '../../contract/access.ts';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createApp, runSql } from './apps.ts';
import { type Member, signUpMember } from './clients.ts';
import type { NodeAddress } from './node.ts';

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
  create table public.drawers (id int primary key, owner uuid);
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

  create view public.note_counts as select owner, count(*) as notes from public.notes group by owner;
  create view public.note_sizes as select id, title, length(title) as size from public.notes;
  create view public.low_notes as select id, title, owner from public.notes where id < 100 with check option;
  create view public.own_titles as select id, title from public.notes where owner = auth.uid();
  create view public.own_vaults as select v.id from public.drawers v where v.owner = (select auth.uid());
  create view public.card_pins with (security_invoker) as select id, pin from public.cards;
  create view public.card_holders with (security_invoker) as select id as number, holder as name from public.cards;
  create view public.counted_tickets with (security_invoker) as
    select id, state from public.tickets where exists (select from public.ledger);
  create table public.papers (id int primary key, owner uuid, deleted_at timestamptz);
  alter table public.papers enable row level security;
  create policy "not deleted" on public.papers for select using (deleted_at is null);
  create policy "own papers" on public.papers for update using (owner = auth.uid());
  create table public.lamps (id int primary key, owner uuid, state text not null default 'off');
  alter table public.lamps enable row level security;
  create policy "all lamps" on public.lamps using (true) with check (state <> 'broken');
  select ninefold.define_machine('public.lamps', 'state', 'off', '[{"name": "light", "from": "off", "to": "on"},
    {"name": "break", "from": "any", "to": "broken"}, {"name": "mend", "from": "broken", "to": "off"}]');

  create function public.add(a int, b int) returns int language sql immutable as 'select a + b';
  create function public.hush() returns int language sql stable as 'select 1';
  revoke execute on function public.hush() from public, anon, authenticated, service_role;

  create function public.rate() returns int language plpgsql as 'begin return 3; end';
  create function public.price(amount int, rate int default 1 * public.rate()) returns int language plpgsql security definer as
    'begin return amount * rate; end';
  create function public.fits(text) returns boolean language plpgsql as 'begin return true; end';
  create domain public.code as text check (public.fits(value));
  create domain public.short_code as public.code;
  create function public.coded(amount int default 1, code public.short_code default null) returns int language plpgsql as 'begin return 1; end';
  create function public.recoded(code public.short_code) returns int language plpgsql as 'begin return 1; end';
  revoke execute on function public.rate, public.fits from public, anon, authenticated, service_role;

  create schema private;
  create sequence private.numbers;
  create function public.number(at bigint default nextval('private.numbers')) returns bigint language plpgsql as 'begin return at; end';
  create table private.plans (id int primary key);
  grant select on private.plans to authenticated;
`;

export interface Call {
  method?: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A call, its caller, and the explanation that the test expects for it. */
export interface Situation extends Call {
  what: string;
  as: 'ada' | 'anon' | 'service';
  outcome: AccessOutcome;
  cause: AccessCause | null;
  /** A name that the reason in the explanation must contain. */
  names?: string;
}

export const wantsRows = { prefer: 'return=representation' };

/** An app with two members who own rows. Tests request explanations of its calls (Prefer: explain=access). */
export interface ExplainedApp {
  app: AppConnection;
  ada: Member;
  bob: Member;
  /** Returns the explanation of the member's call. The service role requests it. */
  why: (member: Member | 'service' | null, call: Call) => Promise<AccessExplanation>;
  /** Compares the explanation of a call with the result of the same call. */
  expectAgrees: (situation: Situation) => Promise<void>;
}

export const request = (
  url: string,
  { method = 'GET', path, body, headers = {} }: Call,
  more: Record<string, string>,
) => {
  const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  return fetch(`${url}${path}`, {
    method,
    headers: { ...json, ...headers, ...more },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
};

/** Returns the headers of a request that the member sends, or of a request without a session. */
export const who = ({ app }: Pick<ExplainedApp, 'app'>, member: Member | null): Record<string, string> =>
  member
    ? { apikey: app.publishable_key, authorization: `Bearer ${member.session.access_token}` }
    : { apikey: app.publishable_key };

export async function makeExplainedApp(node: NodeAddress): Promise<ExplainedApp> {
  const app = await createApp(node);
  await runSql(node, app.ref, schema);
  const [ada, bob] = await Promise.all([signUpMember(app, 'ada'), signUpMember(app, 'bob')]);
  await runSql(
    node,
    app.ref,
    `insert into public.notes (id, owner, title, locked) values (1, '${ada.user.id}', 'Seeds', false),
       (2, '${bob.user.id}', 'Rain', false), (3, '${ada.user.id}', 'Fence', true), (4, '${ada.user.id}', 'Gone', false);
     insert into public.letters values (1, 'Dear all');
     insert into public.vault values (1, '${ada.user.id}');
     insert into public.ledger values (1, 100);
     insert into public.cards values (1, 'ada', '0000');
     insert into public.papers values (1, '${ada.user.id}');
     insert into public.lamps values (1, '${ada.user.id}');
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
  const why = async (member: Member | 'service' | null, call: Call): Promise<AccessExplanation> => {
    const as: Record<string, string> = member === 'service' ? {} : { 'x-ninefold-as': member?.user.id ?? 'anon' };
    const prefer = [call.headers?.prefer, 'explain=access'].filter(Boolean).join(', ');
    const answer = await request(`${app.url}/rest/v1`, call, { apikey: app.secret_key, ...as, prefer });
    expect([answer.status, answer.headers.get('preference-applied')]).toEqual([200, 'explain=access']);
    return (await answer.json()) as AccessExplanation;
  };
  const real = async (member: Member | 'service' | null, call: Call) => {
    const answer = await request(
      `${app.url}/rest/v1`,
      call,
      member === 'service' ? { apikey: app.secret_key } : who({ app }, member),
    );
    const text = await answer.text();
    const json: unknown = text === '' ? null : JSON.parse(text);
    const code = answer.ok ? null : (json as { code: string }).code;
    return { status: answer.status, code, rows: Array.isArray(json) ? json.length : null };
  };
  const expectAgrees = async ({ what: _, as, outcome, cause, names, ...call }: Situation) => {
    const member = { ada, anon: null, service: 'service' as const }[as];
    const explained = await why(member, call);
    const met = await real(member, call);
    expect(explained).toMatchObject({ outcome, cause, actual: { status: met.status, code: met.code }, agrees: true });
    if (met.rows !== null) expect(explained.actual.rows).toBe(met.rows);
    if (names !== undefined) expect(explained.reason).toContain(names);
  };
  return { app, ada, bob, why, expectAgrees };
}
