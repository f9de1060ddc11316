-- Only superusers may read pg_user_mapping. The specification says that the options of a mapping have changed, and nothing of them.
-- Only for connections that have not become another role, or have become the owner.
create function ninefold.user_mapping_writes() returns table (mapping oid, transaction text)
  language sql stable security definer
  set search_path = ''
begin atomic
  select m.oid, m.xmin::text from pg_catalog.pg_user_mapping m
  where current_setting('role') = 'none' or pg_has_role(current_setting('role'), 'pg_database_owner', 'MEMBER');
end;
comment on function ninefold.user_mapping_writes is 'The transaction that last wrote each user mapping of a foreign server.';
