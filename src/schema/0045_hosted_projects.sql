-- Functions with which policies on storage.objects distinguish the operations of the Storage API. Without a service the setting is empty,
-- so no operation is allowed.
do $do$
declare
  item record;
begin
  if pg_catalog.to_regclass('storage.objects') is null or not exists (select from ninefold.schema_files where name = '0003_project') then
    return;
  end if;
  for item in
    select * from (values
      ('operation()', 'create function storage.operation() returns text language sql stable set search_path = ''''
        return pg_catalog.current_setting(''storage.operation'', true)'),
      ('allow_any_operation(text[])', 'create function storage.allow_any_operation(expected_operations text[]) returns boolean
        language sql stable set search_path = ''''
        return coalesce(pg_catalog.regexp_replace(pg_catalog.current_setting(''storage.operation'', true), ''^storage[.]'', '''') in (
          select pg_catalog.regexp_replace(o, ''^storage[.]'', '''') from pg_catalog.unnest(expected_operations) o where o <> ''''), false)'),
      ('allow_only_operation(text)', 'create function storage.allow_only_operation(expected_operation text) returns boolean
        language sql stable set search_path = ''''
        return storage.allow_any_operation(array[expected_operation])'),
      ('get_prefixes(text)', 'create function storage.get_prefixes(name text) returns text[] language sql immutable strict set search_path = ''''
        return array(select pg_catalog.array_to_string((pg_catalog.string_to_array(name, ''/''))[:i], ''/'')
          from pg_catalog.generate_series(1, pg_catalog.array_length(pg_catalog.string_to_array(name, ''/''), 1) - 1) i)')
    ) f (signature, definition)
    where pg_catalog.to_regprocedure('storage.' || f.signature) is null
  loop
    execute item.definition;
    execute pg_catalog.format('alter function storage.%s owner to pg_database_owner', item.signature);
  end loop;
  if pg_catalog.to_regclass('supabase_migrations.seed_files') is null and pg_catalog.to_regnamespace('supabase_migrations') is not null then
    create table supabase_migrations.seed_files (
      path text primary key,
      hash text not null
    );
    alter table supabase_migrations.seed_files owner to pg_database_owner;
  end if;
end
$do$;
