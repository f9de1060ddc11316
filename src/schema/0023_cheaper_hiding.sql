-- Lets the views that hide other apps compute once for each query whether a superuser reads them. PostgreSQL calls a function in a condition
-- for each row, and this one reads the state of the session, so a join of these views took seconds on a server with a few dozen apps. It
-- evaluates a subquery without references to the row only once.

do $replace$
declare
  per_row constant text := 'ninefold.is_superuser_client()';
  per_query constant text := '(select ninefold.is_superuser_client())';
  definition text;
  item record;
begin
  -- The superuser calls this function after pg_upgrade.
  definition := pg_catalog.pg_get_functiondef('ninefold.hide_other_apps()'::pg_catalog.regprocedure);
  execute pg_catalog.replace(definition, pg_catalog.quote_literal(per_row), pg_catalog.quote_literal(per_query));

  perform pg_catalog.set_config('allow_system_table_mods', 'on', true);
  for item in
    select n.nspname, c.relname, pg_catalog.pg_get_viewdef(c.oid) as definition
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'v' and c.oid < 16384 and n.nspname in ('pg_catalog', 'information_schema')
      and pg_catalog.strpos(pg_catalog.pg_get_viewdef(c.oid), per_row) > 0
  loop
    execute pg_catalog.format('create or replace view %I.%I with (security_barrier) as %s', item.nspname, item.relname,
      pg_catalog.replace(item.definition, per_row, per_query));
  end loop;
  perform pg_catalog.set_config('allow_system_table_mods', 'off', true);
end
$replace$;
