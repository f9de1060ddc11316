-- Chapter 4: state machines. Enforcement reads the tables below at each passage; `when` and `sets` are functions that PostgreSQL
-- compiled when the machine was defined, so that they follow renamed columns and keep used ones from being dropped.
--
-- Everything that evaluates what an app's owner wrote runs with the rights of its caller. The one function that runs with
-- other rights, record_passage, evaluates nothing of the kind, and its role may do little more than it does.
--
-- What runs for each row plans its statements once (force_generic_plan): all of them look up a few rows by their keys.

-- The compiled functions are the app's own, as the machines are; the schema stays.
create schema ninefold_states;
grant usage on schema ninefold_states to public;
grant create on schema ninefold_states to pg_database_owner;
comment on schema ninefold_states is 'What the state machines compile. Written by ninefold.define_machine.';

create table ninefold.machines (
  entity regclass,
  field text,
  initial text not null,
  -- The fields of the table's primary key, in its order: by them passages are recorded.
  key text[] not null default '{}',
  constraint machines_pkey primary key (entity, field)
);
comment on table ninefold.machines is 'State machines. Set by ninefold.define_machine.';

create table ninefold.transitions (
  entity regclass,
  field text,
  name text,
  -- The order of definition: of several from and to the same states, the first that is open counts.
  position integer not null,
  -- Null: any.
  from_states text[],
  to_state text not null,
  -- Null: whoever may change the row.
  roles text[],
  -- A function of schema ninefold_states over the row as it stands.
  guard text,
  requires text[] not null default '{}',
  sets text[] not null default '{}',
  -- A function of schema ninefold_states over the row as it is written; answers the fields of `sets`.
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

create table ninefold.passages (
  id bigint generated always as identity primary key,
  entity regclass not null,
  field text not null,
  -- The row's primary key, by field.
  key jsonb not null,
  -- To look rows up by: unlike a comparison of jsonb, one of texts may come before row-level security.
  key_hash text not null generated always as (md5(key::text)) stored,
  -- Null where the row was made.
  transition text,
  from_state text,
  to_state text,
  -- auth.uid() of the caller; null for keys and for SQL without claims.
  member uuid,
  -- The database role of the caller; pg_database_owner for the app's owner.
  role text not null,
  at timestamptz not null default clock_timestamp(),
  -- When the row came to from_state; null where that is not known.
  since timestamptz,
  -- The row was deleted; another one may have its key.
  gone boolean not null default false
);
create index passages_row on ninefold.passages (entity, key_hash, id);
create index passages_at on ninefold.passages (at);
comment on table ninefold.passages is 'Each passage of a row from state to state: readable where the row is.';

-- Who may pass ----------------------------------------------------------------------------------------------------------------
create function ninefold.holds_any(roles text[]) returns boolean
  language plpgsql stable
  set search_path = '' set plan_cache_mode = force_generic_plan
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
  set search_path = ''
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
comment on function ninefold.is_open is 'Whether the caller may take the transition with a row as it stands.';

create function ninefold.open_transitions("row" anyelement) returns jsonb
  language plpgsql stable
  set search_path = ''
as $$
declare
  of regclass;
  now jsonb := pg_catalog.to_jsonb("row");
  state text;
  t ninefold.transitions;
  answer jsonb := '[]';
begin
  if now is null then
    return answer;
  end if;
  select nullif(y.typrelid, 0) into of from pg_catalog.pg_type y where y.oid = pg_catalog.pg_typeof("row");
  for t in select * from ninefold.transitions x where x.entity = of order by x.field, x.position loop
    state := now ->> t.field;
    if (t.from_states is null or state = any (t.from_states)) and t.to_state is distinct from state and ninefold.is_open(t, "row") then
      answer := answer || pg_catalog.jsonb_build_object(
        'field', t.field, 'name', t.name, 'from', state, 'to', t.to_state, 'requires', t.requires, 'sets', t.sets);
    end if;
  end loop;
  return answer;
end
$$;
comment on function ninefold.open_transitions is 'The transitions that are open to the caller for a row as it stands, in the order of definition.';

create function ninefold.refuse_undefined(entity regclass, field text) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  raise exception using errcode = 'NF005',
    message = pg_catalog.format('The machine of %s.%I is broken: its trigger is there, its definition is not.', entity, field),
    hint = 'Define the machine again, or drop it with ninefold.drop_machine.';
end
$$;

-- Finds the transition that a write takes, or refuses it. `row`, also as jsonb: as it stood.
create function ninefold.judge_passage(entity regclass, field text, old_row jsonb, becomes text, "row" anyelement)
  returns ninefold.transitions
  language plpgsql
  set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  was text := old_row ->> field;
  t ninefold.transitions;
  tried text[] := '{}';
  open_ones text;
begin
  for t in
    select * from ninefold.transitions x
    where x.entity = judge_passage.entity and x.field = judge_passage.field and x.to_state = becomes
      and (x.from_states is null or was = any (x.from_states))
    order by x.position
  loop
    if ninefold.is_open(t, "row") then
      return t;
    end if;
    tried := tried || t.name;
  end loop;
  if not exists (select from ninefold.machines m where m.entity = judge_passage.entity and m.field = judge_passage.field) then
    perform ninefold.refuse_undefined(entity, field);
  end if;
  select pg_catalog.string_agg(pg_catalog.format('%s (to %s)', o ->> 'name', o ->> 'to'), ', ') into open_ones
  from pg_catalog.jsonb_array_elements(ninefold.open_transitions("row")) o where o ->> 'field' = judge_passage.field;
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

-- The primary key of a row, by field; null where the table has none.
create function ninefold.key_of(entity oid, "row" jsonb) returns jsonb
  language plpgsql stable
  set search_path = '' set plan_cache_mode = force_generic_plan
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
  set search_path = ''
return (
  select pg_catalog.array_agg(a.attname::text order by k.place)
  from pg_catalog.pg_index i, lateral pg_catalog.unnest(i.indkey::int2[]) with ordinality k (number, place)
  join pg_catalog.pg_attribute a on a.attnum = k.number
  where i.indrelid = key_fields.entity and i.indisprimary and a.attrelid = i.indrelid
);

-- Triggers: their first argument is the field of the machine ----------------------------------------------------------------------------
create function ninefold.fill_state() returns trigger
  language plpgsql
  set search_path = ''
as $$
declare
  first text;
begin
  select m.initial into first from ninefold.machines m where m.entity = tg_relid and m.field = tg_argv[0];
  return pg_catalog.jsonb_populate_record(new, pg_catalog.jsonb_build_object(tg_argv[0], first));
end
$$;
comment on function ninefold.fill_state is 'Before an insert without a state: the initial one.';

create function ninefold.set_fields() returns trigger
  language plpgsql
  set search_path = ''
as $$
declare
  was jsonb := pg_catalog.to_jsonb(old);
  t ninefold.transitions;
  fields jsonb;
begin
  t := ninefold.judge_passage(tg_relid, tg_argv[0], was, pg_catalog.to_jsonb(new) ->> tg_argv[0], old);
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
comment on function ninefold.set_fields is 'Before a passage: sets the fields that its transition sets.';

create function ninefold.check_start() returns trigger
  language plpgsql
  set search_path = '' set plan_cache_mode = force_generic_plan
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
  -- Imports and seeds bring rows that have a past: the owner may, with states that the machine knows.
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
comment on function ninefold.check_start is 'After an insert: the row stands in the initial state.';

create function ninefold.check_passage() returns trigger
  language plpgsql
  set search_path = ''
as $$
declare
  was jsonb := pg_catalog.to_jsonb(old);
  becomes jsonb := pg_catalog.to_jsonb(new);
  t ninefold.transitions;
  missing text;
begin
  t := ninefold.judge_passage(tg_relid, tg_argv[0], was, becomes ->> tg_argv[0], old);
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
comment on function ninefold.check_passage is 'After an update, of the row as it was written in the end: the passage is one of the machine.';

-- The arguments after the first are the fields of the primary key.
create function ninefold.record_passage() returns trigger
  language plpgsql security definer
  set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  was jsonb;
  becomes jsonb;
  old_key jsonb := '{}';
  new_key jsonb := '{}';
  caller text := pg_catalog.current_setting('role');
  taken text;
  member uuid;
  came timestamptz;
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
  if tg_op = 'DELETE' then
    update ninefold.passages p set gone = true
    where p.entity = tg_relid and p.key_hash = pg_catalog.md5(old_key::text) and p.field = tg_argv[0] and not p.gone;
    return null;
  end if;
  if tg_op = 'UPDATE' then
    if new_key <> old_key then
      update ninefold.passages p set key = new_key
      where p.entity = tg_relid and p.key_hash = pg_catalog.md5(old_key::text) and p.field = tg_argv[0] and not p.gone;
    end if;
    if was ->> tg_argv[0] is not distinct from becomes ->> tg_argv[0] then
      return null;
    end if;
    taken := pg_catalog.current_setting('ninefold.transition', true);
    select p.at into came from ninefold.passages p
    where p.entity = tg_relid and p.key_hash = pg_catalog.md5(new_key::text) and p.field = tg_argv[0] and not p.gone
    order by p.id desc limit 1;
  end if;
  if caller = 'none' then
    select case when r.rolname = session_user then 'pg_database_owner' else session_user end into caller
    from pg_catalog.pg_database d join pg_catalog.pg_roles r on r.oid = d.datdba
    where d.datname = pg_catalog.current_database();
  end if;
  member := ninefold.caller();
  insert into ninefold.passages (entity, field, key, transition, from_state, to_state, member, role, since)
  values (tg_relid, tg_argv[0], new_key, taken, was ->> tg_argv[0], becomes ->> tg_argv[0], member, caller, came);
  return null;
end
$$;
comment on function ninefold.record_passage is 'After a write that the machine allowed: who took the row from which state to which, and when.';

-- Reading passages ------------------------------------------------------------------------------------------------------------
-- Asks the table as the caller does, with its policies. They are the app's, and may call functions that look for their tables in the
-- caller's search path, so that is left alone; everything else is named in full.
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

-- In the SQL standard's form, so that the search path is the caller's when policies are asked.
create function ninefold.passages_at(entity regclass, key jsonb) returns jsonb
  language sql stable
return (
  select coalesce(jsonb_agg(jsonb_build_object(
    'field', p.field, 'transition', p.transition, 'from', p.from_state, 'to', p.to_state,
    'member', p.member, 'role', p.role, 'at', p.at) order by p.id), '[]')
  from ninefold.passages p
  where p.entity = passages_at.entity and p.key_hash = md5(passages_at.key::text) and not p.gone
);
comment on function ninefold.passages_at is 'The passages of a row, the oldest first, if the caller may read it.';

alter table ninefold.passages enable row level security;
create policy where_the_row_is on ninefold.passages for select using (not gone and ninefold.sees_row(entity, key));
create policy app_owner on ninefold.passages to pg_database_owner using (true) with check (true);
create policy server on ninefold.passages to ninefold_server using (true) with check (true);

-- Definition ------------------------------------------------------------------------------------------------------------------
-- All of it runs as the caller, who must own the table.

-- An expression over a row of the table as PostgreSQL prints it, each column qualified by the table's name. `path`: where its names
-- are looked for. Throws PostgreSQL's own error for anything that is not one expression of that type.
create function ninefold.compile_expression(entity regclass, expression text, type text, path text) returns text
  language plpgsql
  set search_path = ''
as $$
declare
  named text := (select pg_catalog.quote_ident(c.relname) from pg_catalog.pg_class c where c.oid = entity);
  -- Nothing in the expression can be mistaken for it.
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

-- A member of the JSON of a transition as a list of texts; null where it is absent.
create function ninefold.texts_of(transition jsonb, member text) returns text[]
  language plpgsql immutable
  set search_path = ''
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

create function ninefold.machine_label(field text) returns text
  language sql immutable
  set search_path = ''
return case when pg_catalog.octet_length(field) <= 40 then field
  else pg_catalog.left(field, 10) || '_' || pg_catalog.md5(field) end;

-- A table that can have a machine: the caller's own, with a key, and with rows that no other table shares.
create function ninefold.check_machine_table(entity regclass) returns void
  language plpgsql
  set search_path = ''
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
      'PostgreSQL moves a row between partitions by deleting and inserting it, so its passages cannot be told from new rows'
    when c.relkind <> 'r' then 'only tables have state machines'
    when c.relpersistence = 't' then 'it is temporary'
    when exists (select from pg_catalog.pg_inherits i where entity in (i.inhparent, i.inhrelid)) then
      'with inheritance, a write to one table changes rows of another without its triggers'
    when not exists (select from pg_catalog.pg_index i where i.indrelid = entity and i.indisprimary) then
      'it has no primary key, by which passages are recorded'
  end;
  if reason is not null then
    raise exception using errcode = 'feature_not_supported', message = pg_catalog.format('%s cannot have a state machine: %s', entity, reason);
  end if;
end
$$;

create function ninefold.write_machine(entity regclass, field text, initial text, transitions jsonb, path text) returns void
  language plpgsql
  set search_path = ''
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
  -- Nobody writes until the machine is whole.
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
  -- Each state is a value of the field's type: PostgreSQL says so itself where one is not.
  for problem in select distinct s from pg_catalog.unnest(states) s loop
    execute pg_catalog.format('select %L::%s', problem, field_type);
  end loop;
  perform ninefold.refuse_removed_states(entity, field, states);
  perform ninefold.make_triggers(entity, field);
  perform ninefold.make_row_functions(entity);
end
$$;

create function ninefold.function_name(entity regclass, field text, transition text, part text) returns text
  language sql
  set search_path = ''
return (
  select pg_catalog.left(pg_catalog.regexp_replace(pg_catalog.concat_ws('_', c.relname, field, transition), '[^A-Za-z0-9_]', '_', 'g'), 30)
    || '_' || part || '_' || pg_catalog.right(pg_catalog.gen_random_uuid()::text, 12)
  from pg_catalog.pg_class c where c.oid = entity
);

create function ninefold.compile_part(entity regclass, transition text, part text, expression text, type text, path text) returns text
  language plpgsql
  set search_path = ''
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

-- What a function that it calls does not find with the empty search path is found out now, and not by a member.
create function ninefold.try_function(entity regclass, transition text, part text, function text) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  execute pg_catalog.format('select ninefold_states.%I(x) from %s x limit 1', function, entity);
exception when syntax_error_or_access_rule_violation then
  raise exception using errcode = sqlstate,
    message = pg_catalog.format('“%s” of the transition %s cannot be used: %s', part, transition, sqlerrm),
    hint = 'Functions that it calls run with an empty search path: let them name what they use in full, or set search_path.';
end
$$;

create function ninefold.refuse_removed_states(entity regclass, field text, states text[]) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  forced boolean := (select c.relforcerowsecurity from pg_catalog.pg_class c where c.oid = entity);
  stranded text;
begin
  -- Every row counts, also where the policies bind the owner.
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

-- A column of `old` or `new` as PostgreSQL prints it in a comparison, cast where there is no operator for its own type.
create function ninefold.compared(entity regclass, field text, record text) returns text
  language sql stable
  set search_path = ''
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
  set search_path = ''
return ninefold.compared(entity, field, 'old') || ' IS DISTINCT FROM ' || ninefold.compared(entity, field, 'new');

-- The triggers of a machine. Their conditions are written as PostgreSQL prints them, but for brackets, so that chapter 4 can tell
-- whether they still are what they were made as.
create function ninefold.machine_triggers(entity regclass, field text)
  returns table (name text, function regproc, timing text, condition text, arguments text[])
  language sql stable
  set search_path = ''
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
  select 'zz_ninefold_check_' || l, 'ninefold.check_passage'::regproc, 'after update', c, array[field] from label, changed
  union all
  select 'zz_ninefold_record_start_' || l, 'ninefold.record_passage'::regproc, 'after insert or delete', null, arguments from label, keyed
  union all
  select 'zz_ninefold_record_' || l, 'ninefold.record_passage'::regproc, 'after update', changed.c || coalesce(keyed.c, ''),
    arguments
  from label, changed, keyed;
end;

-- As pg_trigger.tgargs holds them.
create function ninefold.trigger_arguments(arguments text[]) returns bytea
  language sql stable
  set search_path = ''
return (
  select pg_catalog.string_agg(pg_catalog.convert_to(a, pg_catalog.getdatabaseencoding()) || '\x00'::bytea, '' order by place)
  from pg_catalog.unnest(arguments) with ordinality u (a, place)
);

create function ninefold.make_triggers(entity regclass, field text) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  made record;
begin
  for made in select * from ninefold.machine_triggers(entity, field) loop
    execute pg_catalog.format('create trigger %I %s on %s for each row %s execute function %s(%s)',
      made.name, made.timing, entity, coalesce('when (' || made.condition || ')', ''), made.function,
      (select pg_catalog.string_agg(pg_catalog.quote_literal(a), ', ' order by place)
        from pg_catalog.unnest(made.arguments) with ordinality u (a, place)));
    -- Also where session_replication_role says otherwise.
    execute pg_catalog.format('alter table %s enable always trigger %I', entity, made.name);
  end loop;
end
$$;

-- What /rest/v1 reads as computed fields: select=*,transitions,passages.
create function ninefold.make_row_functions(entity regclass) returns void
  language plpgsql
  set search_path = ''
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
      ('passages', pg_catalog.format('ninefold.passages_at(%1$L::regclass, ninefold.key_of(%1$L::regclass, pg_catalog.to_jsonb($1)))', entity),
        'ninefold.passages_at'::regproc)
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

-- Takes away what a machine has made; its passages stay. Answers whether there was one.
create function ninefold.remove_machine(entity regclass, field text) returns boolean
  language plpgsql
  set search_path = ''
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

create function ninefold.define_machine(entity regclass, field text, initial text, transitions jsonb) returns void
  language sql
return ninefold.write_machine(entity, field, initial, transitions, current_setting('search_path'));
comment on function ninefold.define_machine is
  'Gives a field of a table a state machine, or changes the one it has. transitions: [{"name": "close", "from": "open", "to": "closed", '
  '"roles": ["agent"], "when": "assignee = auth.uid()", "requires": ["resolution"], "sets": {"closed_at": "now()"}}]';

create function ninefold.drop_machine(entity regclass, field text) returns void
  language plpgsql
  set search_path = ''
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
    where p.proname in ('transitions', 'passages') and p.pronargs = 1 and p.proargtypes[0] = c.reltype
      and exists (select from pg_catalog.pg_depend d where d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = p.oid
        and d.refclassid = 'pg_catalog.pg_proc'::regclass
        and d.refobjid in ('ninefold.open_transitions'::regproc, 'ninefold.passages_at'::regproc))
  loop
    execute pg_catalog.format('drop function %s', gone.function);
  end loop;
end
$$;
comment on function ninefold.drop_machine is 'Removes a state machine; the passages that it recorded stay.';

-- Changes of the tables beneath ---------------------------------------------------------------------------------------------------
-- A name that a machine uses cannot go: the machine goes first. Looks into the catalogue alone, whoever changes the schema.
create function ninefold.keep_machines_whole() returns event_trigger
  language plpgsql
  set search_path = ''
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

-- Whoever drops a table may not write here.
create function ninefold.forget_dropped_tables() returns event_trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  delete from ninefold.machines m using pg_catalog.pg_event_trigger_dropped_objects() o
  where o.classid = 'pg_catalog.pg_class'::regclass and o.objsubid = 0 and o.objid = m.entity;
  delete from ninefold.passages p using pg_catalog.pg_event_trigger_dropped_objects() o
  where o.classid = 'pg_catalog.pg_class'::regclass and o.objsubid = 0 and o.object_type = 'table' and o.objid = p.entity;
end
$$;

create event trigger ninefold_machines_dropped on sql_drop execute function ninefold.forget_dropped_tables();

-- Rights ------------------------------------------------------------------------------------------------------------------------
grant select on ninefold.machines, ninefold.transitions, ninefold.passages to public;
grant insert, update, delete on ninefold.machines, ninefold.transitions to pg_database_owner;
-- Inserting: for a copy of an app that is restored from a dump. Deleting: whoever keeps the app may choose for how long.
grant insert, delete on ninefold.passages to pg_database_owner;
grant delete on ninefold.machines, ninefold.transitions to ninefold_server;
grant insert, update, delete on ninefold.passages to ninefold_server;

alter function ninefold.record_passage() owner to ninefold_server;
alter function ninefold.forget_dropped_tables() owner to ninefold_server;

revoke execute on function
  ninefold.define_machine, ninefold.write_machine, ninefold.drop_machine, ninefold.remove_machine, ninefold.make_triggers,
  ninefold.make_row_functions, ninefold.refuse_removed_states, ninefold.compile_expression, ninefold.compile_part, ninefold.try_function,
  ninefold.check_machine_table
from public;
grant execute on function
  ninefold.define_machine, ninefold.write_machine, ninefold.drop_machine, ninefold.remove_machine, ninefold.make_triggers,
  ninefold.make_row_functions, ninefold.refuse_removed_states, ninefold.compile_expression, ninefold.compile_part, ninefold.try_function,
  ninefold.check_machine_table
to pg_database_owner;
revoke execute on function
  ninefold.fill_state, ninefold.set_fields, ninefold.check_start, ninefold.check_passage, ninefold.record_passage,
  ninefold.forget_dropped_tables, ninefold.keep_machines_whole
from public;
grant execute on function
  ninefold.fill_state, ninefold.set_fields, ninefold.check_start, ninefold.check_passage, ninefold.record_passage
to pg_database_owner;

do $$
declare
  named text;
begin
  foreach named in array array['machines', 'transitions'] loop
    execute format('create trigger definition_told after insert or update or delete or truncate on ninefold.%I
      for each statement execute function ninefold.tell_definition_changed()', named);
    execute format('create trigger definition_noted after insert or update or delete on ninefold.%I
      for each statement execute function ninefold.note_definition_change()', named);
  end loop;
end
$$;
