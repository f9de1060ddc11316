-- Ninefold's own work in an app's database logs in as app_<ref>_server, a member of ninefold_server. No code of the app can become
-- ninefold_server, so this role may write what the app's owner may not: history, settings on behalf of builders, queues
-- (docs/decisions/0067-a-login-role-for-the-server.md).

-- Functions -------------------------------------------------------------------------------------------------------------------
-- An empty search path finds types and tables of pg_temp before those of pg_catalog. A caller could define a type pg_temp.text, and a
-- function with more privileges than the caller would use it.
do $$
declare
  item record;
begin
  for item in
    select p.oid::regprocedure as function
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    join pg_catalog.pg_roles r on r.oid = p.proowner
    where (r.rolsuper or r.rolname in ('supabase_auth_admin', 'ninefold_server'))
      and (n.nspname in ('ninefold', 'auth', 'cron', 'net', 'supabase_functions') or n.nspname = 'pg_catalog' and p.proname ~ '^ninefold_')
      and 'search_path=""' = any (p.proconfig)
  loop
    execute pg_catalog.format('alter function %s set search_path = pg_catalog, pg_temp', item.function);
  end loop;
end
$$;

-- Tables of schema ninefold that belonged to the role of schema auth -----------------------------------------------------------------
-- The app's owner is a member of that role, and the owner of a table may define triggers, rules, defaults and checks on it.
do $$
declare
  item record;
  own oid[] := array(
    select c.oid from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.oid = c.relowner
    where c.relnamespace = 'ninefold'::regnamespace and c.relkind = 'r' and r.rolname = 'supabase_auth_admin');
begin
  -- An app may have defined something on these tables before. The new owner must not run it.
  with parts as (
    select c.oid as of, 'pg_catalog.pg_class'::regclass as class, c.oid as id, 'a column type of the app' as name from pg_catalog.pg_class c where c.oid = any (own)
    union all
    select d.adrelid, 'pg_catalog.pg_attrdef'::regclass, d.oid, 'a default' from pg_catalog.pg_attrdef d where d.adrelid = any (own)
    union all
    select k.conrelid, 'pg_catalog.pg_constraint'::regclass, k.oid, 'the constraint ' || k.conname from pg_catalog.pg_constraint k where k.conrelid = any (own)
    union all
    select i.indrelid, 'pg_catalog.pg_class'::regclass, i.indexrelid, 'the index ' || i.indexrelid::regclass from pg_catalog.pg_index i where i.indrelid = any (own)
    union all
    select t.tgrelid, 'pg_catalog.pg_trigger'::regclass, t.oid, 'the trigger ' || t.tgname from pg_catalog.pg_trigger t where t.tgrelid = any (own) and not t.tgisinternal
    union all
    select s.stxrelid, 'pg_catalog.pg_statistic_ext'::regclass, s.oid, 'the statistics ' || s.stxname from pg_catalog.pg_statistic_ext s where s.stxrelid = any (own)
  ), foreigners as (
    select p.of, p.name from parts p
    join pg_catalog.pg_depend d on d.classid = p.class and d.objid = p.id
    where d.refclassid in ('pg_catalog.pg_operator'::regclass, 'pg_catalog.pg_opclass'::regclass, 'pg_catalog.pg_collation'::regclass)
      or d.refclassid = 'pg_catalog.pg_type'::regclass and (select t.typtype from pg_catalog.pg_type t where t.oid = d.refobjid) <> 'e'
      or d.refclassid = 'pg_catalog.pg_proc'::regclass and not exists (
        select from pg_catalog.pg_proc f join pg_catalog.pg_roles r on r.oid = f.proowner where f.oid = d.refobjid and r.rolsuper)
    union all
    select r.ev_class, 'the rule ' || r.rulename from pg_catalog.pg_rewrite r where r.ev_class = any (own)
    union all
    select p.polrelid, 'the policy ' || p.polname from pg_catalog.pg_policy p where p.polrelid = any (own)
    union all
    select i.inhrelid, 'a parent table' from pg_catalog.pg_inherits i where i.inhrelid = any (own)
    union all
    select i.inhparent, 'a child table' from pg_catalog.pg_inherits i where i.inhparent = any (own)
  )
  select f.of::regclass as relation, f.name into item from foreigners f limit 1;
  if found then
    raise exception using errcode = 'object_not_in_prerequisite_state',
      message = pg_catalog.format('the table %s is not as Ninefold created it: it has or uses %s', item.relation, item.name),
      hint = 'Remove it as a role that is a member of supabase_auth_admin. Tables of the schema ninefold belong to Ninefold.';
  end if;
  for item in select c.oid::regclass as relation from pg_catalog.pg_class c where c.oid = any (own) loop
    execute pg_catalog.format('alter table %s owner to ninefold_server', item.relation);
    execute pg_catalog.format('revoke all on table %s from public, supabase_auth_admin', item.relation);
    execute pg_catalog.format('grant select, insert, update, delete on table %s to supabase_auth_admin', item.relation);
  end loop;
  for item in
    select d.objid::regclass as relation from pg_catalog.pg_depend d
    join pg_catalog.pg_class c on c.oid = d.objid and c.relkind = 'S'
    where d.classid = 'pg_catalog.pg_class'::regclass and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid = any (own)
      and d.deptype in ('a', 'i')
  loop
    execute pg_catalog.format('grant usage, select on sequence %s to supabase_auth_admin', item.relation);
  end loop;
end
$$;

-- Privileges of the server ----------------------------------------------------------------------------------------------------------
grant insert, update, delete on ninefold.settings, ninefold.versions, ninefold.authors to ninefold_server;
grant select on ninefold.authors to ninefold_server;
grant insert, update on ninefold.migrations to ninefold_server;
grant update, delete on ninefold.journal to ninefold_server;

-- These functions delete rows of schema auth, on which the app may have triggers. The authenticator runs them.
revoke execute on function ninefold.sweep_sign_ins, ninefold.fold_sign_in_counts from ninefold_server;

do $$
begin
  -- In an attached database, the schemas cron and net may be those of the extensions.
  if pg_catalog.to_regclass('ninefold.job_states') is not null then
    grant usage on schema cron to ninefold_server;
    grant select on cron.job to ninefold_server;
    grant select, insert, update, delete on cron.job_run_details, ninefold.job_states to ninefold_server;
    grant usage on sequence cron.runid_seq to ninefold_server;
    grant execute on function ninefold.last_run_until, ninefold.next_run to ninefold_server;
  end if;
  if exists (
    select from pg_catalog.pg_proc p join pg_catalog.pg_roles r on r.oid = p.proowner
    where p.pronamespace = pg_catalog.to_regnamespace('net') and p.proname = '_queue_request' and r.rolsuper
  ) then
    grant usage on schema net to ninefold_server;
    -- SELECT … FOR UPDATE requires the privilege UPDATE.
    grant select, update, delete on net.http_request_queue to ninefold_server;
    grant select, insert, delete on net._http_response to ninefold_server;
    grant execute on function net._tidy to ninefold_server;
    if exists (
      select from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.oid = c.relowner
      where c.oid = pg_catalog.to_regclass('supabase_functions.hooks') and c.relkind = 'r' and r.rolsuper
    ) then
      grant usage on schema supabase_functions to ninefold_server;
      grant select, delete on supabase_functions.hooks to ninefold_server;
    end if;
  end if;
end
$$;

-- Only the role of a session may read when the session began. The server compares it to learn whether a session still exists.
create function ninefold.session_start(pid integer) returns timestamptz
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
  return (select a.backend_start from pg_catalog.pg_stat_get_activity(session_start.pid) a);
revoke execute on function ninefold.session_start from public;
grant execute on function ninefold.session_start to ninefold_server;

-- The journal ---------------------------------------------------------------------------------------------------------------------
-- The server names the author of its own changes; for the app's SQL, ninefold.authors names the author.
create or replace function ninefold.note_change(kind text, what text, statement text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  author ninefold.authors;
begin
  -- Not even a superuser counts as the server: PostgreSQL analyzes tables as one, and calls functions of the app in index expressions.
  if pg_catalog.pg_has_role(session_user, 'ninefold_server', 'member') and not (
    select a.rolsuper from pg_catalog.pg_authid a where a.rolname = session_user)
  then
    author.made_by := nullif(pg_catalog.current_setting('ninefold.made_by', true), '');
  else
    select a.* into author from ninefold.authors a
    join pg_catalog.pg_stat_get_activity(a.pid) s on s.backend_start = a.connected_at
    where a.pid = pg_catalog.pg_backend_pid();
  end if;
  insert into ninefold.journal (kind, what, made_by, migration, statement)
  values (
    note_change.kind,
    pg_catalog.left(note_change.what, 200),
    pg_catalog.left(author.made_by, 200),
    pg_catalog.left(author.migration, 200),
    case
      when author.migration is not null then null
      -- Calls come with parameters, which a text alone does not hold.
      when not pg_catalog.pg_has_role(session_user, 'pg_database_owner', 'member') then null
      else coalesce(author.statement, note_change.statement)
    end
  )
  on conflict do nothing;
end
$$;

-- Autovacuum calls functions of the app in a session of a superuser, as the owner of the table. Only a client is the superuser itself.
create function ninefold.is_superuser_client() returns boolean
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
  return case when pg_catalog.current_setting('is_superuser') = 'on' then
    (select a.backend_type = 'client backend' from pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid()) a) else false end;

create or replace function ninefold.note_schema_change() returns event_trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  command text;
begin
  -- The superuser only updates Ninefold's own schema, in part as another role.
  if (select a.rolsuper from pg_catalog.pg_authid a where a.rolname = session_user) and (
    select a.backend_type = 'client backend' from pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid()) a)
  then
    return;
  end if;
  if tg_event = 'ddl_command_end' then
    select command_tag into command from pg_catalog.pg_event_trigger_ddl_commands()
    where schema_name is distinct from 'pg_temp' limit 1;
  else
    select tg_tag into command from pg_catalog.pg_event_trigger_dropped_objects() where not is_temporary limit 1;
  end if;
  if command is not null then
    perform ninefold.note_change('schema', command, pg_catalog.current_query());
  end if;
end
$$;

-- The views and functions of 0011 show other apps to the superuser. They asked for the setting is_superuser.
set local allow_system_table_mods = on;
do $do$
declare
  item record;
begin
  for item in
    select p.oid, pg_catalog.pg_get_functiondef(p.oid) as definition from pg_catalog.pg_proc p
    where p.prosrc like '%current_setting(''is\_superuser'') = ''on''%' and p.prokind = 'f'
      and (p.pronamespace = 'pg_catalog'::regnamespace and p.proname like 'ninefold\_%' or p.oid = pg_catalog.to_regprocedure('ninefold.hide_other_apps()'))
  loop
    execute pg_catalog.replace(item.definition, $$pg_catalog.current_setting('is_superuser') = 'on'$$, 'ninefold.is_superuser_client()');
  end loop;
  for item in
    select c.relname as view, pg_catalog.pg_get_viewdef(c.oid) as definition, 'security_barrier=true' = any (c.reloptions) as is_barrier
    from pg_catalog.pg_class c
    where c.relkind = 'v' and c.relnamespace = 'pg_catalog'::regnamespace
      and pg_catalog.pg_get_viewdef(c.oid) like '%current_setting(''is\_superuser''::text) = ''on''::text%'
  loop
    execute pg_catalog.format('create or replace view pg_catalog.%I %s as %s', item.view, case when item.is_barrier then 'with (security_barrier)' else '' end,
      pg_catalog.replace(item.definition, $$(current_setting('is_superuser'::text) = 'on'::text)$$, 'ninefold.is_superuser_client()'));
  end loop;
end
$do$;
reset allow_system_table_mods;

-- State changes -------------------------------------------------------------------------------------------------------------------
-- The trigger converts rows of the app to JSON, which calls casts that the app defines. So it runs with the privileges of its caller,
-- and the function that writes gets only values. Both definitions replace what an app may have altered before.
create or replace function ninefold.write_state_change(
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

create or replace function ninefold.record_state_change() returns trigger
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
do $$ begin
  execute pg_catalog.format('alter function ninefold.record_state_change() owner to %I', session_user);
end $$;

create or replace function ninefold.forget_dropped_tables() returns event_trigger
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

-- Statistics of statements ----------------------------------------------------------------------------------------------------------
-- The function is bound to the function of the extension by its oid, not by a name in a schema of the app's owner. It is a member of the
-- extension, so it ends with the extension, and only the superuser may replace it.
create or replace function ninefold.restrict_pg_stat_statements() returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  place text := (select n.nspname from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
    where e.extname = 'pg_stat_statements');
  view_of oid := pg_catalog.to_regclass(pg_catalog.format('%I.pg_stat_statements', place));
  fields text := (select pg_catalog.string_agg(pg_catalog.format('%I %s', a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod)), ', ' order by a.attnum)
    from pg_catalog.pg_attribute a where a.attrelid = view_of and a.attnum > 0 and not a.attisdropped);
  item record;
begin
  for item in
    select p.oid::pg_catalog.regprocedure as function from pg_catalog.pg_depend d join pg_catalog.pg_proc p on p.oid = d.objid
    where d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.deptype = 'e'
      and d.refobjid = (select e.oid from pg_catalog.pg_extension e where e.extname = 'pg_stat_statements')
  loop
    execute pg_catalog.format('revoke all on function %s from public', item.function);
  end loop;
  -- The lateral call runs only if the server has loaded the library. Without the library, the function of the extension fails.
  execute pg_catalog.format($query$
    create function %1$I.ninefold_statement_statistics() returns table (%2$s)
      language sql stable security definer set search_path = pg_catalog, pg_temp
    begin atomic
      select s.* from (
        select true as has_text where pg_catalog.current_setting('shared_preload_libraries') operator(pg_catalog.~) '\mpg_stat_statements\M' offset 0
      ) loaded cross join lateral %1$I.pg_stat_statements(loaded.has_text) s
      where s.dbid operator(pg_catalog.=) (select d.oid from pg_catalog.pg_database d where d.datname operator(pg_catalog.=) pg_catalog.current_database());
    end $query$, place, fields);
  execute pg_catalog.format('alter extension pg_stat_statements add function %I.ninefold_statement_statistics()', place);
  execute pg_catalog.format('revoke execute on function %I.ninefold_statement_statistics() from public', place);
  execute pg_catalog.format('grant execute on function %I.ninefold_statement_statistics() to pg_database_owner', place);
  execute pg_catalog.format('create or replace view %1$I.pg_stat_statements as select * from %1$I.ninefold_statement_statistics()', place);
  execute pg_catalog.format('revoke all on %1$I.pg_stat_statements, %1$I.pg_stat_statements_info from public', place);
  execute pg_catalog.format('grant select on %I.pg_stat_statements to pg_database_owner', place);
end
$$;

do $$
begin
  if pg_catalog.to_regprocedure('ninefold.statement_statistics()') is null then
    return;
  end if;
  -- The earlier function named the extension's function by text. Its view may have objects of the app that depend on the function.
  alter function ninefold.statement_statistics() security invoker;
  if exists (select from pg_catalog.pg_extension e where e.extname = 'pg_stat_statements') then
    perform ninefold.restrict_pg_stat_statements();
  end if;
  begin
    drop function ninefold.statement_statistics();
  exception when dependent_objects_still_exist then
    revoke execute on function ninefold.statement_statistics() from pg_database_owner;
  end;
end
$$;
