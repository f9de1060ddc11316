-- The roles that all apps of the PostgreSQL server share. The node runs this file at every start, in the maintenance database. It changes no
-- existing role. None of these roles can log in: each app has its own login roles, so code in one app cannot switch to a role of another app.
do $$
declare
  wanted text;
begin
  -- A login that is no superuser may switch only to roles that it has granted to itself.
  perform pg_catalog.set_config('createrole_self_grant', 'set, inherit', true)
  from pg_catalog.pg_settings where name = 'createrole_self_grant';
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
    where rolname in (
      'anon', 'authenticated', 'service_role', 'authenticator', 'supabase_auth_admin', 'supabase_storage_admin', 'ninefold_server', 'ninefold_owner'
    ) and (rolsuper or rolcreaterole)
  ) then
    raise exception 'a role that Ninefold gives to the apps is a superuser or may create roles on this server'
      using hint = 'anon, authenticated, service_role, authenticator and supabase_auth_admin must be plain roles.';
  end if;
end
$$;

alter role service_role bypassrls;

-- A migration may make postgres the owner of functions. On a hosted project of Supabase, this role bypasses row-level security.
do $$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper and not rolcanlogin and not rolbypassrls) then
    alter role postgres bypassrls;
  end if;
end
$$;

grant anon, authenticated, service_role, supabase_auth_admin, supabase_storage_admin to authenticator;
-- Code of an app runs in sessions of its authenticator, so only app_<ref>_server is a member of ninefold_server.
revoke ninefold_server from authenticator;

-- A dump of data sets this parameter, so the owners of apps are members of ninefold_owner. A grant to each owner would show the names of all
-- owners in pg_parameter_acl.
do $$
begin
  grant set on parameter session_replication_role to ninefold_owner;
exception
  -- The node reports the right that its login lacks (contract/server-rights.ts).
  when insufficient_privilege then null;
end
$$;

-- Only the node's login may use the maintenance database. An app's owner could take locks there that nodes use.
do $$
begin
  execute pg_catalog.format('revoke connect, temporary on database %I from public', pg_catalog.current_database());
end
$$;
