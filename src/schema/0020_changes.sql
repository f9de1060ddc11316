-- The changes of rows that realtime sends to its clients. A trigger on each table of the publication supabase_realtime writes the old and the
-- new row to ninefold.changes while a worker watches the table. Workers read the rows that became visible since their last snapshot, so they
-- need no replication slot, and no transaction of a member waits for NOTIFY.

-- Unlogged: a crash of PostgreSQL empties the table, and the table below, by which workers notice that changes are missing. The start time of
-- the server stays the same when a single process crashes.
create unlogged table ninefold.changes (
  id bigint generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  relation oid not null,
  -- I, U, D: a row was inserted, updated, deleted. T: the table was truncated. M: the transaction changed too many rows. L: a statement
  -- changed the table, which a live list watches.
  operation "char" not null,
  at timestamptz not null default clock_timestamp(),
  is_too_large boolean not null,
  old json,
  new json,
  -- Bytes of the two rows. A row that is too large is stored with its key only.
  size integer not null generated always as (coalesce(octet_length(old::text), 0) + coalesce(octet_length(new::text), 0)) stored,
  -- A row from outside of a trigger could show a row that does not exist to the clients of a table. Every trigger of the app can add any values,
  -- so the table computes their bytes and takes objects only: a worker reads the rows of its apps one after the other.
  constraint changes_are_of_triggers check (pg_trigger_depth() > 0),
  constraint changes_are_objects check (json_typeof(old) = 'object' and json_typeof(new) = 'object')
);
alter table ninefold.changes owner to ninefold_server;
comment on table ninefold.changes is 'The latest changes of watched tables, for realtime. Workers delete them after a minute.';
-- pg_dump reads the sequence.
grant select on sequence ninefold.changes_id_seq to pg_database_owner;
create index changes_xid_idx on ninefold.changes (xid);

create unlogged table ninefold.changes_since (
  is_only boolean not null default true check (is_only),
  id uuid not null default gen_random_uuid(),
  constraint changes_since_pkey primary key (is_only)
);
alter table ninefold.changes_since owner to ninefold_server;
comment on table ninefold.changes_since is 'Identifies the time since which ninefold.changes is complete. A worker adds the row after a crash.';

-- The tables that a worker watches. Workers renew their rows, and delete those whose time has passed.
create unlogged table ninefold.watched (
  relation oid not null,
  until timestamptz not null,
  constraint watched_pkey primary key (relation)
);
alter table ninefold.watched owner to ninefold_server;
grant select on ninefold.watched to public;
comment on table ninefold.watched is 'The tables whose changes a worker reads, for realtime.';

-- The time until which a worker watches any table, in seconds since 1970. A transaction reads the value of a sequence without its snapshot,
-- so transactions in REPEATABLE READ see it at once.
create sequence ninefold.watched_until minvalue 0;
alter sequence ninefold.watched_until owner to ninefold_server;
grant select on sequence ninefold.watched_until to public;

-- The tables whose rows are written, as bits. A transaction reads the value of a sequence without its snapshot. The lower 31 bits are those of
-- the watched tables, and the higher bits are the time until which a worker watches any of them, in seconds since 1970. A table whose bit
-- belongs to a watched table too is written in vain: its changes are correct, and no worker needs them.
create sequence ninefold.watched_bits minvalue 0;
alter sequence ninefold.watched_bits owner to ninefold_server;
grant select on sequence ninefold.watched_bits to public;

-- Writing changes -----------------------------------------------------------------------------------------------------
-- The triggers run in transactions of members. They name every function, type and operator with its schema, because search_path can be
-- anything (operators that are named in this way have one precedence). They catch no errors, because a block with EXCEPTION is a
-- subtransaction for each row. Casts of the app's types can run in row_to_json, so the triggers run as the writer. Each function call and
-- each expression costs time in every transaction, so the usual case has three of them.

-- Only triggers add changes, as the constraints of the table say.
grant insert (relation, operation, is_too_large, old, new) on ninefold.changes to public;

-- Returns true if a worker watches the table or, for a partition, one of the tables above it. A transaction in REPEATABLE READ may not see the
-- rows of ninefold.watched, so it counts each table as watched.
create function ninefold.is_watched(relation oid) returns boolean
  language plpgsql
as $$
begin
  if pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) operator(pg_catalog.>)
    coalesce(pg_catalog.pg_sequence_last_value('ninefold.watched_until'::pg_catalog.regclass), 0)
  then
    return false;
  end if;
  if pg_catalog.current_setting('transaction_isolation') operator(pg_catalog.<>) 'read committed' then
    return true;
  end if;
  return exists (
    select from ninefold.watched w where w.relation operator(pg_catalog.=) is_watched.relation
    or w.relation operator(pg_catalog.=) any (array(select a.relid::pg_catalog.oid from pg_catalog.pg_partition_ancestors(is_watched.relation) a)));
end
$$;

-- Returns the key of a row. A table without a primary key has no key.
create function ninefold.changed_key(relation oid, changed record) returns json
  language plpgsql
as $$
declare
  fields text;
  result json;
begin
  select pg_catalog.string_agg(pg_catalog.format('($1).%I', a.attname), ', ') into fields
  from pg_catalog.pg_index i join pg_catalog.pg_attribute a on a.attrelid operator(pg_catalog.=) i.indrelid
    and a.attnum operator(pg_catalog.=) any (i.indkey::pg_catalog.int2[])
  where i.indrelid operator(pg_catalog.=) changed_key.relation and i.indisprimary;
  if fields is null then
    return '{}';
  end if;
  execute pg_catalog.format('select pg_catalog.row_to_json(k) from (select %s) k', fields) into result using changed;
  return result;
end
$$;

-- Returns a row as JSON whose values PostgreSQL reads as the same values, whatever settings the writer uses.
create function ninefold.image_of(changed record) returns json
  language plpgsql
  set datestyle = 'ISO' set intervalstyle = 'postgres' set timezone = 'UTC' set bytea_output = 'hex' set extra_float_digits = 1
as $$
begin
  return pg_catalog.row_to_json(changed);
end
$$;

-- Counts what the transaction has written about the table, in units of a row or 8 KiB. Returns false if it may write no more, and adds the mark
-- "too many" once. The count is a setting of the transaction, so a rollback to a savepoint restores it.
create function ninefold.count_change(relation oid, units integer) returns boolean
  language plpgsql
as $$
declare
  name constant text := pg_catalog.concat('ninefold.changes_of_', relation);
  stored constant text := pg_catalog.current_setting(name, true);
  counted constant integer := case when stored operator(pg_catalog.~) '^[0-9]{1,4}$' then stored::pg_catalog.int4 else 0 end
    operator(pg_catalog.+) units;
begin
  if stored operator(pg_catalog.=) 'too many' then
    return false;
  end if;
  if counted operator(pg_catalog.<=) 5000 then
    perform pg_catalog.set_config(name, counted::pg_catalog.text, true);
    return true;
  end if;
  perform pg_catalog.set_config(name, 'too many', true);
  insert into ninefold.changes (relation, operation, is_too_large) values (count_change.relation, 'M', false);
  return false;
end
$$;

-- The argument of the trigger is the bit of the published table in ninefold.watched_bits.
create function ninefold.note_row_change() returns trigger
  language plpgsql
as $$
declare
  size integer;
  largest integer;
  is_too_large boolean;
begin
  if pg_catalog.pg_sequence_last_value('ninefold.watched_bits'::pg_catalog.regclass) operator(pg_catalog.&) tg_argv[0]::pg_catalog.int8
      operator(pg_catalog.>) 0
    is not true
    or pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) operator(pg_catalog.>)
      (pg_catalog.pg_sequence_last_value('ninefold.watched_bits'::pg_catalog.regclass) operator(pg_catalog.>>) 31)
  then
    return null;
  end if;
  -- A small row under usual settings in a transaction that may write more.
  if greatest(pg_catalog.pg_column_size(old), pg_catalog.pg_column_size(new)) operator(pg_catalog.<) 4096
    and pg_catalog.concat(pg_catalog.current_setting('timezone'), pg_catalog.left(pg_catalog.current_setting('datestyle'), 3),
      pg_catalog.current_setting('intervalstyle'), pg_catalog.current_setting('bytea_output'), pg_catalog.current_setting('extra_float_digits'))
      operator(pg_catalog.=) 'UTCISOpostgreshex1'
    and coalesce(pg_catalog.current_setting(pg_catalog.concat('ninefold.changes_of_', tg_relid), true), '') operator(pg_catalog.<>) 'too many'
  then
    insert into ninefold.changes (relation, operation, is_too_large, old, new)
    values (tg_relid, tg_op::pg_catalog."char", false, pg_catalog.row_to_json(old), pg_catalog.row_to_json(new));
    -- One of 16 rows counts as 16, because a setting costs more than the rest. The hash of the time chooses them: random() would change the
    -- numbers that follow setseed() in the app.
    if pg_catalog.hashfloat8(pg_catalog.date_part('epoch', pg_catalog.clock_timestamp())) operator(pg_catalog.&) 15 operator(pg_catalog.=) 0 then
      perform ninefold.count_change(tg_relid, 16);
    end if;
    return null;
  end if;
  largest := coalesce(greatest(pg_catalog.pg_column_size(old), pg_catalog.pg_column_size(new)), 0);
  size := coalesce(pg_catalog.pg_column_size(old), 0) operator(pg_catalog.+) coalesce(pg_catalog.pg_column_size(new), 0);
  if not ninefold.count_change(tg_relid, 1 operator(pg_catalog.+) (size operator(pg_catalog./) 8192)) then
    return null;
  end if;
  -- Compressed values are small here. Their text can be too large for one value of PostgreSQL, in which to_json would fail.
  is_too_large := largest operator(pg_catalog.>) 1048576;
  if not is_too_large and largest operator(pg_catalog.>) 131072 then
    is_too_large := greatest(pg_catalog.octet_length(new::pg_catalog.text), pg_catalog.octet_length(old::pg_catalog.text))
      operator(pg_catalog.>) 1048576;
  end if;
  insert into ninefold.changes (relation, operation, is_too_large, old, new)
  values (tg_relid, tg_op::pg_catalog."char", is_too_large,
    case when tg_op operator(pg_catalog.<>) 'INSERT' then
      case when is_too_large then ninefold.changed_key(tg_relid, old) else ninefold.image_of(old) end end,
    case when tg_op operator(pg_catalog.<>) 'DELETE' then
      case when is_too_large then ninefold.changed_key(tg_relid, new) else ninefold.image_of(new) end end);
  return null;
end
$$;

create function ninefold.note_truncated() returns trigger
  language plpgsql
as $$
begin
  if ninefold.is_watched(tg_relid) then
    insert into ninefold.changes (relation, operation, is_too_large) values (tg_relid, 'T', false);
  end if;
  return null;
end
$$;

-- The trigger of live lists: one mark for each statement, and one for each transaction and table while the first is the newest.
create function ninefold.note_touched() returns trigger
  language plpgsql
as $$
declare
  name constant text := pg_catalog.concat('ninefold.touched_', tg_relid);
begin
  if ninefold.is_watched(tg_relid) and pg_catalog.current_setting(name, true) is distinct from '1' then
    perform pg_catalog.set_config(name, '1', true);
    insert into ninefold.changes (relation, operation, is_too_large) values (tg_relid, 'L', false);
  end if;
  return null;
end
$$;

-- Adds the trigger of live lists to a table and to the tables below it. Only the superuser may change a table of any owner. CREATE TRIGGER calls
-- no code of the app.
create function ninefold.follow_touches(relation oid) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '100ms'
as $$
declare
  item record;
begin
  for item in
    with recursive below (relation) as (
      select follow_touches.relation union select i.inhrelid from pg_inherits i join below b on b.relation = i.inhparent
    )
    select c.oid::regclass as relation from below b join pg_class c on c.oid = b.relation
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and c.relpersistence <> 't' and c.oid >= 16384 and n.nspname !~ '^(ninefold|pg_)'
      and not exists (select from pg_trigger g where g.tgrelid = c.oid and g.tgname = 'ninefold_touched' and g.tgenabled = 'A')
    order by c.oid
  loop
    execute format('drop trigger if exists ninefold_touched on %s', item.relation);
    execute format('create trigger ninefold_touched after insert or update or delete or truncate on %s
      for each statement execute function ninefold.note_touched()', item.relation);
    execute format('alter table %s enable always trigger ninefold_touched', item.relation);
  end loop;
end
$$;
revoke execute on function ninefold.follow_touches from public;
grant execute on function ninefold.follow_touches to ninefold_server;

-- Following the publication ---------------------------------------------------------------------------------------------

-- The tables of the publication supabase_realtime, with the numbers of the published columns and the condition of the published rows.
-- Partitions count as rows of the published table above them.
create function ninefold.published_tables() returns table (relation oid, columns smallint[], condition text)
  language sql stable
  set search_path = pg_catalog, pg_temp
as $$
  with listed as (
    select r.prrelid as relation, r.prattrs::smallint[] as columns, pg_get_expr(r.prqual, r.prrelid) as condition
    from pg_publication p join pg_publication_rel r on r.prpubid = p.oid where p.pubname = 'supabase_realtime'
    union all
    select c.oid, null, null
    from pg_publication p join pg_class c on p.puballtables or exists (
      select from pg_publication_namespace n where n.pnpubid = p.oid and n.pnnspid = c.relnamespace)
    join pg_namespace s on s.oid = c.relnamespace
    where p.pubname = 'supabase_realtime' and c.relkind in ('r', 'p') and c.relpersistence = 'p' and c.oid >= 16384
      and s.nspname not in ('ninefold', 'pg_catalog', 'information_schema', 'pg_toast')
  )
  select distinct on (l.relation) l.relation, l.columns, l.condition from listed l
  where not exists (select from pg_partition_ancestors(l.relation) a join listed o on o.relation = a.relid where a.relid <> l.relation)
  order by l.relation, l.condition nulls last
$$;

-- Adds the triggers to the published tables and removes them from other tables. Runs as the role that changed the publication, which owns
-- the tables. Another role's tables are left out, and nobody can follow them.
create function ninefold.set_change_triggers() returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  item record;
begin
  -- ALTER TABLE below calls this function again, so each step looks at the triggers as they are.
  for item in select t.relation::regclass as relation from ninefold.published_tables() t
  loop
    begin
      if not exists (select from pg_trigger g where g.tgrelid = item.relation and g.tgname = 'ninefold_changed_rows') then
        execute format('create trigger ninefold_changed_rows after insert or update or delete on %s
          for each row execute function ninefold.note_row_change(%L)', item.relation, 1::bigint << (item.relation::oid::bigint % 31)::integer);
      end if;
      if not exists (select from pg_trigger g where g.tgrelid = item.relation and g.tgname = 'ninefold_truncated') then
        execute format('create trigger ninefold_truncated after truncate on %s
          for each statement execute function ninefold.note_truncated()', item.relation);
      end if;
      if exists (select from pg_trigger g where g.tgrelid = item.relation and g.tgname in ('ninefold_changed_rows', 'ninefold_truncated')
        and g.tgenabled <> 'A')
      then
        execute format('alter table %s enable always trigger ninefold_changed_rows, enable always trigger ninefold_truncated', item.relation);
      end if;
    exception
      when insufficient_privilege then
        raise warning 'realtime cannot follow the table %: %', item.relation, sqlerrm;
    end;
  end loop;
  for item in
    select g.tgrelid::regclass as relation, g.tgname as name from pg_trigger g
    where g.tgname in ('ninefold_changed_rows', 'ninefold_truncated') and g.tgparentid = 0 and not g.tgisinternal
      and g.tgrelid not in (select t.relation from ninefold.published_tables() t)
  loop
    begin
      execute format('drop trigger if exists %I on %s', item.name, item.relation);
    exception
      when insufficient_privilege then
        null;
    end;
  end loop;
end
$$;

create function ninefold.follow_publication() returns event_trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform ninefold.set_change_triggers();
end
$$;
revoke execute on function ninefold.follow_publication, ninefold.note_row_change, ninefold.note_truncated, ninefold.note_touched from public;
grant execute on function ninefold.note_row_change, ninefold.note_truncated, ninefold.note_touched to pg_database_owner;

create event trigger ninefold_publication_followed on ddl_command_end when tag in (
  'CREATE PUBLICATION', 'ALTER PUBLICATION', 'DROP PUBLICATION', 'CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE',
  'ALTER SCHEMA', 'DROP OWNED')
  execute function ninefold.follow_publication();
alter event trigger ninefold_publication_followed enable always;

-- A database that existed before the app may have no such publication.
do $$
begin
  if not exists (select from pg_catalog.pg_publication p where p.pubname = 'supabase_realtime') then
    create publication supabase_realtime;
    alter publication supabase_realtime owner to pg_database_owner;
  end if;
  perform ninefold.set_change_triggers();
end
$$;
