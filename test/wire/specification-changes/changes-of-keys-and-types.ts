import { type Change, change } from './change.ts';

const stays = `create extension btree_gist schema extensions;
  create table public.rooms (id int, during int4range, constraint rooms_key unique (id, during));
  create table public.stays (room int, during int4range, number int, floor int);`;
const noStays = 'drop table public.stays, public.rooms; drop extension btree_gist';
const inStays = (chapter: number, does: string, says: RegExp): Change =>
  change(chapter, `${stays} alter table public.stays ${does}`, noStays, says);
const inRooms = (chapter: number, does: string, says: RegExp): Change =>
  change(chapter, `${stays} alter table public.rooms ${does}`, noStays, says);

const typed = `create domain public.word as text check (length(value) >= 3); create domain public.needed as int not null;
  create domain public.long_word as public.word check (length(value) <= 20);
  create type public.street as (name public.word, number public.needed); create type public.span as range (subtype = public.even);`;
/** Returns a change that adds a field of the type to the plain table. */
const typedAs = (chapter: number, type: string, says: RegExp, more = ''): Change =>
  change(
    chapter,
    `create domain public.even as int check (value % 2 = 0); ${typed} alter table public.plain add column more ${type}; ${more}`,
    `alter table public.plain drop column more; drop type public.span, public.street;
      drop domain public.even, public.long_word, public.word, public.needed`,
    says,
  );

const caseless = "create collation public.caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)";
const collated = (chapter: number, does: string, says: RegExp): Change =>
  change(
    chapter,
    `${caseless}; alter table public.plain add column more text collate public.caseless; ${does}`,
    'alter table public.plain drop column more; drop collation public.caseless',
    says,
  );

const counted = (does: string, undoes: string, says: RegExp): Change =>
  change(
    3,
    `alter table public.tickets alter column id ${does}`,
    `alter table public.tickets alter column id ${undoes}`,
    says,
  );

/** Changes of keys, nested types, collations and numbers, for chapters 3, 5 and 8. */
export const changesOfKeysAndTypes: readonly Change[] = [
  // Keys over periods
  inRooms(3, 'add primary key (id, during without overlaps)', /No two rows have the same `id` and overlap in `during`/),
  inRooms(
    5,
    'add primary key (id, during without overlaps)',
    /id, during have values, and no two rows have the same id and overlap in during/,
  ),
  inRooms(5, 'add unique (id, during without overlaps)', /- during is not an empty range/),
  inRooms(8, 'add unique (id, during without overlaps)', /23P01.*same id and overlap in during/),
  inRooms(8, 'add unique (id, during without overlaps)', /23514.*during is not an empty range/i),
  change(
    3,
    `${stays} alter table public.rooms add primary key (id, during without overlaps);
      alter table public.stays add foreign key (room, period during) references public.rooms (id, period during)`,
    noStays,
    /`room`, `during` points to rows of public\.rooms .*that cover all of `during`/,
  ),
  change(
    5,
    `${stays} alter table public.rooms add primary key (id, during without overlaps);
      alter table public.stays add foreign key (room, period during) references public.rooms (id, period during)`,
    noStays,
    /at every point of during, room is the id of a row in rooms/,
  ),
  inStays(
    5,
    'add constraint apart exclude using gist (room with =, during with &&, floor with <>) where (number > 3)',
    /same room, overlap in during and differ in floor, among those where number is more than 3/,
  ),
  inStays(8, 'add exclude using gist (room with =, during with &&)', /23P01.*same room and overlap in during/),
  inStays(
    5,
    'add unique (floor, number), add foreign key (number, floor) references public.stays (floor, number) match full',
    /number, floor are the floor, number of a row in stays, or none of them has a value/,
  ),
  inStays(
    5,
    'add unique nulls not distinct (room, floor)',
    /no two rows have the same room, floor; no value counts as a value/,
  ),
  inStays(5, 'add primary key (room) deferrable initially deferred', /room has a value.*at the end of the transaction/),
  change(
    5,
    'create unique index once on public.plain (lower(note), (id % 7)) where note like $$a%$$',
    'drop index public.once',
    /same note in lower case, id modulo 7, among those where note starts with 'a'/,
  ),

  change(
    5,
    `create table public.parted (id int, kind text) partition by list (kind);
      create table public.part partition of public.parted for values in ('a'); create unique index alone on public.part (id)`,
    'drop table public.parted',
    /of rows in public\.part: no two rows have the same id/,
  ),
  change(
    5,
    `create table public.parted (id int, kind text) partition by list (kind);
      create table public.part partition of public.parted for values in ('a', 'b')`,
    'drop table public.parted',
    /kind is one of 'a', 'b', and never empty/,
  ),
  change(
    8,
    `create table public.parted (id int, kind text) partition by range (id);
      create table public.part partition of public.parted for values from (1) to (9)`,
    'drop table public.parted',
    /23514.*By RANGE \(id\) each row fits a partition: FROM \(1\) TO \(9\); a row without a value fits none/,
  ),
  inStays(
    3,
    'add unique (floor, number), add foreign key (floor, number) references public.stays (floor, number) on delete set null (number)',
    /`floor`, `number` points to .*; `number` emptied when that row is deleted/,
  ),

  // Nested types
  typedAs(5, 'public.word[]', /each element of more is at least 3 characters/),
  typedAs(8, 'public.word[]', /23514.*each element of more is at least 3 characters/i),
  typedAs(5, 'public.needed[]', /each element of more has a value/),
  typedAs(5, 'varchar(7)[]', /each element of more is at most 7 characters/),
  typedAs(5, 'public.street', /name of more is at least 3 characters/),
  typedAs(8, 'public.street', /23502.*number of more has a value where more has one/i),
  typedAs(5, 'public.street[]', /name of each element of more is at least 3 characters/),
  typedAs(5, 'public.span', /each bound of more is a multiple of 2/),
  typedAs(5, 'public.long_word[]', /each element of more is at least 3 characters/),
  typedAs(3, 'public.long_word', /`more`.*Some letters/, `comment on domain public.word is 'Some letters'`),
  typedAs(
    3,
    'public.long_word',
    /`more`.*More letters; Some letters/,
    `comment on domain public.word is 'Some letters'; comment on domain public.long_word is 'More letters'`,
  ),
  typedAs(3, 'public.word[]', /`more`.*Some letters/, `comment on domain public.word is 'Some letters'`),
  typedAs(
    3,
    'public.street',
    /name public\.word \(As on the sign\)/,
    `comment on column public.street.name is 'As on the sign'`,
  ),

  // Collations
  collated(
    3,
    '',
    /`more` \| text, by the collation public\.caseless, in which texts that differ in upper and lower case alone/,
  ),
  collated(
    5,
    'alter table public.plain add unique (more)',
    /same more; texts in more that differ in upper and lower case alone count as the same/,
  ),
  change(
    5,
    `${caseless}; create unique index once on public.plain (note collate public.caseless)`,
    'drop index public.once; drop collation public.caseless',
    /same note; texts in note that differ in upper and lower case alone count as the same/,
  ),
  change(
    5,
    'create domain public.mail as extensions.citext; alter table public.plain add column mail public.mail unique',
    'alter table public.plain drop column mail; drop domain public.mail',
    /same mail; texts in mail that differ in upper and lower case alone count as the same/,
  ),
  change(
    3,
    'alter table public.plain alter column note type text collate "C"',
    'alter table public.plain alter column note type text collate "default"',
    /`note` \| text, by the collation "C"/,
  ),

  // Numbers
  counted('set maxvalue 100', 'set no maxvalue', /`id`.*numbered unless given, from 1 to 100, then none \(2200H\)/),
  counted('set minvalue -5', 'set minvalue 1', /`id`.*from 1, never set below -5/),
  change(
    3,
    'alter sequence public.tickets_id_seq cache 20',
    'alter sequence public.tickets_id_seq cache 1',
    /`id`.*from 1, 20 at a time for each connection/,
  ),
  counted('set increment by 10', 'set increment by 1', /`id`.*from 1 in steps of 10/),
  counted('set maxvalue 9 set cycle', 'set no maxvalue set no cycle', /`id`.*from 1 to 9, then again from 1/),
  change(
    3,
    'alter table public.plain add column more serial; alter sequence public.plain_more_seq maxvalue 50',
    'alter table public.plain drop column more',
    /`more`.*from 1 to 50, then none/,
  ),
];
