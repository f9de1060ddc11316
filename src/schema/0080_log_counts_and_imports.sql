-- Counts of requests by five minutes, so that a summary of days does not read every line of the log; and imports that can be undone.

-- The kind of caller and the area with the first part of the path: the values by which the log is filtered and counted.
alter table ninefold.request_log
  add column caller text not null generated always as (
    case when area = 'auth' and path = '/health' then 'health' when source = 'builder' then 'console'
      when source = 'secret-key' then 'key' when source in ('token', 'external-token') then 'member' else 'anon' end) stored,
  add column path_group text not null generated always as (
    left('/' || area || '/v1' || coalesce(substring(path from '^/rpc/[^/]*'), substring(path from '^/[^/]*'), ''), 100)) stored;

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
insert into ninefold.request_log_counts (slot, status, caller, path_group, calls, left_out)
  select date_bin('5 minutes', at, '2000-01-01 00:00:00+00'), status / 100, caller, path_group, count(*), sum(left_out)
  from ninefold.request_log where isfinite(at) group by 1, 2, 3, 4;

grant select, insert, update, delete on ninefold.request_log_counts to ninefold_server;
grant select on ninefold.request_log_counts to pg_database_owner;

create table ninefold.row_imports (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  -- A copy of the database has other transactions.
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

grant select, insert, delete on ninefold.row_imports to ninefold_server;
grant select on ninefold.row_imports to pg_database_owner;
grant select on sequence ninefold.row_imports_id_seq to pg_database_owner;
