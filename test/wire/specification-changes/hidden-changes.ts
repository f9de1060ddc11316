import { machine } from './app.ts';
import { addVote, type Change, change, raising, screen, screened, setting, votes } from './change.ts';

const asSuperuser = (superuser: string) => ({ superuser });
/** Returns a change in which SQL sets a key of `ninefold.settings`. */
const bySql = (chapter: number, key: string, value: string, says: RegExp): Change =>
  change(
    chapter,
    `insert into ninefold.settings (key, value) values ('${key}', '${value}')`,
    `delete from ninefold.settings where key = '${key}'`,
    says,
  );
const plain = (chapter: number, does: string, undoes: string, says: RegExp): Change =>
  change(chapter, `alter table public.plain ${does}`, `alter table public.plain ${undoes}`, says);
const noticed =
  'create trigger noticed before update on public.plain for each row execute function suppress_redundant_updates_trigger()';
const unnoticed = 'drop trigger noticed on public.plain';
const pointing = (rest: string): string =>
  `alter table public.comments drop constraint comments_ticket_id_fkey, add constraint comments_ticket_id_fkey foreign key (ticket_id) references public.tickets (id) ${rest}`;
const logs = `create table public.logs (id int, words text) partition by list (id);
  create table public.logs_a partition of public.logs for values in (1)`;

const ofFunctions = `create domain public.score as int; alter domain public.score add constraint above check (value > 0);
  comment on constraint above on domain public.score is 'Above zero';
  create type public.mood as enum ('calm'); alter type public.mood add value 'cross'; comment on type public.mood is 'How it goes';
  create type public.pair as (one int); alter type public.pair add attribute other text;
  create sequence public.tally; alter sequence public.tally increment 7;
  create function public.alike(text, text) returns bool language sql immutable set search_path = '' as 'select lower($1) = lower($2)';
  create operator public.~== (leftarg = text, rightarg = text, function = public.alike);
  create aggregate public.total(int) (sfunc = int4pl, stype = int, initcond = '3');
  create cast (public.pair as text) with inout as assignment;
  create text search dictionary public.stems (template = snowball, language = english);
  alter text search dictionary public.stems (language = german);
  create text search configuration public.words (copy = simple);
  alter text search configuration public.words alter mapping for asciiword with public.stems;
  create schema back; create table back.notes (id int); grant select on back.notes to anon`;
const withoutThem = `drop schema back cascade; drop text search configuration public.words; drop text search dictionary public.stems;
  drop cast (public.pair as text); drop aggregate public.total(int); drop operator public.~== (text, text); drop function public.alike(text, text);
  drop sequence public.tally; drop type public.pair; drop type public.mood; drop domain public.score`;
const toldOfFunctions = [
  /domain public\.score: integer constraint above CHECK .* described as 'Above zero'/,
  /enum public\.mood: enum \('calm', 'cross'\) described as 'How it goes'/,
  /composite type public\.pair: \(one integer, other text\)/,
  /sequence public\.tally: .*increment 7/,
  /operator public\.\\~==\(text,text\): function public\.alike/,
  /cast public\.pair as text: with inout as assignment/,
  /public\.total\(integer\).*aggregate/,
  /initcond = '3'/,
  /text search dictionary public\.stems: .*german/,
  /text search configuration public\.words: .*asciiword: public\.stems/,
  /privileges on back\.notes: anon: select/,
];
const remote = `create foreign data wrapper remote; create server far foreign data wrapper remote options (host 'there', password 'hush');
  create user mapping for anon server far options (password 'hush')`;

/** Changes that are not visible in tables, policies and grants. */
export const hiddenChanges: readonly Change[] = [
  // Chapter 7: Scheduled jobs, which change without DDL
  change(
    7,
    `select cron.schedule('tidy', '0 5 * * *', 'select 1')`,
    `select cron.unschedule('tidy')`,
    /tidy.*every day at 05:00/,
  ),

  // Chapter 2, Screens
  change(2, screened.replace('null, ', `'status=eq.new', `), screened, /inbox.*status=eq\.new/),
  change(2, screened.replace(`'list'`, `'board'`), screened, /inbox.*Inbox \(board/),
  change(
    2,
    `select ninefold.drop_role('agent')`,
    `select ninefold.define_role('agent', 'Answers tickets')`,
    /inbox.*the role agent is gone/,
  ),
  change(2, screen(`'status', 'title'`), screened, /inbox.*`status`, `title`/),

  // Chapter 3, Entities
  change(3, `comment on type public.priority is 'How soon'`, 'comment on type public.priority is null', /How soon/),
  change(
    3,
    'create type public.address as (street text); alter table public.plain add column at public.address',
    'alter table public.plain drop column at; drop type public.address',
    /`at` \| public\.address of street text/,
  ),
  change(
    3,
    `create type public.address as (street text); create domain public.home as public.address check ((value).street <> '');
      alter table public.plain add column at public.home[]; alter type public.address add attribute zip text cascade`,
    'alter table public.plain drop column at; drop domain public.home; drop type public.address',
    /`at` \| public\.home\\\[\\\] of street text, zip text/,
  ),
  change(
    3,
    `create type public.spot as (at int); create type public.address as (street text, spots public.spot[]);
      alter table public.plain add column at public.address; alter type public.spot add attribute zip text cascade`,
    'alter table public.plain drop column at; drop type public.address; drop type public.spot',
    /`at` \| public\.address of street text, spots public\.spot\\\[\\\] of \(at integer, zip text\)/,
  ),
  change(
    3,
    'alter view public.open_tickets set (check_option = local)',
    'alter view public.open_tickets reset (check_option)',
    /takes only rows that it shows/,
  ),
  change(
    3,
    'alter table public.plain set unlogged',
    'alter table public.plain set logged',
    /loses its rows when the server fails \(unlogged\)/,
  ),
  change(
    3,
    'alter view public.open_tickets set (security_barrier)',
    'alter view public.open_tickets reset (security_barrier)',
    /its own condition before any other/,
  ),
  change(
    3,
    'create rule kept as on delete to public.plain do instead nothing',
    'drop rule kept on public.plain',
    /CREATE RULE kept/,
  ),
  change(
    3,
    `${noticed}; comment on trigger noticed on public.plain is 'Looks twice'`,
    unnoticed,
    /noticed BEFORE.*Looks twice/,
  ),
  change(3, `${noticed}; alter table public.plain enable always trigger noticed`, unnoticed, /replicated too.*noticed/),
  change(3, pointing('on update cascade'), pointing(''), /follows when its key changes/),
  change(
    3,
    asSuperuser('alter table public.plain owner to postgres'),
    asSuperuser('alter table public.plain owner to {owner}'),
    /belongs to postgres/,
  ),
  change(
    3,
    asSuperuser('create extension hstore schema public; alter extension hstore add table public.plain'),
    asSuperuser('alter extension hstore drop table public.plain; drop extension hstore'),
    /of extension hstore; key `id`/,
  ),
  plain(3, 'add column "Größe. ""x"" | y" text', 'drop column "Größe. ""x"" | y"', /Größe/),

  // Chapter 4, States
  change(
    4,
    'create table public.old_tickets () inherits (public.tickets)',
    'drop table public.old_tickets',
    /not enforced for rows of public\.old_tickets/,
  ),
  change(4, `update ninefold.transitions set to_state = 'done' where name = 'close'`, machine(), /to done/),

  // Chapter 5, Rules
  plain(
    5,
    'add constraint apart unique (note) deferrable initially deferred',
    'drop constraint apart',
    /same note, checked at the end of the transaction/,
  ),
  change(5, pointing('deferrable'), pointing(''), /ticket_id.*unless the transaction defers it/),
  change(
    5,
    `${logs}; alter table public.logs_a add constraint said check (words <> '')`,
    'drop table public.logs',
    /of rows in public\.logs\\?_a: words is not/,
  ),
  change(
    5,
    `${logs}; alter table public.logs_a add constraint once unique nulls not distinct (words)`,
    'drop table public.logs',
    /of rows in public\.logs\\?_a: no two rows have the same words; no value counts as a value/,
  ),
  plain(
    5,
    `add constraint idle check (note <> 'x') not enforced`,
    'drop constraint idle',
    /note is not 'x'.*not enforced/,
  ),
  change(
    5,
    asSuperuser('alter table public.comments disable trigger all'),
    asSuperuser('alter table public.comments enable trigger all'),
    /ticket_id is the id of a row in tickets \(not enforced\)/,
  ),
  change(
    3,
    asSuperuser('alter table public.customers disable trigger all'),
    asSuperuser('alter table public.customers enable trigger all'),
    /customer_id.* points to a row of .*that row can be deleted all the same/,
  ),
  change(
    3,
    'alter table public.comments add constraint loose foreign key (ticket_id) references public.tickets not enforced',
    'alter table public.comments drop constraint loose',
    /ticket_id.* points to a row of .*that row can be deleted all the same/,
  ),
  plain(
    5,
    'add constraint noted not null note not valid',
    'drop constraint noted',
    /note has a value.*new and changed rows only/,
  ),
  change(
    5,
    'create unique index once on public.plain (note) nulls not distinct',
    'drop index public.once',
    /same note; no value counts as a value/,
  ),

  // Chapter 6, Roles
  setting(6, 'db_anon_role', 'authenticated', /authenticated\*\*: .*whoever calls without a token/),
  setting(6, 'db_anon_role', null, /anon\*\*: no session, where a token names the role/),
  setting(
    6,
    'jwt_role_claim_key',
    '.app_metadata.role',
    /anon\*\*: no session; and members whose token names no role at \.app_metadata\.role/,
  ),
  change(
    6,
    asSuperuser('create role never_lies_visitor nologin; grant never_lies_visitor to {authenticator}'),
    asSuperuser('drop role never_lies_visitor'),
    /never_lies_visitor/,
  ),
  change(
    6,
    asSuperuser('revoke execute on function auth.uid() from public, anon, authenticated, service_role'),
    asSuperuser('grant execute on function auth.uid() to public'),
    /\| select \| – \| – \| – \|/,
  ),

  // Chapter 7, Calls
  change(
    7,
    addVote('update public.tickets set votes = votes + 2 where id = ticket returning votes'),
    votes,
    /votes \+ 2/,
  ),
  change(
    7,
    'alter function public.add_vote(int) strict',
    'alter function public.add_vote(int) called on null input',
    /add_vote.*null where an argument is null/,
  ),
  change(
    7,
    'alter function public.add_vote(int) security definer',
    'alter function public.add_vote(int) security invoker',
    /add_vote.*with the rights of pg_database_owner/,
  ),
  change(
    7,
    'alter function public.add_vote(int) reset search_path',
    `alter function public.add_vote(int) set search_path = ''`,
    /add_vote.*rights of the caller; writes public\.tickets$/,
  ),
  change(
    7,
    'create schema back; create function back.helper() returns int language sql as $$ select 42 $$',
    'drop schema back cascade',
    /back\.helper\(\)/,
  ),
  change(
    7,
    'create procedure public.tidy() language sql as $$ delete from public.plain $$',
    'drop procedure public.tidy()',
    /tidy\(\).*procedure in sql/,
  ),
  change(
    7,
    asSuperuser(`create function public.welcome() returns trigger language plpgsql as 'begin return new; end';
      create trigger welcome after insert on auth.users for each row execute function public.welcome()`),
    asSuperuser('drop function public.welcome() cascade'),
    /welcome\(\).*runs on auth\.users by the trigger welcome/,
  ),
  change(7, 'create extension hstore with schema public', 'drop extension hstore', /functions of extension hstore/),
  setting(7, 'db_pre_request', 'public.add_vote', /db_pre_request.*public\.add_vote/),
  setting(7, 'db_tx_end', 'rollback', /db_tx_end.*rollback/),
  setting(7, 'jwt_aud', 'desk', /jwt_aud.*desk/),
  setting(7, 'client_error_verbosity', 'minimal', /client_error_verbosity.*minimal/),
  setting(7, 'app_settings', { 'app.secret': 'hush' }, /app\.secret \(fingerprint [0-9a-f]{8}\)/),
  bySql(7, 'mailer_autoconfirm', 'false', /mailer_autoconfirm.*false/),
  change(
    7,
    `alter database {database} set default_text_search_config = 'pg_catalog.simple'`,
    'alter database {database} reset default_text_search_config',
    /default_text_search_config \(everyone\).*simple/,
  ),
  change(
    7,
    asSuperuser('alter role {authenticator} set plan_cache_mode = force_custom_plan'),
    asSuperuser('alter role {authenticator} reset plan_cache_mode'),
    /plan_cache_mode \(authenticator.*force_custom_plan/,
  ),

  // Chapter 8, Errors
  change(8, raising(`raise exception 'wait' using errcode = 'BX002', hint = 'Try later'`), votes, /BX002.*Try later/),
  change(8, raising(`assert 1 = 2, 'sums fail'`), votes, /P0004.*Sums fail/),
  change(8, machine({ open: '"roles": ["agent"], "requires": ["body"]' }), machine(), /NF003.*open needs body/),

  // Chapter 9, Limits
  change(
    9,
    `alter function public.add_vote(int) set statement_timeout = '2s'`,
    'alter function public.add_vote(int) reset statement_timeout',
    /add_vote.*2,000 milliseconds/,
  ),
  change(
    6,
    'alter default privileges in schema public revoke select, insert on tables from anon',
    'alter default privileges in schema public grant select, insert on tables to anon',
    /New tables in public: anon may change, delete; authenticated, service_role may read, add, change, delete/,
  ),
  change(
    6,
    'alter default privileges revoke execute on functions from public; alter default privileges in schema public revoke execute on functions from anon',
    'alter default privileges grant execute on functions to public; alter default privileges in schema public grant execute on functions to anon',
    /New functions in public: authenticated, service_role may call/,
  ),
  change(
    7,
    { setting: 'db_pre_request', value: 'public.gate_keeper' },
    { setting: 'db_pre_request', value: undefined },
    /public\.gate\\?_keeper, which is not there \(42883\): every data call is refused/,
  ),
  change(
    6,
    'create policy of_team on public.comments for select to authenticated using (ticket_id in (select id from public.tickets where owner_id = auth.uid()))',
    'drop policy of_team on public.comments',
    /when ticket_id is the id of a row in tickets whose owner_id is the member/,
  ),
  change(
    6,
    `create policy named on public.comments for select to authenticated using ((auth.jwt() -> 'app_metadata' ->> 'team') = words)`,
    'drop policy named on public.comments',
    /when words is app\\?_metadata\.team of the member’s token/,
  ),
  change(
    6,
    `create policy real on public.comments for select to authenticated using ((select (auth.jwt() ->> 'is_anonymous')::boolean) is false)`,
    'drop policy real on public.comments',
    /when the member is not anonymous/,
  ),
  change(
    5,
    `alter table public.tickets add constraint soon check (due_on <> 'infinity' and body <> '')`,
    'alter table public.tickets drop constraint soon',
    /due\\?_on is not 'infinity' and body is not an empty text/,
  ),
  change(
    9,
    asSuperuser('alter database {database} connection limit 77'),
    asSuperuser('alter database {database} connection limit -1'),
    /database\.connections.*77/,
  ),
  change(
    9,
    asSuperuser(`alter role {authenticator} valid until '2099-12-31 22:00:00+00'`),
    asSuperuser(`alter role {authenticator} valid until 'infinity'`),
    /appConnections.*valid until 2099-12-31 22:00:00 UTC/,
  ),
  change(
    9,
    asSuperuser('alter role {owner} nologin'),
    asSuperuser('alter role {owner} login'),
    /ownerConnections.*\| 0 \|.*may not log in/,
  ),
  change(
    9,
    asSuperuser('revoke connect on database {database} from {owner}'),
    asSuperuser('grant connect on database {database} to {owner}'),
    /ownerConnections.*\| 0 \|.*may not connect/,
  ),
  change(
    9,
    `alter function public.add_vote(int) set lock_timeout = '3s'`,
    'alter function public.add_vote(int) reset lock_timeout',
    /add_vote.*3,000 milliseconds.*waits for a lock/,
  ),
  bySql(9, 'db_max_rows', '3', /pageRows.*\| 3 \|/),

  // Objects that functions use
  ...toldOfFunctions.map((says) => change(7, ofFunctions, withoutThem, says)),
  change(
    7,
    asSuperuser(remote),
    asSuperuser('drop foreign data wrapper remote cascade'),
    /foreign server far: .*host 'there', password \(hidden\)/,
  ),
  change(
    7,
    asSuperuser(remote),
    asSuperuser('drop foreign data wrapper remote cascade'),
    /user mapping anon on far: the name and the password are hidden/,
  ),
  change(
    7,
    asSuperuser(
      `create foreign data wrapper other; create server near foreign data wrapper other; create user mapping for anon server near options (password 'old');
      alter user mapping for anon server near options (set password 'new')`,
    ),
    asSuperuser('drop foreign data wrapper other cascade'),
    /user mapping anon on near: the name and the password are hidden, written by transaction \d+/,
  ),
  change(
    7,
    `create publication published for table public.plain (id, note) where (id > 1) with (publish = 'insert')`,
    'drop publication published',
    /publication published: tables public\.plain \(id, note\) where \(id \\> 1\); publishes insert/,
  ),
  change(
    7,
    'create statistics public.published (dependencies) on id, note from public.plain; alter statistics public.published set statistics 7',
    'drop statistics public.published',
    /extended statistics public\.published: \(dependencies\) ON id, note FROM public\.plain target 7/,
  ),
  change(
    7,
    'revoke usage on type public.email from public; grant usage on type public.email to authenticated',
    'grant usage on type public.email to public; revoke usage on type public.email from authenticated',
    /domain public\.email: .*; authenticated: usage; pg_database_owner: usage/,
  ),
  change(
    7,
    'alter database {database} set search_path = other',
    `alter database {database} set search_path = "$user", public, extensions`,
    /setting search_path of everyone: other; for scheduled jobs and the SQL page, not for calls/,
  ),
  change(
    7,
    'alter role {owner} in database {database} set row_security = off',
    'alter role {owner} in database {database} reset row_security',
    /setting row_security of pg_database_owner: off/,
  ),
  change(
    7,
    asSuperuser(`create function public.greet() returns event_trigger language plpgsql set search_path = '' as 'begin end';
      create event trigger greets on login execute function public.greet()`),
    asSuperuser('drop event trigger greets; drop function public.greet()'),
    /event trigger greets: on login execute public\.greet/,
  ),
  change(
    6,
    'alter default privileges in schema public revoke usage on sequences from anon',
    'alter default privileges in schema public grant usage on sequences to anon',
    /New sequences in public: anon may read, set/,
  ),
  change(
    7,
    'alter default privileges revoke usage on types from public',
    'alter default privileges grant usage on types to public',
    /default privileges types, made by pg_database_owner/,
  ),
  ...([6, 7] as const).map((chapter) =>
    change(
      chapter,
      `alter function public.add_vote(int) set role = 'service_role'`,
      'alter function public.add_vote(int) reset role',
      /add_vote.*runs as service\\?_role, whoever the caller is/,
    ),
  ),
  change(
    6,
    asSuperuser(
      'create policy own_files on storage.objects for select to authenticated using (owner_id = (select auth.uid())::text)',
    ),
    asSuperuser('drop policy own_files on storage.objects'),
    /Policy \*\*own\\?_files\*\*, for select, authenticated/,
  ),
  change(
    7,
    asSuperuser(
      'create trigger noticed before update on auth.users for each row execute function suppress_redundant_updates_trigger()',
    ),
    asSuperuser('drop trigger noticed on auth.users'),
    /trigger noticed on auth\.users/,
  ),
];

/** Changes that do not affect the app, or that were never committed. */
export const silentChanges: readonly (readonly [does: string, undoes: string])[] = [
  ['create index silent on public.plain (note)', 'drop index public.silent'],
  // All apps share these roles, so no owner may change their settings, and the statements have no effect.
  ...['anon', 'authenticated', 'service_role'].flatMap((role) =>
    [`role = 'service_role'`, 'row_security = off', 'default_transaction_read_only = on', 'search_path = other'].map(
      (set): [string, string] => [
        `alter role ${role} set ${set}; alter role ${role} in database {database} set ${set}`,
        '',
      ],
    ),
  ),
  ['begin; drop table public.comments; revoke all on public.plain from anon; rollback', ''],
  ['begin; create table public.gone (id int); drop table public.gone; commit', ''],
  ['create temp table plain (id int)', ''],
  // All apps share the role anon. PostgreSQL applies this setting only when a session logs in as anon, which no session
  // can do, so the setting affects no app.
  [
    `set role anon; alter role anon in database {database} set statement_timeout = '1ms'`,
    'set role anon; alter role anon in database {database} reset all',
  ],
  ['alter function public.add_vote(int) cost 500', 'alter function public.add_vote(int) cost 100'],
];
