-- What the app's own SQL may not do: write its history, name its author, keep a session that has ended, call what is meant for
-- Ninefold (docs/decisions/0014).

-- Functions that callers do not need ----------------------------------------------------------------------------------------
revoke execute on function
  ninefold.add_histograms, ninefold.tell_schema_changed, ninefold.tell_settings_changed, ninefold.tell_definition_changed,
  ninefold.note_change, ninefold.note_schema_change, ninefold.note_setting_change, ninefold.note_definition_change,
  ninefold.texts_of, ninefold.function_name
from public;
grant execute on function ninefold.add_histograms to ninefold_server;
grant execute on function ninefold.texts_of, ninefold.function_name to pg_database_owner;

-- The journal -----------------------------------------------------------------------------------------------------------------
-- On whose behalf a connection runs the owner's SQL. Written by the superuser before the SQL runs; the SQL itself cannot write it.
create table ninefold.authors (
  pid integer primary key,
  -- Another connection may get the same pid later.
  connected_at timestamptz not null,
  made_by text not null,
  -- The migration file that the connection applies.
  migration text
);
comment on table ninefold.authors is 'On whose behalf a connection runs SQL of the owner.';
grant select on ninefold.authors to pg_database_owner;

revoke insert, update, delete, truncate on ninefold.journal, ninefold.versions from pg_database_owner, postgres, ninefold_server;
revoke update (version, saved_as) on ninefold.journal from ninefold_server;
revoke update (ninefold) on ninefold.versions from ninefold_server;
-- Settings are written by the superuser too; ninefold_server is a role that the app's own SQL can become.
revoke insert, update, delete on ninefold.settings from ninefold_server;
revoke insert on ninefold.migrations from ninefold_server;
-- pg_dump reads them.
grant select on all sequences in schema ninefold to pg_database_owner;

-- Runs with the rights of the superuser, as nobody else may write the journal. Only triggers call it.
create or replace function ninefold.note_change(kind text, what text, statement text) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  author ninefold.authors;
begin
  if (select a.rolsuper from pg_catalog.pg_authid a where a.rolname = session_user) then
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
      else note_change.statement
    end
  )
  on conflict do nothing;
end
$$;

create or replace function ninefold.note_schema_change() returns event_trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  command text;
begin
  -- The superuser only brings Ninefold's own schema up to date, in part as another role.
  if (select a.rolsuper from pg_catalog.pg_authid a where a.rolname = session_user) then
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

alter function ninefold.note_setting_change() security definer;

-- What the server tidies up follows from a change that is noted by itself: the triggers leave it out.
do $$
declare
  named text;
begin
  foreach named in array array['app', 'roles', 'screens', 'machines', 'transitions'] loop
    execute format('drop trigger definition_noted on ninefold.%I', named);
    execute format('create trigger definition_noted after insert or update or delete on ninefold.%I
      for each statement when (current_user <> ''ninefold_server'') execute function ninefold.note_definition_change()', named);
  end loop;
end
$$;
create or replace function ninefold.note_definition_change() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform ninefold.note_change('definition', tg_table_name::text, pg_catalog.current_query());
  return null;
end
$$;

-- Sessions --------------------------------------------------------------------------------------------------------------------
set role supabase_auth_admin;

-- Whoever changes the end of a session, every node looks it up again: its access tokens hold no longer than it does.
create function auth.notify_sessions_changed() returns trigger
language plpgsql set search_path = '' as $$
declare
  ids json;
  number_of_ids bigint;
begin
  select count(*), json_agg(id) filter (where position <= 180)
    into number_of_ids, ids
    from (
      select o.id, row_number() over () as position from was o left join becomes n on n.id = o.id
      where n.id is null or n.user_id <> o.user_id or n.not_after is distinct from o.not_after
    ) as numbered;
  if number_of_ids > 180 then
    perform pg_notify('ninefold', '{"type":"sessions-revoked-all"}');
  elsif number_of_ids > 0 then
    perform pg_notify('ninefold', json_build_object('type', 'session-revoked', 'ids', ids)::text);
  end if;
  return null;
end
$$;
create trigger ninefold_sessions_changed after update on auth.sessions
  referencing old table as was new table as becomes for each statement execute function auth.notify_sessions_changed();
comment on column auth.sessions.not_after is 'When the session ends by itself, its access tokens included; null: never.';

-- Also where a trigger of the app sets the columns.
drop trigger ninefold_user_banned on auth.users;
drop trigger ninefold_user_deleted on auth.users;
create trigger ninefold_user_banned after update on auth.users
  for each row when (new.banned_until > now() and new.banned_until is distinct from old.banned_until)
  execute function auth.end_sessions_of_user();
create trigger ninefold_user_deleted after update on auth.users
  for each row when (new.deleted_at is not null and old.deleted_at is null)
  execute function auth.end_sessions_of_user();

-- A password that SQL changes ends the sessions of the account, as one that is changed over the API does, but for the caller's own.
-- The server ends them itself, and hashes a password again without ending any.
create function auth.end_other_sessions_of_user() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from auth.sessions where user_id = new.id
    and id::text is distinct from lower(nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id');
  return null;
end
$$;
create trigger ninefold_user_password_changed after update on auth.users
  for each row when (new.encrypted_password is distinct from old.encrypted_password and current_user <> 'supabase_auth_admin')
  execute function auth.end_other_sessions_of_user();

revoke execute on function auth.notify_sessions_changed(), auth.end_other_sessions_of_user() from public;

reset role;
