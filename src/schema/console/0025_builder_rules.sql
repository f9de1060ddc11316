-- What the owners of the node ask of its builders, and when each builder was last seen.

create table node.settings (
  key text not null,
  value jsonb not null,
  set_at timestamptz not null default now(),
  -- The name of the builder, or `operator`.
  set_by text not null,
  constraint node_settings_pkey primary key (key),
  constraint node_settings_known check (key in ('second_factor_required_from'))
);
comment on table node.settings is 'Settings of the node that its owners change in the console.';

alter table public.builders add column seen_at timestamptz;
comment on column public.builders.seen_at is 'When the builder last called the management API, to a few minutes.';
