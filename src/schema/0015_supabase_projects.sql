-- What migrations of a Supabase project name and PostgreSQL does not have (docs/decisions/0021): extensions that only a superuser can
-- create, schemas and tables of the platform, and triggers that fire in a data dump. An object that the app's owner has made under
-- the same name stays as it is. A database that was there before the app gets the functions alone: it has its own schemas.

-- Event triggers and triggers of Ninefold's own fire in every replication role: an owner may set session_replication_role, as data
-- dumps do. Each of them returns early or is harmless where the superuser brings the schema up to date.
do $$
declare
  item record;
begin
  for item in select evtname from pg_catalog.pg_event_trigger where evtname like 'ninefold\_%' loop
    execute pg_catalog.format('alter event trigger %I enable always', item.evtname);
  end loop;
  for item in
    select t.tgrelid::pg_catalog.regclass as entity, t.tgname from pg_catalog.pg_trigger t
    join pg_catalog.pg_class c on c.oid = t.tgrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where not t.tgisinternal and t.tgenabled = 'O' and (n.nspname = 'ninefold' or n.nspname = 'auth' and t.tgname like 'ninefold\_%')
  loop
    execute pg_catalog.format('alter table %s enable always trigger %I', item.entity, item.tgname);
  end loop;
end
$$;

-- They write tables with policies as ninefold_server; a dump begins with SET row_security = off, which would make that an error.
alter function ninefold.forget_dropped_tables() set row_security = on;
alter function ninefold.record_passage() set row_security = on;

-- The journal takes the SQL as the builder wrote it, where the server ran it with replacements.
alter table ninefold.authors add column statement text;
comment on column ninefold.authors.statement is 'The SQL as it was sent; null if PostgreSQL got the same text.';
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
      else coalesce(author.statement, note_change.statement)
    end
  )
  on conflict do nothing;
end
$$;

-- Extensions ------------------------------------------------------------------------------------------------------------------
-- Makes the app's owner the owner of an extension that a superuser has created, as if it were a trusted one: its objects stay the
-- superuser's. There is no command for it.
create function ninefold.give_extension(name text) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  given oid;
begin
  update pg_catalog.pg_extension e set extowner = 'pg_database_owner'::pg_catalog.regrole
  where e.extname = give_extension.name and (select r.rolsuper from pg_catalog.pg_roles r where r.oid = e.extowner)
  returning e.oid into given;
  -- A predefined role has no dependencies. Hidden from the app's own SQL under another name (0011).
  execute pg_catalog.format('delete from %s where classid = %L::pg_catalog.regclass and objid = %L and deptype = %L
      and dbid = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())',
    coalesce(pg_catalog.to_regclass('pg_catalog.pg_shdepend_of_server'), 'pg_catalog.pg_shdepend'), 'pg_catalog.pg_extension', given, 'o');
end
$$;
revoke execute on function ninefold.give_extension from public;

-- Extensions that stand where the template has put them. The first CREATE EXTENSION of the app's own SQL places them, as on a project
-- that has none of them.
create table ninefold.unplaced_extensions (name text primary key);
comment on table ninefold.unplaced_extensions is 'Extensions of the template that no CREATE EXTENSION of the app has named yet.';
grant select on ninefold.unplaced_extensions to pg_database_owner;

-- Those of 0003: the app's owner may comment on them, drop them and update them.
with given as (
  insert into ninefold.unplaced_extensions
  select e.extname from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
  where e.extname in ('pgcrypto', 'uuid-ossp', 'citext', 'pg_trgm') and n.nspname = 'extensions'
    and exists (select from ninefold.schema_files f where f.name = '0003_project')
  returning name
)
select ninefold.give_extension(name) from given;

-- Whether the app's owner may create objects in a schema. The functions below run as the superuser, who always may.
create function ninefold.check_extension_schema(schema text) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  if pg_catalog.to_regnamespace(pg_catalog.quote_ident(schema)) is null then
    raise exception using errcode = 'invalid_schema_name', message = pg_catalog.format('schema %I does not exist', schema);
  end if;
  if not pg_catalog.has_schema_privilege((select d.datdba from pg_catalog.pg_database d where d.datname = pg_catalog.current_database()),
    pg_catalog.to_regnamespace(pg_catalog.quote_ident(schema)), 'create')
  then
    raise exception using errcode = 'insufficient_privilege', message = pg_catalog.format('permission denied for schema %I', schema);
  end if;
end
$$;

-- The statistics of this database alone. Without rows where the server does not load the library.
create function ninefold.restrict_pg_stat_statements() returns void
  language plpgsql
  set search_path = ''
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
  execute pg_catalog.format($query$
    create or replace function ninefold.statement_statistics() returns table (%2$s)
      language plpgsql security definer set search_path = ''
    as $body$
    begin
      if pg_catalog.current_setting('shared_preload_libraries') ~ '\mpg_stat_statements\M' then
        return query select s.* from %1$I.pg_stat_statements(true) s
        where s.dbid = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database());
      end if;
    end
    $body$ $query$, place, fields);
  revoke execute on function ninefold.statement_statistics() from public;
  grant execute on function ninefold.statement_statistics() to pg_database_owner;
  execute pg_catalog.format('create or replace view %I.pg_stat_statements as select * from ninefold.statement_statistics()', place);
  execute pg_catalog.format('revoke all on %1$I.pg_stat_statements, %1$I.pg_stat_statements_info from public', place);
  execute pg_catalog.format('grant select on %I.pg_stat_statements to pg_database_owner', place);
end
$$;

-- CREATE EXTENSION for what PostgreSQL lets superusers alone create and an owner may have, and for what 0003 has put elsewhere.
create function ninefold.create_extension(name text, schema text default null, if_not_exists boolean default true) returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  place constant text := coalesce(schema, 'public');
  present record;
begin
  select e.extname, n.nspname into present from pg_catalog.pg_extension e
  join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = create_extension.name;
  if found then
    delete from ninefold.unplaced_extensions u where u.name = present.extname;
    if found then
      -- A hosted project has the other two in schema extensions from the start, too, and leaves them there.
      if present.extname in ('citext', 'pg_trgm') and present.nspname <> place then
        perform ninefold.check_extension_schema(place);
        execute pg_catalog.format('alter extension %I set schema %I', present.extname, place);
      end if;
    elsif not if_not_exists then
      raise exception using errcode = 'duplicate_object', message = pg_catalog.format('extension %I already exists', present.extname);
    end if;
    return;
  end if;
  if create_extension.name not in ('autoinc', 'insert_username', 'moddatetime', 'earthdistance', 'pg_stat_statements',
    'pgcrypto', 'uuid-ossp', 'citext', 'pg_trgm')
  then
    raise exception using errcode = 'insufficient_privilege',
      message = pg_catalog.format('permission denied to create extension %I', create_extension.name);
  end if;
  if create_extension.name = 'earthdistance' then
    if exists (select from pg_catalog.pg_available_extensions a where a.name = 'earthdistance' and a.default_version in ('1.0', '1.1')) then
      raise exception using errcode = 'insufficient_privilege', message = 'permission denied to create extension earthdistance',
        hint = 'Its script is safe for other users than superusers since version 1.2, which PostgreSQL 18 brings.';
    end if;
    if not exists (select from pg_catalog.pg_extension e where e.extname = 'cube') then
      raise exception using errcode = 'undefined_object', message = 'required extension "cube" is not installed',
        hint = 'create extension cube;';
    end if;
  end if;
  perform ninefold.check_extension_schema(place);
  execute pg_catalog.format('create extension %I with schema %I', create_extension.name, place);
  perform ninefold.give_extension(create_extension.name);
  if create_extension.name = 'pg_stat_statements' then
    perform ninefold.restrict_pg_stat_statements();
  end if;
end
$$;
comment on function ninefold.create_extension is 'Creates an extension that PostgreSQL lets superusers alone create, if an owner may have it.';

-- ALTER EXTENSION … SET SCHEMA, for which PostgreSQL wants the owner of each object in it.
create function ninefold.move_extension(name text, schema text) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if not exists (
    select from pg_catalog.pg_extension e where e.extname = move_extension.name and e.extname <> 'plpgsql' and e.extowner in (
      'pg_database_owner'::pg_catalog.regrole,
      (select d.datdba from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())))
  then
    raise exception using errcode = 'insufficient_privilege', message = pg_catalog.format('must be owner of extension %I', name);
  end if;
  perform ninefold.check_extension_schema(schema);
  delete from ninefold.unplaced_extensions u where u.name = move_extension.name;
  execute pg_catalog.format('alter extension %I set schema %I', name, schema);
end
$$;
comment on function ninefold.move_extension is 'Moves an extension of the app''s owner into another schema.';

-- Runs a statement that names what only the platform of Supabase has. Returns the reason where that is missing, else null. With the
-- rights of the caller.
create function ninefold.attempt(statement text) returns text
  language plpgsql
as $$
begin
  execute statement;
  return null;
exception
  when invalid_schema_name or undefined_function or undefined_table or undefined_column or undefined_object or insufficient_privilege
    or dependent_objects_still_exist
  then
    return sqlerrm;
end
$$;

revoke execute on function ninefold.check_extension_schema, ninefold.restrict_pg_stat_statements, ninefold.create_extension,
  ninefold.move_extension, ninefold.attempt from public;
grant execute on function ninefold.create_extension, ninefold.move_extension, ninefold.attempt to pg_database_owner;

-- Realtime ----------------------------------------------------------------------------------------------------------------------
-- For policies and triggers. There is no service behind it: a message that is sent reaches nobody and is not stored.
do $do$
begin
  if pg_catalog.to_regnamespace('realtime') is not null or not exists (select from ninefold.schema_files where name = '0003_project') then
    return;
  end if;
  create schema realtime authorization pg_database_owner;
  grant usage on schema realtime to postgres, anon, authenticated, service_role;
  create table realtime.messages (
    topic text not null,
    extension text not null,
    payload jsonb,
    event text,
    private boolean default false,
    updated_at timestamp not null default now(),
    inserted_at timestamp not null default now(),
    id uuid not null default gen_random_uuid(),
    primary key (id, inserted_at)
  );
  comment on table realtime.messages is 'For policies on private channels. Ninefold has no realtime service and writes no rows.';
  alter table realtime.messages enable row level security;
  grant select, insert, update on realtime.messages to postgres, anon, authenticated, service_role;
  create function realtime.topic() returns text language sql stable
    return nullif(pg_catalog.current_setting('realtime.topic', true), '');
  create function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void
    language sql as '';
  comment on function realtime.send is 'Does nothing: Ninefold has no realtime service.';
  create function realtime.broadcast_changes(topic_name text, event_name text, operation text, table_name text, table_schema text,
    new record, old record, level text default 'ROW') returns void language plpgsql as 'begin end';
  comment on function realtime.broadcast_changes is 'Does nothing: Ninefold has no realtime service.';
  alter table realtime.messages owner to pg_database_owner;
  alter function realtime.topic() owner to pg_database_owner;
  alter function realtime.send(jsonb, text, text, boolean) owner to pg_database_owner;
  alter function realtime.broadcast_changes(text, text, text, text, text, record, record, text) owner to pg_database_owner;
end
$do$;

-- Storage -----------------------------------------------------------------------------------------------------------------------
do $do$
declare
  made text;
begin
  if pg_catalog.to_regclass('storage.buckets') is null or pg_catalog.to_regclass('storage.objects') is null
    or not exists (select from ninefold.schema_files where name = '0003_project')
  then
    return;
  end if;
  if pg_catalog.to_regtype('storage.buckettype') is null then
    create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');
    alter type storage.buckettype owner to pg_database_owner;
  end if;
  alter table storage.buckets add column if not exists type storage.buckettype not null default 'STANDARD';
  alter table storage.objects add column if not exists level integer;

  create table if not exists storage.prefixes (
    bucket_id text not null references storage.buckets (id),
    name text not null,
    level integer not null generated always as (pg_catalog.array_length(pg_catalog.string_to_array(name, '/'), 1)) stored,
    created_at timestamptz default now(),
    updated_at timestamptz default now(),
    primary key (bucket_id, level, name)
  );
  create table if not exists storage.s3_multipart_uploads (
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
  create table if not exists storage.s3_multipart_uploads_parts (
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
  create table if not exists storage.buckets_analytics (
    id uuid primary key default gen_random_uuid(),
    name text not null,
    type storage.buckettype not null default 'ANALYTICS',
    format text not null default 'ICEBERG',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz
  );
  create table if not exists storage.buckets_vectors (
    id text primary key,
    type storage.buckettype not null default 'VECTOR',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  create table if not exists storage.vector_indexes (
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
  create table if not exists storage.migrations (
    id integer primary key,
    name varchar(100) not null unique,
    hash varchar(40) not null,
    executed_at timestamp default now()
  );
  foreach made in array array['prefixes', 's3_multipart_uploads', 's3_multipart_uploads_parts', 'buckets_analytics', 'buckets_vectors',
    'vector_indexes', 'migrations']
  loop
    -- What a superuser owns was made just now.
    if (select r.rolsuper from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.oid = c.relowner
      where c.oid = pg_catalog.to_regclass('storage.' || made))
    then
      execute pg_catalog.format('alter table storage.%I enable row level security', made);
      execute pg_catalog.format('grant all on storage.%I to service_role, postgres', made);
      execute pg_catalog.format('grant select on storage.%I to anon, authenticated', made);
      execute pg_catalog.format('alter table storage.%I owner to pg_database_owner', made);
    end if;
  end loop;
end
$do$;

-- Functions of schema storage. With the rights of the caller, so policies on storage.objects bind them.
do $do$
declare
  item record;
begin
  if pg_catalog.to_regclass('storage.objects') is null or not exists (select from ninefold.schema_files where name = '0003_project') then
    return;
  end if;
  for item in
    select * from (values
      ('get_size_by_bucket()', 'create function storage.get_size_by_bucket() returns table (size bigint, bucket_id text)
        language sql stable set search_path = '''' as $f$
          select pg_catalog.sum((o.metadata ->> ''size'')::bigint)::bigint, o.bucket_id from storage.objects o group by o.bucket_id $f$'),
      ('get_level(text)', 'create function storage.get_level(name text) returns integer language sql immutable strict set search_path = ''''
        return pg_catalog.array_length(pg_catalog.string_to_array(name, ''/''), 1)'),
      ('get_prefix(text)', 'create function storage.get_prefix(name text) returns text language sql immutable strict set search_path = ''''
        return case when pg_catalog.strpos(name, ''/'') > 0 then pg_catalog.regexp_replace(name, ''[/][^/]*[/]?$'', '''') else '''' end'),
      ('can_insert_object(text,text,uuid,jsonb)', 'create function storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb) returns void
        language plpgsql set search_path = '''' as $f$
        begin
          insert into storage.objects (bucket_id, name, owner, metadata) values (bucketid, name, owner, metadata);
          raise sqlstate ''PT200'' using message = ''ROLLBACK'', detail = ''rollback successful insert'';
        end $f$'),
      ('update_updated_at_column()', 'create function storage.update_updated_at_column() returns trigger
        language plpgsql set search_path = '''' as $f$ begin new.updated_at := pg_catalog.now(); return new; end $f$'),
      ('enforce_bucket_name_length()', 'create function storage.enforce_bucket_name_length() returns trigger
        language plpgsql set search_path = '''' as $f$
        begin
          if pg_catalog.length(new.name) > 100 then
            raise exception ''bucket name "%" is too long (% characters). Max is 100.'', new.name, pg_catalog.length(new.name);
          end if;
          return new;
        end $f$'),
      ('protect_delete()', 'create function storage.protect_delete() returns trigger
        language plpgsql set search_path = '''' as $f$
        begin
          if coalesce(pg_catalog.current_setting(''storage.allow_delete_query'', true), ''false'') <> ''true'' then
            raise exception ''Direct deletion from storage tables is not allowed. Use the Storage API instead.''
              using errcode = ''42501'', hint = ''set local storage.allow_delete_query = ''''true'''''';
          end if;
          return null;
        end $f$'),
      ('search(text,text,integer,integer,integer,text,text,text)', 'create function storage.search(prefix text, bucketname text, limits integer default 100,
          levels integer default 1, offsets integer default 0, search text default '''', sortcolumn text default ''name'', sortorder text default ''asc'')
        returns table (name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb)
        language sql stable set search_path = '''' as $f$
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
            case when sortorder <> ''desc'' then case sortcolumn when ''updated_at'' then l.updated_at when ''created_at'' then l.created_at
              when ''last_accessed_at'' then l.last_accessed_at end end asc,
            case when sortorder = ''desc'' then case sortcolumn when ''updated_at'' then l.updated_at when ''created_at'' then l.created_at
              when ''last_accessed_at'' then l.last_accessed_at end end desc,
            case when sortorder <> ''desc'' then l.name end asc, case when sortorder = ''desc'' then l.name end desc
          limit limits offset offsets $f$')
    ) f (signature, definition)
    where pg_catalog.to_regprocedure('storage.' || f.signature) is null
  loop
    execute item.definition;
    execute pg_catalog.format('alter function storage.%s owner to pg_database_owner', item.signature);
  end loop;
end
$do$;

-- OAuth, of schema auth -----------------------------------------------------------------------------------------------------------
-- Tables that migrations and dumps name. Ninefold is no OAuth server: they stay empty.
do $do$
declare
  made text;
begin
  if pg_catalog.to_regclass('auth.oauth_clients') is not null or pg_catalog.to_regtype('auth.oauth_client_type') is not null
    or not exists (select from ninefold.schema_files where name = '0003_project')
  then
    return;
  end if;
  set local role supabase_auth_admin;
  create type auth.oauth_registration_type as enum ('dynamic', 'manual');
  create type auth.oauth_authorization_status as enum ('pending', 'approved', 'denied', 'expired');
  create type auth.oauth_response_type as enum ('code');
  create type auth.oauth_client_type as enum ('public', 'confidential');
  create table auth.oauth_clients (
    id uuid primary key,
    client_secret_hash text,
    registration_type auth.oauth_registration_type not null,
    redirect_uris text not null,
    grant_types text not null,
    client_name text check (char_length(client_name) <= 1024),
    client_uri text check (char_length(client_uri) <= 2048),
    logo_uri text check (char_length(logo_uri) <= 2048),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz,
    client_type auth.oauth_client_type not null default 'confidential',
    token_endpoint_auth_method text not null default 'client_secret_basic'
  );
  create table auth.oauth_authorizations (
    id uuid primary key,
    authorization_id text not null unique,
    client_id uuid not null references auth.oauth_clients (id) on delete cascade,
    user_id uuid references auth.users (id) on delete cascade,
    redirect_uri text not null,
    scope text not null,
    state text,
    resource text,
    code_challenge text,
    code_challenge_method auth.code_challenge_method,
    response_type auth.oauth_response_type not null default 'code',
    status auth.oauth_authorization_status not null default 'pending',
    authorization_code text unique,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null default now() + interval '3 minutes',
    approved_at timestamptz,
    nonce text
  );
  create table auth.oauth_consents (
    id uuid primary key,
    user_id uuid not null references auth.users (id) on delete cascade,
    client_id uuid not null references auth.oauth_clients (id) on delete cascade,
    scopes text not null,
    granted_at timestamptz not null default now(),
    revoked_at timestamptz,
    unique (user_id, client_id)
  );
  create table auth.oauth_client_states (
    id uuid primary key,
    provider_type text not null,
    code_verifier text,
    created_at timestamptz not null
  );
  foreach made in array array['oauth_clients', 'oauth_authorizations', 'oauth_consents', 'oauth_client_states'] loop
    execute pg_catalog.format('comment on table auth.%I is ''Kept for what was brought along.''', made);
    execute pg_catalog.format('grant select, insert, update, delete on auth.%I to service_role', made);
    execute pg_catalog.format('grant all on auth.%I to pg_database_owner with grant option', made);
    execute pg_catalog.format('alter table auth.%I enable row level security', made);
    execute pg_catalog.format('create policy app_owner on auth.%I to pg_database_owner using (true) with check (true)', made);
  end loop;
  reset role;
end
$do$;

-- The rest ------------------------------------------------------------------------------------------------------------------------
do $do$
begin
  if not exists (select from ninefold.schema_files where name = '0003_project') then
    return;
  end if;
  if pg_catalog.to_regnamespace('graphql_public') is null then
    create schema graphql_public authorization pg_database_owner;
    grant usage on schema graphql_public to postgres, anon, authenticated, service_role;
  end if;
  if pg_catalog.to_regnamespace('supabase_migrations') is null then
    create schema supabase_migrations authorization pg_database_owner;
    create table supabase_migrations.schema_migrations (
      version text primary key,
      statements text[],
      name text,
      created_by text,
      idempotency_key text unique,
      rollback text[]
    );
    comment on table supabase_migrations.schema_migrations is 'The migrations whose file names begin with a version, as Supabase lists them.';
    insert into supabase_migrations.schema_migrations (version, name)
      select distinct on (1) substring(m.name from '^([0-9]+)_'), substring(m.name from '^[0-9]+_(.*)\.sql$')
      from ninefold.migrations m where m.name ~ '^[0-9]+_.*\.sql$' order by 1, m.applied_at;
    alter table supabase_migrations.schema_migrations owner to pg_database_owner;
  end if;
end
$do$;
