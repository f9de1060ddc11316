-- What the whole PostgreSQL server holds once: the roles that every app's database speaks of. Run at every start, in the
-- maintenance database; changes no role that is there. None of them can log in: each app has login roles of its own, so that code inside one app can never become another's.
do $$
declare
  wanted text;
begin
  foreach wanted in array array[
    'anon', 'authenticated', 'service_role', 'authenticator', 'postgres',
    'ninefold_server', 'supabase_admin', 'supabase_auth_admin', 'supabase_storage_admin', 'dashboard_user',
    'supabase_realtime_admin', 'supabase_functions_admin', 'supabase_replication_admin', 'supabase_etl_admin', 'supabase_read_only_user',
    'pgbouncer', 'ninefold_owner'
  ] loop
    if not exists (select from pg_catalog.pg_roles where rolname = wanted) then
      execute pg_catalog.format('create role %I nologin noinherit', wanted);
    end if;
  end loop;
  if exists (
    select from pg_catalog.pg_roles
    where rolname in ('anon', 'authenticated', 'service_role', 'authenticator', 'supabase_auth_admin', 'ninefold_server', 'ninefold_owner') and (rolsuper or rolcreaterole)
  ) then
    raise exception 'a role that Ninefold gives to the apps is a superuser or may create roles on this server'
      using hint = 'anon, authenticated, service_role, authenticator and supabase_auth_admin must be plain roles.';
  end if;
end
$$;

alter role service_role bypassrls;

-- Functions that a migration has given to postgres run as this role, which bypasses row-level security on a hosted project, too.
do $$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper and not rolcanlogin and not rolbypassrls) then
    alter role postgres bypassrls;
  end if;
end
$$;

grant anon, authenticated, service_role, supabase_auth_admin to authenticator;
-- Code of an app runs in sessions of its authenticator. Only app_<ref>_server is a member of ninefold_server.
revoke ninefold_server from authenticator;

-- The owners of apps are its members. A dump of data sets this; a grant to each owner would show the names of all in pg_parameter_acl.
grant set on parameter session_replication_role to ninefold_owner;

-- Nobody but the superuser has business in databases that belong to no app: there an app's owner could take the locks by which
-- nodes agree, or leave rights behind that keep its role from being dropped.
do $$
declare
  name text;
begin
  for name in select datname from pg_catalog.pg_database where datname in (pg_catalog.current_database(), 'postgres', 'template1') loop
    execute pg_catalog.format('revoke connect, temporary on database %I from public', name);
  end loop;
end
$$;
