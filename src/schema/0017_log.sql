-- Figures, traces and the log of requests, written in the background by the workers, at a bounded size and without values of a call.

create table ninefold.call_statistics (
  bucket timestamptz not null,
  span text not null check (span in ('minute', 'hour')),
  call text not null,
  calls bigint not null,
  failed bigint not null,
  -- Element i counts the calls with a duration of less than 2^(i-4) milliseconds that no previous element counts.
  histogram bigint[] not null,
  last_at timestamptz,
  primary key (span, bucket, call)
);
create index call_statistics_bucket on ninefold.call_statistics (bucket);
comment on table ninefold.call_statistics is 'The number, the failures and the durations of each call.';

create function ninefold.add_histograms(a bigint[], b bigint[]) returns bigint[]
  language sql immutable parallel safe
  set search_path = pg_catalog, pg_temp
  return (
    select pg_catalog.array_agg(coalesce(x, 0) + coalesce(y, 0) order by i)
    from rows from (pg_catalog.unnest(a), pg_catalog.unnest(b)) with ordinality as pairs (x, y, i)
  );
revoke execute on function ninefold.add_histograms from public;
grant execute on function ninefold.add_histograms to ninefold_server;

create table ninefold.request_traces (
  -- Clients may choose request ids, so the same id may occur again.
  request_id text not null,
  at timestamptz not null,
  call text not null,
  status integer not null,
  code text,
  subject text,
  trace jsonb not null
);
create index request_traces_request on ninefold.request_traces (request_id);
create index request_traces_at on ninefold.request_traces (at);
comment on table ninefold.request_traces is 'Traces of requests: those that failed or were slow, and the last ones before the app was idle.';

create table ninefold.error_statistics (
  kind text not null check (kind in ('error', 'limit')),
  -- The code of the error, or the name of the limit.
  name text not null,
  -- The rule or the function that caused the error, if known.
  subject text not null,
  -- The beginning of ten minutes.
  bucket timestamptz not null,
  hits bigint not null,
  last_at timestamptz not null,
  -- The member's id, or the client's address.
  last_caller text,
  -- The newest first.
  last_requests text[] not null,
  primary key (kind, name, subject, bucket)
);
create index error_statistics_bucket on ninefold.error_statistics (bucket);
comment on table ninefold.error_statistics is 'Errors that were sent and limits that were reached, by buckets of ten minutes.';

-- The table contains the id of a key, not the key. A day is a day in UTC.
create table ninefold.api_key_uses (
  key_id text not null,
  day date not null,
  uses bigint not null,
  primary key (key_id, day)
);
create index api_key_uses_day on ninefold.api_key_uses (day);
comment on table ninefold.api_key_uses is 'The number of uses of each API key, by day.';

-- The log -------------------------------------------------------------------------------------------------------------

create table ninefold.request_log (
  id bigint generated always as identity,
  -- Clients may choose request ids, so the same id may occur again.
  request_id text not null,
  at timestamptz not null,
  area text not null,
  call text not null,
  method text not null,
  path text not null,
  -- Contains … in place of each value of the caller.
  query text not null,
  status integer not null,
  code text,
  subject text,
  role text,
  user_id text,
  source text,
  milliseconds double precision not null,
  -- Number of requests right after this request that the worker did not store, because there were too many at a time.
  left_out integer not null default 0,
  -- The kind of caller and the area with the first part of the path: the values by which the log is filtered and counted.
  caller text not null generated always as (
    case when area = 'auth' and path = '/health' then 'health' when source = 'builder' then 'console'
      when source = 'secret-key' then 'key' when source in ('token', 'external-token') then 'member' else 'anon' end) stored,
  path_group text not null generated always as (
    left('/' || area || '/v1' || coalesce(substring(path from '^/rpc/[^/]*'), substring(path from '^/[^/]*'), ''), 100)) stored
);
create index request_log_at on ninefold.request_log (at, id);
-- A search for slow requests does not read every line of the log.
create index request_log_slow on ninefold.request_log (at, id) where milliseconds >= 100;
comment on table ninefold.request_log is 'One line for each request, without values of the caller. Old lines are deleted; see the settings logs_days and logs_requests.';

-- A summary of days reads the counts instead of every line of the log.
create table ninefold.request_log_counts (
  -- The beginning of five minutes.
  slot timestamptz not null,
  -- The first digit.
  status integer not null,
  caller text not null,
  path_group text not null,
  calls bigint not null,
  left_out bigint not null,
  primary key (slot, status, caller, path_group)
);
comment on table ninefold.request_log_counts is 'The stored lines of the log, counted by five minutes and by the values of the filters.';

-- Imports of rows -----------------------------------------------------------------------------------------------------

create table ninefold.row_imports (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  -- The transaction is of no use in a copy of the database.
  database oid not null,
  -- Schema and name, as SQL writes them.
  entity text not null,
  file text not null,
  rows bigint not null,
  -- The transaction that inserted the rows: their xmin, until they are changed.
  transaction text not null,
  imported_by text not null
);
comment on table ninefold.row_imports is 'Imports of the last 24 hours that the console can undo.';

-- Privileges ----------------------------------------------------------------------------------------------------------

grant select, insert, update, delete on ninefold.call_statistics, ninefold.request_traces, ninefold.error_statistics,
  ninefold.api_key_uses, ninefold.request_log_counts to ninefold_server;
grant select, insert, delete on ninefold.request_log, ninefold.row_imports to ninefold_server;
grant select on ninefold.call_statistics, ninefold.request_traces, ninefold.error_statistics, ninefold.api_key_uses,
  ninefold.request_log, ninefold.request_log_counts, ninefold.row_imports to pg_database_owner;
-- pg_dump reads the sequences.
grant select on sequence ninefold.request_log_id_seq, ninefold.row_imports_id_seq to pg_database_owner;
