import { rm } from 'node:fs/promises';
import { loadFacts } from '../../src/catalog/facts.ts';
import { loadSchemaCache } from '../../src/catalog/load-schema-cache.ts';
import type { Pool } from '../../src/database/pool.ts';
import { loadTypeFacts, type TypeFacts } from '../../src/specification/render/types/facts.ts';
import { startAppDatabase } from './app-database.ts';
import { makeTestFolder } from './test-folder.ts';

const schema = `
  create type public.status as enum ('open', 'closed', 'it''s "odd"');
  create type public.address as (street text, number int);
  create type private.secret as enum ('a');
  create domain public.title as varchar(120) check (length(value) >= 3);
  create domain public.short_title as public.title not null check (length(value) <= 20);
  create domain public.percent as int check (value between 0 and 100);
  create table public.customers (
    id bigint generated always as identity primary key, email extensions.citext not null unique, name text not null
  );
  create table public.profiles (customer bigint primary key references public.customers, bio text);
  create table public.tickets (
    id uuid primary key default gen_random_uuid(),
    title text not null constraint title_length check (char_length(title) between 3 and 120),
    status public.status not null default 'open',
    customer bigint not null references public.customers on delete cascade,
    tags text[] not null default '{}' check (cardinality(tags) <= 3),
    moods public.status[],
    hidden private.secret,
    address public.address,
    meta jsonb not null default '{}',
    words text generated always as (upper(title)) stored,
    created_at timestamptz not null default now()
  );
  comment on table public.tickets is 'What customers ask. */ "quoted" \`odd\`';
  comment on constraint title_length on public.tickets is 'A title has 3 to 120 characters';
  create view public.open_tickets with (security_invoker) as select id, title, customer from public.tickets where status = 'open';
  create view public.counts as select status, count(*) as tickets from public.tickets group by 1;
  create table public."odd ""name" ("a b" int, "__proto__" text, "class" boolean);
  create function public.close(ticket uuid, note text default null) returns public.tickets language sql as 'select * from public.tickets limit 1';
  create function public.search(term text) returns setof public.tickets language sql stable as 'select * from public.tickets';
  create function public.totals() returns table (status public.status, tickets bigint) language sql stable as 'select status, count(*) from public.tickets group by 1';
  create function public.first_same(t public.tickets) returns setof public.tickets rows 1 language sql stable as 'select t.*';
  create function public.label(public.customers) returns text language sql stable as 'select $1.name';
  create function public.latest(public.customers) returns setof public.tickets rows 1 language sql stable as 'select * from public.tickets';
  create function public.richest() returns public.customers language sql stable as 'select * from public.customers limit 1';
  create function public.lone(out n int) language sql as 'select 42';
  create function public.lones() returns table (n int) language sql as 'select 42';
  create function public.apart(out a public.address) language sql as 'select null::public.address';
  create function public.answer() returns int language sql as 'select 42';
  create function public.add(a int, b int) returns int language sql as 'select a + b';
  create function public.add(a text) returns text language sql as 'select a';
  create function public.nothing() returns void language sql as 'select 1';
  create schema api; create table api.things (id int primary key, other int references api.things);
  create table public.mended (title text not null check (length(title) > 3), n smallint);
  create function public.mend() returns trigger language plpgsql as $$ begin new.title := coalesce(new.title, 'untitled'); return new; end $$;
  create trigger mend before insert on public.mended for each row execute function public.mend();
  create table public.touched (like public.mended including all); create table public.moved (title text not null) partition by list (title);
  create trigger touch before update on public.touched for each row execute function public.mend();
  create trigger mend before insert on public.moved for each row execute function public.mend();
  create table public.flows (id serial primary key, title text not null check (length(title) > 2), stage text not null, closed_at date check (closed_at > '2026-01-01'));
  select ninefold.define_machine('public.flows', 'stage', 'open',
    '[{"name": "close", "from": ["open"], "to": "closed", "sets": {"closed_at": "date ''2026-02-01''"}}]');
  create collation public.loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  create domain public.letter as text collate public.loose check (value = 'a');
  create domain public.initial as text check (value ~ '^[a-z]$');
  create type public.spot as (title public.short_title, share public.percent, letters public.initial[]);
  create domain public.shares as public.percent[] check (cardinality(value) <= 2);
  create table public.samples (
    small smallint, whole int check (whole > 5 and whole <> 8), large bigint check (large >= -3), free numeric check (free <= 1.5),
    money numeric(6, 2) check (money > 0), signed numeric(4, 1) check (signed >= -2.25 and signed < 3), round numeric(3) check (round >= 0),
    float double precision check (float between -0.5 and 0.5), single real check (single < 0.1),
    flag boolean, label text check (length(label) <= 3), code varchar(5) check (code ~ '^[A-Z]+\\d*$'), padded char(4) check (length(padded) <= 2),
    sized varchar(4) check (length(sized) between 2 and 3), color varchar(6) check (color in ('red', 'green')),
    plain text check (plain is null or plain like 'a%_'), cased text collate public.loose check (cased = 'a'), place public.address,
    address extensions.citext check (length(address) > 1), key uuid, day date, moment timestamptz, state public.status,
    states public.status[], numbers int[] check (cardinality(numbers) between 1 and 2), short public.short_title default 'untitled', share public.percent,
    json json, jsonb jsonb, json_object jsonb check (jsonb_typeof(json_object) = 'object'),
    json_listed jsonb check (jsonb_typeof(json_listed) = any (array['array', 'number'])),
    several numeric[] check (array_length(several, 1) between 2 and 3), pair numeric[] check (array_length(pair, 1) = 2), percents public.percent[], titles public.short_title[], spot public.spot, spots public.spot[],
    filled text check (filled <> ''), words text check (btrim(words) <> ''), letters_in varchar(4) check (length(trim(letters_in)) > 0),
    mask bit(3), byte bit(8), fewer varbit(5), bits varbit, nibbles bit(8)[],
    split public.shares, letter public.letter collate "C", letters public.letter[], initials public.initial[],
    loud text check (loud = upper(loud)), quiet varchar(5) check (lower(quiet) = quiet), shout text collate public.loose check (shout = upper(shout)),
    plate char(3) check (plate ~ '^[A-Z]{2,3}$'), likely char(5) check (likely like '%  ' or likely is null)
  );`;

/** An app with every kind of field, and a folder for the types that are generated from the app. */
export interface TypedApp {
  owner: Pool;
  types: TypeFacts;
  folder: string;
  stop(): Promise<void>;
}

export async function startTypedApp(name: string): Promise<TypedApp> {
  const database = await startAppDatabase(name);
  const owner = database.as('app_owner');
  await database.pool.script('create schema private authorization app_owner');
  await owner.script(schema);
  const facts = await loadFacts(owner, { exposedSchemas: ['public', 'api'], authenticator: 'app_authenticator' });
  const types = await loadTypeFacts(owner, facts, await loadSchemaCache(owner, ['public', 'api'], ['extensions']));
  const folder = await makeTestFolder(name);
  return {
    owner,
    types,
    folder,
    stop: async () => {
      await database.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
