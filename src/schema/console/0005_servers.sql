-- Further PostgreSQL servers of the node. An app lives on one of them, or on the server of the console.

create table if not exists node.servers (
  ref text primary key check (ref ~ '^[a-z][a-z0-9-]{2,39}$'),
  -- The URL of the login that creates databases and roles there, sealed with the node's master key.
  sealed text not null,
  -- A draining server gets no new apps.
  state text not null default 'active' check (state in ('active', 'draining')),
  -- The rights of a superuser that the login lacks (contract/server-rights.ts).
  missing_rights text[] not null default '{}',
  created_at timestamptz not null default now()
);

alter table public.apps add column if not exists server text references node.servers (ref);
comment on column public.apps.server is 'The PostgreSQL server of the app; null for the server of the console.';
-- While an app moves, no node serves it.
alter table public.apps add column if not exists moving_to text;
comment on column public.apps.moving_to is 'The server that the app is being moved to; an empty text for the server of the console; null if the app does not move.';

-- Databases of apps that have moved. They are closed, and deleted after a day.
create table if not exists node.left_databases (
  server text not null,
  app text not null,
  left_at timestamptz not null default now(),
  primary key (server, app)
);
