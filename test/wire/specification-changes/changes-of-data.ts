import { machine } from './app.ts';
import { type Change, change, describe, described, screen, screened, view, viewed } from './change.ts';

/** Changes for chapters 1 to 5. */
export const changesOfData: readonly Change[] = [
  // Chapter 1, Purpose
  change(1, describe('Front desk', 'Answers questions', 'Customers', 'Ada'), described, /Front desk/),
  change(1, describe('Desk', 'Sells tickets', 'Customers', 'Ada'), described, /Sells tickets/),
  change(1, describe('Desk', 'Answers questions', 'Everybody', 'Ada'), described, /For: Everybody/),
  change(1, describe('Desk', 'Answers questions', 'Customers', 'Grace'), described, /Owner: Grace/),

  // Chapter 2, Screens
  change(
    2,
    `select ninefold.define_screen('/inbox', 'Inbox', 'list', 'public.tickets', array['title', 'status'], 'votes=gt.few', 'title', array['agent'])`,
    screened,
    /PostgreSQL refuses its filter votes=gt\.few: invalid input syntax for type integer/,
  ),
  change(2, screen(`'title'`), screened, /inbox.*`title`;/),
  change(2, screen(`'title', 'status'`, 'title desc'), screened, /inbox.*desc/),
  change(2, screen(`'title', 'status'`, 'title', 'Post'), screened, /Post/),
  change(2, `select ninefold.drop_screen('/inbox')`, screened, /inbox/),
  change(
    2,
    'alter table public.tickets rename column body to text',
    'alter table public.tickets rename column text to body',
    /tickets.*`text`/,
  ),
  change(
    2,
    'revoke all on public.plain from anon',
    'grant all on public.plain to anon',
    /`\/plain`.*\| authenticated, agent, service_role/,
  ),
  change(2, 'alter table public.plain rename to simple', 'alter table public.simple rename to plain', /`\/simple`/),
  change(2, 'create table public.extra (id int primary key)', 'drop table public.extra', /`\/extra\/new`/),
  change(
    2,
    `select ninefold.define_screen('/gone', 'Gone', 'list', 'public.plain', array['note']); alter table public.plain drop column note`,
    `select ninefold.drop_screen('/gone'); alter table public.plain add column note text`,
    /gone.*note/i,
  ),

  // Chapter 3, Entities
  change(3, 'create table public.extra (id int primary key)', 'drop table public.extra', /public\.extra/),
  change(
    3,
    'alter table public.plain add column more text',
    'alter table public.plain drop column more',
    /`more` \| text/,
  ),
  change(3, 'alter table public.plain drop column note', 'alter table public.plain add column note text', /`note`/),
  change(
    3,
    'alter table public.plain alter column note type varchar(20)',
    'alter table public.plain alter column note type text',
    /character varying\(20\)/,
  ),
  change(
    3,
    `alter table public.plain alter column note set default 'none'`,
    'alter table public.plain alter column note drop default',
    /by default `'none'/,
  ),
  change(
    3,
    'alter table public.plain alter column note set not null',
    'alter table public.plain alter column note drop not null',
    /`note` \| text \| required/,
  ),
  change(
    3,
    `comment on column public.plain.note is 'What was noted'`,
    'comment on column public.plain.note is null',
    /What was noted/,
  ),
  change(3, `comment on table public.plain is 'Plain things'`, 'comment on table public.plain is null', /Plain things/),
  change(
    3,
    'alter table public.plain rename column note to remark',
    'alter table public.plain rename column remark to note',
    /`remark`/,
  ),
  change(3, 'alter table public.plain rename to simple', 'alter table public.simple rename to plain', /public\.simple/),
  change(
    3,
    `alter type public.priority rename value 'high' to 'urgent'`,
    `alter type public.priority rename value 'urgent' to 'high'`,
    /low, normal, urgent/,
  ),
  change(
    3,
    viewed.replace('id, title', 'id, upper(title) as title'),
    viewed,
    /`title` \| text \| computed by the view/,
  ),
  change(2, viewed.replace('id, title', 'id, upper(title) as title'), viewed, /`\/open\\?_tickets\/new`.*\| `id` \|/),
  change(3, view(`status = 'new'`), viewed, /status = 'new'/),
  change(
    3,
    view(`status <> 'closed'`, 'with (security_invoker = false)'),
    view(`status <> 'closed'`, 'with (security_invoker = true)') +
      '; alter view public.open_tickets set (security_invoker)',
    /rights of its (caller|owner)/,
  ),
  change(
    3,
    'create view public.titles as select title from public.tickets',
    'drop view public.titles',
    /public\.titles/,
  ),
  change(
    3,
    'alter table public.plain add column twice text generated always as (note || note) stored',
    'alter table public.plain drop column twice',
    /`twice`.*note/,
  ),
  change(
    3,
    'alter table public.plain add column n int generated always as identity',
    'alter table public.plain drop column n',
    /`n`.*number/,
  ),
  change(
    3,
    'alter table public.comments drop constraint comments_ticket_id_fkey',
    'alter table public.comments add constraint comments_ticket_id_fkey foreign key (ticket_id) references public.tickets (id)',
    /`ticket_id` points to a row of public\.tickets/,
  ),
  change(
    3,
    'alter table public.comments drop constraint comments_ticket_id_fkey, add constraint comments_ticket_id_fkey foreign key (ticket_id) references public.tickets (id) on delete cascade',
    'alter table public.comments drop constraint comments_ticket_id_fkey, add constraint comments_ticket_id_fkey foreign key (ticket_id) references public.tickets (id)',
    /`ticket_id`.*deleted with it/,
  ),
  change(
    3,
    'alter table public.plain enable row level security',
    'alter table public.plain disable row level security',
    /row-level security on/,
  ),
  change(
    3,
    'alter table public.tickets force row level security',
    'alter table public.tickets no force row level security',
    /owner/,
  ),
  change(
    3,
    'create trigger noticed before update on public.plain for each row execute function suppress_redundant_updates_trigger()',
    'drop trigger noticed on public.plain',
    /noticed/,
  ),
  change(
    3,
    'create materialized view public.counted as select count(*) from public.tickets',
    'drop materialized view public.counted',
    /public\.counted/,
  ),
  change(
    3,
    'alter table public.plain drop constraint plain_pkey',
    'alter table public.plain add primary key (id)',
    /key `id`/,
  ),
  change(
    3,
    'create schema shop; create table shop.goods (id int primary key)',
    'drop schema shop cascade',
    /shop|entit/,
  ),

  // Chapter 4, States
  change(4, machine({ open: '' }), machine(), /open: /),
  change(4, machine({ close: '"open"' }), machine(), /close/),
  change(4, machine({ more: ', {"name": "reopen", "from": "closed", "to": "open"}' }), machine(), /reopen/),
  change(4, machine({ open: '"roles": ["agent"], "when": "votes > 2"' }), machine(), /votes/),
  change(4, machine({ open: '"roles": ["agent"], "requires": ["body"]' }), machine(), /body/),
  change(4, machine({ open: '"roles": ["agent"], "sets": {"due_on": "current_date"}' }), machine(), /due_on/),
  change(4, machine({ initial: 'open', close: '"open"' }), machine(), /Initial state: open/),
  change(4, `select ninefold.drop_machine('public.tickets', 'status')`, machine(), /tickets: status/),
  change(
    4,
    'alter table public.tickets disable trigger zz_ninefold_check_status',
    'alter table public.tickets enable always trigger zz_ninefold_check_status',
    /not enforced/i,
  ),
  change(4, 'alter table public.tickets disable trigger user', machine(), /not enforced/i),

  // Chapter 5, Rules
  change(
    5,
    'alter table public.tickets drop constraint title_length',
    'alter table public.tickets add constraint title_length check (char_length(title) between 3 and 120)',
    /title is 3 to 120 characters/,
  ),
  change(
    5,
    'alter table public.tickets drop constraint title_length, add constraint title_length check (char_length(title) between 3 and 200)',
    'alter table public.tickets drop constraint title_length, add constraint title_length check (char_length(title) between 3 and 120)',
    /title is 3 to 200 characters/,
  ),
  change(
    5,
    `comment on constraint title_length on public.tickets is 'A title says what it is about'`,
    'comment on constraint title_length on public.tickets is null',
    /A title says what it is about/,
  ),
  change(
    5,
    'alter table public.plain add constraint note_unique unique (note)',
    'alter table public.plain drop constraint note_unique',
    /no two rows have the same note/,
  ),
  change(
    5,
    'create unique index one_open on public.tickets (customer_id) where status = $$open$$',
    'drop index public.one_open',
    /customer_id.*no other|one/,
  ),
  change(
    5,
    'alter table public.plain add constraint short check (char_length(note) <= 10)',
    'alter table public.plain drop constraint short',
    /at most 10 characters/,
  ),
  change(
    5,
    'alter table public.plain add constraint short check (char_length(note) <= 10) not valid',
    'alter table public.plain drop constraint short',
    /new and changed|at most 10/,
  ),
  change(
    5,
    'alter table public.plain alter column note set not null',
    'alter table public.plain alter column note drop not null',
    /note has a value/,
  ),
  change(
    5,
    'alter table public.tickets alter column votes drop not null',
    'alter table public.tickets alter column votes set not null',
    /votes has a value/,
  ),
  change(
    5,
    `alter domain public.email add constraint dotted check (value like '%.%')`,
    'alter domain public.email drop constraint dotted',
    /mail.*'%\.%'/,
  ),
  change(
    5,
    `alter type public.priority rename value 'low' to 'none'`,
    `alter type public.priority rename value 'none' to 'low'`,
    /one of 'none', 'normal', 'high'/,
  ),
  change(
    5,
    'alter table public.plain add constraint apart exclude using btree (note with =)',
    'alter table public.plain drop constraint apart',
    /note/,
  ),
  change(
    5,
    'alter table public.plain add column ticket_id int references public.tickets (id)',
    'alter table public.plain drop column ticket_id',
    /ticket_id is the id of a row in tickets/,
  ),
  change(
    5,
    'alter table public.tickets drop constraint votes_positive',
    'alter table public.tickets add constraint votes_positive check (votes >= 0)',
    /votes is at least 0/,
  ),
];
