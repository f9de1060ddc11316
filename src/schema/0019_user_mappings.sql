-- Only superusers may read pg_user_mapping. The specification says that the options of a mapping have changed, and nothing of them.
create function ninefold.user_mapping_writes() returns table (mapping oid, transaction text)
  language sql stable security definer
  set search_path = ''
begin atomic
  select m.oid, m.xmin::text from pg_catalog.pg_user_mapping m;
end;
comment on function ninefold.user_mapping_writes is 'The transaction that last wrote each user mapping of a foreign server.';
