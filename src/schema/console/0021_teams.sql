-- What each builder may do: on the node, and on each app. Builders of before this file keep the rights that they had.

alter table public.builders add column creates_apps boolean not null default false;
comment on column public.builders.creates_apps is 'True for a builder who may create apps. An owner of the node always may.';
update public.builders set creates_apps = true;

alter table public.memberships add column role text not null default 'owner'
  check (role in ('owner', 'developer', 'reader'));
alter table public.memberships alter column role drop default;
comment on column public.memberships.role is 'What the builder may do on the app: owner, developer or reader.';

create table node.invitations (
  id uuid primary key default gen_random_uuid(),
  -- SHA-256 of the secret in the link.
  secret_hash text not null unique,
  -- Null: to the node itself.
  app text references public.apps (ref) on delete cascade,
  role text not null,
  creates_apps boolean not null default false,
  email text not null check (email = lower(email)),
  -- Null: the operator.
  invited_by uuid references public.builders (user_id) on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  check (case when app is null then role in ('owner', 'member') else role in ('owner', 'developer', 'reader') end)
);
create unique index invitations_one_per_address on node.invitations (coalesce(app, ''), email);
comment on table node.invitations is 'Links with which a builder joins the node or an app; each works once.';

create table node.builder_recoveries (
  user_id uuid primary key references public.builders (user_id) on delete cascade,
  -- SHA-256 of the secret in the link.
  secret_hash text not null unique,
  expires_at timestamptz not null
);
comment on table node.builder_recoveries is 'Links with which a builder sets a new password; each works once.';
