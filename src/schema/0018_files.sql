-- The bytes of files. `storage.objects` has a row for each object, which the app's policies protect; the tables here say which bytes the
-- node stores. Only ninefold_server deletes from them, so code of the app cannot make the node lose count of its disk.

create table ninefold.stored_files (
  id uuid not null,
  sha256 bytea not null,
  size bigint not null,
  -- Only for files that arrived by the S3 protocol, whose clients compare it.
  md5 bytea,
  stored_at timestamptz not null default now(),
  -- Set while only the service role may read the bytes.
  quarantined_at timestamptz,
  constraint stored_files_pkey primary key (id),
  constraint stored_files_sha256_key unique (sha256),
  -- Code of the app can call the functions of the node, so a row must be possible: a negative size would raise the quota.
  constraint stored_files_size_check check (size >= 0),
  constraint stored_files_hash_check check (octet_length(sha256) = 32 and octet_length(md5) = 16)
);
alter table ninefold.stored_files owner to ninefold_server;
comment on table ninefold.stored_files is 'The different contents of the app''s files. storage.objects.version has the id of its content.';
grant select on ninefold.stored_files to pg_database_owner, service_role;

create table ninefold.unused_files (
  id uuid not null,
  noted_at timestamptz not null default now()
);
alter table ninefold.unused_files owner to ninefold_server;
comment on table ninefold.unused_files is 'Contents whose object was deleted or replaced. The node deletes those that no other object has.';
create index unused_files_noted_at_idx on ninefold.unused_files (noted_at);

-- Uploads in parts: resumable uploads (TUS) and multipart uploads of the S3 protocol.
create table ninefold.uploads (
  id uuid not null default gen_random_uuid(),
  protocol text not null,
  bucket_id text not null,
  name text not null,
  -- The caller who began the upload, and who alone may continue it.
  role text not null,
  owner_id text,
  -- The signed upload URL with which the upload began.
  token_id text,
  content_type text not null,
  content_encoding text,
  cache_control text,
  user_metadata jsonb,
  -- Of a resumable upload: the header Upload-Metadata, which responses repeat.
  metadata_header text,
  is_upsert boolean not null,
  -- The announced length; null if the client does not know it.
  size bigint,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- The worker that joins the parts, and the time until which no other worker does.
  locked_by uuid,
  locked_until timestamptz,
  -- Set with the row of the object. The upload remains until the client knows that it is complete.
  completed_at timestamptz,
  constraint uploads_pkey primary key (id),
  constraint uploads_protocol_check check (protocol in ('tus', 's3'))
);
alter table ninefold.uploads owner to ninefold_server;
comment on table ninefold.uploads is 'Uploads in parts that are not complete, or whose client may not know that they are.';
create index uploads_expires_at_idx on ninefold.uploads (expires_at);
create index uploads_bucket_id_idx on ninefold.uploads (bucket_id, name);
create index uploads_owner_id_idx on ninefold.uploads (owner_id);

create table ninefold.upload_parts (
  upload_id uuid not null,
  number integer not null,
  -- Distinguishes the bytes of a part that a client sends twice.
  id uuid not null,
  size bigint not null,
  md5 bytea,
  stored_at timestamptz not null default now(),
  constraint upload_parts_pkey primary key (upload_id, number),
  constraint upload_parts_upload_id_fkey foreign key (upload_id) references ninefold.uploads (id) on delete cascade
);
alter table ninefold.upload_parts owner to ninefold_server;

-- Signed upload URLs that were used. Each is valid once.
create table ninefold.used_upload_tokens (
  id uuid not null,
  expires_at timestamptz not null,
  constraint used_upload_tokens_pkey primary key (id)
);
alter table ninefold.used_upload_tokens owner to ninefold_server;
create index used_upload_tokens_expires_at_idx on ninefold.used_upload_tokens (expires_at);

create table ninefold.s3_keys (
  id text not null,
  name text not null,
  created_by text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  constraint s3_keys_pkey primary key (id)
);
alter table ninefold.s3_keys owner to ninefold_server;
comment on table ninefold.s3_keys is 'Access keys of the S3 protocol. The node derives the secret of each key from its id.';

-- The id of the content of an object, from its version. The version of an object whose bytes are elsewhere is any text.
create function ninefold.file_id(version text) returns uuid
  language sql immutable parallel safe
  set search_path = pg_catalog, pg_temp
  return case when version ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then version::uuid end;

-- Functions of the node -----------------------------------------------------------------------------------------------
-- The node calls them in the transaction that writes the row of the object.

-- Records that the node stores bytes, and returns the id of this content. The lock of the row lasts until the end of the transaction, so
-- the node does not delete the bytes before storage.objects has their id.
create function ninefold.keep_file(new_id uuid, content_sha256 bytea, content_size bigint, content_md5 bytea, is_quarantined boolean)
  returns uuid
  language sql security definer
  set search_path = pg_catalog, pg_temp
begin atomic
  insert into ninefold.stored_files as f (id, sha256, size, md5, quarantined_at)
  values (new_id, content_sha256, content_size, content_md5, case when is_quarantined then pg_catalog.now() end)
  on conflict (sha256) do update set stored_at = pg_catalog.now(), md5 = coalesce(f.md5, excluded.md5)
  returning f.id;
end;
alter function ninefold.keep_file owner to ninefold_server;

-- Locks the content of an object until the end of the transaction, so that the node does not delete it before another object has it.
-- Returns its id; null if the node stores no such content.
create function ninefold.use_file(version text) returns uuid
  language sql security definer
  set search_path = pg_catalog, pg_temp
begin atomic
  select f.id from ninefold.stored_files f where f.id = ninefold.file_id(use_file.version) for key share;
end;
alter function ninefold.use_file owner to ninefold_server;

-- Marks a signed upload URL as used. Fails if it was used before.
create function ninefold.use_upload_token(token_id uuid, token_expires_at timestamptz) returns void
  language sql security definer
  set search_path = pg_catalog, pg_temp
begin atomic
  insert into ninefold.used_upload_tokens (id, expires_at) values (token_id, token_expires_at);
end;
alter function ninefold.use_upload_token owner to ninefold_server;

-- Marks an upload in parts as complete. Fails if it is complete or has ended, so that two workers never complete it both.
create function ninefold.complete_upload(upload_id uuid) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  update ninefold.uploads u set completed_at = now() where u.id = complete_upload.upload_id and u.completed_at is null;
  if not found then
    raise exception 'The upload is complete.' using errcode = 'unique_violation', constraint = 'uploads_complete_once';
  end if;
end
$$;
alter function ninefold.complete_upload owner to ninefold_server;

revoke execute on function ninefold.keep_file, ninefold.use_file, ninefold.use_upload_token, ninefold.complete_upload from public;
grant execute on function ninefold.keep_file, ninefold.use_file, ninefold.use_upload_token, ninefold.complete_upload to supabase_storage_admin;
grant usage on schema ninefold to supabase_storage_admin;

-- Returns the bytes of an object by its version. Callers read the version from rows of storage.objects, which policies protect.
create function ninefold.stored_file(version text, out id uuid, out sha256 text, out size bigint, out is_quarantined boolean)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
begin atomic
  select f.id, encode(f.sha256, 'hex'), f.size, f.quarantined_at is not null
  from ninefold.stored_files f
  where f.id = ninefold.file_id(version);
end;
alter function ninefold.stored_file owner to ninefold_server;

-- Quarantine ----------------------------------------------------------------------------------------------------------

-- Lets everybody who may see an object read its content; or only the service role, until the content is released.
create function ninefold.release_file(version text) returns boolean
  language sql security definer
  set search_path = pg_catalog, pg_temp
begin atomic
  with changed as (
    update ninefold.stored_files f set quarantined_at = null where f.id = ninefold.file_id(release_file.version) returning f.id
  )
  select exists (select from changed);
end;
alter function ninefold.release_file owner to ninefold_server;

create function ninefold.quarantine_file(version text) returns boolean
  language sql security definer
  set search_path = pg_catalog, pg_temp
begin atomic
  with changed as (
    update ninefold.stored_files f set quarantined_at = coalesce(f.quarantined_at, pg_catalog.now())
    where f.id = ninefold.file_id(quarantine_file.version) returning f.id
  )
  select exists (select from changed);
end;
alter function ninefold.quarantine_file owner to ninefold_server;
revoke execute on function ninefold.release_file, ninefold.quarantine_file from public;
grant execute on function ninefold.release_file, ninefold.quarantine_file to pg_database_owner, service_role;

-- Accounts ------------------------------------------------------------------------------------------------------------

-- Deletes the files that a member uploaded, when the member deletes the own account. The table belongs to the app's owner, and so does
-- the function, so no policy keeps a file.
create function ninefold.delete_files_of(member uuid) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if to_regclass('storage.objects') is not null then
    delete from storage.objects o where o.owner_id = member::text;
  end if;
end
$$;
alter function ninefold.delete_files_of owner to pg_database_owner;
revoke execute on function ninefold.delete_files_of from public;
grant execute on function ninefold.delete_files_of to supabase_auth_admin;

-- Buckets in the specification ----------------------------------------------------------------------------------------

-- The first buckets by id, as far as the specification describes them. Connections that
-- have switched to another role than the owner get none. The table belongs to the app's owner, and so does the function.
create function ninefold.described_buckets(max_buckets integer, max_types integer) returns json
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if (current_setting('role') <> 'none' and not pg_has_role(current_setting('role'), 'pg_database_owner', 'MEMBER')) or not exists (
    select from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.oid = c.relowner
    where c.oid = to_regclass('storage.buckets') and c.relkind = 'r' and r.rolname = 'pg_database_owner'
  ) then
    return '[]';
  end if;
  return (
    select coalesce(json_agg(first), '[]') from (
      select b.id, b.name, coalesce(b.public, false) as public, b.file_size_limit, b.allowed_mime_types[1:max_types] as allowed_mime_types
      from storage.buckets b order by b.id collate "C" limit max_buckets
    ) first);
exception
  when lock_not_available then raise;
  -- The owner has changed the table.
  when others then return '[]';
end
$$;
alter function ninefold.described_buckets owner to pg_database_owner;
comment on function ninefold.described_buckets is 'The buckets of the app, for its specification.';

-- Triggers on storage.objects -----------------------------------------------------------------------------------------
-- They also apply to rows that SQL writes, so a row that SQL deletes frees its bytes. PostgreSQL runs them once for each statement.

-- Returns true if the columns of a table have the types that they had when it was created. The app's owner can give them types whose casts
-- run code of the app, which must not run with the privileges of the triggers. A changed table is left to the search for unused contents.
create function ninefold.has_file_columns(of_table oid) returns boolean
  language sql stable
  set search_path = pg_catalog, pg_temp
  return (
    select count(*) = 2 from pg_attribute a where a.attrelid = of_table and not a.attisdropped
      and (a.attname, a.atttypid) in (('id', 'uuid'::regtype::oid), ('version', 'text'::regtype::oid))
  );

create function ninefold.note_unused_files() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'TRUNCATE' then
    insert into ninefold.unused_files (id) select f.id from ninefold.stored_files f;
  elsif not ninefold.has_file_columns(tg_relid) then
    return null;
  elsif tg_op = 'DELETE' then
    insert into ninefold.unused_files (id)
    select f.id from removed r join ninefold.stored_files f on f.id = ninefold.file_id(r.version);
  else
    insert into ninefold.unused_files (id)
    select f.id from removed r join written w on w.id = r.id and w.version is distinct from r.version
    join ninefold.stored_files f on f.id = ninefold.file_id(r.version);
  end if;
  return null;
end
$$;
alter function ninefold.note_unused_files owner to ninefold_server;

-- Locks the content of each written object, so that the node does not delete it before the end of the transaction. Fails if the node
-- deletes it meanwhile: the last object that had the content was deleted while the statement copied it.
create function ninefold.lock_used_files() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  is_gone boolean;
begin
  if not ninefold.has_file_columns(tg_relid) then
    return null;
  end if;
  with used as (
    select f.id from ninefold.stored_files f where f.id in (select ninefold.file_id(w.version) from written w)
  ), locked as (
    select f.id from ninefold.stored_files f where f.id in (select ninefold.file_id(w.version) from written w) for key share
  )
  select (select count(*) from used) <> (select count(*) from locked) into is_gone;
  if is_gone then
    raise exception 'The content of a file was deleted while its object was copied.' using errcode = 'serialization_failure';
  end if;
  return null;
end
$$;
alter function ninefold.lock_used_files owner to ninefold_server;
revoke execute on function ninefold.note_unused_files, ninefold.lock_used_files from public;

-- A database that existed before the app can have a schema storage of its own, whose bytes are elsewhere.
do $$
begin
  if exists (
    select from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.oid = c.relowner
    where c.oid = to_regclass('storage.objects') and c.relkind = 'r' and r.rolname = 'pg_database_owner'
  ) then
    create index objects_version_idx on storage.objects (version);
    create index objects_owner_id_idx on storage.objects (owner_id) where owner_id is not null;
    create trigger ninefold_used_by_insert after insert on storage.objects
      referencing new table as written for each statement execute function ninefold.lock_used_files();
    create trigger ninefold_used_by_update after update on storage.objects
      referencing new table as written for each statement execute function ninefold.lock_used_files();
    create trigger ninefold_unused_by_update after update on storage.objects
      referencing old table as removed new table as written for each statement execute function ninefold.note_unused_files();
    create trigger ninefold_unused_by_delete after delete on storage.objects
      referencing old table as removed for each statement execute function ninefold.note_unused_files();
    create trigger ninefold_unused_by_truncate after truncate on storage.objects
      for each statement execute function ninefold.note_unused_files();
    alter table storage.objects enable always trigger ninefold_used_by_insert, enable always trigger ninefold_used_by_update,
      enable always trigger ninefold_unused_by_update, enable always trigger ninefold_unused_by_delete,
      enable always trigger ninefold_unused_by_truncate;
  end if;
end
$$;
