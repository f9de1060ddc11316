-- The last probe of chapter 6, and the one that is under way: one row, written in the background by the worker that probes.
create table ninefold.probe (
  only_row boolean primary key default true check (only_row),
  -- Of the run that is under way; null where there is none.
  started_at timestamptz,
  -- When its worker was last heard of: one that has gone holds no other up.
  heard_at timestamptz,
  done integer not null default 0,
  total integer not null default 0,
  -- The report of the last run that came to its end, as gzipped JSON.
  report bytea
);
alter table ninefold.probe alter column report set storage external;
comment on table ninefold.probe is 'The cells of chapter 6, held against statements that were really tried: the last report.';

grant select, insert, update on ninefold.probe to ninefold_server;
grant select on ninefold.probe to pg_database_owner;
