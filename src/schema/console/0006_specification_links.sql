-- Links by which readers without an account read the specification of an app. They are stored here and not in the app's
-- database, so that a copy of an app has no links, a moved app keeps them, and a deleted app takes them along.

create table node.specification_links (
  id uuid primary key default gen_random_uuid(),
  -- SHA-256 of the secret in the address.
  secret_hash text not null unique,
  app text not null references public.apps (ref) on delete cascade,
  -- Null: the specification as of the time of reading.
  version bigint,
  -- Null: the operator.
  created_by uuid references public.builders (user_id) on delete cascade,
  created_at timestamptz not null default now(),
  -- Null: the link does not end by itself.
  expires_at timestamptz,
  last_read_at timestamptz
);
create index specification_links_app on node.specification_links (app);
create index specification_links_created_by on node.specification_links (created_by);
comment on table node.specification_links is 'Links by which readers without an account read the specification of an app.';
