/** One situation of grants and policies, in a schema of its own that is first in the search path. */
export interface MatrixCase {
  name: string;
  /** Runs as the app's owner; `reset role` makes it the superuser. */
  sql: string;
  /** Roles whose cells are tried; anon, authenticated, service_role and agent when missing. */
  roles?: string[];
  /** The table that holds all rows, where a view hides some from everybody. */
  rowsOf?: string;
}

/** A member and another one; rows belong to either or to nobody. */
export const members = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
const [ada, bob] = members;

const to = 'anon, authenticated, service_role, agent';

/** Every table that is tried has these fields. */
const columns = `id int primary key, owner uuid, note text default 'note', status text default 'open', secret text default 's'`;
const rows = (name: string) =>
  `insert into ${name} (id, owner, status) values (1, '${ada}', 'open'), (2, '${bob}', 'open'), (3, '${ada}', 'closed'), (4, null, 'open');`;

const bare = (name = 't') => `create table ${name} (${columns}); ${rows(name)}`;
const granted = (name = 't') => `${bare(name)} grant all on ${name} to ${to};`;
const secured = (name = 't') => `${granted(name)} alter table ${name} enable row level security;`;

const own = '(select auth.uid()) = owner';
const teams = `create table m (user_id uuid, team int); insert into m values ('${ada}', 1);`;

export const matrixCases: MatrixCase[] = [
  // Grants
  { name: 'everything granted, no row-level security', sql: granted() },
  { name: 'nothing granted', sql: bare() },
  {
    name: 'policies without row-level security have no effect',
    sql: `${granted()} create policy p on t using (false);`,
  },
  { name: 'granted to PUBLIC', sql: `${bare()} grant select, delete on t to public;` },
  {
    name: 'granted to a role whose members inherit it or not',
    sql: `${bare()} grant select, insert, update, delete on t to staff;`,
    roles: ['agent', 'clerk', 'staff', 'anon'],
  },
  { name: 'two fields may be read', sql: `${bare()} grant select (id, note) on t to ${to};` },
  {
    name: 'each field granted by itself',
    sql: `${bare()} grant select (id, owner, note, status, secret) on t to ${to};`,
  },
  { name: 'one field may be changed', sql: `${bare()} grant select, update (note) on t to ${to};` },
  { name: 'two fields may be given', sql: `${bare()} grant insert (id, note) on t to ${to};` },
  { name: 'no USAGE on the schema', sql: `${granted()} revoke usage on schema this_schema from public, ${to};` },
  { name: 'writes without the right to read', sql: `${bare()} grant update, delete on t to ${to};` },
  {
    name: 'writes with the right to read one field',
    sql: `${bare()} grant select (note), update, delete on t to ${to};`,
  },
  ...[
    ['a check', 'alter table t add check (f(note))'],
    ['the domain of a field', 'create domain d as text check (f(value)); alter table t alter note type d'],
    ['an index', 'create index i on t (f(note))'],
    ['the condition of an index', 'create unique index i on t (id) where f(note)'],
    ['a generated field', 'alter table t add g boolean generated always as (f(note)) stored'],
    [
      'the condition of a trigger',
      'create trigger g before delete on t for each row when (f(old.note)) execute function h()',
    ],
    [
      'a trigger of one field',
      'create trigger g before update of note on t for each row when (f(old.note)) execute function h()',
    ],
    [
      'a check beneath a view',
      'alter table t add check (f(note)); create view v as select * from t; grant all on v to anon, agent',
    ],
  ].map(([name, made]) => ({
    name: `${name} that calls what only one role may execute`,
    sql: `${granted()} create function f(text) returns boolean language plpgsql immutable as 'begin return true; end';
      create function h() returns trigger language plpgsql as 'begin return coalesce(new, old); end';
      revoke execute on function f from public, ${to}; grant execute on function f to authenticated; ${made};`,
    // Once a page is full of what was tried, every update makes entries in all indexes.
    roles: ['anon', 'authenticated'],
  })),
  {
    name: 'a default sequence that may not be used, beneath a view',
    sql: `${granted()} create sequence s; alter table t add n int default nextval('s'); revoke all on sequence s from ${to}; create view v as select * from t; grant all on v to ${to};`,
  },
  ...[
    [
      'that may not be computed',
      `n int default nextval('s')`,
      `create view u as select id, note, n as m from t; create view x as select id, note, m as n from u; grant all on x to ${to};`,
    ],
    [
      'that there is none of, where there must be a value',
      'n int not null default 0; alter table t alter n drop default',
    ],
    ['that a domain beneath another has', 'n again'],
  ].map(([name, field, shown = '']) => ({
    name: `views that hide a field with a default ${name}, or take it under another name, or fill it in`,
    sql: `${bare()} create sequence s; revoke all on sequence s from ${to};
      create domain filled as int not null default 1; create domain again as filled not null;
      alter table t drop constraint t_pkey; alter table t alter id drop not null; alter table t add ${field};
      create view v as select id, note from t; create view w as select id from v; create view z as select id, note, n from t;
      ${shown} create view y as select id, note from z;
      create view q as select id, note, n from t; alter view q alter n set default 1; create view r as select id, note from q;
      grant all on v, w, y, r to ${to}; grant insert (id, note) on q, z to ${to};`,
  })),
  {
    name: 'a field that must have a value and no grant, or a trigger to mend it',
    sql: `${bare()} alter table t add must int; create table k (like t); alter table k alter must set not null;
      grant insert (id, note) on t, k to ${to}; create table l (like k); grant insert (id, note) on l to ${to};
      create function mend() returns trigger language plpgsql as 'begin new.must := 1; return new; end';
      create trigger mend before insert on l for each row execute function mend();`,
  },
  {
    name: 'a default of a view that may not be computed',
    sql: `${bare()} create sequence s; revoke all on sequence s from ${to}; alter table t add n int; create view v as select id, note, n from t;
      alter view v alter n set default nextval('s'); grant all on v to ${to}; create view w as select id, note from v; grant all on w to ${to};`,
  },
  {
    name: 'a default sequence that may not be used',
    sql: `${bare()} create sequence s; alter table t add n int default nextval('s'); grant all on t to ${to}; revoke all on sequence s from ${to};`,
  },
  {
    name: 'a default function that may not be called',
    sql: `${bare()} create function d() returns int language plpgsql as 'begin return 1; end'; revoke execute on function d from public, ${to}; alter table t add n int default d(); grant all on t to ${to};`,
  },
  { name: 'predefined roles read and write everything', sql: bare(), roles: ['reader', 'writer', 'anon'] },
  // Owners
  {
    name: 'row-level security does not bind the owner',
    sql: `${secured()} reset role; alter table t owner to keeper;`,
    roles: ['keeper', 'deputy', 'agent'],
  },
  {
    name: 'forced row-level security binds the owner',
    sql: `${secured()} alter table t force row level security; create policy p on t for select using (status = 'open'); reset role; alter table t owner to keeper;`,
    roles: ['keeper', 'deputy', 'service_role'],
  },
  {
    name: 'an owner that took its own rights away',
    sql: `${bare()} reset role; alter table t owner to keeper; revoke all on t from keeper;`,
    roles: ['keeper', 'deputy'],
  },
  // Row-level security
  { name: 'row-level security without a policy', sql: secured() },
  { name: 'a policy that is always true', sql: `${secured()} create policy p on t using (true);` },
  { name: 'a policy that is never true', sql: `${secured()} create policy p on t using (false);` },
  { name: 'a policy that is null', sql: `${secured()} create policy p on t using (null::boolean);` },
  { name: 'own rows', sql: `${secured()} create policy p on t using (${own});` },
  {
    name: 'own rows, read through the claims',
    sql: `${secured()} create policy p on t using (((auth.jwt() ->> 'sub')::uuid) = owner);`,
  },
  {
    name: 'own rows may be read, all may be deleted',
    sql: `${secured()} create policy r on t for select using (${own}); create policy d on t for delete using (true);`,
  },
  {
    name: 'all rows may be read, own deleted',
    sql: `${secured()} create policy r on t for select using (true); create policy d on t for delete using (${own});`,
  },
  { name: 'a restrictive policy alone', sql: `${secured()} create policy p on t as restrictive using (true);` },
  {
    name: 'a restrictive policy narrows a permissive one',
    sql: `${secured()} create policy a on t using (true); create policy b on t as restrictive using (status = 'open');`,
  },
  {
    name: 'a restrictive policy that is never true',
    sql: `${secured()} create policy a on t using (true); create policy b on t as restrictive for update using (false);`,
  },
  {
    name: 'two permissive policies widen one another',
    sql: `${secured()} create policy a on t for select using (${own}); create policy b on t for select using (status = 'closed');`,
  },
  {
    name: 'a policy beside one that is always true',
    sql: `${secured()} create policy a on t for select using (${own}); create policy b on t for select using (true);`,
  },
  {
    name: 'policies for some roles',
    sql: `${secured()} create policy a on t for select to authenticated using (true); create policy b on t for select to staff using (status = 'open'); grant select on t to clerk, staff;`,
    roles: ['anon', 'authenticated', 'agent', 'clerk', 'staff'],
  },
  { name: 'update without a policy for select', sql: `${secured()} create policy p on t for update using (true);` },
  {
    name: 'update of own rows that stay own',
    sql: `${secured()} create policy r on t for select using (true); create policy p on t for update using (${own}) with check (${own});`,
  },
  {
    name: 'update of any row that becomes own',
    sql: `${secured()} create policy r on t for select using (true); create policy p on t for update using (true) with check (${own});`,
  },
  {
    name: 'update that no new row can pass',
    sql: `${secured()} create policy r on t for select using (true); create policy p on t for update using (true) with check (false);`,
  },
  {
    name: 'update with a check and no using',
    sql: `${secured()} create policy r on t for select using (true); create policy p on t for update with check (true);`,
  },
  {
    name: 'update must leave the row visible',
    sql: `${secured()} create policy r on t for select using (status = 'open'); create policy p on t for update using (true) with check (true);`,
  },
  { name: 'insert for oneself', sql: `${secured()} create policy p on t for insert with check (owner = auth.uid());` },
  {
    name: 'insert under a policy for all that has no check',
    sql: `${secured()} create policy p on t for all using (status = 'open');`,
  },
  {
    name: 'insert under two policies',
    sql: `${secured()} create policy a on t for insert with check (status = 'open'); create policy b on t for all using (false) with check (owner is null);`,
  },
  // What a condition asks of the caller
  { name: 'signed in', sql: `${secured()} create policy p on t for select using (auth.uid() is not null);` },
  { name: 'not signed in', sql: `${secured()} create policy p on t for select using ((select auth.uid()) is null);` },
  {
    name: 'a role by its claim',
    sql: `${secured()} create policy p on t for select using (auth.role() = 'authenticated');`,
  },
  {
    name: 'one of two roles by their claim',
    sql: `${secured()} create policy p on t for select using (auth.role() in ('agent', 'anon'));`,
  },
  {
    name: 'any role but one',
    sql: `${secured()} create policy p on t for select using (auth.role() <> 'anon' or status = 'closed');`,
  },
  {
    name: 'a role by current_user',
    sql: `${secured()} create policy p on t for select using (current_user = 'agent');`,
  },
  {
    name: 'not own rows, where a missing user makes null',
    sql: `${secured()} create policy p on t for select using (not (auth.uid() = owner));`,
  },
  { name: 'a value, negated', sql: `${secured()} create policy p on t for select using (not (status = 'closed'));` },
  {
    name: 'one of several values',
    sql: `${secured()} create policy p on t for select using (status in ('closed', 'done'));`,
  },
  {
    name: 'an expression that is not understood',
    sql: `${secured()} create policy p on t for select using (case when id > 2 then length(note) > 2 else false end);`,
  },
  {
    name: 'own or unassigned, and open',
    sql: `${secured()} create policy p on t for select using ((owner = auth.uid() or owner is null) and status <> 'closed');`,
  },
  {
    name: 'true, put in other words',
    sql: `${secured()} create policy p on t for select using (auth.uid() = owner or not false);`,
  },
  // What a condition reads and calls
  {
    name: 'a function that may not be called, beside what is true for one role only',
    sql: `${secured()} create function f() returns boolean language plpgsql stable as 'begin return true; end'; revoke execute on function f from public, ${to}; create policy p on t using (f() and owner is null); create policy q on t using (current_user = 'agent');`,
  },
  {
    name: 'not known to be own',
    sql: `${secured()} create policy p on t for select using ((auth.uid() = owner) is not true);`,
  },
  {
    name: 'a view with a check option and no condition',
    sql: `${granted()} create view v with (check_option = local) as select * from t; grant all on v to ${to};`,
  },
  {
    name: 'members of a team',
    sql: `${secured()} ${teams} grant select on m to ${to}; create policy p on t for select using (exists (select 1 from m where m.user_id = auth.uid() and m.team = t.id));`,
  },
  {
    name: 'members of a team that the role may not read',
    sql: `${secured()} ${teams} grant select on m to authenticated; create policy p on t for select using (exists (select 1 from m where m.user_id = auth.uid() and m.team = t.id));`,
  },
  {
    name: 'members of a team that shows no row',
    sql: `${secured()} ${teams} grant select on m to ${to}; alter table m enable row level security; create policy p on t for select using (id in (select m.team from m where m.user_id is not null));`,
  },
  {
    name: 'no member of a team that shows no row',
    sql: `${secured()} ${teams} grant select on m to ${to}; alter table m enable row level security; create policy p on t for select using (not exists (select 1 from m where m.team = t.id));`,
  },
  {
    name: 'members of own teams',
    sql: `${secured()} ${teams} grant select on m to ${to}; alter table m enable row level security; create policy p on m using (user_id = (select auth.uid())); create policy p on t for select using (id in (select m.team from m));`,
  },
  {
    name: 'a policy that reads its own table',
    sql: `${secured()} create policy p on t using (exists (select 1 from t as other where other.owner = auth.uid()));`,
  },
  {
    name: 'two tables whose policies read one another',
    sql: `${secured()} ${secured('u')} create policy p on t for select using (exists (select 1 from u where u.id = t.id)); create policy q on u for select using (exists (select 1 from t where t.id = u.id));`,
  },
  {
    name: 'an insert that looks at its table, whose reading asks nothing',
    sql: `${secured()} create policy r on t for select using (status = 'open'); create policy p on t for insert with check (not exists (select 1 from t as other where other.owner = t.owner));`,
  },
  {
    name: 'a policy that calls a function',
    sql: `${secured()} create function f() returns boolean language plpgsql stable as 'begin return true; end'; revoke execute on function f from public, ${to}; grant execute on function f to authenticated; create policy p on t for select using (f() and status = 'open');`,
  },
  {
    name: 'a function that may not be called, beside true',
    sql: `${secured()} create function f() returns boolean language plpgsql stable as 'begin return true; end'; revoke execute on function f from public, ${to}; create policy p on t for select using (f()); create policy q on t for select using (true);`,
  },
  // Views
  {
    name: 'a view with its owner’s rights',
    sql: `${secured()} revoke all on t from ${to}; create view v as select * from t; grant all on v to ${to};`,
  },
  { name: 'a view without a grant', sql: `${granted()} create view v as select * from t; revoke all on v from ${to};` },
  {
    name: 'a view with the caller’s rights',
    sql: `${secured()} create policy p on t using (${own}); create view v with (security_invoker) as select * from t; grant all on v to ${to};`,
  },
  {
    name: 'a view with the caller’s rights, and none beneath',
    sql: `${bare()} create view v with (security_invoker) as select * from t; grant all on v to ${to};`,
  },
  {
    name: 'a view that reads two fields with the caller’s rights',
    sql: `${bare()} grant select (id, note) on t to ${to}; create view v with (security_invoker) as select id, note from t; create view w with (security_invoker) as select id, secret from t; grant select on v, w to ${to};`,
  },
  {
    name: 'views with the caller’s rights that show fields that may be given or changed, some of them, or none',
    sql: `${bare()} grant select, insert (id, note), update (note) on t to ${to}; create view v with (security_invoker) as select id, note, status from t;
      create view w with (security_invoker) as select id, status from t; create view x with (security_invoker) as select id, note as words from t;
      create view y with (security_invoker) as select id, words from x; create view z with (security_invoker) as select id, upper(note) as loud from t;
      grant all on v, w, x, y, z to ${to}; create view u with (security_invoker) as select note from t; grant select, update on u to ${to};`,
  },
  {
    name: 'a view whose owner is bound',
    rowsOf: 't',
    sql: `${secured()} alter table t force row level security; create policy p on t using (status = 'open'); create view v as select * from t; grant all on v to ${to};`,
  },
  {
    name: 'a view whose owner lost its rights',
    rowsOf: 't',
    sql: `${granted()} create view v as select * from t; grant all on v to ${to}; reset role; alter view v owner to keeper;`,
  },
  {
    name: 'a view of a view',
    sql: `${secured()} create policy p on t for select using (status = 'open'); create view v with (security_invoker) as select * from t; create view w as select * from v; create view x with (security_invoker) as select * from w; grant all on w, x, v to ${to};`,
  },
  {
    name: 'a view that counts',
    sql: `${secured()} create policy p on t for select using (${own}); create view v with (security_invoker) as select status, count(*) from t group by status; grant select on v to ${to};`,
  },
  {
    name: 'a view that joins',
    sql: `${secured()} ${granted('u')} create policy p on t for select using (${own}); create view v with (security_invoker) as select t.id, u.note from t join u using (id); grant select on v to ${to};`,
  },
  {
    name: 'a view with a check option',
    sql: `${granted()} create view v as select * from t where status = 'open' with check option; grant all on v to ${to};`,
  },
  {
    name: 'a view that may be written but not read',
    sql: `${bare()} create view v as select * from t; grant update, delete on v to ${to};`,
  },
  {
    name: 'a view that calls a function',
    sql: `${granted()} create function f() returns int language plpgsql stable as 'begin return 1; end'; revoke execute on function f from public, ${to}; grant execute on function f to authenticated; create view v as select id, f() from t; grant select on v to ${to};`,
  },
  {
    name: 'a view that calls a function, to be written without it',
    sql: `${granted()} create function f() returns int language plpgsql stable as 'begin return 1; end'; revoke execute on function f from public, ${to}; grant execute on function f to authenticated; create view v as select id, note, f() from t; grant all on v to ${to};`,
  },
  {
    name: 'a view that calls a function in its condition',
    sql: `${granted()} create function f() returns int language plpgsql stable as 'begin return 1; end'; revoke execute on function f from public, ${to}; grant execute on function f to authenticated; create view v as select id, note from t where f() = 1; grant all on v to ${to};`,
  },
  {
    name: 'a materialized view that holds nothing yet',
    rowsOf: 't',
    sql: `${granted()} create materialized view w as select * from t with no data; grant select on w to ${to};`,
  },
  {
    name: 'a materialized view that holds nothing yet, and a view of it',
    rowsOf: 't',
    sql: `${granted()} create materialized view m as select * from t with no data; create view w as select id, note from m where id > 0; grant all on m, w to ${to};`,
  },
  {
    name: 'a view that needs such a one for some of its fields',
    rowsOf: 't',
    sql: `${granted()} create materialized view m as select * from t with no data; create view w as select id, note, (select count(*) from m) as f from t; grant select on m, w to ${to};`,
  },
  {
    name: 'a policy that reads such a one',
    sql: `${secured()} create materialized view m as select * from t with no data; grant select on m to ${to}; create policy p on t for select using (exists (select from m));`,
  },
  {
    name: 'a materialized view',
    sql: `${secured()} reset role; alter table t owner to current_user; create materialized view w as select * from t; grant select on w to authenticated;`,
  },
  {
    name: 'a view whose INSTEAD OF trigger takes what its table would refuse',
    sql: `${secured()} create view v with (security_invoker) as select * from t; grant all on v to ${to}; create function take() returns trigger language plpgsql as 'begin if new.status = ''closed'' then return null; end if; return new; end'; create trigger take instead of insert on v for each row execute function take();`,
  },
  // Other kinds of tables
  {
    name: 'a partitioned table',
    sql: `create table t (${columns}) partition by range (id); create table t1 partition of t for values from (0) to (3); create table t2 partition of t default; ${rows('t')} grant all on t to ${to}; alter table t enable row level security; create policy p on t using (status = 'open');`,
  },
  {
    name: 'a table that others inherit from',
    sql: `${secured()} create table u () inherits (t); grant all on u to ${to}; insert into u (id, status) values (5, 'open'); create policy p on t for select using (status = 'open');`,
  },
  {
    name: 'a table whose deletes a rule replaces for some rows',
    sql: `${granted()} create rule no_delete as on delete to t where old.status = 'closed' do instead nothing;`,
  },
  {
    name: 'a table whose deletes a rule takes away, and a view of it',
    sql: `${granted()} create rule no_delete as on delete to t do instead nothing;
      create view v as select * from t; grant all on v to ${to};`,
  },
  {
    name: 'a table whose deletes a rule replaces with a change that answers rows',
    sql: `${granted()} create rule keep as on delete to t do instead
      update t set status = 'closed' where t.id = old.id and old.status = 'open' returning t.*;`,
  },
  {
    name: 'a table whose changes a rule replaces with one that answers no rows, and whose deletes with two',
    sql: `${granted()} ${bare('other')} create rule elsewhere as on update to t do instead update other set note = new.note where id = old.id;
      create rule twice as on delete to t do instead (delete from other where id = old.id; delete from other where id > 9);
      grant all on other to ${to};`,
  },
  {
    name: 'a table whose new rows a rule writes down, and one whose rules are switched off',
    sql: `${granted()} ${granted('off')} create table log (id int); create rule log as on insert to t do also insert into log values (new.id);
      create rule gone as on delete to off do instead nothing; alter table off disable rule gone;
      create rule idle as on update to t do also nothing;`,
  },
  {
    name: 'a view of which a rule takes some rows out',
    sql: `${granted()} create view v as select * from t; grant all on v to ${to};
      create rule closed_stay as on delete to v where old.status = 'closed' do instead nothing;`,
  },
  {
    name: 'names that need quotes',
    sql: `${secured('"we""ird | näme\n(1)"')} create policy "p'""q" on "we""ird | näme\n(1)" using (${own} or note = '|\\''' or status = 'closed');`,
  },
  // What operators and casts call, and what partitions, heirs and domains do
  ...[
    [
      'a policy',
      "alter table t enable row level security; create policy p on t using (note operator(this_schema.===) 'x')",
    ],
    [
      'one condition of a policy',
      "alter table t enable row level security; create policy p on t using (true) with check (note operator(this_schema.===) 'x')",
    ],
    ['a check', "alter table t add check (note operator(this_schema.===) 'x')"],
    [
      'the default of a field',
      "alter table t add n int default (case when 'a' operator(this_schema.===) 'b' then 1 end)",
    ],
    [
      'the condition of a view',
      "create view v as select id, note from t where note operator(this_schema.===) 'x'; grant all on v to anon, agent, authenticated",
    ],
  ].map(([name, made]) => ({
    name: `an operator in ${name} whose function only one role may execute`,
    sql: `${granted()} create function f(text, text) returns boolean language plpgsql immutable as 'begin return true; end';
      create operator === (function = f, leftarg = text, rightarg = text);
      revoke execute on function f from public, ${to}; grant execute on function f to authenticated; ${made};`,
    roles: ['anon', 'agent'],
  })),
  {
    name: 'a cast in a policy whose function only one role may execute',
    sql: `${secured()} create type boxed as (a text); create function f(text) returns boxed language plpgsql immutable as 'begin return row($1); end';
      create cast (text as boxed) with function f(text); revoke execute on function f from public, ${to}; grant execute on function f to authenticated;
      create policy p on t using ((note::boxed).a is not null);`,
    roles: ['anon', 'agent', 'service_role'],
  },
  ...[
    [
      'one partition',
      `create table t1 partition of t for values in ('open'); create table t2 partition of t default; alter table t2 add check (f(note))`,
    ],
    [
      'each partition',
      `create table t1 partition of t for values in ('open'); create table t2 partition of t default; alter table t2 add check (f(note)); alter table t1 add check (f(status))`,
    ],
    [
      'the index of one partition',
      `create table t1 partition of t for values in ('open'); create table t2 partition of t default; create index i on t2 (f(note))`,
    ],
    [
      'the key of partitions beneath one',
      `create table t1 partition of t for values in ('open') partition by list (f(note)); create table t2 partition of t1 default; create table t3 partition of t default; create table t4 partition of t1 for values in (true)`,
    ],
  ].map(([name, made]) => ({
    name: `what ${name} calls that only one role may execute`,
    sql: `create function f(text) returns boolean language plpgsql immutable as 'begin return true; end';
      create table t (${columns.replace(' primary key', '')}) partition by list (status); ${made}; ${rows('t')} grant all on t to ${to};
      revoke execute on function f from public, ${to}; grant execute on function f to authenticated;`,
    roles: ['anon', 'authenticated'],
  })),
  {
    name: 'a key of partitions that calls what only one role may execute',
    sql: `create function f(text) returns boolean language plpgsql immutable as 'begin return true; end';
      create table t (${columns.replace(' primary key', '')}) partition by list (f(note)); create table t1 partition of t for values in (true);
      ${rows('t')} grant all on t to ${to}; revoke execute on function f from public, ${to}; grant execute on function f to authenticated;`,
    roles: ['anon', 'authenticated'],
  },
  {
    name: 'an heir that calls what only one role may execute',
    sql: `${granted()} create function f(text) returns boolean language plpgsql immutable as 'begin return true; end';
      create table u () inherits (t); insert into u (id) values (7); alter table u add check (f(note)); grant all on u to ${to};
      revoke execute on function f from public, ${to}; grant execute on function f to authenticated;`,
    roles: ['anon', 'authenticated'],
  },
  {
    name: 'a domain whose default may not be computed, and one that lost the default of the one beneath',
    sql: `${granted()} create function d() returns int language plpgsql as 'begin return 1; end'; create domain counted as int default d();
      create domain filled as int not null default 1; create domain again as filled; alter domain again drop default;
      create table k (id int, note text, n counted); create table l (id int, note text, n again); grant all on k to ${to}; grant select, insert (id, note) on l to ${to};
      insert into k values (1, 'a', 1); insert into l values (1, 'a', 1); revoke execute on function d from public, ${to};`,
  },
  {
    name: 'a view with the caller’s rights beneath one with its owner’s, whose policy leads back',
    sql: `${secured()} create view w with (security_invoker) as select * from t; create view v as select * from w; grant all on w, v to ${to};
      create policy p on t to anon using (exists (select 1 from v where v.id = 1)); create policy q on t to authenticated using (true);`,
  },
  // Publications
  ...[
    ['without a key', 'create publication this_schema for table k', 'create table k (id int, note text)'],
    ['with a key', 'create publication this_schema for table k', 'create table k (id int primary key, note text)'],
    [
      'whose key may be asked late',
      'create publication this_schema for table k',
      'create table k (id int primary key deferrable, note text)',
    ],
    [
      'by which changes are not told',
      `create publication this_schema for table k with (publish = 'insert, delete')`,
      'create table k (id int, note text)',
    ],
    [
      'told by all its fields',
      'create publication this_schema for table k',
      'create table k (id int, note text); alter table k replica identity full',
    ],
    [
      'told by nothing',
      'create publication this_schema for table k',
      'create table k (id int primary key, note text); alter table k replica identity nothing',
    ],
    [
      'of a published schema',
      'reset role; create publication this_schema for tables in schema this_schema',
      'create table k (id int, note text)',
    ],
    [
      'with a filter by a field beside the key',
      `create publication this_schema for table k where (note = 'x')`,
      'create table k (id int primary key, note text)',
    ],
    [
      'with a filter by the key',
      'create publication this_schema for table k where (id > 0)',
      'create table k (id int primary key, note text)',
    ],
    [
      'without its key among the fields',
      'create publication this_schema for table k (note)',
      'create table k (id int primary key, note text)',
    ],
    [
      'with a partition without a key',
      'create publication this_schema for table k',
      'create table k (id int, note text) partition by list (id); create table k1 partition of k for values in (1); create table k2 partition of k default; alter table k1 replica identity full',
    ],
    [
      'with an heir without a key',
      'create publication this_schema for table k',
      'create table k (id int primary key, note text); create table h () inherits (k)',
    ],
    [
      'beneath a view',
      'create publication this_schema for table k',
      'create table k (id int, note text); create view v as select id, note from k; grant all on v to anon, authenticated',
    ],
  ].map(([name, published, made]) => ({
    name: `a published table ${name}`,
    sql: `${made}; insert into k values (1, 'a'); insert into k values (2, 'b'); grant all on k to ${to}; ${published};`,
    roles: ['anon', 'service_role'],
  })),
  {
    name: 'a table to whose rows point those of a published table without a key',
    sql: `create table k (id int primary key, note text); create table m (id int references k on delete cascade); insert into k values (1, 'a'), (2, 'b');
      insert into m values (1); grant all on k to ${to}; create publication this_schema for table m;`,
    roles: ['anon', 'service_role'],
  },
];
