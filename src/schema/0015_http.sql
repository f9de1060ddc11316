-- HTTP requests from SQL with the functions and tables of pg_net. The node sends the requests (docs/scheduled-work.md). A database that has a
-- schema net, such as that of pg_net, keeps it: the node sends no requests from there.
do $install$
begin
  if to_regnamespace('net') is not null then
    return;
  end if;
  execute $net$
    create schema net;
    grant usage on schema net to pg_database_owner, postgres, anon, authenticated, service_role, ninefold_server;

    create domain net.http_method as text check (value ilike 'get' or value ilike 'post' or value ilike 'delete');
    create type net.request_status as enum ('PENDING', 'SUCCESS', 'ERROR');
    create type net.http_response as (status_code integer, headers jsonb, body text);
    create type net.http_response_result as (status net.request_status, message text, response net.http_response);

    create unlogged table net.http_request_queue (
      id bigserial,
      method net.http_method not null,
      url text not null,
      headers jsonb,
      body bytea,
      timeout_milliseconds integer not null
    );
    create index http_request_queue_id on net.http_request_queue (id);
    comment on table net.http_request_queue is 'HTTP requests that wait to be sent.';

    create unlogged table net._http_response (
      id bigint,
      status_code integer,
      content_type text,
      headers jsonb,
      content text,
      timed_out boolean,
      error_msg text,
      created timestamptz not null default now()
    );
    create index http_response_id on net._http_response (id);
    create index http_response_created on net._http_response (created);
    comment on table net._http_response is 'Responses to HTTP requests of the last hours.';

    grant select, delete on net.http_request_queue, net._http_response to pg_database_owner, postgres, service_role;
    -- SELECT … FOR UPDATE requires the privilege UPDATE.
    grant select, update, delete on net.http_request_queue to ninefold_server;
    grant select, insert, delete on net._http_response to ninefold_server;
    grant select on sequence net.http_request_queue_id_seq to pg_database_owner, postgres;

    create function net._urlencode_string(string varchar) returns text
      language sql immutable strict
      set search_path = pg_catalog, pg_temp
      return (
        select coalesce(string_agg(
          case when letter ~ '^[A-Za-z0-9_.~-]$' then letter
            else regexp_replace(upper(encode(convert_to(letter, 'UTF8'), 'hex')), '(..)', '%\1', 'g') end, '' order by place), '')
        from regexp_split_to_table(string::text, '') with ordinality as letters (letter, place) where letter <> '');

    create function net._encode_url_with_params_array(url text, params_array text[]) returns text
      language sql immutable strict
      set search_path = pg_catalog, pg_temp
      return case when cardinality(params_array) = 0 then url else
        split_part(url, '#', 1) || case when strpos(split_part(url, '#', 1), '?') > 0 then '&' else '?' end
          || array_to_string(params_array, '&') || coalesce(substring(url from '#.*$'), '') end;

    -- Adds a request to the queue and returns its id. A request beyond a bound gets an error as its response, so a write does not fail if
    -- the receiver of a trigger's requests is down.
    create function net._queue_request(method text, url text, params jsonb, headers jsonb, body bytea, timeout_milliseconds integer)
      returns bigint
      language plpgsql
      set search_path = pg_catalog, pg_temp
    as $$
    declare
      request_id bigint := nextval('net.http_request_queue_id_seq');
      encoded text;
      refusal text;
    begin
      encoded := net._encode_url_with_params_array(url, array(
        select net._urlencode_string(key) || '=' || net._urlencode_string(coalesce(value, '')) from jsonb_each_text(params)));
      refusal := case
        when octet_length(encoded) > 8192 then 'the URL has more than 8192 bytes'
        when octet_length(headers::text) > 16384 then 'the headers have more than 16384 bytes'
        when octet_length(body) > 1048576 then 'the body has more than 1048576 bytes'
        when request_id - (select min(id) from net.http_request_queue) >= 10000 then '10000 requests of the app wait'
      end;
      if refusal is not null then
        insert into net._http_response (id, error_msg) values (request_id, 'Not sent: ' || refusal);
      else
        insert into net.http_request_queue (id, method, url, headers, body, timeout_milliseconds)
        values (request_id, method, encoded, headers, body, timeout_milliseconds);
      end if;
      perform pg_notify('ninefold', '{"type":"http"}');
      return request_id;
    end
    $$;

    create function net.http_get(
      url text, params jsonb default '{}', headers jsonb default '{}', timeout_milliseconds integer default 5000
    ) returns bigint
      language sql security definer
      set search_path = pg_catalog, pg_temp
    as $$ select net._queue_request('GET', url, params, headers, null, timeout_milliseconds) $$;

    create function net.http_post(
      url text, body jsonb default '{}', params jsonb default '{}', headers jsonb default '{"Content-Type": "application/json"}',
      timeout_milliseconds integer default 5000
    ) returns bigint
      language plpgsql security definer
      set search_path = pg_catalog, pg_temp
    as $$
    declare
      content_type text := (
        select value from jsonb_each_text(coalesce(headers, '{}')) where lower(key) = 'content-type' limit 1);
    begin
      if content_type is null then
        headers := coalesce(headers, '{}') || '{"Content-Type": "application/json"}';
      elsif content_type <> 'application/json' then
        raise exception 'Content-Type header must be "application/json"';
      end if;
      return net._queue_request('POST', url, params, headers, convert_to(body::text, 'UTF8'), timeout_milliseconds);
    end
    $$;

    create function net.http_delete(
      url text, params jsonb default '{}', headers jsonb default '{}', timeout_milliseconds integer default 5000, body jsonb default null
    ) returns bigint
      language sql security definer
      set search_path = pg_catalog, pg_temp
    as $$
      select net._queue_request('DELETE', url, params, headers, convert_to(body::text, 'UTF8'), timeout_milliseconds)
    $$;

    create function net._await_response(request_id bigint) returns boolean
      language plpgsql
      set search_path = pg_catalog, pg_temp
    as $$
    begin
      while not exists (select from net._http_response where id = request_id) loop
        perform pg_sleep(0.05);
      end loop;
      return true;
    end
    $$;

    create function net._http_collect_response(request_id bigint, async boolean default true) returns net.http_response_result
      language plpgsql
      set search_path = pg_catalog, pg_temp
    as $$
    declare
      found_response net._http_response;
    begin
      if not async then
        perform net._await_response(request_id);
      end if;
      select * into found_response from net._http_response where id = request_id;
      if found_response.id is null or found_response.error_msg is not null then
        return row ('ERROR', coalesce(found_response.error_msg, 'request matching request_id not found'), null)::net.http_response_result;
      end if;
      return row ('SUCCESS', 'ok',
        row (found_response.status_code, found_response.headers, found_response.content)::net.http_response)::net.http_response_result;
    end
    $$;

    create function net.http_collect_response(request_id bigint, async boolean default true) returns net.http_response_result
      language sql
      set search_path = pg_catalog, pg_temp
    as $$ select net._http_collect_response(request_id, async) $$;

    create function net.check_worker_is_up() returns void
      language sql immutable
      set search_path = pg_catalog, pg_temp
    as $$ $$;

    -- Deletes old and surplus rows. Deletes webhook requests only if the superuser owns the table: a trigger on another table would run with
    -- the privileges of the caller.
    create function net._tidy(hours integer, responses integer) returns void
      language plpgsql
      set search_path = pg_catalog, pg_temp
    as $$
    begin
      delete from net._http_response where created < now() - make_interval(hours => hours);
      delete from net._http_response where id <= (select max(id) from net._http_response) - responses;
      if exists (
        select from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.oid = c.relowner
        where c.oid = to_regclass('supabase_functions.hooks') and c.relkind = 'r' and r.rolsuper
      ) then
        delete from supabase_functions.hooks where created_at < now() - make_interval(hours => hours);
      end if;
    end
    $$;

    comment on function net.http_get is 'Sends a GET request after the transaction has committed. Returns the id of its response.';
    comment on function net.http_post is 'Sends a POST request after the transaction has committed. Returns the id of its response.';
    comment on function net.http_delete is 'Sends a DELETE request after the transaction has committed. Returns the id of its response.';
    comment on function net.http_collect_response is 'Returns the response to a request.';
    comment on function net.check_worker_is_up is 'Does nothing: the node sends the requests.';

    revoke execute on all functions in schema net from public;
    grant execute on function net.http_get, net.http_post, net.http_delete
      to pg_database_owner, postgres, anon, authenticated, service_role;
    grant execute on function net._await_response, net._http_collect_response, net.http_collect_response, net.check_worker_is_up,
      net._urlencode_string, net._encode_url_with_params_array to pg_database_owner, postgres, service_role;
    grant execute on function net._tidy to ninefold_server;
  $net$;

  if to_regnamespace('supabase_functions') is not null then
    -- net._tidy deletes old rows of such a table.
    if exists (
      select from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.oid = c.relowner
      where c.oid = to_regclass('supabase_functions.hooks') and c.relkind = 'r' and r.rolsuper
    ) then
      grant usage on schema supabase_functions to ninefold_server;
      grant select, delete on supabase_functions.hooks to ninefold_server;
    end if;
    return;
  end if;
  execute $webhooks$
    create schema supabase_functions;
    grant usage on schema supabase_functions to pg_database_owner, postgres, anon, authenticated, service_role, ninefold_server;

    create table supabase_functions.hooks (
      id bigserial primary key,
      hook_table_id integer not null,
      hook_name text not null,
      created_at timestamptz not null default now(),
      request_id bigint
    );
    create index hooks_created on supabase_functions.hooks (created_at);
    comment on table supabase_functions.hooks is 'Requests of database webhooks in the last hours.';
    grant select, insert, delete on supabase_functions.hooks to pg_database_owner, postgres;
    grant select on supabase_functions.hooks to service_role;
    grant select, delete on supabase_functions.hooks to ninefold_server;
    -- pg_dump reads the sequence.
    grant usage, select on sequence supabase_functions.hooks_id_seq to pg_database_owner, postgres;

    -- Casts to json that the app has defined run when a row becomes JSON. So the function runs as the owner of the database, not as the
    -- superuser.
    create function supabase_functions.http_request() returns trigger
      language plpgsql security definer
      set search_path = ''
    as $$
    declare
      url text := nullif(tg_argv[0], 'null');
      method text := nullif(tg_argv[1], 'null');
      headers jsonb := coalesce(nullif(tg_argv[2], 'null'), '{"Content-Type": "application/json"}')::jsonb;
      params jsonb := coalesce(nullif(tg_argv[3], 'null'), '{}')::jsonb;
      timeout integer := coalesce(nullif(tg_argv[4], 'null'), '1000')::integer;
      request_id bigint;
    begin
      if url is null then
        raise exception 'url argument is missing';
      elsif method is null then
        raise exception 'method argument is missing';
      elsif method = 'GET' then
        request_id := net.http_get(url, params, headers, timeout);
      elsif method = 'POST' then
        request_id := net.http_post(url, jsonb_build_object(
          'old_record', old, 'record', new, 'type', tg_op, 'table', tg_table_name, 'schema', tg_table_schema), params, headers, timeout);
      else
        raise exception 'method argument % is invalid', method;
      end if;
      insert into supabase_functions.hooks (hook_table_id, hook_name, request_id) values (tg_relid::int8::bit(32)::integer, tg_name, request_id);
      return new;
    end
    $$;
    alter function supabase_functions.http_request() owner to pg_database_owner;
    comment on function supabase_functions.http_request is
      'Database webhook: a trigger with the URL, the method, headers, parameters and the timeout in milliseconds as arguments.';
  $webhooks$;
end
$install$;

-- The node calls this function in a copy of an app. It changes only tables that belong to Ninefold.
create function ninefold.pause_scheduled_work(owner text, database text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  if to_regclass('ninefold.job_states') is not null then
    update cron.job j set active = false, database = pause_scheduled_work.database,
      username = case when j.username like 'app\_%' then pause_scheduled_work.owner else j.username end;
    update ninefold.job_states set run = null;
    delete from cron.job_run_details;
  end if;
  if exists (
    select from pg_catalog.pg_proc p join pg_catalog.pg_roles r on r.oid = p.proowner
    where p.pronamespace = to_regnamespace('net') and p.proname = '_queue_request' and r.rolsuper
  ) then
    delete from net.http_request_queue;
    delete from net._http_response;
  end if;
end
$$;
revoke execute on function ninefold.pause_scheduled_work from public;
