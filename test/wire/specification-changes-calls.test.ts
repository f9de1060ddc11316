import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { chapterLines } from '../support/chapter-lines.ts';
import { appSql, machine } from './specification-changes/app.ts';

const node = inject('node');
/** The time within which a change must be visible. */
const MILLISECONDS = 1000;

/** The effect of a change on calls, and its description in the specification. */
interface Case {
  readonly does: string;
  readonly undoes: string;
  /** The text that a line of each chapter contains only with the change, by the chapter's number. */
  readonly says: Readonly<Record<number, RegExp>>;
  /** A call with the secret key: method, path below the app and body, and its answers before and with the change. */
  readonly call?: { readonly method?: string; readonly path: string; readonly body?: unknown };
  readonly answers?: readonly [before: RegExp, during: RegExp];
}

const sql = `${appSql}
create materialized view public.counted as select count(*) as tickets from public.tickets;
create view public.counted_again as select tickets as same from public.counted;
create view public.asked as select id from public.tickets;
create domain public.color as int;
create table public.shades (id int primary key, shade public.color);
insert into public.shades values (1, 255);
insert into public.customers (id, name) values (1, 'Ada');
create function public.color_json(public.color) returns json language sql immutable as $$ select to_json('#' || to_hex($1)) $$;
create function public.color_of(json) returns public.color language sql immutable as $$ select 7::public.color $$;
create function public.color_read(text) returns public.color language sql immutable as $$ select 255::public.color $$;
create function public.refuse() returns trigger language plpgsql as
  $$ begin raise exception 'the book is shut' using errcode = 'PT423'; end $$;
create trigger refuse before insert on public.plain for each row execute function public.refuse();
create schema back; grant usage on schema back to service_role;
create function back.audit() returns int language plpgsql as
  $$ begin raise exception 'no audit' using errcode = 'PT418'; end $$;
create function public.plain_words(public.plain) returns text language sql stable as $$ select $1.note $$;
create function public.same(one anyelement) returns text language sql as $$ select one::text $$;
create function public.whole(json) returns int language sql as $$ select 1 $$;
create function public.mate(public.shades) returns setof public.plain rows 1 language sql stable as 'select 1, null::text';
create function public.paint() returns int language sql as $$ update public.shades set shade = 255 returning id $$;
create function public.audited() returns int language sql as $$ select back.audit() $$;
create function back.fits(text) returns boolean language plpgsql immutable as 'begin return true; end';
create table public.labels (id int primary key);
create table public.labelled (shade int not null references public.shades, label int not null references public.labels);
create table public.notes (id int primary key, words text check (back.fits(words)));
create function back.rate() returns int language sql as 'select 3';
create function public.price(amount int, rate int default 1 * back.rate()) returns int language sql security definer as 'select amount * rate';
create function public.priced(public.shades, rate int default back.rate()) returns int language sql stable as 'select rate';
create sequence back.tickets; grant usage on sequence back.tickets to service_role;
create table public.sheets (name text, kind text); create view public.names as select name from public.sheets;
create table public.numbered (number int default nextval('back.tickets'), word text); create view public.words as select word from public.numbered;
create function public.number(at bigint default nextval('back.tickets')) returns bigint language sql as 'select at';
create function public.charge(amount int) returns int language plpgsql as
  $$ begin raise exception 'no credit' using errcode = 'PT402'; end $$;
`;

const counted = { path: '/rest/v1/counted' };
const shades = { path: '/rest/v1/shades?select=shade' };
const line = { method: 'POST', path: '/rest/v1/plain?columns=id', body: { id: 1 } };

const cases: readonly Case[] = [
  {
    does: 'alter table public.labelled add primary key (shade, label)',
    undoes: 'alter table public.labelled drop constraint labelled_pkey',
    says: { 3: /Rows are joined to rows of public\.labels through public\.labelled, many to many/ },
    call: { path: '/rest/v1/shades?select=id,labels(id)' },
    answers: [/^400 .*PGRST200/, /^200 /],
  },
  {
    does: 'create or replace view public.asked as select id, customer_id as who from public.tickets',
    undoes: 'drop view public.asked; create view public.asked as select id from public.tickets',
    says: { 3: /`who` points to a row of public\.customers \(`id`\), as in public\.tickets/ },
    call: { path: '/rest/v1/asked?select=id,customers(id)' },
    answers: [/^400 .*PGRST200/, /^200 /],
  },
  {
    does: 'refresh materialized view public.counted with no data',
    undoes: 'refresh materialized view public.counted',
    says: {
      2: /`\/counted`/,
      6: /Nobody reads it: it holds nothing yet.*REFRESH MATERIALIZED VIEW/,
      7: /GET \/rest\/v1\/counted`/,
    },
    call: counted,
    answers: [/^200/, /^\d+ .*"55000"/],
  },
  {
    does: 'refresh materialized view public.counted with no data',
    undoes: 'refresh materialized view public.counted',
    says: { 6: /Nobody reads it: reads public\.counted: it holds nothing yet/ },
    call: { path: '/rest/v1/counted_again' },
    answers: [/^200/, /"55000"/],
  },
  {
    does: 'create cast (public.color as json) with function public.color_json(public.color) as implicit',
    undoes: 'drop cast (public.color as json)',
    says: {
      7: /`public\.color as json` \| by public\.color\\?_json\(public\.color\) \| Values of public\.color are answered/,
    },
    call: shades,
    answers: [/"shade":255/, /"shade":"#ff"/],
  },
  {
    does: 'create cast (text as public.color) with function public.color_read(text) as implicit',
    undoes: 'drop cast (text as public.color)',
    says: { 7: /`text as public\.color` \| by .* in filters are read/ },
    call: { path: '/rest/v1/shades?shade=eq.blue' },
    answers: [/"22P02"/, /"shade":255/],
  },
  {
    does: 'create cast (json as public.color) with function public.color_of(json) as implicit',
    undoes: 'drop cast (json as public.color); update public.shades set shade = 255',
    says: { 7: /`json as public\.color` \| by .* in bodies are read/ },
    call: {
      ...{ method: 'PATCH', path: '/rest/v1/shades?id=eq.1&select=id' },
      body: { shade: 'blue' },
    },
    answers: [/"22P02"/, /^20\d/],
  },
  {
    does: 'alter table public.plain disable trigger refuse',
    undoes: 'alter table public.plain enable trigger refuse; delete from public.plain',
    says: { 8: /PT423.*not while no trigger that is switched on runs it/ },
    call: line,
    answers: [/^423 .*the book is shut/, /^201/],
  },
  {
    does: 'drop trigger refuse on public.plain',
    undoes:
      'create trigger refuse before insert on public.plain for each row execute function public.refuse(); delete from public.plain',
    says: { 8: /PT423.*not while no trigger that is switched on runs it/ },
    call: line,
    answers: [/^423/, /^201/],
  },
  {
    does: 'revoke execute on function public.charge(int) from public, anon, authenticated, service_role',
    undoes: 'grant execute on function public.charge(int) to public, anon, authenticated, service_role',
    says: { 6: /charge.*\| –/, 8: /PT402.*not while no call may run it/ },
    call: { method: 'POST', path: '/rest/v1/rpc/charge', body: { amount: 1 } },
    answers: [/^402 .*no credit/, /"42501"/],
  },
  {
    does: 'revoke execute on function public.plain_words(public.plain) from public, anon, authenticated, service_role',
    undoes: 'grant execute on function public.plain_words(public.plain) to public, anon, authenticated, service_role',
    says: { 6: /plain\\?_words\(public\.plain\) \| – \| – \| –/ },
    call: { path: '/rest/v1/plain?select=plain_words' },
    answers: [/^200/, /^403 .*"42501"/],
  },
  {
    does: 'revoke execute on function back.fits(text) from public, service_role; delete from public.notes',
    undoes: 'grant execute on function back.fits(text) to public; delete from public.notes',
    says: { 2: /`\/notes\/new`/, 7: /POST \/rest\/v1\/notes`/ },
    call: { method: 'POST', path: '/rest/v1/notes?columns=id', body: { id: 1 } },
    answers: [/^201/, /"42501".*permission denied for function fits/],
  },
  {
    does: 'create or replace function public.same(one text) returns text language sql as $$ select one $$; drop function public.same(anyelement)',
    undoes:
      'create function public.same(one anyelement) returns text language sql as $$ select one::text $$; drop function public.same(text)',
    says: { 7: /POST \/rest\/v1\/rpc\/same`/ },
    call: { method: 'POST', path: '/rest/v1/rpc/same', body: { one: 'x' } },
    answers: [/"42P16"/, /^200 "x"/],
  },
  {
    does: 'create function public.charge(amount int, tip int default 0) returns int language sql as $$ select 2 $$',
    undoes: 'drop function public.charge(int, int)',
    says: {
      7: /POST .*rpc\/charge` \| Calls charge\. Refused unless tip is given: public\.charge\(integer\) takes the rest, too \(PGRST203\)/,
    },
    call: { method: 'POST', path: '/rest/v1/rpc/charge', body: { amount: 1 } },
    answers: [/^402/, /^300 .*"PGRST203"/],
  },
  {
    does: 'create function public.charge(amount int, tip int default 0) returns int language sql as $$ select 2 $$',
    undoes: 'drop function public.charge(int, int)',
    says: { 6: /charge\\?\(integer\\?\).*\| – \(PGRST203\) \| – \(PGRST203\) \| – \(PGRST203\)/ },
    call: { method: 'POST', path: '/rest/v1/rpc/charge', body: { amount: 1, tip: 1 } },
    answers: [/"PGRST202"/, /^200 2/],
  },
  {
    does: 'create function public.charge(amount int default 1, tip int default 0) returns int language sql as $$ select 3 $$',
    undoes: 'drop function public.charge(int, int)',
    says: { 7: /Calls charge\. Refused unless tip is given, or amount is left out: public\.charge\(integer\)/ },
    call: { method: 'POST', path: '/rest/v1/rpc/charge', body: {} },
    answers: [/"PGRST202"/, /^200 3/],
  },
  {
    does: 'create function public.whole(jsonb) returns int language sql as $$ select 2 $$',
    undoes: 'drop function public.whole(jsonb)',
    says: { 6: /whole\\?\(json\\?\).*\| – \(PGRST203\) \| – \(PGRST203\) \| – \(PGRST203\)/ },
    call: { method: 'POST', path: '/rest/v1/rpc/whole', body: { a: 1 } },
    answers: [/^200 1/, /^300 .*"PGRST203"/],
  },
  {
    does: 'alter function public.mate(public.shades) rows 10',
    undoes: 'alter function public.mate(public.shades) rows 1',
    says: { 3: /Computed relationship `mate`: SETOF public\.plain, by/ },
    call: { path: '/rest/v1/shades?select=mate(id)' },
    answers: [/"mate":\{"id": 1\}/, /"mate":\[\{"id": 1\}\]/],
  },
  {
    does: 'drop function public.plain_words(public.plain)',
    undoes: 'create function public.plain_words(public.plain) returns text language sql stable as $$ select $1.note $$',
    says: { 3: /Computed field `plain_words`: text/, 6: /plain\\?_words/ },
    call: { path: '/rest/v1/plain?select=plain_words' },
    answers: [/^200/, /"42703"/],
  },
  {
    does: 'create rule stay as on delete to public.shades do instead nothing',
    undoes: 'drop rule stay on public.shades',
    says: {
      6: /Nobody deletes rows: the rewrite rule stay does nothing instead.*\(0A000\)/,
      7: /DELETE \/rest\/v1\/shades/,
    },
    call: { method: 'DELETE', path: '/rest/v1/shades?id=eq.7' },
    answers: [/^204/, /^400 .*"0A000"/],
  },
  {
    does: 'create rule stay as on update to public.shades where old.id = 7 do instead nothing',
    undoes: 'drop rule stay on public.shades',
    says: { 6: /Nobody changes rows: the rewrite rule stay .* for some rows only.*\(0A000\)/ },
    call: { method: 'PATCH', path: '/rest/v1/shades?id=eq.1', body: { shade: 255 } },
    answers: [/^204/, /^400 .*"0A000"/],
  },
  {
    does: 'create rule moved as on delete to public.shades do instead update public.shades set shade = 0 where id = old.id returning *',
    undoes: 'drop rule moved on public.shades',
    says: { 6: /\| delete \| as its rewrite rule allows/ },
    call: { method: 'DELETE', path: '/rest/v1/shades?id=eq.7' },
    answers: [/^204/, /^204/],
  },
  {
    does: 'create function public.hello() returns int language sql volatile as $$ select 1 $$',
    undoes: 'drop function public.hello()',
    says: { 7: /GET \/rest\/v1\/rpc\/hello`.*only reads/ },
    call: { path: '/rest/v1/rpc/hello' },
    answers: [/"PGRST202"/, /^200 1/],
  },
  {
    does: 'alter function public.paint() stable',
    undoes: 'alter function public.paint() volatile',
    says: { 6: /public\.paint\(\) \| –.* \| –/, 7: /POST \/rest\/v1\/rpc\/paint`/ },
    call: { method: 'POST', path: '/rest/v1/rpc/paint', body: {} },
    answers: [/^200 1/, /UPDATE is not allowed in a non-volatile function|"25006"/],
  },
  {
    does: 'drop function public.audited()',
    undoes: 'create function public.audited() returns int language sql as $$ select back.audit() $$',
    says: { 8: /PT418.*not while no call may run it/ },
    call: { method: 'POST', path: '/rest/v1/rpc/audited', body: {} },
    answers: [/^418 /, /"PGRST202"/],
  },
  {
    does: 'revoke execute on function back.rate() from public, service_role',
    undoes: 'grant execute on function back.rate() to public',
    says: { 6: /price\(integer, integer\) \|.*\| with rate given/ },
    call: { method: 'POST', path: '/rest/v1/rpc/price', body: { amount: 2 } },
    answers: [/^200 6/, /^403 .*"42501".*permission denied for function rate/],
  },
  {
    does: 'revoke execute on function back.rate() from public, service_role',
    undoes: 'grant execute on function back.rate() to public',
    says: { 6: /priced.*\| – \|/ },
    call: { path: '/rest/v1/shades?select=priced' },
    answers: [/^200 /, /^403 .*"42501".*permission denied for function rate/],
  },
  {
    does: 'revoke all on sequence back.tickets from service_role',
    undoes: 'grant usage on sequence back.tickets to service_role',
    says: { 6: /number\(bigint\) \|.*\| with at given/ },
    call: { method: 'POST', path: '/rest/v1/rpc/number', body: {} },
    answers: [/^200 \d/, /^403 .*"42501".*permission denied for sequence tickets/],
  },
  {
    does: 'truncate public.sheets; alter table public.sheets alter kind set not null',
    undoes: 'alter table public.sheets alter kind drop not null; truncate public.sheets',
    says: {
      6: /Nobody adds rows: .*field kind must have a value, and none can be given \(23502\)/,
      7: /POST \/rest\/v1\/names`/,
    },
    call: { method: 'POST', path: '/rest/v1/names', body: { name: 'Ada' } },
    answers: [/^201/, /^400 .*"23502"/],
  },
  {
    does: 'revoke all on sequence back.tickets from service_role',
    undoes: 'grant usage on sequence back.tickets to service_role; truncate public.numbered',
    says: { 7: /POST \/rest\/v1\/words`/ },
    call: { method: 'POST', path: '/rest/v1/words', body: { word: 'one' } },
    answers: [/^201/, /^403 .*"42501".*permission denied for sequence tickets/],
  },
  {
    does: 'create function public.pick("order" int, "a.b" int default 0) returns int language sql as $$ select "order" + "a.b" $$',
    undoes: 'drop function public.pick(int, int)',
    says: { 7: /GET \/rest\/v1\/rpc\/pick`.*\| "order", "a\.b"\? \|/ },
    call: { path: `/rest/v1/rpc/pick?${encodeURIComponent('"order"')}=3&${encodeURIComponent('"a.b"')}=4` },
    answers: [/"PGRST202"/, /^200 7/],
  },
  {
    does: `alter function public.charge(int) set lock_timeout = '2s'`,
    undoes: 'alter function public.charge(int) reset lock_timeout',
    says: { 9: /charge.*lock\\?_timeout.*2,000 milliseconds/ },
  },
  {
    does: `alter table public.tickets alter column status set default 'open'`,
    undoes: `alter table public.tickets alter column status set default 'new'`,
    says: { 4: /leaves status out is refused: its default is open, not new/ },
    call: {
      method: 'POST',
      path: '/rest/v1/tickets?columns=customer_id,title',
      body: { customer_id: 1, title: 'Help' },
    },
    answers: [/^201/, /"NF002"/],
  },
  {
    does: 'revoke select on public.tickets from authenticated; grant select (id, status) on public.tickets to authenticated',
    undoes:
      'revoke select (id, status) on public.tickets from authenticated; grant select on public.tickets to authenticated',
    says: { 2: /`\/tickets` \| Tickets \(list, derived\) \| `id`, `status`; by `id`/, 6: /2 of 9 fields/ },
  },
  {
    does: 'alter table public.tickets disable trigger user',
    undoes: machine(),
    says: { 4: /not enforced/, 8: /NF001.*not while the trigger that would raise it is switched off/ },
  },
];

let app: AppConnection;
let before: string[];

beforeAll(async () => {
  app = await createApp(node);
  await runSql(node, app.ref, sql);
  before = await chapters();
});

describe('the chapters of an app', () => {
  it.each(cases)(
    'show the effect of a change on calls within a second, until the change is undone: $does',
    async ({ does, undoes, says, call, answers }) => {
      const reported = Object.entries(says).map(([number, words]) => ({ number: Number(number), words }));
      if (call && answers) expect(await answer(call)).toMatch(answers[0]);
      await runSql(node, app.ref, does);
      const missing = await eventually(
        async () => {
          const now = await chapters();
          return reported.filter(
            ({ number, words }) =>
              !changedLines(before[number] ?? '', now[number] ?? '').some((one) => words.test(one)),
          );
        },
        (left) => left.length === 0,
      );
      if (call && answers) expect(await answer(call)).toMatch(answers[1]);
      await runSql(node, app.ref, undoes);
      const after = await eventually(chapters, (now) => now.join('') === before.join(''));
      expect(missing).toEqual([]);
      expect(after).toEqual(before);
      if (call && answers) expect(await answer(call)).toMatch(answers[0]);
    },
  );
});

/** Returns status and body of the call. */
async function answer({ method = 'GET', path, body }: NonNullable<Case['call']>): Promise<string> {
  const response = await fetch(`${app.url}${path}`, {
    method,
    headers: { apikey: app.secret_key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return `${response.status} ${await response.text()}`;
}

/** Returns the chapters by number, without the text before the first chapter, which contains the version. */
async function chapters(): Promise<string[]> {
  const [, ...parts] = await chapterLines(node, app.ref);
  return ['', ...parts];
}

/** Returns the last value, as soon as it is as expected or when the time is over. */
async function eventually<T>(look: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  const until = performance.now() + MILLISECONDS;
  for (;;) {
    const value = await look();
    if (isDone(value) || performance.now() > until) return value;
  }
}

/** Returns the lines that only one of the two texts has. */
function changedLines(one: string, other: string): string[] {
  const [left, right] = [one.split('\n'), other.split('\n')];
  return [...left.filter((each) => !right.includes(each)), ...right.filter((each) => !left.includes(each))];
}
