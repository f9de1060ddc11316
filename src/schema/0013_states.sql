-- Chapter 4: state machines. Enforcement reads the tables below at each state change. `when` and `sets` are functions that PostgreSQL
-- compiled when the machine was defined, so they follow renamed columns, and PostgreSQL does not drop a column that they use.
--
-- Everything that evaluates SQL of the app's owner runs with the privileges of its caller. The one function that runs with other
-- privileges, write_state_change, evaluates no such SQL, and its role may do little more than this function does.
--
-- Functions that run for each row plan their statements once (force_generic_plan): all of them look up a few rows by their keys.

-- The app's owner owns the compiled functions and may create objects in the schema, but cannot drop the schema.
create schema ninefold_states;
grant usage on schema ninefold_states to public;
grant create on schema ninefold_states to pg_database_owner;
comment on schema ninefold_states is 'Functions of the state machines. Created by ninefold.define_machine.';

create table ninefold.machines (
  entity regclass,
  field text,
  initial text not null,
  -- The fields of the table's primary key, in its order. They identify a row in state_changes.
  key text[] not null default '{}',
  constraint machines_pkey primary key (entity, field)
);
comment on table ninefold.machines is 'State machines. Set by ninefold.define_machine.';

create table ninefold.transitions (
  entity regclass,
  field text,
  name text,
  -- The order of definition. Of several transitions between the same states, the first open one applies.
  position integer not null,
  -- Null: any state.
  from_states text[],
  to_state text not null,
  -- Null: every role that may change the row.
  roles text[],
  -- A function of schema ninefold_states over the stored row.
  guard text,
  requires text[] not null default '{}',
  sets text[] not null default '{}',
  -- A function of schema ninefold_states over the new row; returns the fields of `sets`.
  setter text,
  constraint transitions_pkey primary key (entity, field, name),
  constraint transitions_name check (length(name) between 1 and 200),
  constraint transitions_lists check (
    array_position(from_states, null) is null and array_position(roles, null) is null
    and array_position(requires, null) is null and array_position(sets, null) is null
    and coalesce(array_ndims(from_states), 1) = 1 and coalesce(array_ndims(roles), 1) = 1
    and coalesce(array_ndims(requires), 1) = 1 and coalesce(array_ndims(sets), 1) = 1),
  constraint transitions_machine foreign key (entity, field) references ninefold.machines (entity, field) on delete cascade
);
comment on table ninefold.transitions is 'The transitions of the machines.';

create table ninefold.state_changes (
  id bigint generated always as identity primary key,
  entity regclass not null,
  field text not null,
  -- The row's primary key, by field.
  key jsonb not null,
  -- For the lookup of rows: PostgreSQL may evaluate a comparison of texts before row-level security, but not one of jsonb.
  key_hash text not null generated always as (md5(key::text)) stored,
  -- Null for the insertion of the row.
  transition text,
  from_state text,
  to_state text,
  -- auth.uid() of the caller; null for keys and for SQL without claims.
  member uuid,
  -- The database role of the caller; pg_database_owner for the app's owner.
  role text not null,
  at timestamptz not null default clock_timestamp(),
  -- When the row came to from_state; null if unknown.
  since timestamptz,
  -- The row was deleted; another row may have its key.
  row_deleted boolean not null default false
);
create index state_changes_row on ninefold.state_changes (entity, key_hash, id);
create index state_changes_at on ninefold.state_changes (at);
comment on table ninefold.state_changes is 'Each change of the state of a row: readable where the row is.';

-- Callers of a transition ----------------------------------------------------------------------------------------------

create function ninefold.holds_any(roles text[]) returns boolean
  language plpgsql stable
  set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
begin
  return current_user = any (roles)
    or exists (select from ninefold.member_roles m where m.user_id = ninefold.caller() and m.role = any (holds_any.roles))
    or 'pg_database_owner' = any (roles) and pg_catalog.pg_has_role(current_user, 'pg_database_owner', 'usage');
end
$$;
comment on function ninefold.holds_any is 'Whether the caller has one of the roles: a member''s, or the database role of the call.';

create function ninefold.is_open(transition ninefold.transitions, "row" anyelement) returns boolean
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
declare
  answer boolean;
begin
  if transition.roles is not null and not ninefold.holds_any(transition.roles) then
    return false;
  end if;
  if transition.guard is null then
    return true;
  end if;
  if pg_catalog.to_regproc(pg_catalog.format('ninefold_states.%I', transition.guard)) is null then
    raise exception using errcode = 'NF005',
      message = pg_catalog.format('The machine of %s.%I is broken: the function behind “when” of %s is gone.',
        transition.entity, transition.field, transition.name),
      hint = 'Define the machine again, or drop it with ninefold.drop_machine.';
  end if;
  execute pg_catalog.format('select ninefold_states.%I($1)', transition.guard) into answer using "row";
  return coalesce(answer, false);
end
$$;
comment on function ninefold.is_open is 'Whether the caller may take the transition with the stored row.';

create function ninefold.refuse_undefined(entity regclass, field text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception using errcode = 'NF005',
    message = pg_catalog.format('The machine of %s.%I is broken: its trigger is there, its definition is not.', entity, field),
    hint = 'Define the machine again, or drop it with ninefold.drop_machine.';
end
$$;

-- The primary key of a row, by field; null if the table has none.
create function ninefold.key_of(entity oid, "row" jsonb) returns jsonb
  language plpgsql stable
  set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select pg_catalog.jsonb_object_agg(a.attname, "row" -> a.attname::text)
    from pg_catalog.pg_index i join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
    where i.indrelid = key_of.entity and i.indisprimary);
end
$$;

create function ninefold.key_fields(entity oid) returns text[]
  language sql stable
  set search_path = pg_catalog, pg_temp
return (
  select pg_catalog.array_agg(a.attname::text order by k.place)
  from pg_catalog.pg_index i, lateral pg_catalog.unnest(i.indkey::int2[]) with ordinality k (number, place)
  join pg_catalog.pg_attribute a on a.attnum = k.number
  where i.indrelid = key_fields.entity and i.indisprimary and a.attrelid = i.indrelid
);

-- Open transitions ----------------------------------------------------------------------------------------------------
-- open_transitions offers a transition only if PostgreSQL would accept the UPDATE of the caller: the caller may change the field, and
-- the policies for UPDATE and SELECT accept the row as it is stored and as the transition writes it. PostgreSQL applies the policies
-- for SELECT too, because a statement that names the row reads it.
--
-- Functions that evaluate policies do not set the search path: functions that policies call may look for their tables in the path of
-- the caller. So these functions name everything in full.

create type ninefold.change_policies as (
  -- The table, the caller and the statement for which the policies were read.
  key text,
  relation name,
  -- The condition on the row as it is stored.
  existing text,
  -- True if the policies for UPDATE have another condition on the written row than on the stored one.
  is_checked boolean,
  -- The conditions on the row as it is written, of the policies for UPDATE and of those for SELECT, each with its columns.
  written text,
  columns text[],
  seen text,
  seen_columns text[]
);
comment on type ninefold.change_policies is 'The policies that a caller must pass to change a row, joined as SQL over the row.';

create function ninefold.policies_for_change(entity regclass) returns ninefold.change_policies
  language plpgsql stable
  set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  -- The rows of a statement share the result of the first row.
  known ninefold.change_policies := nullif(pg_catalog.current_setting('ninefold.policies', true), '')::ninefold.change_policies;
  key text := pg_catalog.concat_ws(' ', entity::oid, current_user, pg_catalog.statement_timestamp());
begin
  if known.key = key then
    return known;
  end if;
  with applied as (
    select p.oid, p.polpermissive as permissive, p.polcmd <> 'r' as for_update, p.polcmd <> 'w' as for_select,
      pg_catalog.pg_get_expr(p.polqual, p.polrelid) as using_text,
      pg_catalog.pg_get_expr(coalesce(p.polwithcheck, p.polqual), p.polrelid) as check_text
    from pg_catalog.pg_policy p
    where p.polrelid = policies_for_change.entity and p.polcmd in ('*', 'w', 'r') and exists (
      select from pg_catalog.unnest(p.polroles) r (oid) where case when r.oid = 0 then true else pg_catalog.pg_has_role(r.oid, 'usage') end)
  ),
  used as (
    select d.refobjsubid::int2 as number, pg_catalog.bool_or(p.for_update) as for_update, pg_catalog.bool_or(p.for_select) as for_select
    from pg_catalog.pg_depend d join applied p on p.oid = d.objid
    where d.classid = 'pg_catalog.pg_policy'::regclass and d.refclassid = 'pg_catalog.pg_class'::regclass
      and d.refobjid = policies_for_change.entity and d.refobjsubid > 0
    group by 1
  ),
  joined as (
    select
      '(' || coalesce(pg_catalog.string_agg(using_text, ' or ') filter (where permissive and for_select), 'false') || ')'
        || coalesce(' and ' || pg_catalog.string_agg(using_text, ' and ') filter (where not permissive and for_select), '') as seen,
      '(' || coalesce(pg_catalog.string_agg(using_text, ' or ') filter (where permissive and for_update), 'false') || ')'
        || coalesce(' and ' || pg_catalog.string_agg(using_text, ' and ') filter (where not permissive and for_update), '') as changed,
      '(' || coalesce(pg_catalog.string_agg(check_text, ' or ') filter (where permissive and for_update), 'false') || ')'
        || coalesce(' and ' || pg_catalog.string_agg(check_text, ' and ') filter (where not permissive and for_update), '') as written
    from applied
  ),
  -- A condition that reads the whole row names no column, and a generated column reads others. So all columns count then.
  named as (
    select
      pg_catalog.array_agg(a.attname::text) filter (
        where u.for_update and pg_catalog.strpos(j.written, pg_catalog.quote_ident(a.attname)) > 0 or j.is_all) as of_changes,
      pg_catalog.array_agg(a.attname::text) filter (
        where u.for_select and pg_catalog.strpos(j.seen, pg_catalog.quote_ident(a.attname)) > 0 or j.is_all) as of_reads
    from (
      select i.written, i.seen, pg_catalog.strpos(i.written || i.changed || i.seen, pg_catalog.quote_ident(c.relname) || '.*') > 0 or exists (
        select from used join pg_catalog.pg_attribute g on g.attrelid = c.oid and g.attnum = used.number where g.attgenerated <> '') as is_all
      from joined i, pg_catalog.pg_class c where c.oid = policies_for_change.entity
    ) j, pg_catalog.pg_attribute a left join used u on u.number = a.attnum
    where a.attrelid = policies_for_change.entity and a.attnum > 0 and not a.attisdropped
  )
  select key, c.relname, j.changed || ' and ' || j.seen, j.written <> j.changed, j.written, coalesce(n.of_changes, '{}'), j.seen,
    coalesce(n.of_reads, '{}')
  into known
  from joined j, named n, pg_catalog.pg_class c where c.oid = policies_for_change.entity;
  perform pg_catalog.set_config('ninefold.policies', known::text, true);
  return known;
end
$$;
comment on function ninefold.policies_for_change is 'The policies that the caller must pass to change a row of a table.';

-- Null if the condition cannot be evaluated outside of an UPDATE: it uses a system column, or a function of it writes.
create function ninefold.passes("row" anyelement, relation name, condition text) returns boolean
  language plpgsql stable
as $$
declare
  answer boolean;
begin
  execute pg_catalog.format('select (%s) is true from pg_catalog.unnest(array[$1]) as %I', condition, relation) into answer using "row";
  return answer;
exception
  when undefined_column or undefined_table or undefined_function or undefined_object or invalid_schema_name
    or read_only_sql_transaction then
    return null;
  -- The UPDATE would fail with the same error.
  when others then
    return false;
end
$$;
comment on function ninefold.passes is 'Whether a row passes the condition of policies; null if that cannot be found out.';

-- The transitions that lead from the state of the row, whose roles and condition admit the caller, and whose fields the caller may
-- write: the state, and each required field that has no value yet.
create function ninefold.takeable_transitions("row" anyelement) returns setof ninefold.transitions
  language plpgsql stable
  set search_path = ''
as $$
declare
  now jsonb := pg_catalog.to_jsonb("row");
  of regclass;
  state text;
  t ninefold.transitions;
begin
  if now is null then
    return;
  end if;
  select nullif(y.typrelid, 0) into of from pg_catalog.pg_type y where y.oid = pg_catalog.pg_typeof("row");
  for t in select * from ninefold.transitions x where x.entity = of order by x.field, x.position loop
    state := now ->> t.field;
    if (t.from_states is null or state = any (t.from_states)) and t.to_state is distinct from state
      and ninefold.is_open(t, "row")
      and not exists (
        select from pg_catalog.pg_attribute a
        where a.attrelid = of and a.attnum > 0 and not a.attisdropped
          and (a.attname = t.field or a.attname = any (t.requires) and coalesce(now ->> a.attname, '') = '')
          and not pg_catalog.has_column_privilege(of, a.attnum, 'update'))
    then
      return next t;
    end if;
  end loop;
end
$$;
comment on function ninefold.takeable_transitions is 'The transitions of a row that its machine and the privileges allow to the caller.';

-- Returns the row with generated columns as they are after a change of other columns.
create function ninefold.with_generated("row" anyelement, entity regclass, relation name, columns text[]) returns anyelement
  language plpgsql stable
as $$
declare
  formula text;
  changes jsonb;
begin
  select pg_catalog.string_agg(pg_catalog.format('%L, (%s)', a.attname, pg_catalog.pg_get_expr(f.adbin, f.adrelid)), ', ') into formula
  from pg_catalog.pg_attribute a
  join pg_catalog.pg_attrdef f on f.adrelid operator(pg_catalog.=) a.attrelid and f.adnum operator(pg_catalog.=) a.attnum
  where a.attrelid operator(pg_catalog.=) with_generated.entity and a.attgenerated operator(pg_catalog.<>) ''
    and a.attname::pg_catalog.text operator(pg_catalog.=) any (columns);
  if formula is null then
    return "row";
  end if;
  execute pg_catalog.format('select pg_catalog.jsonb_build_object(%s) from pg_catalog.unnest(array[$1]) as %I', formula, relation)
    into changes using "row";
  return pg_catalog.jsonb_populate_record("row", changes);
end
$$;

-- A trigger of the app may set one of the columns before the policies see the row.
create function ninefold.triggers_set(entity regclass, columns text[]) returns boolean
  language sql stable
  set search_path = ''
return exists (
  select from pg_catalog.pg_trigger g
  join pg_catalog.pg_proc p on p.oid = g.tgfoid join pg_catalog.pg_language l on l.oid = p.prolang,
  pg_catalog.unnest(columns) named
  where g.tgrelid = triggers_set.entity and not g.tgisinternal and g.tgtype & 19 = 19 and g.tgenabled in ('O', 'A')
    and p.pronamespace <> 'ninefold'::regnamespace
    and (l.lanname <> 'plpgsql'
      -- An assignment to the column, with := or with = at the start of a statement, or to the row as a whole.
      or p.prosrc ~* ('\mnew\s*(\.\s*"?' || pg_catalog.regexp_replace(named, '\W', '.', 'g') || '"?\s*)?:=')
      or p.prosrc ~* ('(;|\mbegin|\mthen|\melse|\mloop|>>)\s*new\s*(\.\s*"?' || pg_catalog.regexp_replace(named, '\W', '.', 'g') || '"?\s*)?=')
      or p.prosrc ~* '\minto\s+(strict\s+)?new\M')
);
comment on function ninefold.triggers_set is 'Whether the code of a BEFORE UPDATE trigger assigns one of the columns.';

-- Returns the row as the transition writes it. `columns` are the columns that the caller of this function needs.
create function ninefold.after_transition("row" anyelement, taken ninefold.transitions, relation name, columns text[])
  returns anyelement
  language plpgsql stable
as $$
declare
  changes jsonb := pg_catalog.jsonb_build_object(taken.field, taken.to_state);
begin
  if taken.setter is not null and taken.sets operator(pg_catalog.&&) columns then
    execute pg_catalog.format('select $2 operator(pg_catalog.||) ninefold_states.%I(pg_catalog.jsonb_populate_record($1, $2))', taken.setter)
      into changes using "row", changes;
  end if;
  return ninefold.with_generated(pg_catalog.jsonb_populate_record("row", changes), taken.entity, relation, columns);
end
$$;

-- Returns true if a condition of policies may accept the row as the transition writes it. Null counts as true, and so does a condition on
-- fields whose values are not known yet: required fields without a value, and fields that triggers set.
create function ninefold.may_pass("row" anyelement, taken ninefold.transitions, relation name, condition text, columns text[])
  returns boolean
  language plpgsql stable
as $$
declare
  given jsonb := pg_catalog.to_jsonb("row");
  answer boolean;
begin
  begin
    answer := ninefold.passes(ninefold.after_transition("row", taken, relation, columns), relation, condition);
  exception when others then
    -- The values that the transition sets cannot be computed here.
    return true;
  end;
  return answer is not false or ninefold.triggers_set(taken.entity, columns) or exists (
    select from pg_catalog.unnest(taken.requires) needed
    where needed operator(pg_catalog.=) any (columns)
      and coalesce(given operator(pg_catalog.->>) needed, '') operator(pg_catalog.=) '');
end
$$;

create function ninefold.open_transitions("row" anyelement) returns jsonb
  language plpgsql stable
as $$
declare
  t ninefold.transitions;
  changed text[];
  bound boolean;
  policies ninefold.change_policies;
  answer jsonb := '[]';
begin
  for t in select * from ninefold.takeable_transitions("row") loop
    if bound is null then
      bound := pg_catalog.row_security_active(t.entity::pg_catalog.oid);
      if bound then
        policies := ninefold.policies_for_change(t.entity);
        if ninefold.passes("row", policies.relation, policies.existing) is false then
          return answer;
        end if;
      end if;
    end if;
    if bound then
      -- The stored row has passed the policies for SELECT, and without WITH CHECK those for UPDATE. So they are evaluated again only
      -- if they depend on a field that changes.
      changed := t.sets operator(pg_catalog.||) t.field;
      continue when policies.seen_columns operator(pg_catalog.&&) changed
        and not ninefold.may_pass("row", t, policies.relation, policies.seen, policies.seen_columns);
      continue when (policies.is_checked or policies.columns operator(pg_catalog.&&) changed)
        and not ninefold.may_pass("row", t, policies.relation, policies.written, policies.columns);
    end if;
    answer := answer operator(pg_catalog.||) pg_catalog.jsonb_build_object(
      'field', t.field, 'name', t.name, 'from', pg_catalog.to_jsonb("row") operator(pg_catalog.->>) t.field, 'to', t.to_state,
      'requires', t.requires, 'sets', t.sets);
  end loop;
  return answer;
end
$$;
comment on function ninefold.open_transitions is 'The transitions that are open to the caller for the stored row, in the order of definition.';

-- Finds the transition that a write takes, or refuses the write. `row` and `old_row` (the same as jsonb) are the stored row.
create function ninefold.find_transition(entity regclass, field text, old_row jsonb, becomes text, "row" anyelement)
  returns ninefold.transitions
  language plpgsql
  set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
declare
  was text := old_row ->> field;
  t ninefold.transitions;
  tried text[] := '{}';
  open_ones text;
begin
  for t in
    select * from ninefold.transitions x
    where x.entity = find_transition.entity and x.field = find_transition.field and x.to_state = becomes
      and (x.from_states is null or was = any (x.from_states))
    order by x.position
  loop
    if ninefold.is_open(t, "row") then
      return t;
    end if;
    tried := tried || t.name;
  end loop;
  if not exists (select from ninefold.machines m where m.entity = find_transition.entity and m.field = find_transition.field) then
    perform ninefold.refuse_undefined(entity, field);
  end if;
  select pg_catalog.string_agg(pg_catalog.format('%s (to %s)', o ->> 'name', o ->> 'to'), ', ') into open_ones
  from pg_catalog.jsonb_array_elements(ninefold.open_transitions("row")) o where o ->> 'field' = find_transition.field;
  raise exception using errcode = 'NF001',
    message = case
      when tried = '{}' then pg_catalog.format('No transition leads from %s to %s.', coalesce(was, 'no state'), coalesce(becomes, 'no state'))
      else pg_catalog.format('The transition %s, from %s to %s, is not open to this caller.',
        pg_catalog.array_to_string(tried, ' or '), was, becomes)
    end,
    detail = pg_catalog.format('The row %s of %s stands in the state %s.', ninefold.key_of(entity, old_row), entity, coalesce(was, 'none')),
    hint = case
      when open_ones is null then 'No transition is open to this caller now.'
      else pg_catalog.format('Open to this caller now: %s.', open_ones)
    end,
    schema = (select n.nspname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.oid = entity),
    table = (select c.relname from pg_catalog.pg_class c where c.oid = entity),
    column = field;
end
$$;

-- Triggers ------------------------------------------------------------------------------------------------------------
-- Their first argument is the field of the machine.

create function ninefold.fill_state() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  first text;
begin
  select m.initial into first from ninefold.machines m where m.entity = tg_relid and m.field = tg_argv[0];
  return pg_catalog.jsonb_populate_record(new, pg_catalog.jsonb_build_object(tg_argv[0], first));
end
$$;
comment on function ninefold.fill_state is 'Before an insert without a state: sets the initial state.';

create function ninefold.set_fields() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  was jsonb := pg_catalog.to_jsonb(old);
  t ninefold.transitions;
  fields jsonb;
begin
  t := ninefold.find_transition(tg_relid, tg_argv[0], was, pg_catalog.to_jsonb(new) ->> tg_argv[0], old);
  if t.setter is null then
    return new;
  end if;
  if pg_catalog.to_regproc(pg_catalog.format('ninefold_states.%I', t.setter)) is null then
    raise exception using errcode = 'NF005',
      message = pg_catalog.format('The machine of %s.%I is broken: the function behind “sets” of %s is gone.', t.entity, t.field, t.name),
      hint = 'Define the machine again, or drop it with ninefold.drop_machine.';
  end if;
  execute pg_catalog.format('select ninefold_states.%I($1)', t.setter) into fields using new;
  return pg_catalog.jsonb_populate_record(new, fields);
end
$$;
comment on function ninefold.set_fields is 'Before a change of the state: sets the fields that its transition sets.';

create function ninefold.check_start() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
declare
  state text := pg_catalog.to_jsonb(new) ->> tg_argv[0];
  m ninefold.machines;
begin
  select * into m from ninefold.machines x where x.entity = tg_relid and x.field = tg_argv[0];
  if not found then
    perform ninefold.refuse_undefined(tg_relid, tg_argv[0]);
  end if;
  if state = m.initial then
    return null;
  end if;
  -- Imports and seeds of the owner may insert rows in any state of the machine.
  if pg_catalog.pg_has_role(current_user, 'pg_database_owner', 'usage') and exists (
    select from ninefold.transitions t where t.entity = m.entity and t.field = m.field
      and (state = t.to_state or state = any (t.from_states))
  ) then
    return null;
  end if;
  raise exception using errcode = 'NF002',
    message = pg_catalog.format('A new row of %s starts in the state %s, not in %s.', tg_relid::regclass, m.initial, coalesce(state, 'none')),
    detail = pg_catalog.format('The field is %I.', tg_argv[0]),
    hint = 'Leave the field out, and take transitions from there.',
    schema = tg_table_schema, table = tg_table_name, column = tg_argv[0];
end
$$;
comment on function ninefold.check_start is 'After an insert: requires the initial state.';

create function ninefold.check_state_change() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  was jsonb := pg_catalog.to_jsonb(old);
  becomes jsonb := pg_catalog.to_jsonb(new);
  t ninefold.transitions;
  missing text;
begin
  t := ninefold.find_transition(tg_relid, tg_argv[0], was, becomes ->> tg_argv[0], old);
  if t.requires <> '{}' then
    select pg_catalog.string_agg(needed, ', ') into missing
    from pg_catalog.unnest(t.requires) needed where coalesce(becomes ->> needed, '') = '';
  end if;
  if missing is not null then
    raise exception using errcode = 'NF003',
      message = pg_catalog.format('The transition %s, from %s to %s, needs a value for %s.',
        t.name, was ->> tg_argv[0], t.to_state, missing),
      detail = pg_catalog.format('The row %s of %s stands in the state %s.',
        ninefold.key_of(tg_relid, was), tg_relid::regclass, was ->> tg_argv[0]),
      hint = pg_catalog.format('Send it together with the new state, or before: %s.', missing),
      schema = tg_table_schema, table = tg_table_name, column = tg_argv[0];
  end if;
  perform pg_catalog.set_config('ninefold.transition', t.name, true);
  return null;
end
$$;
comment on function ninefold.check_state_change is 'After an update: refuses a change of the state that no transition allows.';

-- The trigger below converts rows of the app to JSON, which calls casts that the app defines. So the trigger runs with the privileges of its
-- caller, and this function, which writes, gets only values.
create function ninefold.write_state_change(
  entity oid, field text, old_key jsonb, new_key jsonb, from_state text, to_state text, operation text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_generic_plan
  set row_security = on
as $$
declare
  caller text := pg_catalog.current_setting('role');
  came timestamptz;
begin
  if pg_catalog.pg_trigger_depth() = 0 then
    raise exception using errcode = 'insufficient_privilege', message = 'only triggers of state machines record state changes';
  end if;
  if operation = 'DELETE' then
    update ninefold.state_changes p set row_deleted = true
    where p.entity = write_state_change.entity and p.key_hash = pg_catalog.md5(old_key::text) and p.field = write_state_change.field and not p.row_deleted;
    return;
  end if;
  if operation = 'UPDATE' then
    if new_key <> old_key then
      update ninefold.state_changes p set key = new_key
      where p.entity = write_state_change.entity and p.key_hash = pg_catalog.md5(old_key::text) and p.field = write_state_change.field and not p.row_deleted;
    end if;
    if from_state is not distinct from to_state then
      return;
    end if;
    select p.at into came from ninefold.state_changes p
    where p.entity = write_state_change.entity and p.key_hash = pg_catalog.md5(new_key::text) and p.field = write_state_change.field and not p.row_deleted
    order by p.id desc limit 1;
  end if;
  if caller = 'none' then
    select case when r.rolname = session_user then 'pg_database_owner' else session_user end into caller
    from pg_catalog.pg_database d join pg_catalog.pg_roles r on r.oid = d.datdba
    where d.datname = pg_catalog.current_database();
  end if;
  insert into ninefold.state_changes (entity, field, key, transition, from_state, to_state, member, role, since)
  values (write_state_change.entity, write_state_change.field, new_key,
    case when operation = 'UPDATE' then pg_catalog.current_setting('ninefold.transition', true) end, from_state, to_state, ninefold.caller(), caller, came);
end
$$;
alter function ninefold.write_state_change owner to ninefold_server;
grant execute on function ninefold.write_state_change to public;

create function ninefold.record_state_change() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_generic_plan
as $$
declare
  was jsonb;
  becomes jsonb;
  old_key jsonb := '{}';
  new_key jsonb := '{}';
begin
  if tg_op <> 'INSERT' then
    was := pg_catalog.to_jsonb(old);
  end if;
  if tg_op <> 'DELETE' then
    becomes := pg_catalog.to_jsonb(new);
  end if;
  for i in 1 .. tg_nargs - 1 loop
    old_key := old_key || pg_catalog.jsonb_build_object(tg_argv[i], was -> tg_argv[i]);
    new_key := new_key || pg_catalog.jsonb_build_object(tg_argv[i], becomes -> tg_argv[i]);
  end loop;
  perform ninefold.write_state_change(tg_relid, tg_argv[0], old_key, new_key, was ->> tg_argv[0], becomes ->> tg_argv[0], tg_op);
  return null;
end
$$;
comment on function ninefold.record_state_change is 'After a write that the machine allowed: records who moved the row from which state to which, and when.';

-- Reading state changes -----------------------------------------------------------------------------------------------

-- Reads the table with the privileges and policies of the caller. Policies may call functions that look for their tables in the caller's search
-- path, so the function leaves the path unchanged and qualifies all other names.
create function ninefold.sees_row(entity regclass, key jsonb) returns boolean
  language plpgsql stable
as $$
declare
  condition text;
  may_read boolean;
  seen boolean;
begin
  select
    pg_catalog.string_agg(pg_catalog.format('t.%I = ($1 operator(pg_catalog.->>) %L)::%s', a.attname, a.attname,
      pg_catalog.format_type(a.atttypid, a.atttypmod)), ' and '),
    pg_catalog.bool_and(pg_catalog.has_column_privilege(c.oid, a.attnum, 'select'))
      and pg_catalog.bool_and(pg_catalog.has_schema_privilege(c.relnamespace, 'usage'))
  into condition, may_read
  from pg_catalog.pg_class c
  join pg_catalog.pg_index i on i.indrelid operator(pg_catalog.=) c.oid and i.indisprimary
  join pg_catalog.pg_attribute a on a.attrelid operator(pg_catalog.=) c.oid and a.attnum operator(pg_catalog.=) any (i.indkey)
  where c.oid operator(pg_catalog.=) sees_row.entity::pg_catalog.oid;
  if condition is null or not may_read then
    return false;
  end if;
  execute pg_catalog.format('select exists (select from %s t where %s)', sees_row.entity, condition) into seen using key;
  return seen;
end
$$;
comment on function ninefold.sees_row is 'Whether the caller may read the row with this key.';

-- The body has the SQL standard's form, so PostgreSQL evaluates policies with the search path of the caller.
create function ninefold.state_changes_of(entity regclass, key jsonb) returns jsonb
  language sql stable
return (
  select coalesce(jsonb_agg(jsonb_build_object(
    'field', p.field, 'transition', p.transition, 'from', p.from_state, 'to', p.to_state,
    'member', p.member, 'role', p.role, 'at', p.at) order by p.id), '[]')
  from ninefold.state_changes p
  where p.entity = state_changes_of.entity and p.key_hash = md5(state_changes_of.key::text) and not p.row_deleted
);
comment on function ninefold.state_changes_of is 'Returns the state changes of a row, the oldest first, if the caller may read the row.';

alter table ninefold.state_changes enable row level security;
create policy readable_with_row on ninefold.state_changes for select using (not row_deleted and ninefold.sees_row(entity, key));
create policy app_owner on ninefold.state_changes to pg_database_owner using (true) with check (true);
create policy server on ninefold.state_changes to ninefold_server using (true) with check (true);

-- Definition ----------------------------------------------------------------------------------------------------------
-- All of it runs as the caller, who must own the table.

-- Returns an expression over a row of the table as PostgreSQL prints it, each column qualified by the table's name. `path` is the search path for
-- its names. Raises PostgreSQL's own error for a text that is not one expression of the type.
create function ninefold.compile_expression(entity regclass, expression text, type text, path text) returns text
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  named text := (select pg_catalog.quote_ident(c.relname) from pg_catalog.pg_class c where c.oid = entity);
  -- The expression cannot contain this name.
  marker text := 'e' || pg_catalog.md5(pg_catalog.random()::text || pg_catalog.clock_timestamp()::text);
  target text := entity::text;
  probe refcursor;
  definition text;
begin
  perform pg_catalog.set_config('search_path', path, true);
  -- A cursor takes one statement only, and none that writes.
  open probe for execute pg_catalog.format(E'select (%s\n)::%s from %s as %s where false', expression, type, target, named);
  close probe;
  execute pg_catalog.format(E'create temporary view %I as select (%s\n)::%s as %I from %s as %s cross join (select 1) as %I',
    marker, expression, type, marker, target, named, marker || 'x');
  perform pg_catalog.set_config('search_path', '', true);
  if (select pg_catalog.count(*) from pg_catalog.pg_attribute a where a.attrelid = ('pg_temp.' || marker)::regclass and a.attnum > 0) <> 1 then
    raise exception using errcode = 'syntax_error', message = 'it is more than one expression';
  end if;
  definition := pg_catalog.pg_get_viewdef(('pg_temp.' || marker)::regclass);
  execute pg_catalog.format('drop view pg_temp.%I', marker);
  return pg_catalog.regexp_replace(pg_catalog.split_part(definition, ' AS ' || marker, 1), '^\s*SELECT\s+', '');
end
$$;

create function ninefold.compile_part(entity regclass, transition text, part text, expression text, type text, path text) returns text
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  return ninefold.compile_expression(entity, expression, type, path);
exception when others then
  raise exception using errcode = sqlstate,
    message = pg_catalog.format('“%s” of the transition %s cannot be used: %s', part, transition, sqlerrm),
    detail = expression,
    hint = 'It is one SQL expression over the fields of the row.';
end
$$;

-- Calls the function once. A function that it calls may fail with the empty search path, and then the definition fails, not a member's request.
create function ninefold.try_function(entity regclass, transition text, part text, function text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  execute pg_catalog.format('select ninefold_states.%I(x) from %s x limit 1', function, entity);
exception when syntax_error_or_access_rule_violation then
  raise exception using errcode = sqlstate,
    message = pg_catalog.format('“%s” of the transition %s cannot be used: %s', part, transition, sqlerrm),
    hint = 'Functions that it calls run with an empty search path: let them name what they use in full, or set search_path.';
end
$$;

create function ninefold.function_name(entity regclass, field text, transition text, part text) returns text
  language sql
  set search_path = pg_catalog, pg_temp
return (
  select pg_catalog.left(pg_catalog.regexp_replace(pg_catalog.concat_ws('_', c.relname, field, transition), '[^A-Za-z0-9_]', '_', 'g'), 30)
    || '_' || part || '_' || pg_catalog.right(pg_catalog.gen_random_uuid()::text, 12)
  from pg_catalog.pg_class c where c.oid = entity
);

-- Returns a member of a transition's JSON as a list of texts; null if it is absent.
create function ninefold.texts_of(transition jsonb, member text) returns text[]
  language plpgsql immutable
  set search_path = pg_catalog, pg_temp
as $$
declare
  value jsonb := nullif(transition -> member, 'null');
begin
  if value is null then
    return null;
  elsif pg_catalog.jsonb_typeof(value) = 'string' then
    return array[value #>> '{}'];
  elsif pg_catalog.jsonb_typeof(value) <> 'array' or exists (
    select from pg_catalog.jsonb_array_elements(value) e where pg_catalog.jsonb_typeof(e) <> 'string'
  ) then
    raise exception using errcode = 'invalid_parameter_value',
      message = pg_catalog.format('“%s” of the transition %s is a text or a list of texts', member, transition -> 'name');
  end if;
  return array(select pg_catalog.jsonb_array_elements_text(value));
end
$$;

-- Requires a table that the caller owns, with a primary key, and with rows that no other table shares.
create function ninefold.check_machine_table(entity regclass) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  c pg_catalog.pg_class;
  reason text;
begin
  select * into c from pg_catalog.pg_class x where x.oid = entity;
  if not pg_catalog.pg_has_role(c.relowner, 'usage') then
    raise exception using errcode = 'insufficient_privilege', message = pg_catalog.format('only the owner of %s can give it a state machine', entity);
  end if;
  reason := case
    when c.relkind = 'p' or c.relispartition then
      'PostgreSQL moves a row between partitions by deleting and inserting it, so its state changes cannot be told from new rows'
    when c.relkind <> 'r' then 'only tables have state machines'
    when c.relpersistence = 't' then 'it is temporary'
    when exists (select from pg_catalog.pg_inherits i where entity in (i.inhparent, i.inhrelid)) then
      'with inheritance, a write to one table changes rows of another without its triggers'
    when not exists (select from pg_catalog.pg_index i where i.indrelid = entity and i.indisprimary) then
      'it has no primary key, by which state changes are recorded'
  end;
  if reason is not null then
    raise exception using errcode = 'feature_not_supported', message = pg_catalog.format('%s cannot have a state machine: %s', entity, reason);
  end if;
end
$$;

create function ninefold.refuse_removed_states(entity regclass, field text, states text[]) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  forced boolean := (select c.relforcerowsecurity from pg_catalog.pg_class c where c.oid = entity);
  stranded text;
begin
  -- The check must see every row, even if the policies apply to the owner.
  if forced then
    execute pg_catalog.format('alter table %s no force row level security', entity);
  end if;
  execute pg_catalog.format(
    'select pg_catalog.string_agg(pg_catalog.format(%L, n, coalesce(state, %L)), %L order by state) from (
       select x.%I::text as state, pg_catalog.count(*) as n from %s x
       where (x.%I::text = any ($1)) is not true group by 1) s', '%s in %s', 'no state', ', ', field, entity, field)
    into stranded using states;
  if forced then
    execute pg_catalog.format('alter table %s force row level security', entity);
  end if;
  if stranded is not null then
    raise exception using errcode = 'NF004',
      message = pg_catalog.format('Rows of %s stand in states that the machine does not have: %s.', entity, stranded),
      hint = 'Move them first, or keep these states in “from” or “to” of a transition.';
  end if;
end
$$;

create function ninefold.machine_label(field text) returns text
  language sql immutable
  set search_path = pg_catalog, pg_temp
return case when pg_catalog.octet_length(field) <= 40 then field
  else pg_catalog.left(field, 10) || '_' || pg_catalog.md5(field) end;

-- Returns a column of `old` or `new` as PostgreSQL prints it in a comparison, with a cast if its type has no operator.
create function ninefold.compared(entity regclass, field text, record text) returns text
  language sql stable
  set search_path = pg_catalog, pg_temp
return (
  with recursive types as (
    select y.oid, y.typtype, y.typbasetype, y.typcategory, y.typnamespace, 0 as depth
    from pg_catalog.pg_attribute a join pg_catalog.pg_type y on y.oid = a.atttypid
    where a.attrelid = compared.entity and a.attname = compared.field
    union all
    select y.oid, y.typtype, y.typbasetype, y.typcategory, y.typnamespace, t.depth + 1 from types t join pg_catalog.pg_type y on y.oid = t.typbasetype
    where t.typtype = 'd'
  )
  select case
      when t.oid = 'pg_catalog.varchar'::regtype
        or t.typcategory = 'S' and t.typnamespace <> 'pg_catalog'::regnamespace then pg_catalog.format('(%s.%I)::text', record, field)
      when t.depth > 0 then pg_catalog.format('(%s.%I)::%s', record, field, pg_catalog.format_type(t.oid, -1))
      else pg_catalog.format('%s.%I', record, field)
    end
  from types t order by t.depth desc limit 1
);

create function ninefold.differs(entity regclass, field text) returns text
  language sql stable
  set search_path = pg_catalog, pg_temp
return ninefold.compared(entity, field, 'old') || ' IS DISTINCT FROM ' || ninefold.compared(entity, field, 'new');

-- Returns the triggers of a machine. Their conditions are written as PostgreSQL prints them, except for parentheses, so chapter 4 can detect a
-- trigger that was changed.
create function ninefold.machine_triggers(entity regclass, field text)
  returns table (name text, function regproc, timing text, condition text, arguments text[])
  language sql stable
  set search_path = pg_catalog, pg_temp
begin atomic
  with label as (select ninefold.machine_label(field) as l),
  changed as (select ninefold.differs(machine_triggers.entity, field) as c),
  keyed as (
    select field || coalesce(m.key, '{}') as arguments,
      (select pg_catalog.string_agg(' OR ' || ninefold.differs(machine_triggers.entity, k), '' order by place)
        from pg_catalog.unnest(m.key) with ordinality u (k, place)) as c
    from ninefold.machines m where m.entity = machine_triggers.entity and m.field = machine_triggers.field
  )
  select 'zz_ninefold_fill_' || l, 'ninefold.fill_state'::regproc, 'before insert', pg_catalog.format('new.%I IS NULL', field), array[field] from label
  union all
  select 'zz_ninefold_sets_' || l, 'ninefold.set_fields'::regproc, 'before update', c, array[field] from label, changed
  where exists (select from ninefold.transitions t
    where t.entity = machine_triggers.entity and t.field = machine_triggers.field and t.setter is not null)
  union all
  select 'zz_ninefold_check_start_' || l, 'ninefold.check_start'::regproc, 'after insert', null, array[field] from label
  union all
  select 'zz_ninefold_check_' || l, 'ninefold.check_state_change'::regproc, 'after update', c, array[field] from label, changed
  union all
  select 'zz_ninefold_record_start_' || l, 'ninefold.record_state_change'::regproc, 'after insert or delete', null, arguments from label, keyed
  union all
  select 'zz_ninefold_record_' || l, 'ninefold.record_state_change'::regproc, 'after update', changed.c || coalesce(keyed.c, ''),
    arguments
  from label, changed, keyed;
end;

-- Returns the arguments as pg_trigger.tgargs contains them.
create function ninefold.trigger_arguments(arguments text[]) returns bytea
  language sql stable
  set search_path = pg_catalog, pg_temp
return (
  select pg_catalog.string_agg(pg_catalog.convert_to(a, pg_catalog.getdatabaseencoding()) || '\x00'::bytea, '' order by place)
  from pg_catalog.unnest(arguments) with ordinality u (a, place)
);

create function ninefold.make_triggers(entity regclass, field text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  made record;
begin
  for made in select * from ninefold.machine_triggers(entity, field) loop
    execute pg_catalog.format('create trigger %I %s on %s for each row %s execute function %s(%s)',
      made.name, made.timing, entity, coalesce('when (' || made.condition || ')', ''), made.function,
      (select pg_catalog.string_agg(pg_catalog.quote_literal(a), ', ' order by place)
        from pg_catalog.unnest(made.arguments) with ordinality u (a, place)));
    -- The trigger fires whatever session_replication_role is.
    execute pg_catalog.format('alter table %s enable always trigger %I', entity, made.name);
  end loop;
end
$$;

-- Creates the computed fields of /rest/v1: select=*,transitions,state_changes.
create function ninefold.make_row_functions(entity regclass) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  made record;
begin
  for made in
    select n.nspname as schema, y.oid as row_type, f.name, f.body, f.origin
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_type y on y.oid = c.reltype,
    (values
      ('transitions', 'ninefold.open_transitions($1)', 'ninefold.open_transitions'::regproc),
      ('state_changes', pg_catalog.format('ninefold.state_changes_of(%1$L::regclass, ninefold.key_of(%1$L::regclass, pg_catalog.to_jsonb($1)))', entity),
        'ninefold.state_changes_of'::regproc)
    ) as f (name, body, origin)
    where c.oid = entity
  loop
    if exists (
      select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
      where n.nspname = made.schema and p.proname = made.name and p.pronargs = 1 and p.proargtypes[0] = made.row_type
        and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = p.oid
          and d.refclassid = 'pg_catalog.pg_proc'::regclass and d.refobjid = made.origin)
    ) then
      raise exception using errcode = 'duplicate_function',
        message = pg_catalog.format('there is a function %I.%I(%s) already, where the machine needs one', made.schema, made.name, entity),
        hint = 'Rename or drop it first.';
    end if;
    execute pg_catalog.format('create or replace function %I.%I(%s) returns jsonb language sql stable return %s',
      made.schema, made.name, entity, made.body);
    execute pg_catalog.format('grant execute on function %I.%I(%s) to public', made.schema, made.name, entity);
  end loop;
end
$$;

-- Removes the triggers and functions of a machine, but not its state changes. Returns true if the machine existed.
create function ninefold.remove_machine(entity regclass, field text) returns boolean
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  gone record;
  functions text[];
  named text;
  there boolean := exists (
    select from ninefold.machines m where m.entity = remove_machine.entity and m.field = remove_machine.field);
begin
  for gone in
    select t.tgname as name from pg_catalog.pg_trigger t join pg_catalog.pg_proc p on p.oid = t.tgfoid
    where t.tgrelid = entity and not t.tgisinternal and p.pronamespace = 'ninefold'::regnamespace
      and ninefold.trigger_arguments(array[field]) = pg_catalog.substring(
        t.tgargs, 1, pg_catalog.length(ninefold.trigger_arguments(array[field])))
  loop
    execute pg_catalog.format('drop trigger %I on %s', gone.name, entity);
    there := true;
  end loop;
  select pg_catalog.array_agg(f.name) into functions
  from ninefold.transitions t, lateral (values (t.guard), (t.setter)) f (name)
  where t.entity = remove_machine.entity and t.field = remove_machine.field and f.name is not null;
  delete from ninefold.machines m where m.entity = remove_machine.entity and m.field = remove_machine.field;
  foreach named in array coalesce(functions, '{}') loop
    execute pg_catalog.format('drop function if exists ninefold_states.%I', named);
  end loop;
  return there;
end
$$;

create function ninefold.write_machine(entity regclass, field text, initial text, transitions jsonb, path text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  relation pg_catalog.pg_class;
  row_name text;
  field_type text;
  states text[] := array[initial];
  problem text;
  place integer := 0;
  item jsonb;
  t ninefold.transitions;
  expression text;
  assignments text[];
  setting record;
  column_type text;
begin
  if entity is null or field is null or initial is null or pg_catalog.jsonb_typeof(transitions) is distinct from 'array' then
    raise exception using errcode = 'invalid_parameter_value',
      message = 'a machine needs a table, a field, the initial state and a list of transitions',
      hint = $hint$select ninefold.define_machine('public.tickets', 'status', 'open', '[{"name": "close", "from": "open", "to": "closed"}]');$hint$;
  end if;
  perform ninefold.check_machine_table(entity);
  select * into relation from pg_catalog.pg_class c where c.oid = entity;
  row_name := pg_catalog.quote_ident(relation.relname);
  select pg_catalog.format_type(a.atttypid, a.atttypmod) into field_type
  from pg_catalog.pg_attribute a join pg_catalog.pg_type y on y.oid = a.atttypid
  where a.attrelid = entity and a.attname = field and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    and (y.typtype in ('d', 'e') or y.oid in ('pg_catalog.text'::regtype, 'pg_catalog.varchar'::regtype))
    and a.attnum <> all (select pg_catalog.unnest(i.indkey::int2[]) from pg_catalog.pg_index i where i.indrelid = entity and i.indisprimary);
  if not found then
    raise exception using errcode = 'invalid_parameter_value',
      message = pg_catalog.format('%s has no field %I that can hold a state: an enum, a text or a domain, not generated, not of the primary key', entity, field);
  end if;
  -- Nobody writes to the table until the machine is complete.
  execute pg_catalog.format('lock table %s in share row exclusive mode', entity);
  perform ninefold.remove_machine(entity, field);
  insert into ninefold.machines (entity, field, initial, key) values (entity, field, initial, ninefold.key_fields(entity));

  for item in select pg_catalog.jsonb_array_elements(transitions) loop
    place := place + 1;
    if pg_catalog.jsonb_typeof(item) <> 'object' or pg_catalog.jsonb_typeof(item -> 'name') is distinct from 'string'
      or pg_catalog.jsonb_typeof(item -> 'to') is distinct from 'string' then
      raise exception using errcode = 'invalid_parameter_value',
        message = pg_catalog.format('transition %s is not an object with the texts “name” and “to”', place);
    end if;
    select pg_catalog.string_agg(pg_catalog.quote_literal(k), ', ') into problem from pg_catalog.jsonb_object_keys(item) k
    where k not in ('name', 'from', 'to', 'roles', 'when', 'requires', 'sets');
    if problem is not null then
      raise exception using errcode = 'invalid_parameter_value',
        message = pg_catalog.format('the transition %s has %s, which means nothing', item -> 'name', problem),
        hint = 'A transition has name, from, to, roles, when, requires and sets.';
    end if;
    t := null;
    t.entity := entity;
    t.field := field;
    t.name := item ->> 'name';
    t.position := place;
    t.to_state := item ->> 'to';
    t.from_states := ninefold.texts_of(item, 'from');
    t.roles := ninefold.texts_of(item, 'roles');
    t.requires := coalesce(ninefold.texts_of(item, 'requires'), '{}');
    t.sets := '{}';
    if t.name = '' or coalesce(t.from_states, '{}') = '{}' or t.roles = '{}' then
      raise exception using errcode = 'invalid_parameter_value',
        message = pg_catalog.format('the transition %s has an empty “name”, “from” or “roles”', item -> 'name'),
        hint = '“from” is a state, a list of states, or "any"; without “roles”, whoever may change the row may take it.';
    end if;
    if t.from_states && array['any', '*'] then
      t.from_states := null;
    end if;
    states := states || t.to_state || t.from_states;

    select named into problem from pg_catalog.unnest(t.roles) named
    where named not in ('anon', 'authenticated', 'service_role', 'pg_database_owner')
      and not exists (select from ninefold.roles r where r.name = named)
      and not exists (select from pg_catalog.pg_roles r where r.rolname = named) limit 1;
    if found then
      raise exception using errcode = 'undefined_object',
        message = pg_catalog.format('the transition %s names the role %L, which is not there', t.name, problem),
        hint = pg_catalog.format('Define it first: select ninefold.define_role(%L, ''…'');', problem);
    end if;
    select named into problem from pg_catalog.unnest(t.requires) named where named = field or not exists (
      select from pg_catalog.pg_attribute a where a.attrelid = entity and a.attname = named and a.attnum > 0 and not a.attisdropped) limit 1;
    if found then
      raise exception using errcode = 'undefined_column',
        message = pg_catalog.format('the transition %s requires %I, which is no other field of %s', t.name, problem, entity);
    end if;

    if nullif(item -> 'when', 'null') is not null then
      if pg_catalog.jsonb_typeof(item -> 'when') <> 'string' then
        raise exception using errcode = 'invalid_parameter_value',
          message = pg_catalog.format('“when” of the transition %s is not a text with an SQL expression', t.name);
      end if;
      t.guard := ninefold.function_name(entity, field, t.name, 'when');
      expression := ninefold.compile_part(entity, t.name, 'when', item ->> 'when', 'boolean', path);
      execute pg_catalog.format('create function ninefold_states.%I(%s %s) returns boolean language sql stable return (%s)',
        t.guard, row_name, entity, expression);
      execute pg_catalog.format('grant execute on function ninefold_states.%I to public', t.guard);
      perform ninefold.try_function(entity, t.name, 'when', t.guard);
    end if;

    if nullif(item -> 'sets', 'null') is not null then
      if pg_catalog.jsonb_typeof(item -> 'sets') <> 'object' then
        raise exception using errcode = 'invalid_parameter_value',
          message = pg_catalog.format('“sets” of the transition %s is not an object of fields and their SQL expressions', t.name);
      end if;
      assignments := '{}';
      for setting in select s.key, s.value from pg_catalog.jsonb_each(item -> 'sets') s loop
        select pg_catalog.format_type(a.atttypid, a.atttypmod) into column_type
        from pg_catalog.pg_attribute a
        where a.attrelid = entity and a.attname = setting.key and a.attname <> field and a.attnum > 0 and not a.attisdropped
          and a.attgenerated = ''
          and a.attnum <> all (select pg_catalog.unnest(i.indkey::int2[]) from pg_catalog.pg_index i where i.indrelid = entity and i.indisprimary);
        if not found then
          raise exception using errcode = 'undefined_column',
            message = pg_catalog.format('the transition %s sets %I, which is no field of %s that can be set', t.name, setting.key, entity);
        end if;
        if pg_catalog.jsonb_typeof(setting.value) in ('object', 'array') then
          raise exception using errcode = 'invalid_parameter_value',
            message = pg_catalog.format('the transition %s sets %I to what is neither a text with an SQL expression, nor a number, true, false or null', t.name, setting.key);
        end if;
        expression := ninefold.compile_part(entity, t.name, 'sets', coalesce(setting.value #>> '{}', 'null'), column_type, path);
        t.sets := t.sets || setting.key;
        assignments := assignments || pg_catalog.format('%L, %s', setting.key, expression);
      end loop;
      if t.sets <> '{}' then
        t.setter := ninefold.function_name(entity, field, t.name, 'sets');
        execute pg_catalog.format('create function ninefold_states.%I(%s %s) returns jsonb language sql return pg_catalog.jsonb_build_object(%s)',
          t.setter, row_name, entity, pg_catalog.array_to_string(assignments, ', '));
        execute pg_catalog.format('grant execute on function ninefold_states.%I to public', t.setter);
      end if;
    end if;
    begin
      insert into ninefold.transitions select t.*;
    exception when unique_violation then
      raise exception using errcode = 'duplicate_object', message = pg_catalog.format('two transitions are called %s', t.name);
    end;
  end loop;

  if states && array['any', '*', ''] then
    raise exception using errcode = 'invalid_parameter_value', message = 'a state cannot be called any or *, nor nothing';
  end if;
  -- Each state must be a value of the field's type. Otherwise PostgreSQL raises the error.
  for problem in select distinct s from pg_catalog.unnest(states) s loop
    execute pg_catalog.format('select %L::%s', problem, field_type);
  end loop;
  perform ninefold.refuse_removed_states(entity, field, states);
  perform ninefold.make_triggers(entity, field);
  perform ninefold.make_row_functions(entity);
end
$$;

create function ninefold.define_machine(entity regclass, field text, initial text, transitions jsonb) returns void
  language sql
return ninefold.write_machine(entity, field, initial, transitions, current_setting('search_path'));
comment on function ninefold.define_machine is
  'Defines or replaces the state machine of a field. transitions: [{"name": "close", "from": "open", "to": "closed", '
  '"roles": ["agent"], "when": "assignee = auth.uid()", "requires": ["resolution"], "sets": {"closed_at": "now()"}}]';

create function ninefold.drop_machine(entity regclass, field text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  gone record;
begin
  if not ninefold.remove_machine(entity, field) then
    raise exception using errcode = 'undefined_object', message = pg_catalog.format('%s has no state machine on %I', entity, field);
  end if;
  if exists (select from ninefold.machines m where m.entity = drop_machine.entity) then
    return;
  end if;
  for gone in
    select p.oid::regprocedure as function from pg_catalog.pg_proc p join pg_catalog.pg_class c on c.oid = entity
    where p.proname in ('transitions', 'state_changes') and p.pronargs = 1 and p.proargtypes[0] = c.reltype
      and exists (select from pg_catalog.pg_depend d where d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = p.oid
        and d.refclassid = 'pg_catalog.pg_proc'::regclass
        and d.refobjid in ('ninefold.open_transitions'::regproc, 'ninefold.state_changes_of'::regproc))
  loop
    execute pg_catalog.format('drop function %s', gone.function);
  end loop;
end
$$;
comment on function ninefold.drop_machine is 'Removes a state machine; the state changes that it recorded stay.';

-- Changes of the tables with a machine --------------------------------------------------------------------------------

-- A column, state or function that a machine uses cannot be dropped before the machine. The function reads only catalogs, because it runs with
-- the privileges of the role that changes the schema.
create function ninefold.keep_machines_whole() returns event_trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  lost record;
begin
  select m.entity, m.field, used.name into lost
  from ninefold.machines m
  join pg_catalog.pg_class c on c.oid = m.entity,
  lateral (
    select m.field as name
    union
    select pg_catalog.unnest(t.requires || t.sets) from ninefold.transitions t where t.entity = m.entity and t.field = m.field
  ) used
  where not exists (
    select from pg_catalog.pg_attribute a where a.attrelid = m.entity and a.attname = used.name and a.attnum > 0 and not a.attisdropped)
  limit 1;
  if found then
    raise exception using errcode = 'dependent_objects_still_exist',
      message = pg_catalog.format('the state machine of %s.%I uses the column %I', lost.entity, lost.field, lost.name),
      hint = pg_catalog.format('select ninefold.drop_machine(%L, %L); then define it anew.', lost.entity, lost.field);
  end if;
  select m.entity, m.field, used.state as name into lost
  from ninefold.machines m
  join pg_catalog.pg_attribute a on a.attrelid = m.entity and a.attname = m.field and not a.attisdropped
  join pg_catalog.pg_type y on y.oid = a.atttypid and y.typtype = 'e',
  lateral (
    select m.initial as state
    union
    select pg_catalog.unnest(t.from_states || t.to_state) from ninefold.transitions t where t.entity = m.entity and t.field = m.field
  ) used
  where not exists (select from pg_catalog.pg_enum e where e.enumtypid = y.oid and e.enumlabel = used.state)
  limit 1;
  if found then
    raise exception using errcode = 'dependent_objects_still_exist',
      message = pg_catalog.format('the state machine of %s.%I has the state %s', lost.entity, lost.field, lost.name),
      hint = pg_catalog.format('select ninefold.drop_machine(%L, %L); then define it anew.', lost.entity, lost.field);
  end if;
  select t.entity, t.field, t.name into lost from ninefold.transitions t, lateral (values (t.guard), (t.setter)) f (name)
  where not exists (
    select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'ninefold_states' and p.proname = f.name)
    and f.name is not null
  limit 1;
  if found then
    raise exception using errcode = 'dependent_objects_still_exist',
      message = pg_catalog.format('the transition %s of the state machine of %s.%I uses what would be dropped', lost.name, lost.entity, lost.field),
      hint = pg_catalog.format('select ninefold.drop_machine(%L, %L); then define it anew.', lost.entity, lost.field);
  end if;
  select m.entity, m.field into lost from ninefold.machines m join pg_catalog.pg_class c on c.oid = m.entity
  where ninefold.key_fields(m.entity) is distinct from m.key limit 1;
  if found then
    raise exception using errcode = 'dependent_objects_still_exist',
      message = pg_catalog.format('the state machine of %s.%I needs the primary key of its table as it is', lost.entity, lost.field),
      hint = pg_catalog.format('Passages are recorded by it. select ninefold.drop_machine(%L, %L); then define it anew.', lost.entity, lost.field);
  end if;
end
$$;

create event trigger ninefold_machines_whole on ddl_command_end when tag in (
  'ALTER TABLE', 'ALTER TYPE', 'DROP TABLE', 'DROP VIEW', 'DROP FUNCTION', 'DROP TYPE', 'DROP DOMAIN', 'DROP SCHEMA', 'DROP EXTENSION')
  execute function ninefold.keep_machines_whole();
alter event trigger ninefold_machines_whole enable always;

create function ninefold.forget_dropped_tables() returns event_trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set row_security = on
as $$
begin
  delete from ninefold.machines m using pg_catalog.pg_event_trigger_dropped_objects() o
  where o.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and o.objsubid = 0 and o.objid = m.entity;
  delete from ninefold.state_changes p using pg_catalog.pg_event_trigger_dropped_objects() o
  where o.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and o.objsubid = 0 and o.object_type = 'table' and o.objid = p.entity;
end
$$;
alter function ninefold.forget_dropped_tables() owner to ninefold_server;

create event trigger ninefold_machines_dropped on sql_drop execute function ninefold.forget_dropped_tables();
alter event trigger ninefold_machines_dropped enable always;

-- Privileges ----------------------------------------------------------------------------------------------------------

grant select on ninefold.machines, ninefold.transitions, ninefold.state_changes to public;
grant insert, update, delete on ninefold.machines, ninefold.transitions to pg_database_owner;
-- The owner inserts rows when an app is restored from a dump, and deletes rows that are older than the app needs.
grant insert, delete on ninefold.state_changes to pg_database_owner;
grant select on sequence ninefold.state_changes_id_seq to pg_database_owner;
grant delete on ninefold.machines, ninefold.transitions to ninefold_server;
grant insert, update, delete on ninefold.state_changes to ninefold_server;

revoke execute on function
  ninefold.define_machine, ninefold.write_machine, ninefold.drop_machine, ninefold.remove_machine, ninefold.make_triggers,
  ninefold.make_row_functions, ninefold.refuse_removed_states, ninefold.compile_expression, ninefold.compile_part, ninefold.try_function,
  ninefold.check_machine_table, ninefold.texts_of, ninefold.function_name,
  ninefold.fill_state, ninefold.set_fields, ninefold.check_start, ninefold.check_state_change, ninefold.record_state_change,
  ninefold.forget_dropped_tables, ninefold.keep_machines_whole
from public;
grant execute on function
  ninefold.define_machine, ninefold.write_machine, ninefold.drop_machine, ninefold.remove_machine, ninefold.make_triggers,
  ninefold.make_row_functions, ninefold.refuse_removed_states, ninefold.compile_expression, ninefold.compile_part, ninefold.try_function,
  ninefold.check_machine_table, ninefold.texts_of, ninefold.function_name,
  ninefold.fill_state, ninefold.set_fields, ninefold.check_start, ninefold.check_state_change, ninefold.record_state_change
to pg_database_owner;

create trigger definition_told after insert or update or delete or truncate on ninefold.machines
  for each statement execute function ninefold.tell_definition_changed();
create trigger definition_noted after insert or update or delete on ninefold.machines
  for each statement when (current_user <> 'ninefold_server') execute function ninefold.note_definition_change();
alter table ninefold.machines enable always trigger definition_told, enable always trigger definition_noted;

create trigger definition_told after insert or update or delete or truncate on ninefold.transitions
  for each statement execute function ninefold.tell_definition_changed();
create trigger definition_noted after insert or update or delete on ninefold.transitions
  for each statement when (current_user <> 'ninefold_server') execute function ninefold.note_definition_change();
alter table ninefold.transitions enable always trigger definition_told, enable always trigger definition_noted;
