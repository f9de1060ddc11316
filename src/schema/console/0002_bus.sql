-- Nodes that share this server exchange the messages of realtime through it, unless they have a broker.

create table node.bus_nodes (
  id text primary key,
  seen_at timestamptz not null default now()
);
comment on table node.bus_nodes is 'The running nodes. Each renews its row every few seconds.';

-- Unlogged: a batch is read within milliseconds, and a lost one is noticed by its readers.
create unlogged table node.bus_batches (
  id bigint generated always as identity primary key,
  node text not null,
  created_at timestamptz not null default now(),
  batch text not null
);
alter table node.bus_batches alter column batch set storage external;
comment on table node.bus_batches is 'Batches of messages that are too large for a notification.';
