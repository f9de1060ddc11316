-- What the migrations of an existing project take for granted. An app that is made on a database of its own brings what it needs,
-- and does not get this. `pg_database_owner` stands for the app's owner.

-- Nobody but the app's own roles may look into the database (CONNECT is taken from PUBLIC when an app is made).
revoke create on schema public from public;
grant usage on schema public to postgres, anon, authenticated, service_role;
grant create on schema public to postgres;

-- extensions ------------------------------------------------------------------------------------------------------------
create schema extensions authorization pg_database_owner;
grant usage on schema extensions to public;
create extension if not exists pgcrypto with schema extensions;
create extension if not exists "uuid-ossp" with schema extensions;
create extension if not exists citext with schema extensions;
create extension if not exists pg_trgm with schema extensions;

-- realtime: the publication that migrations add their tables to ------------------------------------------------------------
create publication supabase_realtime;
alter publication supabase_realtime owner to pg_database_owner;

-- storage: tables to write policies on, until files themselves come ---------------------------------------------------------
create schema storage authorization pg_database_owner;
grant usage on schema storage to postgres, anon, authenticated, service_role;

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
  updated_at timestamptz default now()
);

create table storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text references storage.buckets (id),
  name text,
  owner uuid,
  owner_id text,
  metadata jsonb,
  user_metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  version text,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_accessed_at timestamptz default now(),
  unique (bucket_id, name)
);
create index objects_bucket_path on storage.objects (bucket_id, name text_pattern_ops);

alter table storage.buckets owner to pg_database_owner;
alter table storage.objects owner to pg_database_owner;
alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
grant all on storage.buckets, storage.objects to anon, authenticated, service_role, postgres;

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

alter function storage.foldername(text) owner to pg_database_owner;
alter function storage.filename(text) owner to pg_database_owner;
alter function storage.extension(text) owner to pg_database_owner;
