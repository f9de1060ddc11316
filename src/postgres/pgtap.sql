-- The functions of pgTAP 1.3 that tests of database schemas use most (https://pgtap.org/documentation.html), for CREATE EXTENSION pgtap. They run as
-- their caller. Counters are settings of the session, which ROLLBACK resets. This file belongs to no schema update: an app has its functions only
-- after CREATE EXTENSION.

-- The counter with this name; 0 if the session has no such counter.
create function @extschema@._tap(counter text) returns integer language sql as $$
  select coalesce(nullif(pg_catalog.current_setting('pgtap.' || counter, true), ''), '0')::integer $$;
create function @extschema@._tap(counter text, value integer) returns integer language sql as $$
  select pg_catalog.set_config('pgtap.' || counter, value::text, false)::integer $$;

create function @extschema@.plan(tests integer) returns text language plpgsql as $$
begin
  perform @extschema@._tap('planned', tests), @extschema@._tap('run', 0), @extschema@._tap('failed', 0), @extschema@._tap('has_plan', 1);
  return '1..' || tests;
end $$;
create function @extschema@.no_plan() returns setof boolean language plpgsql as $$
begin
  perform @extschema@.plan(-1);
end $$;

create function @extschema@.diag(message text) returns text language sql as $$
  select pg_catalog.regexp_replace(message, '^', '# ', 'gn') $$;
create function @extschema@.diag(message anyelement) returns text language sql as $$ select @extschema@.diag(message::text) $$;

create function @extschema@.ok(result boolean, description text) returns text language plpgsql as $$
declare
  number constant integer := @extschema@._tap('run') + 1;
  line text := pg_catalog.format('ok %s%s', number, ' - ' || nullif(pg_catalog.replace(description, E'\n', E'\n# '), ''));
begin
  if @extschema@._tap('has_plan') = 0 then
    raise exception 'You tried to run a test without a plan! Gotta have a plan';
  end if;
  perform @extschema@._tap('run', number);
  if result then
    return line;
  end if;
  perform @extschema@._tap('failed', @extschema@._tap('failed') + 1);
  return pg_catalog.concat_ws(E'\n', 'not ' || line,
    @extschema@.diag(pg_catalog.format('Failed test %s%s', number, ': "' || nullif(description, '') || '"')),
    case when result is null then '#     (test result was NULL)' end);
end $$;
create function @extschema@.ok(result boolean) returns text language sql as $$ select @extschema@.ok(result, null::text) $$;
create function @extschema@.pass(description text default null) returns text language sql as $$ select @extschema@.ok(true, description) $$;
create function @extschema@.fail(description text default null) returns text language sql as $$ select @extschema@.ok(false, description) $$;

-- The line of a test, with further lines if it failed.
create function @extschema@._tap(result boolean, description text, variadic reasons text[]) returns text language sql as $$
  select pg_catalog.concat_ws(E'\n', @extschema@.ok(result, description),
    case when result then null else @extschema@.diag(pg_catalog.array_to_string(reasons, E'\n')) end) $$;

create function @extschema@.skip(why text, how_many integer default 1) returns text language sql as $$
  select pg_catalog.string_agg(@extschema@.ok(true, null) || ' # SKIP ' || why, E'\n') from pg_catalog.generate_series(1, how_many) $$;

create function @extschema@.finish(exception_on_failure boolean default null) returns setof text language plpgsql as $$
declare
  planned integer := @extschema@._tap('planned');
  run constant integer := @extschema@._tap('run');
  failed constant integer := @extschema@._tap('failed');
  problem text;
begin
  if @extschema@._tap('has_plan') = 0 then
    raise exception '# No plan found!';
  end if;
  if planned < 0 then
    planned := run;
    return next '1..' || run;
  end if;
  problem := case when run = 0 and planned > 0 then '# No tests run!'
    when run <> planned then pg_catalog.format('# Looks like you planned %s test%s but ran %s', planned, case when planned = 1 then '' else 's' end, run)
    when failed > 0 then pg_catalog.format('# Looks like you failed %s test%s of %s', failed, case when failed = 1 then '' else 's' end, run) end;
  perform @extschema@._tap('has_plan', 0);
  if problem is not null and exception_on_failure then
    raise exception '%', problem;
  end if;
  if problem is not null then
    return next problem;
  end if;
end $$;

-- Values ----------------------------------------------------------------------------------------------------------------------------------------

create function @extschema@.is(have anycompatible, want anycompatible, description text default null) returns text language sql as $$
  select @extschema@._tap(have is not distinct from want, description, '        have: ' || coalesce(have::text, 'NULL'),
    '        want: ' || coalesce(want::text, 'NULL')) $$;
create function @extschema@.isnt(have anycompatible, unwanted anycompatible, description text default null) returns text language sql as $$
  select @extschema@._tap(have is distinct from unwanted, description, '        have: ' || coalesce(have::text, 'NULL'), '        want: anything else') $$;
create function @extschema@.matches(have anycompatible, pattern text, description text default null) returns text language sql as $$
  select @extschema@._tap(have::text ~ pattern, description, pg_catalog.format('%L', have), pg_catalog.format('doesn''t match: %L', pattern)) $$;
create function @extschema@.alike(have anycompatible, pattern text, description text default null) returns text language sql as $$
  select @extschema@._tap(have::text like pattern, description, pg_catalog.format('%L', have), pg_catalog.format('doesn''t match: %L', pattern)) $$;
create function @extschema@.cmp_ok(have anycompatible, operator text, want anycompatible, description text default null) returns text language plpgsql as $$
declare
  result boolean;
begin
  if operator !~ '^[-+*/<>=~!@#%^&|`?a-z_ ]+$' then
    raise exception 'invalid operator %', operator;
  end if;
  execute pg_catalog.format('select $1 %s $2', operator) into result using have, want;
  return @extschema@._tap(result, description, pg_catalog.format('%L %s %L', have, operator, want));
end $$;

-- Statements ------------------------------------------------------------------------------------------------------------------------------------

-- A text without blanks is the name of a prepared statement.
create function @extschema@._query(query text) returns text language sql as $$
  select case when query like '"%' or query !~ '\s' then 'execute ' || query else query end $$;

-- The rows of a query, each as text.
create function @extschema@._rows(query text) returns text[] language plpgsql as $$
declare
  line record;
  found_rows text[] := '{}';
begin
  for line in execute @extschema@._query(query) loop
    found_rows := found_rows || line::text;
  end loop;
  return found_rows;
end $$;
create function @extschema@._rows(list anyarray) returns text[] language sql as $$
  select coalesce(pg_catalog.array_agg(row(e.value)::text order by e.place), '{}') from pg_catalog.unnest(list) with ordinality e (value, place) $$;
create function @extschema@._sorted(list text[], is_set boolean) returns text[] language sql as $$
  select coalesce(pg_catalog.array_agg(l.value order by l.value), '{}') from (
    select e.value from pg_catalog.unnest(list) with ordinality e (value, place) group by e.value, case when is_set then 0 else e.place end) l $$;
create function @extschema@._same(have text[], want text[], description text) returns text language sql as $$
  select @extschema@._tap(have = want, description, pg_catalog.format('        have: %s rows: %s', pg_catalog.cardinality(have), have),
    pg_catalog.format('        want: %s rows: %s', pg_catalog.cardinality(want), want)) $$;

create function @extschema@.results_eq(have text, want text, description text default null) returns text language sql as $$
  select @extschema@._same(@extschema@._rows(have), @extschema@._rows(want), description) $$;
create function @extschema@.results_eq(have text, want anyarray, description text default null) returns text language sql as $$
  select @extschema@._same(@extschema@._rows(have), @extschema@._rows(want), description) $$;
create function @extschema@.results_ne(have text, unwanted text, description text default null) returns text language sql as $$
  select @extschema@._tap(@extschema@._rows(have) <> @extschema@._rows(unwanted), description, 'Both have the same rows') $$;
create function @extschema@.set_eq(have text, want text, description text default null) returns text language sql as $$
  select @extschema@._same(@extschema@._sorted(@extschema@._rows(have), true), @extschema@._sorted(@extschema@._rows(want), true), description) $$;
create function @extschema@.set_eq(have text, want anyarray, description text default null) returns text language sql as $$
  select @extschema@._same(@extschema@._sorted(@extschema@._rows(have), true), @extschema@._sorted(@extschema@._rows(want), true), description) $$;
create function @extschema@.bag_eq(have text, want text, description text default null) returns text language sql as $$
  select @extschema@._same(@extschema@._sorted(@extschema@._rows(have), false), @extschema@._sorted(@extschema@._rows(want), false), description) $$;
create function @extschema@.bag_eq(have text, want anyarray, description text default null) returns text language sql as $$
  select @extschema@._same(@extschema@._sorted(@extschema@._rows(have), false), @extschema@._sorted(@extschema@._rows(want), false), description) $$;
create function @extschema@.is_empty(query text, description text default null) returns text language sql as $$
  select @extschema@._same(@extschema@._rows(query), '{}', description) $$;
create function @extschema@.isnt_empty(query text, description text default null) returns text language sql as $$
  select @extschema@._tap(@extschema@._rows(query) <> '{}', description, 'The query returned no row') $$;

-- The error of a statement; null if it succeeds, whose effects stay.
create function @extschema@._error(query text, out code text, out message text) language plpgsql as $$
begin
  execute @extschema@._query(query);
exception when others or assert_failure then
  code := sqlstate;
  message := sqlerrm;
end $$;

create function @extschema@.lives_ok(query text, description text default null) returns text language sql as $$
  select @extschema@._tap(e.code is null, description, pg_catalog.format('    died: %s: %s', e.code, e.message)) from @extschema@._error(query) e $$;

create function @extschema@.throws_ok(query text, code text, message text, description text) returns text language sql as $$
  select @extschema@._tap(e.code is not null and coalesce(e.code = throws_ok.code, true) and coalesce(e.message = throws_ok.message, true),
    coalesce(description, pg_catalog.concat_ws(': ', 'threw ' || coalesce(throws_ok.code, 'an exception'), throws_ok.message)),
    pg_catalog.format('      caught: %s', coalesce(pg_catalog.concat_ws(': ', e.code, e.message), 'no exception')),
    pg_catalog.format('      wanted: %s', coalesce(nullif(pg_catalog.concat_ws(': ', throws_ok.code, throws_ok.message), ''), 'an exception')))
  from @extschema@._error(query) e $$;
-- As in pgTAP, a text of five bytes is an SQLSTATE, and any other text is a message.
create function @extschema@.throws_ok(query text, expected text, words text) returns text language sql as $$
  select case when pg_catalog.octet_length(expected) = 5 then @extschema@.throws_ok(query, expected, words, null)
    else @extschema@.throws_ok(query, null, expected, words) end $$;
create function @extschema@.throws_ok(query text, expected text) returns text language sql as $$ select @extschema@.throws_ok(query, expected, null) $$;
create function @extschema@.throws_ok(query text) returns text language sql as $$ select @extschema@.throws_ok(query, null, null, null) $$;
create function @extschema@.throws_like(query text, pattern text, description text default null) returns text language sql as $$
  select @extschema@._tap(coalesce(e.message like pattern, false), description, 'error message: ' || coalesce(e.message, 'none'), 'doesn''t match: ' || pattern)
  from @extschema@._error(query) e $$;
create function @extschema@.throws_matching(query text, pattern text, description text default null) returns text language sql as $$
  select @extschema@._tap(coalesce(e.message ~ pattern, false), description, 'error message: ' || coalesce(e.message, 'none'), 'doesn''t match: ' || pattern)
  from @extschema@._error(query) e $$;

-- The schema ------------------------------------------------------------------------------------------------------------------------------------

-- The relation with this name and one of these kinds; in the search path if the schema is null.
create function @extschema@._relation(schema name, relation name, kinds text) returns oid language sql as $$
  select c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relname = relation and pg_catalog.strpos(kinds, c.relkind::text) > 0 and case when schema is null then pg_catalog.pg_table_is_visible(c.oid) else n.nspname = schema end $$;
create function @extschema@._column(relation oid, field name) returns pg_catalog.pg_attribute language sql as $$
  select a from pg_catalog.pg_attribute a where a.attrelid = relation and a.attname = field and a.attnum > 0 and not a.attisdropped $$;
create function @extschema@._named(schema name, variadic names name[]) returns text language sql as $$
  select pg_catalog.array_to_string(pg_catalog.array_remove(schema || names, null), '.') $$;

create function @extschema@.has_schema(schema name, description text default null) returns text language sql as $$
  select @extschema@.ok(exists (select from pg_catalog.pg_namespace n where n.nspname = schema), coalesce(description, pg_catalog.format('Schema %I should exist', schema))) $$;
create function @extschema@.has_extension(extension name, description text default null) returns text language sql as $$
  select @extschema@.ok(exists (select from pg_catalog.pg_extension e where e.extname = extension), coalesce(description, pg_catalog.format('Extension %I should exist', extension))) $$;

-- Tests of a relation have four forms each: with and without a schema, with and without a description.
do $make$
declare
  kind record;
begin
  for kind in select * from (values
      ('has_table', 'rp', 'is not null', 'Table %s should exist'), ('hasnt_table', 'rp', 'is null', 'Table %s should not exist'),
      ('has_view', 'v', 'is not null', 'View %s should exist'), ('has_materialized_view', 'm', 'is not null', 'Materialized view %s should exist'),
      ('has_sequence', 'S', 'is not null', 'Sequence %s should exist')) k (name, kinds, test, words) loop
    execute pg_catalog.format('create function @extschema@.%1$I(schema name, relation name, description text) returns text language sql as
        $f$ select @extschema@.ok(@extschema@._relation(schema, relation, %2$L) %3$s, coalesce(description, pg_catalog.format(%4$L, @extschema@._named(schema, relation)))) $f$;
      create function @extschema@.%1$I(schema name, relation name) returns text language sql as $f$ select @extschema@.%1$I(schema, relation, null::text) $f$;
      create function @extschema@.%1$I(relation name, description text) returns text language sql as $f$ select @extschema@.%1$I(null::name, relation, description) $f$;
      create function @extschema@.%1$I(relation name) returns text language sql as $f$ select @extschema@.%1$I(null::name, relation, null::text) $f$',
      kind.name, kind.kinds, kind.test, kind.words);
  end loop;
  for kind in select * from (values
      ('has_column', 'c.attnum is not null', 'Column %s should exist'), ('hasnt_column', 'c.attnum is null', 'Column %s should not exist'),
      ('col_not_null', 'coalesce(c.attnotnull, false)', 'Column %s should be NOT NULL'), ('col_is_null', 'coalesce(not c.attnotnull, false)', 'Column %s should allow NULL'),
      ('col_has_default', 'coalesce(c.atthasdef, false)', 'Column %s should have a default')) k (name, test, words) loop
    execute pg_catalog.format('create function @extschema@.%1$I(schema name, relation name, field name, description text) returns text language sql as
        $f$ select @extschema@.ok(%2$s, coalesce(description, pg_catalog.format(%3$L, @extschema@._named(schema, relation, field))))
          from @extschema@._column(@extschema@._relation(schema, relation, ''rpvmf''), field) c $f$;
      create function @extschema@.%1$I(relation name, field name, description text) returns text language sql as $f$ select @extschema@.%1$I(null::name, relation, field, description) $f$;
      create function @extschema@.%1$I(relation name, field name) returns text language sql as $f$ select @extschema@.%1$I(null::name, relation, field, null::text) $f$',
      kind.name, kind.test, kind.words);
  end loop;
end
$make$;

create function @extschema@.col_type_is(schema name, relation name, field name, type text, description text) returns text language sql as $$
  select @extschema@.is(pg_catalog.format_type(c.atttypid, c.atttypmod), case when pg_catalog.to_regtype(type) is null or type like '%(%' then type
    else pg_catalog.format_type(pg_catalog.to_regtype(type), null) end,
    coalesce(description, pg_catalog.format('Column %s should be type %s', @extschema@._named(schema, relation, field), type)))
  from @extschema@._column(@extschema@._relation(schema, relation, 'rpvmf'), field) c $$;
create function @extschema@.col_type_is(schema name, relation name, field name, type text) returns text language sql as $$
  select @extschema@.col_type_is(schema, relation, field, type, null) $$;
create function @extschema@.col_type_is(relation name, field name, type text) returns text language sql as $$
  select @extschema@.col_type_is(null::name, relation, field, type, null) $$;

create function @extschema@.has_function(schema name, routine name, description text) returns text language sql as $$
  select @extschema@.ok(exists (select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace where p.proname = routine
    and case when schema is null then pg_catalog.pg_function_is_visible(p.oid) else n.nspname = schema end),
    coalesce(description, pg_catalog.format('Function %s() should exist', @extschema@._named(schema, routine)))) $$;
create function @extschema@.has_function(schema name, routine name) returns text language sql as $$ select @extschema@.has_function(schema, routine, null::text) $$;
create function @extschema@.has_function(routine name, description text) returns text language sql as $$
  select @extschema@.has_function(null::name, routine, description) $$;
create function @extschema@.has_function(routine name) returns text language sql as $$ select @extschema@.has_function(null::name, routine, null::text) $$;

create function @extschema@.has_pk(schema name, relation name, description text default null) returns text language sql as $$
  select @extschema@.ok(exists (select from pg_catalog.pg_constraint k where k.contype = 'p' and k.conrelid = @extschema@._relation(schema, relation, 'rp')),
    coalesce(description, pg_catalog.format('Table %s should have a primary key', @extschema@._named(schema, relation)))) $$;
create function @extschema@.has_pk(relation name) returns text language sql as $$ select @extschema@.has_pk(null::name, relation, null) $$;

-- Policies --------------------------------------------------------------------------------------------------------------------------------------

create function @extschema@._same_names(have name[], want name[], description text) returns text language sql as $$
  select @extschema@._same(@extschema@._sorted(have::text[], true), @extschema@._sorted(want::text[], true), description) $$;
create function @extschema@.policies_are(schema name, relation name, policies name[], description text) returns text language sql as $$
  select @extschema@._same_names(array(select p.polname from pg_catalog.pg_policy p where p.polrelid = @extschema@._relation(schema, relation, 'rp')), policies,
    coalesce(description, pg_catalog.format('Table %s should have the correct policies', @extschema@._named(schema, relation)))) $$;
create function @extschema@.policies_are(schema name, relation name, policies name[]) returns text language sql as $$
  select @extschema@.policies_are(schema, relation, policies, null) $$;
create function @extschema@.policies_are(relation name, policies name[], description text default null) returns text language sql as $$
  select @extschema@.policies_are(null::name, relation, policies, description) $$;
create function @extschema@.policy_roles_are(schema name, relation name, policy name, roles name[], description text default null) returns text language sql as $$
  select @extschema@._same_names(array(select case r.oid when 0 then 'public' else pg_catalog.pg_get_userbyid(r.oid) end from pg_catalog.pg_policy p
      cross join lateral pg_catalog.unnest(p.polroles) r (oid) where p.polname = policy and p.polrelid = @extschema@._relation(schema, relation, 'rp')), roles,
    coalesce(description, pg_catalog.format('Policy %I of table %s should have the correct roles', policy, @extschema@._named(schema, relation)))) $$;
create function @extschema@.policy_cmd_is(schema name, relation name, policy name, command text, description text default null) returns text language sql as $$
  select @extschema@.is((select case p.polcmd when 'r' then 'SELECT' when 'a' then 'INSERT' when 'w' then 'UPDATE' when 'd' then 'DELETE' else 'ALL' end
      from pg_catalog.pg_policy p where p.polname = policy and p.polrelid = @extschema@._relation(schema, relation, 'rp')), pg_catalog.upper(command),
    coalesce(description, pg_catalog.format('Policy %I of table %s should be for %s', policy, @extschema@._named(schema, relation), command))) $$;
