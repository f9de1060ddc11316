-- The console's own tables: the node's apps, who builds them, and what only the server may read.
-- Everything in `public` is read by builders through row-level security, as in any other app.

create table public.builders (
  user_id uuid primary key references auth.users (id) on delete cascade,
  name text not null check (length(name) between 1 and 120),
  -- An owner of the node sees every app and may add builders.
  is_owner boolean not null default false,
  created_at timestamptz not null default now()
);
comment on table public.builders is 'Who may use the console.';

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
  primary key (app, user_id)
);
create index memberships_user on public.memberships (user_id);
comment on table public.memberships is 'Which builder works on which app.';

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

-- What no role of an app may read: keys and passwords, sealed with the node's master key.
create schema node;
create table node.secrets (
  app text primary key references public.apps (ref) on delete cascade,
  sealed text not null
);

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
