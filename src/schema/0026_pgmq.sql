-- Queues with the functions, types and tables of PGMQ 1.5 (docs/queues.md). All of it belongs to the app's owner and runs as the caller: a queue
-- is two tables of the owner, and privileges and policies on them decide who sends and reads.

do $install$
begin
  -- An app may have a schema pgmq of its own, such as that of the extension. It keeps it.
  if to_regnamespace('pgmq') is not null then
    return;
  end if;
  create schema pgmq authorization pg_database_owner;
  grant usage on schema pgmq to postgres, anon, authenticated, service_role;
  grant create on schema pgmq to postgres;
  set local role pg_database_owner;
  execute $queues$
    create table pgmq.meta (
      queue_name varchar not null unique,
      is_partitioned boolean not null,
      is_unlogged boolean not null,
      created_at timestamptz not null default now()
    );
    comment on table pgmq.meta is 'The queues of the app.';
    grant all on pgmq.meta to postgres, service_role;

    create type pgmq.message_record as (
      msg_id bigint, read_ct integer, enqueued_at timestamptz, vt timestamptz, message jsonb, headers jsonb);
    create type pgmq.queue_record as (queue_name varchar, is_partitioned boolean, is_unlogged boolean, created_at timestamptz);
    create type pgmq.metrics_result as (
      queue_name text, queue_length bigint, newest_msg_age_sec integer, oldest_msg_age_sec integer, total_messages bigint,
      scrape_time timestamptz, queue_visible_length bigint);

    -- Names -------------------------------------------------------------------------------------------------------------

    create function pgmq.validate_queue_name(queue_name text) returns void language plpgsql as $$
    begin
      if queue_name is null or pg_catalog.length(queue_name) not between 1 and 47 then
        raise exception 'a queue name has 1 to 47 characters' using errcode = '22023';
      end if;
      if queue_name ~ '[$;'']|--' then
        raise exception 'queue name contains invalid characters: $, ;, --, or ''' using errcode = '22023';
      end if;
    end
    $$;

    -- Returns the name of a queue's table, without quotes.
    create function pgmq.format_table_name(queue_name text, prefix text) returns text language plpgsql as $$
    begin
      perform pgmq.validate_queue_name(queue_name);
      return pg_catalog.lower(prefix || '_' || queue_name);
    end
    $$;

    -- Queues ------------------------------------------------------------------------------------------------------------

    create function pgmq.acquire_queue_lock(queue_name text) returns void language sql as $$
      select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('pgmq.queue_' || pg_catalog.lower(queue_name)));
    $$;

    create function pgmq._create_tables(queue_name text, is_unlogged boolean) returns void language plpgsql as $$
    declare
      queue constant text := pgmq.format_table_name(queue_name, 'q');
      archive constant text := pgmq.format_table_name(queue_name, 'a');
      kind constant text := case when is_unlogged then 'unlogged' else '' end;
    begin
      perform pgmq.acquire_queue_lock(queue_name);
      execute pg_catalog.format('create %s table if not exists pgmq.%I (msg_id bigint primary key generated always as identity,
        read_ct integer not null default 0, enqueued_at timestamptz not null default now(), vt timestamptz not null, message jsonb,
        headers jsonb)', kind, queue);
      execute pg_catalog.format('create table if not exists pgmq.%I (msg_id bigint primary key, read_ct integer not null default 0,
        enqueued_at timestamptz not null default now(), archived_at timestamptz not null default now(), vt timestamptz not null,
        message jsonb, headers jsonb)', archive);
      execute pg_catalog.format('create index if not exists %I on pgmq.%I (vt)', queue || '_vt_idx', queue);
      execute pg_catalog.format('create index if not exists %I on pgmq.%I (archived_at)', 'archived_at_idx_' || queue_name, archive);
      execute pg_catalog.format('grant all on pgmq.%I, pgmq.%I to service_role', queue, archive);
      execute pg_catalog.format('grant select, usage on sequence pgmq.%I to service_role', queue || '_msg_id_seq');
      insert into pgmq.meta (queue_name, is_partitioned, is_unlogged) values (queue_name, false, is_unlogged) on conflict do nothing;
    end
    $$;

    create function pgmq.create_non_partitioned(queue_name text) returns void language sql as $$
      select pgmq._create_tables(queue_name, false); $$;
    create function pgmq.create_unlogged(queue_name text) returns void language sql as $$
      select pgmq._create_tables(queue_name, true); $$;
    create function pgmq.create(queue_name text) returns void language sql as $$
      select pgmq._create_tables(queue_name, false); $$;

    create function pgmq.create_partitioned(
      queue_name text, partition_interval text default '10000', retention_interval text default '100000'
    ) returns void language plpgsql as $$
    begin
      raise exception 'partitioned queues need the extension pg_partman, which this server does not have' using
        errcode = '0A000', hint = 'Use pgmq.create, and delete old rows of the archive with a scheduled job.';
    end
    $$;

    create function pgmq.drop_queue(queue_name text) returns boolean language plpgsql as $$
    declare
      queue constant text := pgmq.format_table_name(queue_name, 'q');
      archive constant text := pgmq.format_table_name(queue_name, 'a');
    begin
      perform pgmq.acquire_queue_lock(queue_name);
      delete from pgmq.meta m where pg_catalog.lower(m.queue_name) = pg_catalog.lower(drop_queue.queue_name);
      if not found then
        raise notice 'pgmq queue "%" does not exist', queue_name;
        return false;
      end if;
      execute pg_catalog.format('drop table if exists pgmq.%I, pgmq.%I', queue, archive);
      return true;
    end
    $$;
    create function pgmq.drop_queue(queue_name text, partitioned boolean) returns boolean language sql as $$
      select pgmq.drop_queue(queue_name); $$;

    create function pgmq.purge_queue(queue_name text) returns bigint language plpgsql as $$
    declare
      queue constant text := pgmq.format_table_name(queue_name, 'q');
      purged bigint;
    begin
      -- Without the lock, messages that arrive between both statements would be deleted and not counted.
      execute pg_catalog.format('lock table pgmq.%I in access exclusive mode', queue);
      execute pg_catalog.format('select pg_catalog.count(*) from pgmq.%I', queue) into purged;
      execute pg_catalog.format('truncate pgmq.%I', queue);
      return purged;
    end
    $$;

    -- The tables of queues belong to no extension here, so there is nothing to detach.
    create function pgmq.detach_archive(queue_name text) returns void language plpgsql as $$
    begin
      perform pgmq.validate_queue_name(queue_name);
    end
    $$;

    create function pgmq.list_queues() returns setof pgmq.queue_record language sql as $$
      select m.queue_name, m.is_partitioned, m.is_unlogged, m.created_at from pgmq.meta m; $$;

    create function pgmq.metrics(queue_name text) returns pgmq.metrics_result language plpgsql as $$
    declare
      queue constant text := pgmq.format_table_name(queue_name, 'q');
      result pgmq.metrics_result;
    begin
      execute pg_catalog.format('select $1, pg_catalog.count(*), extract(epoch from now() - pg_catalog.max(q.enqueued_at))::integer,
          extract(epoch from now() - pg_catalog.min(q.enqueued_at))::integer,
          (select case when s.is_called then s.last_value else 0 end from pgmq.%I s), now(),
          pg_catalog.count(*) filter (where q.vt <= now())
        from pgmq.%I q', queue || '_msg_id_seq', queue) into result using queue_name;
      return result;
    end
    $$;

    create function pgmq.metrics_all() returns setof pgmq.metrics_result language sql as $$
      select r.* from pgmq.meta m cross join lateral pgmq.metrics(m.queue_name) r; $$;

    -- Messages ----------------------------------------------------------------------------------------------------------

    create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay timestamptz) returns setof bigint language plpgsql as $$
    begin
      return query execute pg_catalog.format('insert into pgmq.%I (vt, message, headers) values ($2, $1, $3) returning msg_id',
        pgmq.format_table_name(queue_name, 'q')) using msg, delay, headers;
    end
    $$;
    create function pgmq.send(queue_name text, msg jsonb) returns setof bigint language sql as $$
      select pgmq.send(queue_name, msg, null::jsonb, pg_catalog.clock_timestamp()); $$;
    create function pgmq.send(queue_name text, msg jsonb, headers jsonb) returns setof bigint language sql as $$
      select pgmq.send(queue_name, msg, headers, pg_catalog.clock_timestamp()); $$;
    create function pgmq.send(queue_name text, msg jsonb, delay integer) returns setof bigint language sql as $$
      select pgmq.send(queue_name, msg, null::jsonb, pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => delay)); $$;
    create function pgmq.send(queue_name text, msg jsonb, delay timestamptz) returns setof bigint language sql as $$
      select pgmq.send(queue_name, msg, null::jsonb, delay); $$;
    create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay integer) returns setof bigint language sql as $$
      select pgmq.send(queue_name, msg, headers, pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => delay)); $$;

    create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[], delay timestamptz) returns setof bigint
      language plpgsql as $$
    begin
      if pg_catalog.cardinality(headers) <> pg_catalog.cardinality(msgs) then
        raise exception 'there are % messages and % headers', pg_catalog.cardinality(msgs), pg_catalog.cardinality(headers)
          using errcode = '22023';
      end if;
      return query execute pg_catalog.format('insert into pgmq.%I (vt, message, headers)
        select $2, m.message, m.headers from rows from (pg_catalog.unnest($1), pg_catalog.unnest($3)) with ordinality m (message, headers, n) order by m.n
        returning msg_id', pgmq.format_table_name(queue_name, 'q')) using msgs, delay, headers;
    end
    $$;
    create function pgmq.send_batch(queue_name text, msgs jsonb[]) returns setof bigint language sql as $$
      select pgmq.send_batch(queue_name, msgs, null::jsonb[], pg_catalog.clock_timestamp()); $$;
    create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[]) returns setof bigint language sql as $$
      select pgmq.send_batch(queue_name, msgs, headers, pg_catalog.clock_timestamp()); $$;
    create function pgmq.send_batch(queue_name text, msgs jsonb[], delay integer) returns setof bigint language sql as $$
      select pgmq.send_batch(queue_name, msgs, null::jsonb[], pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => delay)); $$;
    create function pgmq.send_batch(queue_name text, msgs jsonb[], delay timestamptz) returns setof bigint language sql as $$
      select pgmq.send_batch(queue_name, msgs, null::jsonb[], delay); $$;
    create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[], delay integer) returns setof bigint language sql as $$
      select pgmq.send_batch(queue_name, msgs, headers, pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => delay)); $$;

    -- A message that another transaction reads at the same time is skipped. The subquery runs once, because it is materialized.
    create function pgmq.read(queue_name text, vt integer, qty integer, conditional jsonb default '{}') returns setof pgmq.message_record
      language plpgsql as $$
    begin
      return query execute pg_catalog.format('
        with next as materialized (
          select q.msg_id from pgmq.%1$I q
          where q.vt <= pg_catalog.clock_timestamp() and case when coalesce($3, ''{}'') = ''{}'' then true else q.message @> $3 end
          order by q.msg_id limit $2 for update skip locked
        ), taken as (
          update pgmq.%1$I m set vt = pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => $1), read_ct = m.read_ct + 1
          from next n where m.msg_id = n.msg_id
          returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message, m.headers
        )
        select t.* from taken t order by t.msg_id', pgmq.format_table_name(queue_name, 'q')) using vt, qty, conditional;
    end
    $$;

    create function pgmq.read_with_poll(
      queue_name text, vt integer, qty integer, max_poll_seconds integer default 5, poll_interval_ms integer default 100,
      conditional jsonb default '{}'
    ) returns setof pgmq.message_record language plpgsql as $$
    declare
      until constant timestamptz := pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => max_poll_seconds);
    begin
      loop
        return query select r.* from pgmq.read(queue_name, vt, qty, conditional) r;
        exit when found or pg_catalog.clock_timestamp() >= until;
        perform pg_catalog.pg_sleep(greatest(poll_interval_ms, 10) / 1000.0);
      end loop;
    end
    $$;

    create function pgmq.pop(queue_name text, qty integer default 1) returns setof pgmq.message_record language plpgsql as $$
    begin
      return query execute pg_catalog.format('
        with next as materialized (
          select q.msg_id from pgmq.%1$I q where q.vt <= pg_catalog.clock_timestamp() order by q.msg_id limit $1 for update skip locked
        ), taken as (
          delete from pgmq.%1$I m using next n where m.msg_id = n.msg_id
          returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message, m.headers
        )
        select t.* from taken t order by t.msg_id', pgmq.format_table_name(queue_name, 'q')) using qty;
    end
    $$;

    create function pgmq.delete(queue_name text, msg_ids bigint[]) returns setof bigint language plpgsql as $$
    begin
      return query execute pg_catalog.format('delete from pgmq.%I where msg_id = any ($1) returning msg_id',
        pgmq.format_table_name(queue_name, 'q')) using msg_ids;
    end
    $$;
    create function pgmq.delete(queue_name text, msg_id bigint) returns boolean language sql as $$
      select exists (select from pgmq.delete(queue_name, array[msg_id])); $$;

    create function pgmq.archive(queue_name text, msg_ids bigint[]) returns setof bigint language plpgsql as $$
    begin
      return query execute pg_catalog.format('
        with taken as (
          delete from pgmq.%I m where m.msg_id = any ($1) returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message, m.headers
        )
        insert into pgmq.%I (msg_id, read_ct, enqueued_at, vt, message, headers)
        select t.msg_id, t.read_ct, t.enqueued_at, t.vt, t.message, t.headers from taken t returning msg_id',
        pgmq.format_table_name(queue_name, 'q'), pgmq.format_table_name(queue_name, 'a')) using msg_ids;
    end
    $$;
    create function pgmq.archive(queue_name text, msg_id bigint) returns boolean language sql as $$
      select exists (select from pgmq.archive(queue_name, array[msg_id])); $$;

    create function pgmq.set_vt(queue_name text, msg_ids bigint[], vt timestamptz) returns setof pgmq.message_record language plpgsql as $$
    begin
      return query execute pg_catalog.format('update pgmq.%I m set vt = $2 where m.msg_id = any ($1)
        returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message, m.headers', pgmq.format_table_name(queue_name, 'q')) using msg_ids, vt;
    end
    $$;
    create function pgmq.set_vt(queue_name text, msg_id bigint, vt timestamptz) returns setof pgmq.message_record language sql as $$
      select r.* from pgmq.set_vt(queue_name, array[msg_id], vt) r; $$;
    create function pgmq.set_vt(queue_name text, msg_ids bigint[], vt integer) returns setof pgmq.message_record language sql as $$
      select r.* from pgmq.set_vt(queue_name, msg_ids, pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => vt)) r; $$;
    create function pgmq.set_vt(queue_name text, msg_id bigint, vt integer) returns setof pgmq.message_record language sql as $$
      select r.* from pgmq.set_vt(queue_name, array[msg_id], pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => vt)) r; $$;
  $queues$;
  reset role;
end
$install$;

-- Functions for clients. They run as the caller: the app exposes the schema with the setting db_schemas, and grants its roles the tables.
do $install$
begin
  if to_regnamespace('pgmq_public') is not null then
    return;
  end if;
  create schema pgmq_public authorization pg_database_owner;
  grant usage on schema pgmq_public to postgres, anon, authenticated, service_role;
  set local role pg_database_owner;
  execute $public$
    create function pgmq_public.send(queue_name text, message jsonb, sleep_seconds integer default 0) returns setof bigint
      language plpgsql set search_path = ''
    as $$ begin return query select pgmq.send(queue_name, message, sleep_seconds); end $$;
    create function pgmq_public.send_batch(queue_name text, messages jsonb[], sleep_seconds integer default 0) returns setof bigint
      language plpgsql set search_path = ''
    as $$ begin return query select pgmq.send_batch(queue_name, messages, sleep_seconds); end $$;
    create function pgmq_public.read(queue_name text, sleep_seconds integer, n integer) returns setof pgmq.message_record
      language plpgsql set search_path = ''
    as $$ begin return query select r.* from pgmq.read(queue_name, sleep_seconds, n) r; end $$;
    create function pgmq_public.pop(queue_name text) returns setof pgmq.message_record
      language plpgsql set search_path = ''
    as $$ begin return query select r.* from pgmq.pop(queue_name) r; end $$;
    create function pgmq_public.archive(queue_name text, message_id bigint) returns boolean
      language plpgsql set search_path = ''
    as $$ begin return pgmq.archive(queue_name, message_id); end $$;
    create function pgmq_public.delete(queue_name text, message_id bigint) returns boolean
      language plpgsql set search_path = ''
    as $$ begin return pgmq.delete(queue_name, message_id); end $$;
    comment on function pgmq_public.send is 'Sends a message to a queue.';
    comment on function pgmq_public.send_batch is 'Sends messages to a queue.';
    comment on function pgmq_public.read is 'Reads up to n messages and hides them for sleep_seconds.';
    comment on function pgmq_public.pop is 'Reads the next message and deletes it.';
    comment on function pgmq_public.archive is 'Moves a message to the archive of its queue.';
    comment on function pgmq_public.delete is 'Deletes a message.';
  $public$;
  reset role;
end
$install$;
