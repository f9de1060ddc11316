-- The console's own tables: the node's apps, the builders, and data that only the server may read.
-- Builders read schema `public` through row-level security, as in any other app.

create table public.builders (
  user_id uuid primary key references auth.users (id) on delete cascade,
  name text not null check (length(name) between 1 and 120),
  -- An owner of the node sees every app and may add builders.
  is_owner boolean not null default false,
  created_at timestamptz not null default now(),
  creates_apps boolean not null default false,
  seen_at timestamptz
);
comment on table public.builders is 'Who may use the console.';
comment on column public.builders.creates_apps is 'True for a builder who may create apps. An owner of the node may always create apps.';
comment on column public.builders.seen_at is 'When the builder last called the management API, to a few minutes.';

create table public.apps (
  ref text primary key check (ref ~ '^[a-z][a-z0-9-]{2,39}$'),
  name text not null check (length(name) between 1 and 120),
  database text not null unique,
  -- The last file of Ninefold's own schema that the app's database has.
  schema_file text not null,
  created_at timestamptz not null default now()
);
comment on table public.apps is 'The apps of this node.';

create table public.memberships (
  app text not null references public.apps (ref) on delete cascade,
  user_id uuid not null references public.builders (user_id) on delete cascade,
  created_at timestamptz not null default now(),
  role text not null check (role in ('owner', 'developer', 'reader')),
  primary key (app, user_id)
);
create index memberships_user on public.memberships (user_id);
comment on table public.memberships is 'Which builder works on which app.';
comment on column public.memberships.role is 'What the builder may do on the app: owner, developer or reader.';

create function public.is_owner() returns boolean
  language sql stable security definer
  set search_path = ''
  return coalesce((select b.is_owner from public.builders b where b.user_id = auth.uid()), false);

alter table public.builders enable row level security;
alter table public.apps enable row level security;
alter table public.memberships enable row level security;

create policy "builders: oneself, or all for an owner" on public.builders for select to authenticated
  using (user_id = (select auth.uid()) or (select public.is_owner()));
create policy "memberships: one's own, or all for an owner" on public.memberships for select to authenticated
  using (user_id = (select auth.uid()) or (select public.is_owner()));
create policy "apps: where one is a member, or all for an owner" on public.apps for select to authenticated
  using ((select public.is_owner()) or exists (
    select from public.memberships m where m.app = apps.ref and m.user_id = (select auth.uid())
  ));

grant select on public.builders, public.apps, public.memberships to authenticated;
grant all on public.builders, public.apps, public.memberships to service_role;
revoke all on public.builders, public.apps, public.memberships from anon;

-- Schema node: data that no role of an app may read -------------------------------------------------------------------

create schema node;

-- Keys and passwords of the apps, sealed with the node's master key.
create table node.secrets (
  app text primary key references public.apps (ref) on delete cascade,
  sealed text not null
);

create table node.app_secrets (
  app text not null references public.apps (ref) on delete cascade,
  name text not null,
  sealed text not null,
  set_at timestamptz not null default now(),
  set_by text not null,
  constraint app_secrets_pkey primary key (app, name)
);
comment on table node.app_secrets is 'Settings of apps that are secrets, sealed with the node''s master key.';

-- Each worker reads the app's record again when it receives this notification.
create function node.tell_apps_changed() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  perform pg_catalog.pg_notify('ninefold', pg_catalog.jsonb_build_object('type', 'app', 'ref', coalesce(new.ref, old.ref))::text);
  return null;
end
$$;
create trigger apps_changed after update or delete on public.apps
  for each row execute function node.tell_apps_changed();

create function node.tell_app_secrets_changed() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  perform pg_catalog.pg_notify('ninefold', pg_catalog.jsonb_build_object('type', 'app', 'ref', coalesce(new.app, old.app))::text);
  return null;
end
$$;
create trigger app_secrets_changed after insert or update or delete on node.app_secrets
  for each row execute function node.tell_app_secrets_changed();

create table node.scheduled_work (
  app text primary key references public.apps (ref) on delete cascade,
  -- Nothing is due before this time; null: nothing is scheduled. So idle apps need no connection.
  due_at timestamptz,
  -- The number of rows written to the app's database, as PostgreSQL counted it when the node last looked into the database.
  seen_writes bigint not null
);
comment on table node.scheduled_work is 'When the node must look into the database of each app for scheduled jobs and HTTP requests.';

create table node.invitations (
  id uuid primary key default gen_random_uuid(),
  -- SHA-256 of the secret in the link.
  secret_hash text not null unique,
  -- Null: an invitation to the node itself.
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

create table node.audit_log (
  id uuid not null default gen_random_uuid(),
  at timestamptz not null default clock_timestamp(),
  app text not null,
  -- Null for the operator.
  actor_id uuid,
  actor text not null,
  action text not null,
  details jsonb not null default '{}',
  -- The code of the error; null if the call succeeded.
  refused text,
  ip_address text not null,
  request_id text not null,
  constraint audit_log_pkey primary key (id)
);
comment on table node.audit_log is 'What builders did on the node and in apps: who, when, from where.';
comment on column node.audit_log.app is 'The ref of the app, which stays when the app is deleted; empty for an event of the node.';
create index audit_log_app_idx on node.audit_log (app, at desc, id desc);
create index audit_log_at_idx on node.audit_log (at);
create index audit_log_node_idx on node.audit_log (at desc, id desc)
  where app = '' or action in ('app_created', 'app_cloned', 'app_deleted');

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
