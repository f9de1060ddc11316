-- Advisory locks fill the lock table that all databases of the server share, and PostgreSQL lets everybody take them. Here only the
-- app's owner and service_role may, and whoever the owner grants it to.
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
    -- pg_dump writes privileges that differ from the initial ones into a dump. Those of the owner's own GRANT do.
    delete from pg_catalog.pg_init_privs
    where classoid = 'pg_catalog.pg_proc'::pg_catalog.regclass and objoid = lock_function and objsubid = 0;
    insert into pg_catalog.pg_init_privs (objoid, classoid, objsubid, privtype, initprivs)
    select p.oid, 'pg_catalog.pg_proc'::pg_catalog.regclass, 0, 'i', p.proacl from pg_catalog.pg_proc p where p.oid = lock_function;
  end loop;
end
$$;
set local allow_system_table_mods = off;
