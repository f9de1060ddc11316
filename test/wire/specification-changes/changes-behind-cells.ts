import { type Change, change, setting } from './change.ts';

const shut = `create function public.shut(text) returns boolean language plpgsql immutable as 'begin return true; end';
  revoke execute on function public.shut(text) from public, anon, authenticated, service_role`;
const alike = 'create operator public.=== (function = public.alike, leftarg = text, rightarg = text)';
const operator = `create function public.alike(text, text) returns boolean language plpgsql immutable as 'begin return true; end';
  revoke execute on function public.alike(text, text) from public, anon, authenticated, service_role; ${alike}`;
const noShut = 'drop function public.shut(text) cascade';
const noOperator = 'drop function public.alike(text, text) cascade';
const parted = `create table public.parted (id int, kind text) partition by list (id);
  create table public.part partition of public.parted for values in (1); create table public.rest partition of public.parted default`;

/** Changes that affect a cell of chapter 6 but are no privilege on its table, and rules of NOT NULL for chapter 5. */
export const changesBehindCells: readonly Change[] = [
  // Publications, with or without subscribers
  change(
    6,
    'alter table public.plain drop constraint plain_pkey; alter publication supabase_realtime add table public.plain',
    'alter publication supabase_realtime drop table public.plain; alter table public.plain add primary key (id)',
    /\| update \| – \(55000\) \| – \(55000\) \| – \(55000\) \| – \(55000\) \|/,
  ),
  change(
    6,
    'create publication published for table public.plain where (note is null)',
    'drop publication published',
    /\| delete \| – \(42P10\) \| – \(42P10\) \| – \(42P10\) \| – \(42P10\) \|/,
  ),
  change(
    6,
    'create publication published for table public.plain (note)',
    'drop publication published',
    /\| delete \| – \(42P10\) \| – \(42P10\) \| – \(42P10\) \| – \(42P10\) \|/,
  ),
  change(
    6,
    `create publication published for table public.plain; alter table public.plain replica identity nothing; alter publication published set (publish = 'insert, update')`,
    'drop publication published; alter table public.plain replica identity default',
    /\| update \| – \(55000\) \| – \(55000\) \| – \(55000\) \| – \(55000\) \|/,
  ),

  // Functions of operators and casts, and of partitions, inheriting tables and types
  change(
    6,
    `${operator}; alter table public.plain add constraint near check (note operator(public.===) 'x')`,
    noOperator,
    /\| insert \| – \| – \| – \| – \|/,
  ),
  change(
    6,
    `${operator}; create policy near on public.tickets for delete to anon using (title operator(public.===) 'x')`,
    `drop policy near on public.tickets; ${noOperator}`,
    /alike/,
  ),
  change(
    6,
    `${shut}; ${parted}; alter table public.part add check (public.shut(kind))`,
    `drop table public.parted; ${noShut}`,
    /\| insert \| only rows outside public\.part \|/,
  ),
  change(
    6,
    `${shut}; create table public.heir () inherits (public.plain); alter table public.heir add check (public.shut(note))`,
    `drop table public.heir; ${noShut}`,
    /\| update \| only rows outside public\.heir \|/,
  ),
  change(
    6,
    `${shut}; create domain public.word as text check (public.shut(value)); alter table public.plain add column more public.word[]`,
    `alter table public.plain drop column more; drop domain public.word; ${noShut}`,
    /\| insert \| without a value of more \|/,
  ),
  change(
    6,
    `${shut}; create domain public.word as text check (public.shut(value)); create type public.span as range (subtype = public.word);
      alter table public.plain add column more public.span_multirange[]`,
    `alter table public.plain drop column more; drop type public.span; drop domain public.word; ${noShut}`,
    /\| insert \| without a value of more \|/,
  ),
  change(
    6,
    `create function public.next() returns int language plpgsql as 'begin return 1; end';
      revoke execute on function public.next() from public, anon, authenticated, service_role;
      create domain public.counted as int default public.next(); alter table public.plain add column more public.counted default 0;
      alter table public.plain alter more drop default`,
    'alter table public.plain drop column more; drop domain public.counted; drop function public.next()',
    /\| insert \| with more given \|/,
  ),

  // Types in schemas that a role may not use
  change(
    6,
    `create schema apart; create type apart.mood as enum ('calm'); alter table public.plain add column mood apart.mood`,
    'alter table public.plain drop column mood; drop schema apart cascade',
    /\| insert \| without mood \|/,
  ),
  change(
    6,
    `create schema apart; create type apart.mood as enum ('calm');
      create function public.feels(mood apart.mood) returns int language sql as 'select 1'`,
    'drop function public.feels(apart.mood); drop schema apart cascade',
    /feels.*\| – \| – \| – \| – \|/,
  ),
  change(
    6,
    `create schema apart; create type apart.mood as enum ('calm');
      create function public.feels(at int, mood apart.mood default null) returns int language sql as 'select 1'`,
    'drop function public.feels(int, apart.mood); drop schema apart cascade',
    /feels.*\| without mood \|/,
  ),

  // The function that runs before each call
  setting(
    6,
    'db_pre_request',
    'public.gate_keeper',
    /\| select \| – \(42883\) \| – \(42883\) \| – \(42883\) \| – \(42883\) \|/,
  ),

  // Rules of NOT NULL
  change(
    5,
    'alter table public.plain add column more int generated always as (nullif(id, 0)) stored not null',
    'alter table public.plain drop column more',
    /more has a value/,
  ),
  change(
    8,
    'alter table public.plain add column more int generated always as (nullif(id, 0)) not null',
    'alter table public.plain drop column more',
    /23502.*More has a value/,
  ),
  change(
    5,
    'alter table public.plain add constraint noted not null note no inherit',
    'alter table public.plain drop constraint noted',
    /note has a value.*constraint noted not null note no inherit/,
  ),
  change(
    5,
    `create domain public.said as text constraint published not null; comment on constraint published on domain public.said is 'Say something';
      alter table public.plain add column more public.said default ''`,
    'alter table public.plain drop column more; drop domain public.said',
    /Say something/,
  ),
  change(
    5,
    `comment on constraint plain_id_not_null on public.plain is 'Each thing has a number'`,
    'comment on constraint plain_id_not_null on public.plain is null',
    /Each thing has a number/,
  ),
];
