-- Schema ninefold: the data of an app that PostgreSQL has no place for. All other files build on this file.
--
-- `pg_database_owner` is the app's owner: PostgreSQL makes the owner of the database a member. Ninefold's own work logs in as
-- app_<ref>_server, a member of ninefold_server. No code of the app can become ninefold_server, so this role may write what the app's
-- owner may not (docs/decisions/0067-a-login-role-for-the-server.md). The functions of sign-in run as supabase_auth_admin.
--
-- A function that runs with more privileges than its caller sets search_path to pg_catalog, pg_temp. An empty search path would find types
-- and tables of pg_temp before those of pg_catalog: a caller could define a type pg_temp.text, and the function would use it.

create schema ninefold;
grant usage on schema ninefold to public;
grant usage on schema ninefold to supabase_auth_admin;

create table ninefold.schema_files (
  name text primary key,
  applied_at timestamptz not null default now()
);
comment on table ninefold.schema_files is 'The files of Ninefold''s own schema that this database has.';

create table ninefold.migrations (
  name text primary key,
  sha256 text not null,
  applied_at timestamptz not null default now(),
  applied_by text not null,
  milliseconds integer not null
);
comment on table ninefold.migrations is 'The app''s own migration files, in the order in which they were applied.';

grant select on ninefold.schema_files to pg_database_owner;
grant select, insert, update, delete on ninefold.migrations to pg_database_owner;
-- If a builder saves changes as a migration, the server inserts the row of the migration file.
grant select, insert, update on ninefold.migrations to ninefold_server;

-- The session ---------------------------------------------------------------------------------------------------------

-- Autovacuum runs in a session of a superuser and calls functions of the app as the owner of the table. Only a client is the superuser
-- itself.
create function ninefold.is_superuser_client() returns boolean
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
  return case when pg_catalog.current_setting('is_superuser') = 'on' then
    (select a.backend_type = 'client backend' from pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid()) a) else false end;

-- PostgreSQL shows the start of a session only to the role of the session. The server compares the start to find out whether a session
-- still exists.
create function ninefold.session_start(pid integer) returns timestamptz
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
  return (select a.backend_start from pg_catalog.pg_stat_get_activity(session_start.pid) a);
revoke execute on function ninefold.session_start from public;
grant execute on function ninefold.session_start to ninefold_server;

-- Notifications of changes --------------------------------------------------------------------------------------------
-- Every node that serves the app listens on the channel ninefold and discards what it has cached.

create function ninefold.tell_schema_changed() returns event_trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  -- A temporary object changes nothing for other connections.
  if tg_event = 'ddl_command_end' then
    if not exists (
      select from pg_catalog.pg_event_trigger_ddl_commands()
      where schema_name is distinct from 'pg_temp'
    ) then
      return;
    end if;
  elsif not exists (select from pg_catalog.pg_event_trigger_dropped_objects() where not is_temporary) then
    return;
  end if;
  perform pg_catalog.pg_notify('ninefold', '{"type":"schema"}');
end
$$;

-- Ninefold's own event triggers and triggers fire in every replication role, because an owner may set session_replication_role, as data
-- dumps do.
create event trigger ninefold_schema_changed on ddl_command_end execute function ninefold.tell_schema_changed();
alter event trigger ninefold_schema_changed enable always;
create event trigger ninefold_schema_dropped on sql_drop execute function ninefold.tell_schema_changed();
alter event trigger ninefold_schema_dropped enable always;

-- Triggers on the tables of this schema that define a part of the specification call this function.
create function ninefold.tell_definition_changed() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_catalog.pg_notify('ninefold', '{"type":"schema"}');
  return null;
end
$$;

create function ninefold.tell_settings_changed() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_catalog.pg_notify('ninefold', '{"type":"settings"}');
  return null;
end
$$;
revoke execute on function ninefold.tell_schema_changed, ninefold.tell_definition_changed, ninefold.tell_settings_changed from public;

-- Settings ------------------------------------------------------------------------------------------------------------
-- contract/settings*.ts contains the defaults.

create table ninefold.settings (
  key text primary key,
  value jsonb not null,
  set_at timestamptz not null default now(),
  set_by text not null default current_user
);
comment on table ninefold.settings is 'Settings of the app that differ from their defaults.';

-- In a new app, sessions end after a time. An app on a database of its own keeps sessions without an end until its builder sets one.
-- New apps are copies of the template.
insert into ninefold.settings (key, value, set_by)
select key, '0', 'ninefold' from unnest(array['sessions_timebox', 'sessions_inactivity_timeout']) key
where current_database() <> 'ninefold_template';

create trigger settings_changed after insert or update or delete or truncate on ninefold.settings
  for each statement execute function ninefold.tell_settings_changed();
alter table ninefold.settings enable always trigger settings_changed;

grant select, insert, update, delete on ninefold.settings to pg_database_owner, ninefold_server;
grant select on ninefold.settings to supabase_auth_admin;
