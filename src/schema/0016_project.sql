-- The objects that the migrations of an existing project of Supabase take for granted (docs/decisions/0021-migrations-of-supabase-projects.md).
-- A database that existed before the app has its own schemas and does not get these objects.

-- PostgreSQL 14 and older granted CREATE on schema public to every role. An upgraded server can still have this grant.
revoke create on schema public from public;
grant usage on schema public to postgres, anon, authenticated, service_role;
grant create on schema public to postgres;

-- Extensions ----------------------------------------------------------------------------------------------------------

create schema extensions authorization pg_database_owner;
grant usage on schema extensions to public;
create extension if not exists pgcrypto with schema extensions;
create extension if not exists "uuid-ossp" with schema extensions;
create extension if not exists citext with schema extensions;
create extension if not exists pg_trgm with schema extensions;

-- The app's owner may comment on the extensions, drop them and update them.
insert into ninefold.unplaced_extensions (name) values ('pgcrypto'), ('uuid-ossp'), ('citext'), ('pg_trgm');
select ninefold.give_extension(name) from ninefold.unplaced_extensions;

-- Schemas -------------------------------------------------------------------------------------------------------------

create schema realtime authorization pg_database_owner;
grant usage on schema realtime to postgres, anon, authenticated, service_role;
create schema storage authorization pg_database_owner;
grant usage on schema storage to postgres, anon, authenticated, service_role;
create schema graphql_public authorization pg_database_owner;
grant usage on schema graphql_public to postgres, anon, authenticated, service_role;
create schema supabase_migrations authorization pg_database_owner;

-- Migrations add their tables to this publication.
create publication supabase_realtime;
alter publication supabase_realtime owner to pg_database_owner;

set role pg_database_owner;

-- Realtime ------------------------------------------------------------------------------------------------------------
-- Policies on realtime.messages decide who joins a private channel and who sends on it. Rows are messages that SQL sends to channels; the
-- workers read and deliver them (src/realtime/messages).

create sequence realtime.messages_number;
grant usage on sequence realtime.messages_number to public;
-- Workers compare its value with that of their last read.
grant select on sequence realtime.messages_number to service_role;

-- A partition has the rows of one day of five. The job that deletes old rows truncates partitions, and needs no DDL, which would be a
-- change of the app's schema every day.
create table realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp not null default (now() at time zone 'UTC'),
  inserted_at timestamp not null default (now() at time zone 'UTC'),
  id uuid not null default gen_random_uuid(),
  binary_payload bytea,
  -- The transaction and the order in it. By these columns a worker finds the rows that became visible since its last read.
  transaction_id xid8 not null default pg_catalog.pg_current_xact_id(),
  number bigint not null default pg_catalog.nextval('realtime.messages_number'),
  constraint messages_payload_exclusive check (payload is null or binary_payload is null)
) partition by list (((floor(extract(epoch from inserted_at) / 86400)::bigint % 5 + 5) % 5));
comment on table realtime.messages is 'Messages from SQL to channels, for at least three days. Its policies protect private channels.';
create table realtime.messages_0 partition of realtime.messages for values in (0);
create table realtime.messages_1 partition of realtime.messages for values in (1);
create table realtime.messages_2 partition of realtime.messages for values in (2);
create table realtime.messages_3 partition of realtime.messages for values in (3);
create table realtime.messages_4 partition of realtime.messages for values in (4);
create index messages_id_idx on realtime.messages (id);
create index messages_transaction_id_idx on realtime.messages (transaction_id);
create index messages_topic_idx on realtime.messages (topic, inserted_at) where extension = 'broadcast' and private;
create index messages_inserted_at_idx on realtime.messages using brin (inserted_at);
alter table realtime.messages enable row level security;
grant select, insert, update on realtime.messages to postgres, anon, authenticated, service_role;

create function realtime.topic() returns text language sql stable
  return nullif(pg_catalog.current_setting('realtime.topic', true), '');

-- These functions run as the caller, so the policies apply to the caller. A failed message is a warning: it does not undo the caller's
-- transaction. They keep the search path of the caller, on which policies can depend.

create function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void language plpgsql as $$
declare
  message_id constant pg_catalog.uuid := pg_catalog.gen_random_uuid();
begin
  perform pg_catalog.set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (
    message_id,
    case when payload operator(pg_catalog.?) 'id' then payload else pg_catalog.jsonb_set(payload, '{id}', pg_catalog.to_jsonb(message_id)) end,
    event, topic, private, 'broadcast'
  );
exception
  when others then raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;
comment on function realtime.send is 'Sends a message to a channel when the transaction commits.';

create function realtime.send_binary(payload bytea, event text, topic text, private boolean default true) returns void language plpgsql as $$
begin
  perform pg_catalog.set_config('realtime.topic', topic, true);
  insert into realtime.messages (binary_payload, event, topic, private, extension) values (payload, event, topic, private, 'broadcast');
exception
  when others then raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;
comment on function realtime.send_binary is 'Sends bytes to a channel when the transaction commits.';

create function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text, new record, old record, level text default 'ROW'
) returns void language plpgsql as $$
begin
  if level operator(pg_catalog.=) 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  if operation is null or operation operator(pg_catalog.<>) all (array['INSERT', 'UPDATE', 'DELETE']) then
    raise exception 'Unexpected operation type: %', operation;
  end if;
  perform realtime.send(
    pg_catalog.jsonb_build_object('old_record', old, 'record', new, 'operation', operation, 'table', table_name, 'schema', table_schema),
    event_name, topic_name);
exception
  when others then raise exception 'Failed to process the row: %', sqlerrm;
end
$$;
comment on function realtime.broadcast_changes is 'Sends a changed row to a private channel. For triggers that run for each row.';

-- Tables of storage ---------------------------------------------------------------------------------------------------
-- /storage/v1 reads and writes buckets and objects as the caller, so policies on them decide. 0018_files.sql has the bytes.
-- The other tables exist for migrations that name them.

create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');

create table storage.buckets (
  id text primary key,
  name text not null unique,
  owner uuid,
  owner_id text,
  public boolean default false,
  avif_autodetection boolean default false,
  file_size_limit bigint,
  allowed_mime_types text[],
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  type storage.buckettype not null default 'STANDARD'
);

create table storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text references storage.buckets (id),
  -- Paths are compared by their bytes. So one index serves equality, prefixes and the order of a listing.
  name text collate "C",
  owner uuid,
  owner_id text,
  metadata jsonb,
  user_metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  version text,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_accessed_at timestamptz default now(),
  level integer,
  unique (bucket_id, name)
);

create table storage.prefixes (
  bucket_id text not null references storage.buckets (id),
  name text not null,
  level integer not null generated always as (pg_catalog.array_length(pg_catalog.string_to_array(name, '/'), 1)) stored,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  primary key (bucket_id, level, name)
);

create table storage.s3_multipart_uploads (
  id text primary key,
  in_progress_size bigint not null default 0,
  upload_signature text not null,
  bucket_id text not null references storage.buckets (id),
  key text not null,
  version text not null,
  owner_id text,
  created_at timestamptz not null default now(),
  user_metadata jsonb,
  metadata jsonb
);

create table storage.s3_multipart_uploads_parts (
  id uuid primary key default gen_random_uuid(),
  upload_id text not null references storage.s3_multipart_uploads (id) on delete cascade,
  size bigint not null default 0,
  part_number integer not null,
  bucket_id text not null references storage.buckets (id),
  key text not null,
  etag text not null,
  owner_id text,
  version text not null,
  created_at timestamptz not null default now()
);

create table storage.buckets_analytics (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  type storage.buckettype not null default 'ANALYTICS',
  format text not null default 'ICEBERG',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table storage.buckets_vectors (
  id text primary key,
  type storage.buckettype not null default 'VECTOR',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table storage.vector_indexes (
  id text primary key default gen_random_uuid(),
  name text not null,
  bucket_id text not null references storage.buckets_vectors (id),
  data_type text not null,
  dimension integer not null,
  distance_metric text not null,
  metadata_configuration jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table storage.migrations (
  id integer primary key,
  name varchar(100) not null unique,
  hash varchar(40) not null,
  executed_at timestamp default now()
);

do $$
declare
  name text;
begin
  for name in select tablename from pg_catalog.pg_tables where schemaname = 'storage' loop
    execute pg_catalog.format('alter table storage.%I enable row level security', name);
    execute pg_catalog.format('grant all on storage.%I to service_role, postgres', name);
    execute pg_catalog.format('grant select on storage.%I to anon, authenticated', name);
  end loop;
end
$$;
grant all on storage.buckets, storage.objects to anon, authenticated;

-- Functions of storage ------------------------------------------------------------------------------------------------
-- They run with the privileges of the caller, so policies on storage.objects apply to them.

-- The parts of an object's path, for policies such as (storage.foldername(name))[1] = auth.uid()::text.
create function storage.foldername(name text) returns text[]
  language sql immutable parallel safe
  set search_path = ''
  return (pg_catalog.string_to_array(name, '/'))[1 : pg_catalog.array_length(pg_catalog.string_to_array(name, '/'), 1) - 1];

create function storage.filename(name text) returns text
  language sql immutable parallel safe
  set search_path = ''
  return (pg_catalog.string_to_array(name, '/'))[pg_catalog.array_length(pg_catalog.string_to_array(name, '/'), 1)];

create function storage.extension(name text) returns text
  language sql immutable parallel safe
  set search_path = ''
  return pg_catalog.reverse(pg_catalog.split_part(pg_catalog.reverse(storage.filename(name)), '.', 1));

create function storage.get_level(name text) returns integer
  language sql immutable strict
  set search_path = ''
  return pg_catalog.array_length(pg_catalog.string_to_array(name, '/'), 1);

create function storage.get_prefix(name text) returns text
  language sql immutable strict
  set search_path = ''
  return case when pg_catalog.strpos(name, '/') > 0 then pg_catalog.regexp_replace(name, '[/][^/]*[/]?$', '') else '' end;

create function storage.get_prefixes(name text) returns text[]
  language sql immutable strict
  set search_path = ''
  return array(select pg_catalog.array_to_string((pg_catalog.string_to_array(name, '/'))[:i], '/')
    from pg_catalog.generate_series(1, pg_catalog.array_length(pg_catalog.string_to_array(name, '/'), 1) - 1) i);

create function storage.get_size_by_bucket() returns table (size bigint, bucket_id text)
  language sql stable
  set search_path = ''
as $$
  select pg_catalog.sum((o.metadata ->> 'size')::bigint)::bigint, o.bucket_id from storage.objects o group by o.bucket_id
$$;

create function storage.search(
  prefix text, bucketname text, limits integer default 100, levels integer default 1, offsets integer default 0, search text default '',
  sortcolumn text default 'name', sortorder text default 'asc'
) returns table (name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb)
  language sql stable
  set search_path = ''
as $$
  with found as (
    select o.*, pg_catalog.array_length(o.path_tokens, 1) > levels as is_folder from storage.objects o
    where o.bucket_id = bucketname and pg_catalog.array_length(o.path_tokens, 1) >= levels
      and pg_catalog.starts_with(pg_catalog.lower(o.name), pg_catalog.lower(prefix || search))
  ), listed as (
    select distinct on (f.is_folder, f.path_tokens[levels]) f.path_tokens[levels] as name,
      case when not f.is_folder then f.id end as id, case when not f.is_folder then f.updated_at end as updated_at,
      case when not f.is_folder then f.created_at end as created_at,
      case when not f.is_folder then f.last_accessed_at end as last_accessed_at, case when not f.is_folder then f.metadata end as metadata
    from found f order by f.is_folder, f.path_tokens[levels]
  )
  select l.* from listed l
  order by (l.id is null) desc,
    case when sortorder <> 'desc' then case sortcolumn when 'updated_at' then l.updated_at when 'created_at' then l.created_at
      when 'last_accessed_at' then l.last_accessed_at end end asc,
    case when sortorder = 'desc' then case sortcolumn when 'updated_at' then l.updated_at when 'created_at' then l.created_at
      when 'last_accessed_at' then l.last_accessed_at end end desc,
    case when sortorder <> 'desc' then l.name end asc, case when sortorder = 'desc' then l.name end desc
  limit limits offset offsets
$$;

create function storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  insert into storage.objects (bucket_id, name, owner, metadata) values (bucketid, name, owner, metadata);
  raise sqlstate 'PT200' using message = 'ROLLBACK', detail = 'rollback successful insert';
end
$$;

create function storage.update_updated_at_column() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  new.updated_at := pg_catalog.now();
  return new;
end
$$;

create function storage.enforce_bucket_name_length() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if pg_catalog.length(new.name) > 100 then
    raise exception 'bucket name "%" is too long (% characters). Max is 100.', new.name, pg_catalog.length(new.name);
  end if;
  return new;
end
$$;

create function storage.protect_delete() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if coalesce(pg_catalog.current_setting('storage.allow_delete_query', true), 'false') <> 'true' then
    raise exception 'Direct deletion from storage tables is not allowed. Use the Storage API instead.'
      using errcode = '42501', hint = 'set local storage.allow_delete_query = ''true''';
  end if;
  return null;
end
$$;

-- Policies distinguish the operations of the Storage API by these functions. Outside of /storage/v1 the setting is empty, so no operation
-- is allowed.
create function storage.operation() returns text
  language sql stable
  set search_path = ''
  return pg_catalog.current_setting('storage.operation', true);

create function storage.allow_any_operation(expected_operations text[]) returns boolean
  language sql stable
  set search_path = ''
  return coalesce(pg_catalog.regexp_replace(pg_catalog.current_setting('storage.operation', true), '^storage[.]', '') in (
    select pg_catalog.regexp_replace(o, '^storage[.]', '') from pg_catalog.unnest(expected_operations) o where o <> ''), false);

create function storage.allow_only_operation(expected_operation text) returns boolean
  language sql stable
  set search_path = ''
  return storage.allow_any_operation(array[expected_operation]);

-- Migrations ----------------------------------------------------------------------------------------------------------

create table supabase_migrations.schema_migrations (
  version text primary key,
  statements text[],
  name text,
  created_by text,
  idempotency_key text unique,
  rollback text[]
);
comment on table supabase_migrations.schema_migrations is 'The migrations whose file names begin with a version, as Supabase lists them.';

create table supabase_migrations.seed_files (
  path text primary key,
  hash text not null
);

reset role;

-- Old messages --------------------------------------------------------------------------------------------------------

-- Deletes the messages that are older than three days. Returns the time at which the next ones are; null if there are none. The table belongs
-- to the app's owner, and so does the function: triggers of the owner get no further privileges.
create function ninefold.delete_old_messages() returns timestamptz
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '500ms'
as $$
declare
  oldest constant timestamp := (now() at time zone 'UTC') - interval '3 days';
  part regclass;
  present timestamp;
  due timestamp;
begin
  for part in select i.inhrelid::regclass from pg_catalog.pg_inherits i where i.inhparent = to_regclass('realtime.messages') loop
    execute format('select m.inserted_at from %s m where m.inserted_at >= $1 limit 1', part) into present using oldest;
    if present is null then
      execute format('select m.inserted_at from %s m limit 1', part) into present;
      if present is not null then
        execute format('truncate %s', part);
      end if;
    else
      execute format('delete from %s m where m.inserted_at < $1', part) using oldest;
      due := least(due, date_trunc('day', present) + interval '4 days');
    end if;
  end loop;
  return due at time zone 'UTC';
end
$$;
alter function ninefold.delete_old_messages owner to pg_database_owner;
revoke execute on function ninefold.delete_old_messages from public;
grant execute on function ninefold.delete_old_messages to service_role;
