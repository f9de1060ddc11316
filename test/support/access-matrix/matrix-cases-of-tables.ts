import { bare, granted, type MatrixCase, own, secured, teams, to } from './matrix-case.ts';

/** Cases of tables: grants, owners, row-level security, and the conditions of policies. */
/** A statement of a function body within quotes that raises an error. */
const refuse = `raise exception ''no'' using errcode = ''42501'';`;

export const casesOfTables: MatrixCase[] = [
  // Grants
  { name: 'everything granted, no row-level security', sql: granted() },
  { name: 'nothing granted', sql: bare() },
  {
    name: 'policies without row-level security have no effect',
    sql: `${granted()} create policy p on t using (false);`,
  },
  { name: 'granted to PUBLIC', sql: `${bare()} grant select, delete on t to public;` },
  {
    name: 'privileges of a role that other roles inherit or, with NOINHERIT, do not inherit',
    sql: `${bare()} grant select, insert, update, delete on t to staff;`,
    roles: ['agent', 'clerk', 'staff', 'anon'],
  },
  { name: 'two fields may be read', sql: `${bare()} grant select (id, note) on t to ${to};` },
  {
    name: 'SELECT granted on each field, not on the table',
    sql: `${bare()} grant select (id, owner, note, status, secret) on t to ${to};`,
  },
  { name: 'one field may be changed', sql: `${bare()} grant select, update (note) on t to ${to};` },
  { name: 'two fields may be set in an insert', sql: `${bare()} grant insert (id, note) on t to ${to};` },
  ...(
    [
      [
        'a function that calls a function which the role may not execute',
        `language sql stable as 'select this_schema.g()'`,
      ],
      [
        'a function that reads a table which the role may not read',
        `language sql stable as 'select exists (select from this_schema.m)'`,
      ],
      [
        'a PL/pgSQL function that reads a table which the role may not read',
        `language plpgsql stable as 'begin return exists (select from this_schema.m); end'`,
      ],
      [
        'a PL/pgSQL function with several statements that reads such a table',
        `language plpgsql stable as 'declare n int; begin select count(*) into n from this_schema.m; return n > 0; end'`,
      ],
    ] as const
  ).flatMap(([name, code]) =>
    ['f()', `${own} or f()`, `${own} and (select f())`].map((condition) => ({
      name: `a policy with the condition ${condition}, where f() is ${name}`,
      sql: `${secured()} ${teams} create function g() returns boolean language sql stable as 'select true'; revoke execute on function g from public, ${to};
        create function f() returns boolean ${code}; create policy p on t using (${condition});`,
    })),
  ),
  {
    name: 'a policy with a SECURITY DEFINER function that reads a table which the role may not read',
    sql: `${secured()} ${teams} create function f() returns boolean language sql stable security definer as 'select exists (select from this_schema.m)';
      create policy p on t using (${own} and (select f()));`,
  },
  ...[
    ['skips every row', 'begin return null; end', ''],
    ['skips some rows', 'begin if old.id = 2 then return null; end if; return coalesce(new, old); end', ''],
    ['skips rows by its WHEN condition', 'begin return null; end', 'when (old.id = 2)'],
    [
      'inserts rows into a table that the role may not write',
      'begin insert into this_schema.m values (null, 1); return coalesce(new, old); end',
      '',
    ],
  ].map(([what, body, when]) => ({
    name: `a trigger that ${what}`,
    sql: `${granted()} ${teams} create function f() returns trigger language plpgsql as '${body}';
      create trigger g before update or delete on t for each row ${when} execute function f();`,
  })),
  { name: 'no USAGE on the schema', sql: `${granted()} revoke usage on schema this_schema from public, ${to};` },
  { name: 'UPDATE and DELETE without SELECT', sql: `${bare()} grant update, delete on t to ${to};` },
  {
    name: 'UPDATE and DELETE with SELECT on one field',
    sql: `${bare()} grant select (note), update, delete on t to ${to};`,
  },
  ...[
    ['a check', 'alter table t add check (f(note))'],
    ['the domain of a field', 'create domain d as text check (f(value)); alter table t alter note type d'],
    ['an index', 'create index i on t (f(note))'],
    ['the predicate of an index', 'create unique index i on t (id) where f(note)'],
    ['a generated field', 'alter table t add g boolean generated always as (f(note)) stored'],
    [
      'the condition of a trigger',
      'create trigger g before delete on t for each row when (f(old.note)) execute function h()',
    ],
    [
      'the condition of a trigger on one field',
      'create trigger g before update of note on t for each row when (f(old.note)) execute function h()',
    ],
    [
      'a check on the base table of a view',
      'alter table t add check (f(note)); create view v as select * from t; grant all on v to anon, agent',
    ],
  ].map(([name, made]) => ({
    name: `${name} with a function that only one role may execute`,
    sql: `${granted()} create function f(text) returns boolean language plpgsql immutable as 'begin return true; end';
      create function h() returns trigger language plpgsql as 'begin return coalesce(new, old); end';
      revoke execute on function f from public, ${to}; grant execute on function f to authenticated; ${made};`,
    // Only two roles are tested, because the attempts leave dead rows. Once these fill the page, every update also
    // adds entries to all indexes, and so calls the functions of the indexes.
    roles: ['anon', 'authenticated'],
  })),
  {
    name: 'a NOT NULL field that the role may not set, with and without a trigger that fills it',
    sql: `${bare()} alter table t add must int; create table k (like t); alter table k alter must set not null;
      grant insert (id, note) on t, k to ${to}; create table l (like k); grant insert (id, note) on l to ${to};
      create function mend() returns trigger language plpgsql as 'begin new.must := 1; return new; end';
      create trigger mend before insert on l for each row execute function mend();`,
  },
  {
    name: 'a default from a sequence that the role may not use',
    sql: `${bare()} create sequence s; alter table t add n int default nextval('s'); grant all on t to ${to}; revoke all on sequence s from ${to};`,
  },
  {
    name: 'a default from a function that the role may not execute',
    sql: `${bare()} create function d() returns int language plpgsql as 'begin return 1; end'; revoke execute on function d from public, ${to}; alter table t add n int default d(); grant all on t to ${to};`,
  },
  { name: 'predefined roles read and write everything', sql: bare(), roles: ['reader', 'writer', 'anon'] },
  // Owners
  {
    name: 'row-level security does not apply to the owner',
    sql: `${secured()} reset role; alter table t owner to keeper;`,
    roles: ['keeper', 'deputy', 'agent'],
  },
  {
    name: 'forced row-level security applies to the owner',
    sql: `${secured()} alter table t force row level security; create policy p on t for select using (status = 'open'); reset role; alter table t owner to keeper;`,
    roles: ['keeper', 'deputy', 'service_role'],
  },
  {
    name: 'an owner that revoked its own privileges',
    sql: `${bare()} reset role; alter table t owner to keeper; revoke all on t from keeper;`,
    roles: ['keeper', 'deputy'],
  },
  // Row-level security
  { name: 'row-level security without a policy', sql: secured() },
  { name: 'a policy that is always true', sql: `${secured()} create policy p on t using (true);` },
  { name: 'a policy that is never true', sql: `${secured()} create policy p on t using (false);` },
  { name: 'a policy that is null', sql: `${secured()} create policy p on t using (null::boolean);` },
  { name: 'a policy for own rows', sql: `${secured()} create policy p on t using (${own});` },
  {
    name: 'a policy whose name contains an SQLSTATE',
    sql: `${secured()} create policy "x (24000)" on t using (false);`,
  },
  {
    name: 'a policy for own rows that compares the claim sub',
    sql: `${secured()} create policy p on t using (((auth.jwt() ->> 'sub')::uuid) = owner);`,
  },
  {
    name: 'own rows may be read, and all rows may be deleted',
    sql: `${secured()} create policy r on t for select using (${own}); create policy d on t for delete using (true);`,
  },
  {
    name: 'all rows may be read, and own rows may be deleted',
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
    name: 'two permissive policies, of which a row must satisfy one',
    sql: `${secured()} create policy a on t for select using (${own}); create policy b on t for select using (status = 'closed');`,
  },
  {
    name: 'a policy for own rows, and another that is always true',
    sql: `${secured()} create policy a on t for select using (${own}); create policy b on t for select using (true);`,
  },
  {
    name: 'policies for some roles',
    sql: `${secured()} create policy a on t for select to authenticated using (true); create policy b on t for select to staff using (status = 'open'); grant select on t to clerk, staff;`,
    roles: ['anon', 'authenticated', 'agent', 'clerk', 'staff'],
  },
  { name: 'update without a policy for select', sql: `${secured()} create policy p on t for update using (true);` },
  {
    name: 'UPDATE of own rows that must remain own rows',
    sql: `${secured()} create policy r on t for select using (true); create policy p on t for update using (${own}) with check (${own});`,
  },
  {
    name: 'UPDATE of any row, which must become an own row',
    sql: `${secured()} create policy r on t for select using (true); create policy p on t for update using (true) with check (${own});`,
  },
  {
    name: 'UPDATE whose WITH CHECK is never true',
    sql: `${secured()} create policy r on t for select using (true); create policy p on t for update using (true) with check (false);`,
  },
  {
    name: 'UPDATE with WITH CHECK and without USING',
    sql: `${secured()} create policy r on t for select using (true); create policy p on t for update with check (true);`,
  },
  {
    name: 'UPDATE after which the row must still satisfy the policy for SELECT',
    sql: `${secured()} create policy r on t for select using (status = 'open'); create policy p on t for update using (true) with check (true);`,
  },
  {
    name: 'INSERT of own rows only',
    sql: `${secured()} create policy p on t for insert with check (owner = auth.uid());`,
  },
  {
    name: 'INSERT with a policy FOR ALL that has no WITH CHECK',
    sql: `${secured()} create policy p on t for all using (status = 'open');`,
  },
  {
    name: 'INSERT with two policies, of which a row must satisfy one',
    sql: `${secured()} create policy a on t for insert with check (status = 'open'); create policy b on t for all using (false) with check (owner is null);`,
  },
  // Conditions on the caller
  {
    name: 'a policy for callers with a user id',
    sql: `${secured()} create policy p on t for select using (auth.uid() is not null);`,
  },
  {
    name: 'a policy for callers without a user id',
    sql: `${secured()} create policy p on t for select using ((select auth.uid()) is null);`,
  },
  {
    name: 'a policy for one role by auth.role()',
    sql: `${secured()} create policy p on t for select using (auth.role() = 'authenticated');`,
  },
  {
    name: 'a policy for two roles by auth.role()',
    sql: `${secured()} create policy p on t for select using (auth.role() in ('agent', 'anon'));`,
  },
  {
    name: 'a policy for every role but one by auth.role()',
    sql: `${secured()} create policy p on t for select using (auth.role() <> 'anon' or status = 'closed');`,
  },
  {
    name: 'a policy for one role by current_user',
    sql: `${secured()} create policy p on t for select using (current_user = 'agent');`,
  },
  {
    name: 'a policy for rows of others, which is null without a user id',
    sql: `${secured()} create policy p on t for select using (not (auth.uid() = owner));`,
  },
  {
    name: 'a policy with a negated comparison',
    sql: `${secured()} create policy p on t for select using (not (status = 'closed'));`,
  },
  {
    name: 'a policy for a list of values',
    sql: `${secured()} create policy p on t for select using (status in ('closed', 'done'));`,
  },
  {
    name: 'a policy with an expression that Ninefold does not analyze',
    sql: `${secured()} create policy p on t for select using (case when id > 2 then length(note) > 2 else false end);`,
  },
  {
    name: 'a policy for open rows that are own or belong to nobody',
    sql: `${secured()} create policy p on t for select using ((owner = auth.uid() or owner is null) and status <> 'closed');`,
  },
  {
    name: 'a policy that is always true but has conditions',
    sql: `${secured()} create policy p on t for select using (auth.uid() = owner or not false);`,
  },
  // Tables and functions that a condition uses
  {
    name: 'a policy with a function that no role may execute, and another that is true for one role',
    sql: `${secured()} create function f() returns boolean language plpgsql stable as 'begin return true; end'; revoke execute on function f from public, ${to}; create policy p on t using (f() and owner is null); create policy q on t using (current_user = 'agent');`,
  },
  {
    name: 'a policy for rows that are not known to be own rows',
    sql: `${secured()} create policy p on t for select using ((auth.uid() = owner) is not true);`,
  },
  {
    name: 'a policy with a subquery on the members of a team',
    sql: `${secured()} ${teams} grant select on m to ${to}; create policy p on t for select using (exists (select 1 from m where m.user_id = auth.uid() and m.team = t.id));`,
  },
  {
    name: 'a policy with a subquery on a table that the role may not read',
    sql: `${secured()} ${teams} grant select on m to authenticated; create policy p on t for select using (exists (select 1 from m where m.user_id = auth.uid() and m.team = t.id));`,
  },
  {
    name: 'policies with subqueries on fields of a table that the role may not read',
    sql: `${secured()} ${teams} create table this_schema.f (note text, secret text); insert into f values ('n', 's'); grant select (note) on f to ${to}; grant select (user_id) on m to ${to};
      create policy p on t for select using (exists (select 1 from m where m.user_id = t.owner));
      create policy i on t for insert with check (exists (select 1 from f where f.secret = t.secret));
      create policy d on t for delete using (exists (select from m where to_jsonb(m) ->> 'team' = '1'));
      create policy u on t for update using (1 <= (select count(*) from m)) with check (owner in (select x.user_id from m x, f));`,
  },
  {
    name: 'policies with subqueries on fields of a view that the role may not read',
    sql: `${secured()} ${bare('u')} create view v as select id, owner, status from u; grant select (id, owner) on v to ${to};
      create policy p on t for select using (exists (select 1 from v where v.owner = t.owner));
      create policy d on t for delete using (exists (select 1 from v where v.status = 'open'));`,
  },
  {
    name: 'a policy with a subquery on a table whose policies hide all rows',
    sql: `${secured()} ${teams} grant select on m to ${to}; alter table m enable row level security; create policy p on t for select using (id in (select m.team from m where m.user_id is not null));`,
  },
  {
    name: 'a policy with NOT EXISTS on a table whose policies hide all rows',
    sql: `${secured()} ${teams} grant select on m to ${to}; alter table m enable row level security; create policy p on t for select using (not exists (select 1 from m where m.team = t.id));`,
  },
  {
    name: 'a policy with a subquery on a table whose policy shows own rows',
    sql: `${secured()} ${teams} grant select on m to ${to}; alter table m enable row level security; create policy p on m using (user_id = (select auth.uid())); create policy p on t for select using (id in (select m.team from m));`,
  },
  {
    name: 'a policy that reads its own table',
    sql: `${secured()} create policy p on t using (exists (select 1 from t as other where other.owner = auth.uid()));`,
  },
  {
    name: 'two tables whose policies read each other',
    sql: `${secured()} ${secured('u')} create policy p on t for select using (exists (select 1 from u where u.id = t.id)); create policy q on u for select using (exists (select 1 from t where t.id = u.id));`,
  },
  {
    name: 'INSERT whose WITH CHECK reads the same table, whose policy for SELECT reads no table',
    sql: `${secured()} create policy r on t for select using (status = 'open'); create policy p on t for insert with check (not exists (select 1 from t as other where other.owner = t.owner));`,
  },
  {
    name: 'a policy with a function that only one role may execute',
    sql: `${secured()} create function f() returns boolean language plpgsql stable as 'begin return true; end'; revoke execute on function f from public, ${to}; grant execute on function f to authenticated; create policy p on t for select using (f() and status = 'open');`,
  },
  {
    name: 'a policy with a function that no role may execute, and another that is always true',
    sql: `${secured()} create function f() returns boolean language plpgsql stable as 'begin return true; end'; revoke execute on function f from public, ${to}; create policy p on t for select using (f()); create policy q on t for select using (true);`,
  },
  // Rules and names
  {
    name: 'a table with a rule that prevents the deletion of some rows',
    sql: `${granted()} create rule no_delete as on delete to t where old.status = 'closed' do instead nothing;`,
  },
  {
    name: 'a table with a rule that prevents deletions, and a view of the table',
    sql: `${granted()} create rule no_delete as on delete to t do instead nothing;
      create view v as select * from t; grant all on v to ${to};`,
  },
  {
    name: 'a table with a rule that replaces DELETE by an UPDATE with RETURNING',
    sql: `${granted()} create rule keep as on delete to t do instead
      update t set status = 'closed' where t.id = old.id and old.status = 'open' returning t.*;`,
  },
  {
    name: 'a table with rules that replace UPDATE by a statement without RETURNING and DELETE by two',
    sql: `${granted()} ${bare('other')} create rule elsewhere as on update to t do instead update other set note = new.note where id = old.id;
      create rule twice as on delete to t do instead (delete from other where id = old.id; delete from other where id > 9);
      grant all on other to ${to};`,
  },
  {
    name: 'a table with a rule that logs inserts, and a table with a disabled rule',
    sql: `${granted()} ${granted('off')} create table log (id int); create rule log as on insert to t do also insert into log values (new.id);
      create rule gone as on delete to off do instead nothing; alter table off disable rule gone;
      create rule idle as on update to t do also nothing;`,
  },
  {
    name: 'names that need quotes',
    sql: `${secured('"we""ird | näme\n(1)"')} create policy "p'""q" on "we""ird | näme\n(1)" using (${own} or note = '|\\''' or status = 'closed');`,
  },
  {
    name: 'a check whose function, for some rows, reads a table that the role may not read',
    sql: `${granted()} create table this_schema.m (user_id uuid); create function looks(text) returns boolean language plpgsql as
      'begin if $1 = ''closed'' then return not exists (select from this_schema.m); end if; return true; end'; alter table t add check (looks(status));`,
  },
  {
    name: 'triggers that truncate, create a table, write although STABLE, or raise an error',
    sql: `${['t', 'u', 'v', 'w'].map((name) => granted(name)).join(' ')} create table this_schema.m (user_id uuid); grant all on m to ${to}; revoke truncate on m from ${to};
      ${[
        ['t', '', 'truncate this_schema.m; return new;'],
        ['u', '', 'create temp table made (id int); return new;'],
        ['v', 'stable', 'insert into this_schema.m values (null); return new;'],
        ['w', '', refuse],
      ]
        .map(
          ([name, kind, body]) =>
            `create function on_${name}() returns trigger language plpgsql ${kind} as 'begin ${body} end'; create trigger refuses before update on ${name} for each row execute function on_${name}();`,
        )
        .join(' ')}`,
  },
  {
    name: 'triggers that raise an error for some rows, for one operation, with WHEN, by another function, or not for an inheritance child',
    sql: `${['t', 'u', 'v', 'w', 'x'].map((name) => granted(name)).join(' ')}
      create function raised(text) returns void language plpgsql as 'begin if $1 = ''closed'' then ${refuse} end if; end';
      ${[
        ['t', 'insert or update', '', `if new.status = ''closed'' then ${refuse} end if; return new;`],
        ['u', 'insert or update or delete', '', `if tg_op = ''DELETE'' then ${refuse} end if; return new;`],
        ['v', 'update', `when (new.status = 'closed')`, refuse],
        ['w', 'insert', '', 'perform this_schema.raised(new.status); return new;'],
        ['x', 'update', '', refuse],
      ]
        .map(
          ([name, events, when, body]) =>
            `create function on_${name}() returns trigger language plpgsql as 'begin ${body} end'; create trigger refuses before ${events} on ${name} for each row ${when} execute function on_${name}();`,
        )
        .join(' ')}
      create table child () inherits (x); insert into child (id) values (9);`,
  },
];
