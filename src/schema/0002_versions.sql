-- The history of the app's behaviour: a journal of changes to its schema and settings, written in the transaction that makes them, and
-- the versions of its specification, which the workers record when they receive the notification of a change.

create table ninefold.journal (
  id bigint generated always as identity primary key,
  -- The time at which the transaction began.
  at timestamptz not null default now(),
  transaction xid8 not null default pg_current_xact_id(),
  kind text not null check (kind in ('schema', 'setting', 'definition')),
  -- The kind of command, the key of the setting, or the table of this schema.
  what text not null,
  -- The role that logged in.
  role text not null default session_user,
  -- The builder for whom the connection ran; null if unknown.
  made_by text,
  -- The migration file that made the change.
  migration text,
  -- The complete statement of a builder; null if a migration or a call made the change.
  statement text,
  -- The version that shows the change; 0 if the specification does not show it; null until a worker has looked.
  version bigint,
  -- The migration file as which a builder saved the change.
  saved_as text
);
-- A text with several commands gets one entry.
create unique index journal_once on ninefold.journal
  (transaction, at, kind, (case kind when 'schema' then '' else what end), md5(coalesce(statement, '')));
create index journal_pending on ninefold.journal (id) where version is null;
comment on table ninefold.journal is 'Changes of the schema and the settings: who made them, when, and with which statement.';

create table ninefold.versions (
  number bigint primary key,
  hash text not null,
  -- Rounded to the precision of JavaScript.
  at timestamptz not null default date_trunc('milliseconds', now()),
  causes jsonb not null,
  -- The changes since the previous version, in words. A long list is truncated.
  changes jsonb not null,
  change_count integer not null,
  -- The facts that the specification is derived from, as gzipped JSON after a line with their format.
  facts bytea not null,
  ninefold text
);
alter table ninefold.versions alter column facts set storage external;
comment on table ninefold.versions is 'Versions of the specification.';
comment on column ninefold.versions.ninefold is 'The version of Ninefold that last derived this specification, such as 0.1.0+3f2a91c0.';

-- For which builder a connection runs SQL of the owner. The server writes the row before it sends the SQL, which cannot write it.
create table ninefold.authors (
  pid integer primary key,
  -- Another connection may get the same pid later.
  connected_at timestamptz not null,
  made_by text not null,
  -- The migration file that the connection applies.
  migration text,
  statement text
);
comment on table ninefold.authors is 'The builder for whom a connection runs SQL of the owner.';
comment on column ninefold.authors.statement is 'The SQL as the builder wrote it; null if the server ran the same text.';

-- Nobody but the server writes the history. The app's owner reads it, also for pg_dump.
grant select on ninefold.journal, ninefold.versions, ninefold.authors to pg_database_owner, ninefold_server;
grant select on sequence ninefold.journal_id_seq to pg_database_owner;
grant update, delete on ninefold.journal to ninefold_server;
grant insert, update, delete on ninefold.versions, ninefold.authors to ninefold_server;

-- Entries of the journal ----------------------------------------------------------------------------------------------

-- The callers are the triggers below. They run as the superuser, because no other role may add an entry. The server names the author of its
-- own changes; for the app's SQL, ninefold.authors names the author.
create function ninefold.note_change(kind text, what text, statement text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  author ninefold.authors;
begin
  -- A superuser does not count as the server: PostgreSQL analyzes tables as a superuser and calls functions of the app in index
  -- expressions.
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
      -- The statement of a call has parameters, and its text does not contain their values.
      when not pg_catalog.pg_has_role(session_user, 'pg_database_owner', 'member') then null
      else coalesce(author.statement, note_change.statement)
    end
  )
  on conflict do nothing;
end
$$;

create function ninefold.note_schema_change() returns event_trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  command text;
begin
  -- The superuser only updates Ninefold's own schema, partly after SET ROLE.
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

create function ninefold.note_setting_change() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'DELETE' then
    perform ninefold.note_change('setting', old.key, null);
  else
    perform ninefold.note_change('setting', new.key, null);
  end if;
  return null;
end
$$;

-- Triggers on the tables of this schema that define a part of the specification call this function. They skip changes by ninefold_server,
-- which only cleans up after a change that has its own entry.
create function ninefold.note_definition_change() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform ninefold.note_change('definition', tg_table_name::text, pg_catalog.current_query());
  return null;
end
$$;
revoke execute on function ninefold.note_change, ninefold.note_schema_change, ninefold.note_setting_change, ninefold.note_definition_change
  from public;

create trigger settings_noted after insert or update or delete on ninefold.settings
  for each row execute function ninefold.note_setting_change();
alter table ninefold.settings enable always trigger settings_noted;
create event trigger ninefold_schema_noted on ddl_command_end execute function ninefold.note_schema_change();
alter event trigger ninefold_schema_noted enable always;
create event trigger ninefold_drop_noted on sql_drop execute function ninefold.note_schema_change();
alter event trigger ninefold_drop_noted enable always;

-- The probe of chapter 6 ----------------------------------------------------------------------------------------------

-- One row for the last probe and the running probe. The worker that probes writes it in the background.
create table ninefold.probe (
  only_row boolean primary key default true check (only_row),
  -- The start of the running probe; null if no probe runs.
  started_at timestamptz,
  -- The last sign of life of its worker. A worker that ended does not block the next probe.
  heard_at timestamptz,
  done integer not null default 0,
  total integer not null default 0,
  -- The report of the last complete run, as gzipped JSON.
  report bytea
);
alter table ninefold.probe alter column report set storage external;
comment on table ninefold.probe is 'The last comparison of the access matrix with statements that were executed.';
grant select, insert, update on ninefold.probe to ninefold_server;
grant select on ninefold.probe to pg_database_owner;
