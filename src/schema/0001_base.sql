-- What Ninefold itself keeps in an app's database. `pg_database_owner` stands for the app's owner: the role that owns the database
-- it looks at.

-- ninefold: what PostgreSQL has no word for ------------------------------------------------------------------------------
create schema ninefold;
grant usage on schema ninefold to public;

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
grant select on ninefold.schema_files, ninefold.migrations to pg_database_owner;

-- Calls by minute, written in the background by the workers; older minutes are folded into hours, hours end after 90 days.
create table ninefold.call_statistics (
  bucket timestamptz not null,
  span text not null check (span in ('minute', 'hour')),
  call text not null,
  calls bigint not null,
  failed bigint not null,
  -- Calls by duration: element i counts those of less than 2^(i-4) milliseconds that no earlier element counts.
  histogram bigint[] not null,
  primary key (span, bucket, call)
);
create function ninefold.add_histograms(a bigint[], b bigint[]) returns bigint[]
  language sql immutable parallel safe
  set search_path = ''
  return (
    select pg_catalog.array_agg(coalesce(x, 0) + coalesce(y, 0) order by i)
    from rows from (pg_catalog.unnest(a), pg_catalog.unnest(b)) with ordinality as pairs (x, y, i)
  );

comment on table ninefold.call_statistics is 'How often each call was answered, how it ended and how long it took.';
grant select on ninefold.call_statistics to pg_database_owner;

-- changes of the schema, told to every node that serves this app --------------------------------------------------------------
create function ninefold.tell_schema_changed() returns event_trigger
  language plpgsql
  set search_path = ''
as $$
begin
  -- What a connection makes for itself alone changes nothing for anybody else.
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

create event trigger ninefold_schema_changed on ddl_command_end execute function ninefold.tell_schema_changed();
create event trigger ninefold_schema_dropped on sql_drop execute function ninefold.tell_schema_changed();

-- settings: what differs from a default of contract/settings*.ts ------------------------------------------------------------------
create table ninefold.settings (
  key text primary key,
  value jsonb not null,
  set_at timestamptz not null default now(),
  set_by text not null default current_user
);
comment on table ninefold.settings is 'Settings of the app that differ from their defaults.';
grant select, insert, update, delete on ninefold.settings to pg_database_owner;
grant select, insert, update, delete on ninefold.migrations to pg_database_owner;

create function ninefold.tell_settings_changed() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  perform pg_catalog.pg_notify('ninefold', '{"type":"settings"}');
  return null;
end
$$;

create trigger settings_changed after insert or update or delete or truncate on ninefold.settings
  for each statement execute function ninefold.tell_settings_changed();

-- As this role the server reads settings and writes statistics; an app's login role inherits nothing, it has to become it.
grant select, insert, update, delete on ninefold.settings to ninefold_server;
grant select, insert, update, delete on ninefold.call_statistics to ninefold_server;
