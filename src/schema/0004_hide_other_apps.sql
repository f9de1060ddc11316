-- Hides other apps. PostgreSQL shows to everyone the names, settings and comments of all databases and login roles of the server, their
-- sessions, locks and counters (docs/decisions/0014-what-an-owner-can-see-and-set.md). All databases share these catalogs, but each database
-- names them and grants access to them itself. So a view with the name of a catalog replaces the catalog; PostgreSQL's own code finds the
-- catalog by OID.

-- Creates or replaces a view of pg_catalog. The view gets an OID of the range that initdb uses, because pg_dump reads no other views
-- (restrict_nonsystem_relation_kind). So the function copies its rows of pg_class, pg_attribute and pg_type from those of a draft.
create function ninefold.make_system_view(name text, query text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
  set allow_system_table_mods = on
as $$
declare
  draft oid;
  wanted oid;
  row_type oid;
  copied record;
begin
  if pg_catalog.to_regclass(pg_catalog.format('pg_catalog.%I', name)) is null then
    execute 'create view pg_catalog.ninefold_draft as ' || query;
    draft := 'pg_catalog.ninefold_draft'::regclass;
    select pg_catalog.max(free) into wanted from pg_catalog.generate_series(12000, 16383) free
    where not exists (select from pg_catalog.pg_class c where c.oid = free::oid);
    select pg_catalog.max(free) into row_type from pg_catalog.generate_series(12000, 16383) free
    where not exists (select from pg_catalog.pg_type t where t.oid = free::oid);
    for copied in
      select c.catalog, pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ') as columns,
        pg_catalog.string_agg(coalesce(c.changed ->> a.attname, 't.' || pg_catalog.quote_ident(a.attname)), ', ') as values, c.of
      from (values
        ('pg_type', 'typrelid', pg_catalog.jsonb_build_object('oid', row_type, 'typrelid', wanted, 'typname', pg_catalog.quote_literal(name), 'typarray', 0)),
        ('pg_class', 'oid', pg_catalog.jsonb_build_object('oid', wanted, 'relname', pg_catalog.quote_literal(name), 'reltype', row_type)),
        ('pg_attribute', 'attrelid', pg_catalog.jsonb_build_object('attrelid', wanted))
      ) c (catalog, of, changed)
      join pg_catalog.pg_attribute a on a.attrelid = ('pg_catalog.' || c.catalog)::regclass and a.attnum > 0 and not a.attisdropped
      group by c.catalog, c.of
    loop
      execute pg_catalog.format('insert into pg_catalog.%I (%s) select %s from pg_catalog.%1$I t where t.%4$I = %5$s',
        copied.catalog, copied.columns, copied.values, copied.of, draft);
    end loop;
    drop view pg_catalog.ninefold_draft;
  end if;
  execute pg_catalog.format('create or replace view pg_catalog.%I with (security_barrier) as %s', name, query);
end
$$;
revoke execute on function ninefold.make_system_view(text, text) from public;

-- The superuser calls the function again after pg_upgrade, which creates the catalogs anew.
create function ninefold.hide_other_apps() returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
  set allow_system_table_mods = on
as $hide$
declare
  own_database constant text := '(select d.oid from pg_catalog.pg_database_of_server d where d.datname = pg_catalog.current_database())';
  own_role constant text := 'in (select r.oid from pg_catalog.ninefold_own_roles r)';
  own_login constant text := 'in (select r.oid from pg_catalog.ninefold_own_roles r where r.is_login)';
  is_superuser constant text := 'ninefold.is_superuser_client()';
  hidden constant text[] := array['pg_database_of_server', 'pg_db_role_setting_of_server', 'pg_auth_members_of_server',
    'pg_shdescription_of_server', 'pg_shdepend_of_server', 'pg_shseclabel_of_server'];
  item record;
  definition text;
  wrapped text[] := '{}';
  revoked oid[];
begin
  -- Shared catalogs -----------------------------------------------------------------------------------------------------------
  -- An UPDATE renames the catalog, because ALTER TABLE would lock it for the whole server.
  for item in
    select c.oid, c.relname, c.reltype from pg_catalog.pg_class c
    where c.relkind = 'r' and c.relnamespace = 'pg_catalog'::regnamespace and c.relname || '_of_server' = any (hidden)
  loop
    update pg_catalog.pg_class set relname = item.relname || '_of_server' where oid = item.oid;
    update pg_catalog.pg_type set typname = item.relname || '_of_server' where oid = item.reltype;
    execute pg_catalog.format('revoke all on pg_catalog.%I from public', item.relname || '_of_server');
  end loop;

  -- All apps share the roles without login. Of the login roles an app sees superusers, its database's owner and the roles that may connect.
  perform ninefold.make_system_view('ninefold_own_roles', pg_catalog.format($$
      select a.oid, a.rolcanlogin and not a.rolsuper as is_login from pg_catalog.pg_authid a
      where not a.rolcanlogin or a.rolsuper or a.oid in (
        select d.datdba from pg_catalog.pg_database_of_server d where d.oid = %1$s
        union all
        select g.grantee from pg_catalog.pg_database_of_server d cross join lateral pg_catalog.aclexplode(d.datacl) g where d.oid = %1$s)
    $$, own_database));

  for item in
    select c.oid, v.name, v.filter, (
        select pg_catalog.string_agg(pg_catalog.format('t.%I', a.attname), ', ' order by a.attnum)
        from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      ) as columns
    from (values
      ('pg_database', 't.datname = pg_catalog.current_database()'),
      ('pg_db_role_setting', pg_catalog.format('t.setdatabase in (0, %s) and (t.setrole = 0 or t.setrole %s)',
        own_database, own_login)),
      ('pg_auth_members', pg_catalog.format('t.roleid %1$s and t.member %1$s', own_role)),
      ('pg_shdescription', pg_catalog.format($$case t.classoid when 'pg_catalog.pg_authid'::pg_catalog.regclass then t.objoid %s
        when 'pg_catalog.pg_database_of_server'::pg_catalog.regclass then t.objoid = %s else true end$$, own_role, own_database)),
      ('pg_shseclabel', pg_catalog.format($$case t.classoid when 'pg_catalog.pg_authid'::pg_catalog.regclass then t.objoid %s
        when 'pg_catalog.pg_database_of_server'::pg_catalog.regclass then t.objoid = %s else true end$$, own_role, own_database)),
      ('pg_shdepend', 't.dbid = ' || own_database)
    ) v (name, filter)
    join pg_catalog.pg_class c on c.relnamespace = 'pg_catalog'::regnamespace and c.relname = v.name || '_of_server'
  loop
    -- pg_dump and other tools select these system columns.
    perform ninefold.make_system_view(item.name, pg_catalog.format(
      'select %s, t.tableoid, t.xmin from pg_catalog.%I t where %s or (%s)',
      item.columns, item.name || '_of_server', is_superuser, item.filter));
    execute pg_catalog.format('grant select on pg_catalog.%I to public', item.name);
  end loop;

  -- Functions -----------------------------------------------------------------------------------------------------------------
  -- A function in a view runs with the privileges of the caller. So the views call new functions that return rows of this database only.
  for item in
    select p.oid, p.proname as name, pg_catalog.pg_get_function_arguments(p.oid) as arguments,
      pg_catalog.pg_get_function_result(p.oid) as result, p.proretset, p.proargnames,
      pg_catalog.pg_get_function_identity_arguments(p.oid) as identity, s.filter
    from pg_catalog.pg_proc p
    left join (values
      ('pg_stat_get_activity', 't.datid = %s'),
      ('pg_stat_get_progress_info', 't.datid = %s'),
      ('pg_lock_status', 't.database = %1$s or t.pid in (select a.pid from pg_catalog.pg_stat_get_activity(null) a where a.datid = %1$s)'),
      ('pg_prepared_xact', 't.dbid = %s'),
      ('pg_get_replication_slots', 't.datoid = %s')
    ) s (name, filter) on s.name = p.proname
    where p.pronamespace = 'pg_catalog'::regnamespace
      and (s.name is not null or p.proname ~ '^pg_stat_get_db_' and p.pronargs = 1)
  loop
    wrapped := wrapped || item.name::text;
    definition := case
      when not item.proretset then pg_catalog.format('select case when %s or $1 = %s then pg_catalog.%I($1) end',
        is_superuser, own_database, item.name)
      when item.name = 'pg_stat_get_activity' then (
        -- Like PostgreSQL, the function hides everything but the identity of a session from roles that are no members of its role.
        select pg_catalog.format('select %s from pg_catalog.%I($1) t
            cross join lateral (select pg_catalog.pg_has_role(coalesce(nullif(pg_catalog.current_setting(''role''), ''none''), session_user::text)::pg_catalog.name, t.usesysid, ''USAGE'') as it) may
            where %s or ' || item.filter,
          pg_catalog.string_agg(case
            when a.name in ('datid', 'pid', 'usesysid', 'application_name') then pg_catalog.format('t.%I', a.name)
            when a.name = 'query' then $$case when may.it then t.query else '<insufficient privilege>' end$$
            else pg_catalog.format('case when may.it then t.%I end', a.name) end, ', ' order by a.place),
          item.name, is_superuser, own_database)
        from pg_catalog.unnest(item.proargnames) with ordinality as a(name, place) where a.place > 1)
      else pg_catalog.format('select t.* from pg_catalog.%I(%s) t where %s or ', item.name,
          case when item.identity ~ '^\w+ \w+' and item.arguments !~ '^OUT ' then '$1' else '' end, is_superuser)
        || pg_catalog.format(item.filter, own_database)
    end;
    execute pg_catalog.format('create or replace function pg_catalog.%I(%s) returns %s language sql stable parallel restricted
        security definer set search_path = pg_catalog, pg_temp as %L', 'ninefold_' || item.name, item.arguments, item.result, definition);
  end loop;

  select pg_catalog.array_agg(p.oid) into revoked from pg_catalog.pg_proc p
  where p.pronamespace = 'pg_catalog'::regnamespace
    and (p.proname = any (wrapped) or p.proname = 'pg_tablespace_size'
      or p.proname ~ '^pg_stat_get_(backend_|bgwriter_|checkpointer_|buf_|io$|wal$|slru$|archiver$)');
  execute (
    select pg_catalog.string_agg(pg_catalog.format('revoke execute on function %s from public', f::regprocedure), '; ')
    from pg_catalog.unnest(revoked) f);

  create or replace function pg_catalog.shobj_description(pg_catalog.oid, pg_catalog.name) returns pg_catalog.text
    language sql stable strict parallel safe
    return (select t.description from pg_catalog.pg_shdescription t where t.objoid = $1 and t.classoid = case $2
      when 'pg_database' then 'pg_catalog.pg_database_of_server'
      else pg_catalog.to_regclass('pg_catalog.' || pg_catalog.quote_ident($2::text)) end::pg_catalog.regclass);

  -- PostgreSQL's own views ----------------------------------------------------------------------------------------------------
  for item in
    select c.oid, n.nspname, c.relname, pg_catalog.pg_get_viewdef(c.oid) as definition, c.reloptions
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'v' and c.oid < 16384 and n.nspname in ('pg_catalog', 'information_schema')
      and c.relname || '_of_server' <> all (hidden) and c.relname <> 'ninefold_own_roles'
  loop
    definition := pg_catalog.regexp_replace(item.definition, '\m(pg_\w+)_of_server\M', '\1', 'g');
    definition := pg_catalog.regexp_replace(definition, '\m(' || pg_catalog.array_to_string(wrapped, '|') || ')\(', 'ninefold_\1(', 'g');
    if item.relname in ('pg_roles', 'pg_user', 'pg_group') and definition !~ 'ninefold_own_roles' then
      definition := pg_catalog.format('select v.* from (%s) v where %s or v.%I %s', pg_catalog.rtrim(definition, ';'), is_superuser,
        case item.relname when 'pg_roles' then 'oid' when 'pg_user' then 'usesysid' else 'grosysid' end, own_role);
      execute pg_catalog.format('create or replace view pg_catalog.%I with (security_barrier) as %s', item.relname, definition);
    elsif definition <> item.definition then
      execute pg_catalog.format('create or replace view %I.%I as %s', item.nspname, item.relname, definition);
    end if;
  end loop;

  -- Without these initial privileges, pg_dump would write the grants into every dump.
  delete from pg_catalog.pg_init_privs i using pg_catalog.pg_class c
  where i.classoid = 'pg_catalog.pg_class'::regclass and i.objoid = c.oid and i.objsubid = 0
    and c.relnamespace = 'pg_catalog'::regnamespace and (c.relname || '_of_server' = any (hidden) or c.relname = any (hidden));
  delete from pg_catalog.pg_init_privs i using pg_catalog.pg_proc p
  where i.classoid = 'pg_catalog.pg_proc'::regclass and i.objoid = p.oid and p.oid = any (revoked);
  insert into pg_catalog.pg_init_privs (objoid, classoid, objsubid, privtype, initprivs)
    select c.oid, 'pg_catalog.pg_class'::regclass, 0, 'i', c.relacl from pg_catalog.pg_class c
    where c.relnamespace = 'pg_catalog'::regnamespace and c.relacl is not null
      and (c.relname || '_of_server' = any (hidden) or c.relname = any (hidden))
    union all
    select p.oid, 'pg_catalog.pg_proc'::regclass, 0, 'i', p.proacl from pg_catalog.pg_proc p where p.oid = any (revoked);
end
$hide$;
revoke execute on function ninefold.hide_other_apps() from public;
select ninefold.hide_other_apps();
