-- The history of what the app does: a journal of changes to its schema and settings, written in the transaction that makes them, and
-- the versions of its specification, recorded by the workers when they hear of a change.

create table ninefold.journal (
  id bigint generated always as identity primary key,
  -- When its transaction began.
  at timestamptz not null default now(),
  transaction xid8 not null default pg_current_xact_id(),
  kind text not null check (kind in ('schema', 'setting', 'definition')),
  -- The kind of command, the key of the setting, or the table of this schema.
  what text not null,
  -- As whom the connection logged in, and on whose behalf, where the server said so.
  role text not null default session_user,
  made_by text,
  -- The migration file that made it.
  migration text,
  -- What a builder sent, whole; null where it came from a migration or from a call.
  statement text,
  -- The version that shows it; 0 where the specification says nothing of it; null until a worker has looked.
  version bigint,
  -- The migration file that it was saved as.
  saved_as text
);
-- One entry for all commands of one text.
create unique index journal_once on ninefold.journal
  (transaction, at, kind, (case kind when 'schema' then '' else what end), md5(coalesce(statement, '')));
create index journal_pending on ninefold.journal (id) where version is null;
comment on table ninefold.journal is 'Changes of the schema and the settings: who made them, when, and with which statement.';

create table ninefold.versions (
  number bigint primary key,
  hash text not null,
  -- To the millisecond, as JavaScript tells time.
  at timestamptz not null default date_trunc('milliseconds', now()),
  causes jsonb not null,
  -- The changes since the version before, in words; the first of many.
  changes jsonb not null,
  change_count integer not null,
  -- The chapters without live figures, as gzipped JSON.
  chapters bytea not null
);
alter table ninefold.versions alter column chapters set storage external;
comment on table ninefold.versions is 'What the app did, version by version.';

-- Whoever may change the schema or the settings writes the journal by doing so. Reading it is for the owner and the server.
grant insert on ninefold.journal to pg_database_owner, postgres, ninefold_server;
grant select on ninefold.journal, ninefold.versions to pg_database_owner, ninefold_server;
grant update (version, saved_as), delete on ninefold.journal to ninefold_server;
grant insert, delete on ninefold.versions to ninefold_server;
-- What was saved as a migration counts as applied.
grant select, insert on ninefold.migrations to ninefold_server;

-- Runs with the rights of whoever makes the change: a role that may not write the journal leaves no entry, and is not held up.
create function ninefold.note_change(kind text, what text, statement text) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  if not pg_catalog.has_table_privilege('ninefold.journal', 'insert') then
    return;
  end if;
  insert into ninefold.journal (kind, what, made_by, migration, statement)
  values (
    note_change.kind,
    pg_catalog.left(note_change.what, 200),
    pg_catalog.left(nullif(pg_catalog.current_setting('ninefold.made_by', true), ''), 200),
    pg_catalog.left(nullif(pg_catalog.current_setting('ninefold.migration', true), ''), 200),
    case
      when coalesce(pg_catalog.current_setting('ninefold.migration', true), '') <> '' then null
      -- Calls come with parameters, which a text alone does not hold.
      when not pg_catalog.pg_has_role(session_user, 'pg_database_owner', 'member') then null
      else note_change.statement
    end
  )
  on conflict do nothing;
end
$$;

create function ninefold.note_schema_change() returns event_trigger
  language plpgsql
  set search_path = ''
as $$
declare
  command text;
begin
  -- The superuser only brings Ninefold's own schema up to date.
  if pg_catalog.current_setting('is_superuser') = 'on' then
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
  language plpgsql
  set search_path = ''
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

-- For the tables of this schema that hold what PostgreSQL has no word for.
create function ninefold.note_definition_change() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  -- What the server tidies up follows from a change that is noted by itself.
  if current_user <> 'ninefold_server' then
    perform ninefold.note_change('definition', tg_table_name::text, pg_catalog.current_query());
  end if;
  return null;
end
$$;

create trigger settings_noted after insert or update or delete on ninefold.settings
  for each row execute function ninefold.note_setting_change();

create event trigger ninefold_schema_noted on ddl_command_end execute function ninefold.note_schema_change();
create event trigger ninefold_drop_noted on sql_drop execute function ninefold.note_schema_change();
