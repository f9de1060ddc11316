import { bare, columns, granted, type MatrixCase, own, rows, secured, teams, to } from './matrix-case.ts';

/** Cases about views, partitions, inheritance children and publications, and about the functions that these call. */
export const casesOfViews: MatrixCase[] = [
  // Views
  {
    name: 'a view, which uses the privileges of its owner',
    sql: `${secured()} revoke all on t from ${to}; create view v as select * from t; grant all on v to ${to};`,
  },
  { name: 'a view without a grant', sql: `${granted()} create view v as select * from t; revoke all on v from ${to};` },
  {
    name: 'a view with security_invoker',
    sql: `${secured()} create policy p on t using (${own}); create view v with (security_invoker) as select * from t; grant all on v to ${to};`,
  },
  {
    name: 'a view with security_invoker on a table without grants',
    sql: `${bare()} create view v with (security_invoker) as select * from t; grant all on v to ${to};`,
  },
  {
    name: 'views with security_invoker that read fields with and without a grant',
    sql: `${bare()} grant select (id, note) on t to ${to}; create view v with (security_invoker) as select id, note from t; create view w with (security_invoker) as select id, secret from t; grant select on v, w to ${to};`,
  },
  {
    name: 'views with security_invoker of which the role may set all, some or no fields',
    sql: `${bare()} grant select, insert (id, note), update (note) on t to ${to}; create view v with (security_invoker) as select id, note, status from t;
      create view w with (security_invoker) as select id, status from t; create view x with (security_invoker) as select id, note as words from t;
      create view y with (security_invoker) as select id, words from x; create view z with (security_invoker) as select id, upper(note) as loud from t;
      grant all on v, w, x, y, z to ${to}; create view u with (security_invoker) as select note from t; grant select, update on u to ${to};`,
  },
  {
    name: 'a view whose owner is subject to forced row-level security',
    rowsOf: 't',
    sql: `${secured()} alter table t force row level security; create policy p on t using (status = 'open'); create view v as select * from t; grant all on v to ${to};`,
  },
  {
    name: 'a view whose owner has no privileges on the table',
    rowsOf: 't',
    sql: `${granted()} create view v as select * from t; grant all on v to ${to}; reset role; alter view v owner to keeper;`,
  },
  {
    name: 'views that lock rows, and a view and a policy that read these views',
    sql: `${granted()} create view v as select id, note from t for update; create view w with (security_invoker) as select id, note from v;
      create view x as select t.id from t where exists (select from t u where u.id = t.id for share); grant all on v, w, x to ${to};
      ${granted('u')} alter table u enable row level security; create policy p on u for select using (exists (select from v where v.id = u.id));`,
  },
  {
    name: 'views with identity and generated fields, and views of these views',
    sql: `create table m (id int generated always as identity primary key, owner uuid, note text, status text, loud text generated always as (upper(note)) stored);
      insert into m (owner, note) values (null, 'x'); grant all on m to ${to}; create view v as select id, note from m; create view w as select note, id from v;
      create view x with (security_invoker) as select loud as status, note from m; create view y as select note from m; grant all on v, w, x, y to ${to};`,
  },
  {
    name: 'views with an expression, one with an INSTEAD OF INSERT trigger, one with a rule for UPDATE',
    rowsOf: 't',
    sql: `${granted()} create view v as select id, note, upper(status) as status from t; create view x as select id, note, upper(status) as status from t;
      grant all on v, x to ${to};
      create function take() returns trigger language plpgsql as 'begin return case when new.status <> ''closed'' then new end; end'; create trigger take instead of insert on v for each row execute function take();
      create rule take as on update to x do instead update t set note = new.note where id = old.id and id < 3 returning id, note, status;`,
  },
  {
    name: 'a view with a function that writes',
    rowsOf: 't',
    sql: `${granted()} create function f() returns boolean language plpgsql security definer as 'begin delete from this_schema.t where false; return true; end';
      create view v as select id, note from t where f(); grant select on v to ${to};`,
  },
  {
    name: 'a view with a subquery that joins a table whose rows some roles do not see',
    rowsOf: 't',
    sql: `${secured()} create policy p on t for select to authenticated, service_role using (true); ${granted('k')}
      create view v with (security_invoker) as select t.id, t.note, (select 1) as n from t join k on k.id = t.id where exists (select from k);
      grant all on v to ${to};`,
  },
  {
    name: 'a view of a view',
    sql: `${secured()} create policy p on t for select using (status = 'open'); create view v with (security_invoker) as select * from t; create view w as select * from v; create view x with (security_invoker) as select * from w; grant all on w, x, v to ${to};`,
  },
  {
    name: 'a view with count(*)',
    sql: `${secured()} create policy p on t for select using (${own}); create view v with (security_invoker) as select status, count(*) from t group by status; grant select on v to ${to};`,
  },
  {
    name: 'a view with a join',
    sql: `${secured()} ${granted('u')} create policy p on t for select using (${own}); create view v with (security_invoker) as select t.id, u.note from t join u using (id); grant select on v to ${to};`,
  },
  {
    name: 'views with security_invoker that read whole rows of a table with grants on some fields',
    sql: `${bare()} grant select (id, note) on t to ${to}; create view v with (security_invoker) as select id, to_jsonb(t) as whole from t;
      create view w with (security_invoker) as select id from t where t is not null; create view x with (security_invoker) as select count(*)::int as id from t;
      grant select on v, w, x to ${to};`,
  },
  {
    name: 'views with subqueries on tables of which the role may read all, some or no fields',
    sql: `${granted()} ${teams} grant select (user_id) on m to ${to}; create table this_schema.a (status text); insert into a values ('open'); create table this_schema.o (status text); insert into o values ('open');
      grant select on o to ${to};
      create view v with (security_invoker) as select * from t where 'open' in (select status from a); create view w with (security_invoker) as select * from t where owner in (select user_id from m);
      create view x with (security_invoker) as select * from t where 1 in (select team from m) with check option; create view y with (security_invoker) as select * from t where exists (select from o);
      create view z as select * from t where exists (select from a); grant all on v, w, x, y, z to ${to};`,
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
    name: 'a view with a function in a field that only one role may execute',
    sql: `${granted()} create function f() returns int language plpgsql stable as 'begin return 1; end'; revoke execute on function f from public, ${to}; grant execute on function f to authenticated; create view v as select id, f() from t; grant select on v to ${to};`,
  },
  {
    name: 'writes to a view with a function in a field that the write does not use',
    sql: `${granted()} create function f() returns int language plpgsql stable as 'begin return 1; end'; revoke execute on function f from public, ${to}; grant execute on function f to authenticated; create view v as select id, note, f() from t; grant all on v to ${to};`,
  },
  ...[
    ['with a volatile function', 'select id, f() as f from t'],
    ['with DISTINCT over a volatile function', 'select distinct id, f() as f from t'],
    ['with DISTINCT over a stable function', 'select distinct id, s() as s from t'],
    ['with DISTINCT ON a field, and a volatile function', 'select distinct on (id) id, f() as f from t'],
    ['with WITH over a function', 'with c as (select id, f() as f from t) select id, f from c'],
    [
      'with WITH MATERIALIZED over a function',
      'with c as materialized (select id, f() as f from t) select id, f from c',
    ],
    ['with WITH and DISTINCT over a function', 'with c as (select distinct id, f() as f from t) select id, f from c'],
    ['with a subquery in FROM that selects a function', 'select id, f from (select id, f() as f from t) as s'],
    ['with a function that returns several rows', 'select id, r() as r from t'],
    ['with ORDER BY a function', 'select id, note from t order by f(), id'],
  ].map(([name, query]) => ({
    name: `a view ${name}`,
    rowsOf: 't',
    sql: `${granted()} create function f() returns int language plpgsql as 'begin return 1; end'; create function s() returns int language plpgsql stable as 'begin return 1; end';
      create function r() returns setof int language plpgsql stable as 'begin return next 1; end';
      revoke execute on function f, s, r from public, ${to}; grant execute on function f, s, r to authenticated; create view v as ${query}; grant select on v to ${to};`,
  })),
  ...[
    ['has ORDER BY a function', 'select id, note from t order by f(), id'],
    ['has ORDER BY a function that is also a field', 'select id, note, f() from t order by f(), id'],
    ['has ORDER BY a function that is also in the condition', 'select id, note from t where f() = 1 order by f(), id'],
  ].map(([name, query]) => ({
    name: `writes to a view that ${name}`,
    sql: `${granted()} create function f() returns int language plpgsql stable as 'begin return 1; end'; revoke execute on function f from public, ${to}; grant execute on function f to authenticated;
      create view v as ${query}; grant all on v to ${to};`,
  })),
  ...[
    ['in ORDER BY', 'select id, note from t order by f(), id'],
    ['in a field', 'select id, note, f() as f from t'],
  ].map(([name, query]) => ({
    name: `a view with a function ${name} and an INSTEAD OF UPDATE trigger`,
    sql: `${granted()} create function f() returns int language plpgsql stable as 'begin return 1; end'; revoke execute on function f from public, ${to}; grant execute on function f to authenticated;
      create view v as ${query}; grant select, update on v to ${to};
      create function take() returns trigger language plpgsql as 'begin if new.id = 2 then return null; end if; return new; end'; create trigger take instead of update on v for each row execute function take();`,
  })),
  ...[
    [
      'in a subquery that it joins with LEFT JOIN',
      'select t.id, t.note, s.f from t left join (select distinct on (id) id, f() as f from t) s on s.id = t.id',
    ],
    [
      'that is volatile, in the condition of a LEFT JOIN',
      'select t.id, t.note, u.status as f from t left join t u on u.id = t.id and f() = 1',
    ],
    [
      'that is stable, in the condition of a LEFT JOIN',
      'select t.id, t.note, u.status as f from t left join t u on u.id = t.id and s() = 1',
    ],
    [
      'that is stable, in a subquery whose result a read may not need',
      'select t.id, t.note, s.f from t join (select id, s() as f from t) s on s.id = t.id',
    ],
  ].map(([name, query]) => ({
    name: `a view with a function ${name}`,
    sql: `${granted()} create function f() returns int language plpgsql as 'begin return 1; end'; create function s() returns int language plpgsql stable as 'begin return 1; end';
      revoke execute on function f, s from public, ${to}; grant execute on function f, s to authenticated; create view v as ${query}; grant select on v to ${to};`,
  })),
  ...['case when false then f() end', "coalesce('x', f()::text)"].map((chosen) => ({
    name: `a view with a volatile function that a constant makes unreachable: ${chosen}`,
    sql: `${granted()} create function f() returns int language plpgsql as 'begin return 1; end'; create function s() returns int language plpgsql stable as 'begin return 1; end';
      revoke execute on function f, s from public, ${to}; grant execute on function f, s to authenticated;
      create view v as select id, note, ${chosen} as c, s() as f from t; grant select on v to ${to};`,
  })),
  {
    name: 'a view with EXISTS over a query that selects a function',
    sql: `${granted()} create function f() returns int language plpgsql as 'begin return 1; end'; revoke execute on function f from public, ${to}; grant execute on function f to authenticated;
      create view v as select id, note from t where exists (select f() from t u where u.id = t.id); grant select on v to ${to};`,
    roles: ['authenticated'],
  },
  {
    name: 'writes to a view with a volatile function in a field that the write does not use',
    sql: `${granted()} create function f() returns int language plpgsql as 'begin return 1; end'; revoke execute on function f from public, ${to}; grant execute on function f to authenticated;
      create view v as select id, note, f() from t; grant all on v to ${to};`,
  },
  {
    name: 'a view with a function in its condition',
    sql: `${granted()} create function f() returns int language plpgsql stable as 'begin return 1; end'; revoke execute on function f from public, ${to}; grant execute on function f to authenticated; create view v as select id, note from t where f() = 1; grant all on v to ${to};`,
  },
  {
    name: 'a materialized view that was not populated',
    rowsOf: 't',
    sql: `${granted()} create materialized view w as select * from t with no data; grant select on w to ${to};`,
  },
  {
    name: 'a materialized view that was not populated, and a view of it',
    rowsOf: 't',
    sql: `${granted()} create materialized view m as select * from t with no data; create view w as select id, note from m where id > 0; grant all on m, w to ${to};`,
  },
  {
    name: 'a view that reads an unpopulated materialized view for one field',
    rowsOf: 't',
    sql: `${granted()} create materialized view m as select * from t with no data; create view w as select id, note, (select count(*) from m) as f from t; grant select on m, w to ${to};`,
  },
  {
    name: 'a policy that reads an unpopulated materialized view',
    sql: `${secured()} create materialized view m as select * from t with no data; grant select on m to ${to}; create policy p on t for select using (exists (select from m));`,
  },
  {
    name: 'a materialized view',
    sql: `${secured()} reset role; alter table t owner to current_user; create materialized view w as select * from t; grant select on w to authenticated;`,
  },
  {
    name: 'a view whose INSTEAD OF trigger accepts rows that the policies would refuse',
    sql: `${secured()} create view v with (security_invoker) as select * from t; grant all on v to ${to}; create function take() returns trigger language plpgsql as 'begin if new.status = ''closed'' then return null; end if; return new; end'; create trigger take instead of insert on v for each row execute function take();`,
  },
  {
    name: 'a view of a table with a default from a sequence that the role may not use',
    sql: `${granted()} create sequence s; alter table t add n int default nextval('s'); revoke all on sequence s from ${to}; create view v as select * from t; grant all on v to ${to};`,
  },
  ...[
    [
      'that the role may not compute',
      `n int default nextval('s')`,
      `create view u as select id, note, n as m from t; create view x as select id, note, m as n from u; grant all on x to ${to};`,
    ],
    ['that was dropped from a NOT NULL field', 'n int not null default 0; alter table t alter n drop default'],
    ['of the base domain of its domain', 'n again'],
  ].map(([name, field, shown = '']) => ({
    name: `views that omit, rename or fill in a field with a default ${name}`,
    sql: `${bare()} create sequence s; revoke all on sequence s from ${to};
      create domain filled as int not null default 1; create domain again as filled not null;
      alter table t drop constraint t_pkey; alter table t alter id drop not null; alter table t add ${field};
      create view v as select id, note from t; create view w as select id from v; create view z as select id, note, n from t;
      ${shown} create view y as select id, note from z;
      create view q as select id, note, n from t; alter view q alter n set default 1; create view r as select id, note from q;
      grant all on v, w, y, r to ${to}; grant insert (id, note) on q, z to ${to};`,
  })),
  {
    name: 'a default of a view from a sequence that the role may not use',
    sql: `${bare()} create sequence s; revoke all on sequence s from ${to}; alter table t add n int; create view v as select id, note, n from t;
      alter view v alter n set default nextval('s'); grant all on v to ${to}; create view w as select id, note from v; grant all on w to ${to};`,
  },
  {
    name: 'a view with a check option and no condition',
    sql: `${granted()} create view v with (check_option = local) as select * from t; grant all on v to ${to};`,
  },
  {
    name: 'a view with a rule that prevents the deletion of some rows',
    sql: `${granted()} create view v as select * from t; grant all on v to ${to};
      create rule closed_stay as on delete to v where old.status = 'closed' do instead nothing;`,
  },
  // Partitions and inheritance children
  {
    name: 'a partitioned table',
    sql: `create table t (${columns}) partition by range (id); create table t1 partition of t for values from (0) to (3); create table t2 partition of t default; ${rows('t')} grant all on t to ${to}; alter table t enable row level security; create policy p on t using (status = 'open');`,
  },
  {
    name: 'a table with an inheritance child',
    sql: `${secured()} create table u () inherits (t); grant all on u to ${to}; insert into u (id, status) values (5, 'open'); create policy p on t for select using (status = 'open');`,
  },
  // Functions that operators, casts, partitions, inheritance children and domains call
  ...[
    [
      'a policy',
      "alter table t enable row level security; create policy p on t using (note operator(this_schema.===) 'x')",
    ],
    [
      'the WITH CHECK of a policy',
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
    name: 'a policy with a cast whose function only one role may execute',
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
      'the partition key of one partition',
      `create table t1 partition of t for values in ('open') partition by list (f(note)); create table t2 partition of t1 default; create table t3 partition of t default; create table t4 partition of t1 for values in (true)`,
    ],
  ].map(([name, made]) => ({
    name: `a function that ${name} uses and only one role may execute`,
    sql: `create function f(text) returns boolean language plpgsql immutable as 'begin return true; end';
      create table t (${columns.replace(' primary key', '')}) partition by list (status); ${made}; ${rows('t')} grant all on t to ${to};
      revoke execute on function f from public, ${to}; grant execute on function f to authenticated;`,
    roles: ['anon', 'authenticated'],
  })),
  {
    name: 'a partition key with a function that only one role may execute',
    sql: `create function f(text) returns boolean language plpgsql immutable as 'begin return true; end';
      create table t (${columns.replace(' primary key', '')}) partition by list (f(note)); create table t1 partition of t for values in (true);
      ${rows('t')} grant all on t to ${to}; revoke execute on function f from public, ${to}; grant execute on function f to authenticated;`,
    roles: ['anon', 'authenticated'],
  },
  {
    name: 'a view of a partition with a domain whose function only one role may execute',
    sql: `create function f(text) returns boolean language plpgsql immutable as 'begin return true; end'; create domain d as text check (f(value));
      create table t (id int, status text, note d, primary key (id, status)) partition by list (status); create table t1 (note d, status text not null, id int not null);
      alter table t attach partition t1 default; insert into t values (1, 'open', 'a'); create view v as select id, status from t1; grant all on t, t1 to ${to}; grant select, insert on v to ${to};
      revoke execute on function f from public, ${to}; grant execute on function f to authenticated;`,
    roles: ['anon', 'authenticated'],
  },
  {
    name: 'an inheritance child with a check whose function only one role may execute',
    sql: `${granted()} create function f(text) returns boolean language plpgsql immutable as 'begin return true; end';
      create table u () inherits (t); insert into u (id) values (7); alter table u add check (f(note)); grant all on u to ${to};
      revoke execute on function f from public, ${to}; grant execute on function f to authenticated;`,
    roles: ['anon', 'authenticated'],
  },
  {
    name: 'a domain whose default the role may not compute, and one that dropped the default of its base domain',
    sql: `${granted()} create function d() returns int language plpgsql as 'begin return 1; end'; create domain counted as int default d();
      create domain filled as int not null default 1; create domain again as filled; alter domain again drop default;
      create table k (id int, note text, n counted); create table l (id int, note text, n again); grant all on k to ${to}; grant select, insert (id, note) on l to ${to};
      insert into k values (1, 'a', 1); insert into l values (1, 'a', 1); revoke execute on function d from public, ${to};`,
  },
  {
    name: 'a view of a security_invoker view of a table whose policy reads the view',
    sql: `${secured()} create view w with (security_invoker) as select * from t; create view v as select * from w; grant all on w, v to ${to};
      create policy p on t to anon using (exists (select 1 from v where v.id = 1)); create policy q on t to authenticated using (true);`,
  },
  // Publications
  ...[
    ['without a key', 'create publication this_schema for table k', 'create table k (id int, note text)'],
    ['with a key', 'create publication this_schema for table k', 'create table k (id int primary key, note text)'],
    [
      'with a deferrable key',
      'create publication this_schema for table k',
      'create table k (id int primary key deferrable, note text)',
    ],
    [
      'whose publication omits updates',
      `create publication this_schema for table k with (publish = 'insert, delete')`,
      'create table k (id int, note text)',
    ],
    [
      'with REPLICA IDENTITY FULL',
      'create publication this_schema for table k',
      'create table k (id int, note text); alter table k replica identity full',
    ],
    [
      'with REPLICA IDENTITY NOTHING',
      'create publication this_schema for table k',
      'create table k (id int primary key, note text); alter table k replica identity nothing',
    ],
    [
      'in a published schema',
      'reset role; create publication this_schema for tables in schema this_schema',
      'create table k (id int, note text)',
    ],
    [
      'with a filter on a field outside of the key',
      `create publication this_schema for table k where (note = 'x')`,
      'create table k (id int primary key, note text)',
    ],
    [
      'with a filter on the key',
      'create publication this_schema for table k where (id > 0)',
      'create table k (id int primary key, note text)',
    ],
    [
      'whose publication omits the key',
      'create publication this_schema for table k (note)',
      'create table k (id int primary key, note text)',
    ],
    [
      'with a partition without a key',
      'create publication this_schema for table k',
      'create table k (id int, note text) partition by list (id); create table k1 partition of k for values in (1); create table k2 partition of k default; alter table k1 replica identity full',
    ],
    [
      'with an inheritance child without a key',
      'create publication this_schema for table k',
      'create table k (id int primary key, note text); create table h () inherits (k)',
    ],
    [
      'with a view of it',
      'create publication this_schema for table k',
      'create table k (id int, note text); create view v as select id, note from k; grant all on v to anon, authenticated',
    ],
  ].map(([name, published, made]) => ({
    name: `a published table ${name}`,
    sql: `${made}; insert into k values (1, 'a'); insert into k values (2, 'b'); grant all on k to ${to}; ${published};`,
    roles: ['anon', 'service_role'],
  })),
  {
    name: 'a table that a published table without a key references',
    sql: `create table k (id int primary key, note text); create table m (id int references k on delete cascade); insert into k values (1, 'a'), (2, 'b');
      insert into m values (1); grant all on k to ${to}; create publication this_schema for table m;`,
    roles: ['anon', 'service_role'],
  },
];
