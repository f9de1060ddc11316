-- The log of requests: one line for each request, for the time and the number of lines that the app's settings allow.

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
  left_out integer not null default 0
);
create index request_log_at on ninefold.request_log (at, id);
comment on table ninefold.request_log is 'One line for each request, without values of the caller. Old lines are deleted; see the settings logs_days and logs_requests.';

grant select, insert, delete on ninefold.request_log to ninefold_server;
grant select on ninefold.request_log to pg_database_owner;
grant select on sequence ninefold.request_log_id_seq to pg_database_owner;
