-- Advisory locks fill the lock table that all databases of the server share, and PostgreSQL lets everybody take them. Here only the
-- app's owner and service_role may, and whoever the owner grants it to.
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
  end loop;
end
$$;
