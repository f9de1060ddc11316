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
  -- The rows of a statement share what the first of them has read.
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
  -- A reference to the row as a whole names no column, and a generated column stands for others: all columns count then.
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

-- The columns of a row that are computed from others, as they are after a change.
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

-- Whether a trigger of the app may set one of the columns before the policies see the row.
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

-- The row as the transition writes it. `columns`: those that the caller of this function needs.
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

-- Whether a condition of policies may accept the row as the transition writes it. Null counts as yes, and so does a condition on
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
    -- What the transition sets cannot be computed here.
    return true;
  end;
  return answer is not false or ninefold.triggers_set(taken.entity, columns) or exists (
    select from pg_catalog.unnest(taken.requires) needed
    where needed operator(pg_catalog.=) any (columns)
      and coalesce(given operator(pg_catalog.->>) needed, '') operator(pg_catalog.=) '');
end
$$;

create or replace function ninefold.open_transitions("row" anyelement) returns jsonb
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
