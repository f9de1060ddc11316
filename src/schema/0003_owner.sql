-- Functions by which the app's owner does what PostgreSQL allows to superusers alone, and functions that PostgreSQL allows to everybody and
-- that only the owner may call here (docs/decisions/0021-migrations-of-supabase-projects.md).

-- Advisory locks ------------------------------------------------------------------------------------------------------

-- Advisory locks fill the lock table that all databases of the server share. Only the app's owner, service_role and the roles that the
-- owner chooses may take them.
set local allow_system_table_mods = on;
do $$
declare
  lock_function oid;
begin
  for lock_function in
    select oid from pg_catalog.pg_proc
    where pronamespace = 'pg_catalog'::pg_catalog.regnamespace and proname ~ '^pg_(try_)?advisory_(xact_)?lock'
  loop
    execute pg_catalog.format('revoke execute on function %s from public', lock_function::pg_catalog.regprocedure);
    execute pg_catalog.format('grant execute on function %s to pg_database_owner with grant option', lock_function::pg_catalog.regprocedure);
    execute pg_catalog.format('grant execute on function %s to service_role', lock_function::pg_catalog.regprocedure);
    -- pg_dump writes privileges that differ from the initial ones into a dump. With these initial privileges, a dump contains only the
    -- owner's own GRANT.
    delete from pg_catalog.pg_init_privs
    where classoid = 'pg_catalog.pg_proc'::pg_catalog.regclass and objoid = lock_function and objsubid = 0;
    insert into pg_catalog.pg_init_privs (objoid, classoid, objsubid, privtype, initprivs)
    select p.oid, 'pg_catalog.pg_proc'::pg_catalog.regclass, 0, 'i', p.proacl from pg_catalog.pg_proc p where p.oid = lock_function;
  end loop;
end
$$;
set local allow_system_table_mods = off;

-- Extensions ----------------------------------------------------------------------------------------------------------

-- Makes the app's owner the owner of an extension that a superuser has created, as if the extension were trusted: its objects still belong
-- to the superuser. PostgreSQL has no command for this.
create function ninefold.give_extension(name text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  given oid;
begin
  update pg_catalog.pg_extension e set extowner = 'pg_database_owner'::pg_catalog.regrole
  where e.extname = give_extension.name and (select r.rolsuper from pg_catalog.pg_roles r where r.oid = e.extowner)
  returning e.oid into given;
  -- A predefined role has no entries in pg_shdepend. Where 0004_hide_other_apps.sql hides that catalog, it has another name.
  execute pg_catalog.format('delete from %s where classid = %L::pg_catalog.regclass and objid = %L and deptype = %L
      and dbid = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())',
    coalesce(pg_catalog.to_regclass('pg_catalog.pg_shdepend_of_server'), 'pg_catalog.pg_shdepend'), 'pg_catalog.pg_extension', given, 'o');
end
$$;

-- The template contains some extensions. The first CREATE EXTENSION in the app's own SQL moves the extension to the schema that the SQL
-- names, as if the database did not have it yet.
create table ninefold.unplaced_extensions (name text primary key);
comment on table ninefold.unplaced_extensions is 'Extensions of the template that no CREATE EXTENSION of the app has named yet.';
grant select on ninefold.unplaced_extensions to pg_database_owner;

-- Raises an error unless the app's owner may create objects in the schema. The functions below run as the superuser, who may always create objects.
create function ninefold.check_extension_schema(schema text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
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

-- Restricts the statistics to this database. The new function is bound to the function of the extension by OID, not by a name in a schema of
-- the app's owner. It is a member of the extension, so DROP EXTENSION drops it and only the superuser may replace it.
create function ninefold.restrict_pg_stat_statements() returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
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
  -- The lateral call runs only if the server has loaded the library. Without the library, the function of the extension fails.
  execute pg_catalog.format($query$
    create function %1$I.ninefold_statement_statistics() returns table (%2$s)
      language sql stable security definer set search_path = pg_catalog, pg_temp
    begin atomic
      select s.* from (
        select true as has_text where pg_catalog.current_setting('shared_preload_libraries') operator(pg_catalog.~) '\mpg_stat_statements\M' offset 0
      ) loaded cross join lateral %1$I.pg_stat_statements(loaded.has_text) s
      where s.dbid operator(pg_catalog.=) (select d.oid from pg_catalog.pg_database d where d.datname operator(pg_catalog.=) pg_catalog.current_database());
    end $query$, place, fields);
  execute pg_catalog.format('alter extension pg_stat_statements add function %I.ninefold_statement_statistics()', place);
  execute pg_catalog.format('revoke execute on function %I.ninefold_statement_statistics() from public', place);
  execute pg_catalog.format('grant execute on function %I.ninefold_statement_statistics() to pg_database_owner', place);
  execute pg_catalog.format('create or replace view %1$I.pg_stat_statements as select * from %1$I.ninefold_statement_statistics()', place);
  execute pg_catalog.format('revoke all on %1$I.pg_stat_statements, %1$I.pg_stat_statements_info from public', place);
  execute pg_catalog.format('grant select on %I.pg_stat_statements to pg_database_owner', place);
end
$$;

-- CREATE EXTENSION for extensions that only a superuser may create and that are safe for an owner, and for the extensions of the template.
create function ninefold.create_extension(name text, schema text default null, if_not_exists boolean default true) returns void
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
comment on function ninefold.create_extension is 'Creates an extension that only a superuser may create, if it is safe for an owner.';

-- ALTER EXTENSION … SET SCHEMA. PostgreSQL requires the ownership of each object in the extension.
create function ninefold.move_extension(name text, schema text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
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

-- Runs a statement that may name an object of Supabase's platform, with the privileges of the caller. Returns null, or PostgreSQL's message if
-- the object does not exist.
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

revoke execute on function ninefold.give_extension, ninefold.check_extension_schema, ninefold.restrict_pg_stat_statements,
  ninefold.create_extension, ninefold.move_extension, ninefold.attempt from public;
grant execute on function ninefold.create_extension, ninefold.move_extension, ninefold.attempt to pg_database_owner;
-- A statement that replaces an object of schema auth runs as the owner of the object.
grant execute on function ninefold.attempt to supabase_auth_admin;

-- Roles ---------------------------------------------------------------------------------------------------------------

-- Migrations of Supabase projects may create roles. Roles belong to all apps of the server, so CREATE ROLE only stores the name here, and
-- the server skips later grants to such a role.
create table ninefold.skipped_roles (
  name text primary key
);
comment on table ninefold.skipped_roles is 'The roles whose CREATE ROLE was skipped. Grants to them are skipped, too.';
grant select, insert, delete on ninefold.skipped_roles to pg_database_owner;

-- Foreign servers -----------------------------------------------------------------------------------------------------

-- Only superusers may read pg_user_mapping. The specification reports that the options of a mapping have changed, but not the options.
-- Connections that have switched to another role than the owner get no rows.
create function ninefold.user_mapping_writes() returns table (mapping oid, transaction text)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
begin atomic
  select m.oid, m.xmin::text from pg_catalog.pg_user_mapping m
  where current_setting('role') = 'none' or pg_has_role(current_setting('role'), 'pg_database_owner', 'MEMBER');
end;
comment on function ninefold.user_mapping_writes is 'The transaction that last wrote each user mapping of a foreign server.';
