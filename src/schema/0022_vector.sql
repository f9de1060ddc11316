-- Vector search: app owners may create the extension vector (pgvector). PostgreSQL asks for a superuser, because the control file does not call
-- the extension trusted. Its script creates every type and function that it names, and fails if one exists already, so no object of an owner
-- runs as the superuser.

-- Returns the extensions that only a superuser may create and that are safe for an owner.
create function ninefold.extensions_for_owners() returns text[]
  language sql immutable
  set search_path = pg_catalog, pg_temp
  return array['autoinc', 'insert_username', 'moddatetime', 'earthdistance', 'pg_stat_statements', 'pgcrypto', 'uuid-ossp', 'citext', 'pg_trgm',
    'vector'];
comment on function ninefold.extensions_for_owners is 'The extensions that ninefold.create_extension creates.';
revoke execute on function ninefold.extensions_for_owners from public;

-- CREATE EXTENSION for extensions that only a superuser may create and that are safe for an owner, and for the extensions of the template.
create or replace function ninefold.create_extension(name text, schema text default null, if_not_exists boolean default true) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
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
      -- A hosted project of Supabase keeps pgcrypto and uuid-ossp in schema extensions, too.
      if present.extname in ('citext', 'pg_trgm') and present.nspname <> place then
        perform ninefold.check_extension_schema(place);
        execute pg_catalog.format('alter extension %I set schema %I', present.extname, place);
      end if;
    elsif not if_not_exists then
      raise exception using errcode = 'duplicate_object', message = pg_catalog.format('extension %I already exists', present.extname);
    end if;
    return;
  end if;
  if create_extension.name <> all (ninefold.extensions_for_owners()) then
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
