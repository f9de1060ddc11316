-- Database roles of the app (docs/roles.md). A role of PostgreSQL belongs to all databases of the server, as anon and authenticated do. So a role of
-- an app is a role without login and without any privilege outside of the databases that grant it some, and apps that create the same name share it.
-- The owner of each such app is a member, and an app sees only its own roles in pg_roles. No other role is a member but the authenticators of apps,
-- and the role is a member of none: a membership would hold in every app. The connection limit 0 marks these roles.
--
-- A dropped role has a row without set_option, which PostgreSQL 15 lacks.
--
-- CREATE ROLE, GRANT and DROP ROLE lock the role until the end of the transaction, and an app could hold the lock while others wait. So these
-- functions write the rows of pg_authid and pg_auth_members that CREATE ROLE and GRANT would write. The node drops roles that no app has (src/apps/provisioning/database-roles.ts).

-- A name that other code gives a meaning to: roles of PostgreSQL, of the server and of apps.
create or replace function ninefold.is_database_role_name(name text) returns boolean
  language sql immutable
  set search_path = pg_catalog, pg_temp
as $$
  select octet_length(name) between 1 and 63 and name !~ '^(pg_|app_|ninefold|supabase_|replaced_)'
    and name <> all (array['public', 'none', 'anon', 'authenticated', 'service_role', 'authenticator', 'postgres', 'dashboard_user', 'pgbouncer'])
$$;
comment on function ninefold.is_database_role_name is 'Returns true for a name that an app may give to a database role.';

-- Returns the roles of this app.
create or replace function ninefold.database_roles() returns setof name
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select r.rolname from pg_catalog.pg_database_of_server d
  join pg_catalog.pg_auth_members_of_server m on m.member = d.datdba and coalesce((pg_catalog.to_jsonb(m) ->> 'set_option')::boolean, true)
  join pg_catalog.pg_authid r on r.oid = m.roleid and not r.rolcanlogin and r.rolconnlimit = 0
  where d.datname = current_database() order by r.rolname
$$;
comment on function ninefold.database_roles is 'The database roles that the app has created.';

-- Writes the row of pg_auth_members that GRANT would write as the superuser.
create or replace function ninefold.add_role_member(granted oid, added oid, inherits boolean) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
  set allow_system_table_mods = on
as $$
begin
  if current_setting('server_version_num')::integer < 160000 then
    raise exception 'database roles of an app need PostgreSQL 16 or newer' using errcode = '0A000';
  end if;
  update pg_catalog.pg_auth_members_of_server m set set_option = true, inherit_option = inherits where m.roleid = granted and m.member = added;
  if not found then
    insert into pg_catalog.pg_auth_members_of_server (oid, roleid, member, grantor, admin_option, inherit_option, set_option)
    values (pg_nextoid('pg_catalog.pg_auth_members_of_server', 'oid', 'pg_catalog.pg_auth_members_oid_index'),
      granted, added, 10, false, inherits, true);
  end if;
end
$$;

create or replace function ninefold.create_database_role(name text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '5s'
  set allow_system_table_mods = on
as $$
declare
  app_owner constant oid := (select d.datdba from pg_catalog.pg_database_of_server d where d.datname = current_database());
  role_oid oid;
begin
  if create_database_role.name is null or not ninefold.is_database_role_name(create_database_role.name) then
    raise exception 'role name "%" is reserved', create_database_role.name using errcode = '42939',
      hint = 'Names that begin with pg_, app_, ninefold, supabase_ or replaced_ belong to the server, and so do those of shared roles.';
  end if;
  if create_database_role.name = any (select ninefold.database_roles()) then
    raise exception 'role "%" already exists', create_database_role.name using errcode = '42710';
  end if;
  -- Dropped roles count until the node has removed them.
  if (select count(*) from pg_catalog.pg_auth_members_of_server m join pg_catalog.pg_authid r on r.oid = m.roleid
      where m.member = app_owner and not r.rolcanlogin and r.rolconnlimit = 0 and r.rolname <> create_database_role.name) >= 50
  then
    raise exception 'an app may have 50 database roles' using errcode = '54000';
  end if;
  if not exists (select from pg_catalog.pg_authid r where r.rolname = create_database_role.name) then
    if (select count(*) from pg_catalog.pg_authid r where not r.rolcanlogin and r.rolconnlimit = 0) >= 2000 then
      raise exception 'the apps of a server may have 2000 database roles' using errcode = '54000';
    end if;
    begin
      insert into pg_catalog.pg_authid (oid, rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication,
        rolbypassrls, rolconnlimit)
      values (pg_nextoid('pg_catalog.pg_authid', 'oid', 'pg_catalog.pg_authid_oid_index'), create_database_role.name, false, true, false, false,
        false, false, false, 0);
    exception
      -- Another app has created it meanwhile.
      when unique_violation then null;
    end;
  end if;
  -- A role that the operator of the server created never becomes one of an app.
  select r.oid into role_oid from pg_catalog.pg_authid r
  where r.rolname = create_database_role.name and r.rolconnlimit = 0
    and not (r.rolcanlogin or r.rolsuper or r.rolcreaterole or r.rolcreatedb or r.rolreplication or r.rolbypassrls)
    and not exists (select from pg_catalog.pg_auth_members_of_server m where m.member = r.oid);
  if role_oid is null then
    raise exception 'role name "%" is taken by the server', create_database_role.name using errcode = '42939', hint = 'Choose another name.';
  end if;
  perform ninefold.add_role_member(role_oid, app_owner, true);
end
$$;
comment on function ninefold.create_database_role is 'Creates a database role of the app: without login, to be granted privileges and named by policies.';

-- Returns the number of the role if the app has it. Raises an error if not.
create or replace function ninefold.database_role_oid(name text) returns oid
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
begin
  if database_role_oid.name is null or database_role_oid.name <> all (select ninefold.database_roles()) then
    raise exception 'role "%" does not exist', database_role_oid.name using errcode = '42704';
  end if;
  return (select r.oid from pg_catalog.pg_authid r where r.rolname = database_role_oid.name);
end
$$;

-- Lets tokens of the app name the role, as GRANT … TO authenticator does in a database with one app.
create or replace function ninefold.allow_database_role(name text, allowed boolean default true) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set allow_system_table_mods = on
as $$
declare
  role_oid constant oid := ninefold.database_role_oid(allow_database_role.name);
  login constant oid := (select a.oid from pg_catalog.pg_database_of_server d join pg_catalog.pg_authid r on r.oid = d.datdba
    join pg_catalog.pg_authid a on a.rolname = r.rolname || '_authenticator' where d.datname = current_database());
begin
  if allowed then
    perform ninefold.add_role_member(role_oid, login, false);
  else
    delete from pg_catalog.pg_auth_members_of_server m where m.roleid = role_oid and m.member = login;
  end if;
end
$$;
comment on function ninefold.allow_database_role is 'Lets the tokens of the app name a database role in the claim role, or forbids it.';

create or replace function ninefold.drop_database_role(name text, if_exists boolean default false) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set allow_system_table_mods = on
as $$
declare
  role_oid oid;
begin
  if if_exists and drop_database_role.name <> all (select ninefold.database_roles()) then
    raise notice 'role "%" does not exist, skipping', drop_database_role.name;
    return;
  end if;
  role_oid := ninefold.database_role_oid(drop_database_role.name);
  if exists (
    select from pg_catalog.pg_shdepend_of_server s where s.refclassid = 'pg_catalog.pg_authid'::regclass and s.refobjid = role_oid
      and s.dbid = (select d.oid from pg_catalog.pg_database_of_server d where d.datname = current_database()))
  then
    raise exception 'role "%" cannot be dropped because some objects depend on it', drop_database_role.name using errcode = '2BP01',
      hint = format('drop owned by %I;', drop_database_role.name);
  end if;
  perform ninefold.allow_database_role(drop_database_role.name, false);
  -- The row remains until the node has removed it, so that an app cannot leave more roles behind than it may have.
  update pg_catalog.pg_auth_members_of_server m set set_option = false, inherit_option = false
  where m.roleid = role_oid and m.member = (select d.datdba from pg_catalog.pg_database_of_server d where d.datname = current_database());
end
$$;
comment on function ninefold.drop_database_role is 'Drops a database role of the app.';

-- Returns the statement that runs in place of a statement about roles that DO builds and executes; the statement itself if it is another.
create or replace function ninefold.statement_on_roles(statement text) returns text
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
declare
  word constant text := '("(?:[^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)';
  found text[];
  role_name text;
  grantees text;
begin
  found := regexp_match(statement, '^\s*(create|drop|alter)\s+(?:role|user|group)\s+(if\s+exists\s+)?' || word, 'i');
  if found is not null then
    role_name := (parse_ident(found[3]))[1];
    if not ninefold.is_database_role_name(role_name) then
      return statement;
    end if;
    return case lower(found[1])
      when 'create' then format('select ninefold.create_database_role(%L)', role_name)
      when 'drop' then case when statement ~ ',' then statement
        else format('select ninefold.drop_database_role(%L, %L)', role_name, found[2] is not null) end
      else case when role_name = any (select ninefold.database_roles()) then 'select null' else statement end
    end;
  end if;
  found := regexp_match(statement, '^\s*(grant|revoke)\s+' || word || '\s+(?:to|from)\s+([^;]+?)\s*;?\s*$', 'i');
  if found is not null then
    role_name := (parse_ident(found[2]))[1];
    if role_name = any (select ninefold.database_roles()) then
      grantees := found[3];
      if grantees ~* '\mauthenticator\M' then
        return format('select ninefold.allow_database_role(%L, %L)', role_name, lower(found[1]) = 'grant');
      end if;
      if grantees !~* '^("?postgres"?|current_user|session_user)(\s|$)' then
        raise warning 'role % is not granted to %: a membership would hold in all apps of the server', role_name, grantees;
      end if;
      return 'select null';
    end if;
  end if;
  return statement;
end
$$;
comment on function ninefold.statement_on_roles is 'Rewrites CREATE ROLE and DROP ROLE that a DO block executes.';

revoke execute on function ninefold.add_role_member, ninefold.database_role_oid, ninefold.is_database_role_name, ninefold.database_roles, ninefold.create_database_role,
  ninefold.allow_database_role, ninefold.drop_database_role, ninefold.statement_on_roles from public;
grant execute on function ninefold.is_database_role_name, ninefold.database_roles, ninefold.create_database_role,
  ninefold.allow_database_role, ninefold.drop_database_role, ninefold.statement_on_roles to pg_database_owner;

-- Hides the roles of other apps in the view from which pg_roles and other views take the roles that an app sees.
do $replace$
declare
  shared constant text := 'where not a.rolcanlogin or a.rolsuper or a.oid in (';
  own constant text := $$where not a.rolcanlogin and a.rolconnlimit <> 0 or a.rolsuper or a.oid in (
        select m.roleid from pg_catalog.pg_auth_members_of_server m join pg_catalog.pg_database_of_server d on d.datdba = m.member
        where d.datname = pg_catalog.current_database() and coalesce((pg_catalog.to_jsonb(m) ->> 'set_option')::boolean, true)
        union all$$;
  definition constant text := pg_catalog.pg_get_functiondef('ninefold.hide_other_apps()'::pg_catalog.regprocedure);
begin
  if pg_catalog.strpos(definition, 'a.rolconnlimit') > 0 then
    return;
  end if;
  if pg_catalog.strpos(definition, shared) = 0 then
    raise exception 'ninefold.hide_other_apps has another text than this file replaces';
  end if;
  execute pg_catalog.replace(definition, shared, own);
  perform ninefold.hide_other_apps();
end
$replace$;
