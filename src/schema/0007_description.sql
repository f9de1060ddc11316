-- Chapters 1 and 2 and the roles of members: what PostgreSQL has no word for, set by functions that a migration can call. They
-- run with the rights of their caller; the tables say who may write.

-- 1 Purpose -----------------------------------------------------------------------------------------------------------------
create table ninefold.app (
  only_row boolean primary key default true check (only_row),
  name text check (length(name) between 1 and 200),
  purpose text check (length(purpose) <= 4000),
  audience text check (length(audience) <= 4000),
  owner text check (length(owner) <= 400)
);
comment on table ninefold.app is 'What the app is, for whom, and who answers for it: one row. Set by ninefold.describe_app.';

create function ninefold.describe_app(
  name text default null, purpose text default null, audience text default null, owner text default null
) returns void
  language sql
  set search_path = ''
begin atomic
  insert into ninefold.app (name, purpose, audience, owner)
  values (
    nullif(pg_catalog.btrim(describe_app.name), ''), nullif(pg_catalog.btrim(describe_app.purpose), ''),
    nullif(pg_catalog.btrim(describe_app.audience), ''), nullif(pg_catalog.btrim(describe_app.owner), '')
  )
  on conflict (only_row) do update set
    name = excluded.name, purpose = excluded.purpose, audience = excluded.audience, owner = excluded.owner;
end;
comment on function ninefold.describe_app is 'Says the whole of chapter 1; what is left out is said no more.';

-- Roles of members -----------------------------------------------------------------------------------------------------------
create table ninefold.roles (
  name text primary key
    constraint roles_name check (name ~ '^[a-z][a-z0-9_-]{0,62}$')
    constraint roles_name_free check (name not in (
      'anon', 'authenticated', 'service_role', 'postgres', 'authenticator', 'pg_database_owner', 'public', 'none')),
  description text check (length(description) <= 4000)
);
comment on table ninefold.roles is 'The roles that members can have. They are no roles of the database: calls of members run as authenticated.';

create table ninefold.member_roles (
  user_id uuid references auth.users (id) on delete cascade,
  role text references ninefold.roles (name) on update cascade on delete cascade,
  granted_at timestamptz not null default now(),
  constraint member_roles_pkey primary key (user_id, role)
);
create index member_roles_role on ninefold.member_roles (role);
comment on table ninefold.member_roles is 'Which member has which role, now.';

-- The bodies in the SQL standard's form are bound to their objects here, so no search path can redirect them.
create function ninefold.caller() returns uuid language sql stable parallel safe
return case
  when coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  ) ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
  then coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  )::uuid
end;
comment on function ninefold.caller() is 'The id of the signed-in member; null for nobody, and for a token whose sub is no id.';

create function ninefold.has_role(role text) returns boolean language sql stable parallel safe
return exists (select from ninefold.member_roles m where m.user_id = ninefold.caller() and m.role = has_role.role);
comment on function ninefold.has_role(text) is
  'Whether the signed-in member has the role, as ninefold.member_roles says now: a role that was revoked counts from the next call on.';

create function ninefold.my_roles() returns text[] language sql stable parallel safe
return coalesce(
  (select array_agg(m.role order by m.role) from ninefold.member_roles m where m.user_id = ninefold.caller()), '{}');
comment on function ninefold.my_roles() is 'The roles of the signed-in member.';

create function ninefold.define_role(name text, description text default null) returns void
  language sql
  set search_path = ''
begin atomic
  insert into ninefold.roles (name, description)
  values (define_role.name, nullif(pg_catalog.btrim(define_role.description), ''))
  on conflict (name) do update set description = excluded.description;
end;
comment on function ninefold.define_role is 'Makes a role that members can have, or changes its description.';

create function ninefold.drop_role(name text) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  delete from ninefold.roles r where r.name = drop_role.name;
  if not found then
    raise exception using errcode = 'undefined_object',
      message = pg_catalog.format('there is no role %L for members', drop_role.name);
  end if;
end
$$;
comment on function ninefold.drop_role is 'Removes a role, and takes it from every member.';

create function ninefold.grant_role("user" uuid, role text) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  if not exists (select from ninefold.roles r where r.name = grant_role.role) then
    raise exception using errcode = 'undefined_object',
      message = pg_catalog.format('there is no role %L for members', grant_role.role),
      hint = pg_catalog.format('Define it first: select ninefold.define_role(%L, ''…'');', grant_role.role);
  end if;
  insert into ninefold.member_roles (user_id, role) values (grant_role."user", grant_role.role) on conflict do nothing;
end
$$;
comment on function ninefold.grant_role is 'Gives a member a role; one that the member has already is no error.';

create function ninefold.revoke_role("user" uuid, role text) returns void
  language sql
  set search_path = ''
begin atomic
  delete from ninefold.member_roles m where m.user_id = revoke_role."user" and m.role = revoke_role.role;
end;
comment on function ninefold.revoke_role is 'Takes a role from a member, from the next call on; one that the member does not have is no error.';

-- 2 Screens -----------------------------------------------------------------------------------------------------------------
create table ninefold.screens (
  route text primary key
    constraint screens_route check (length(route) <= 200 and route ~ '^(/:?[A-Za-z0-9%._~-]+)+$|^/$'),
  title text not null check (length(title) between 1 and 200),
  kind text not null check (kind in ('list', 'detail', 'form', 'board')),
  -- By its qualified name: a screen outlives its entity, and is then told as broken.
  entity text not null,
  columns text[] check (array_position(columns, null) is null and coalesce(array_ndims(columns), 1) = 1),
  filter text check (length(filter) <= 2000),
  order_by text check (length(order_by) <= 1000),
  roles text[] check (array_position(roles, null) is null and coalesce(array_ndims(roles), 1) = 1)
);
comment on table ninefold.screens is 'Screens that are defined, beside those that follow from the entities. Set by ninefold.define_screen.';

create function ninefold.define_screen(
  route text,
  title text,
  kind text,
  entity regclass,
  columns text[] default null,
  filter text default null,
  order_by text default null,
  roles text[] default null
) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  missing text;
begin
  select named into missing from pg_catalog.unnest(define_screen.columns) as named
  where not exists (
    select from pg_catalog.pg_attribute a
    where a.attrelid = define_screen.entity and a.attname = named and a.attnum > 0 and not a.attisdropped)
  limit 1;
  if found then
    raise exception using errcode = 'undefined_column',
      message = pg_catalog.format('%s has no column %I', define_screen.entity, missing);
  end if;
  select named into missing from pg_catalog.unnest(define_screen.roles) as named
  where named not in ('anon', 'authenticated', 'service_role')
    and not exists (select from ninefold.roles r where r.name = named)
    and not exists (select from pg_catalog.pg_roles r where r.rolname = named)
  limit 1;
  if found then
    raise exception using errcode = 'undefined_object',
      message = pg_catalog.format('there is no role %L', missing),
      hint = pg_catalog.format('Define it first: select ninefold.define_role(%L, ''…'');', missing);
  end if;
  insert into ninefold.screens
  values (
    define_screen.route, define_screen.title, define_screen.kind, define_screen.entity::text, nullif(define_screen.columns, '{}'),
    nullif(define_screen.filter, ''), nullif(define_screen.order_by, ''), nullif(define_screen.roles, '{}')
  )
  on conflict on constraint screens_pkey do update set
    title = excluded.title, kind = excluded.kind, entity = excluded.entity, columns = excluded.columns,
    filter = excluded.filter, order_by = excluded.order_by, roles = excluded.roles;
end
$$;
comment on function ninefold.define_screen is
  'Adds a screen, or takes the place of the one with this route. filter and order_by are written as in the query of a data call: '
  'status=neq.closed&owner=is.null, created_at.desc,id. Without columns: those that follow from the entity; without roles: whoever may read it.';

create function ninefold.drop_screen(route text) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  delete from ninefold.screens s where s.route = drop_screen.route;
  if not found then
    raise exception using errcode = 'undefined_object',
      message = pg_catalog.format('no screen is defined at %s', drop_screen.route),
      hint = 'Screens that follow from the entities are not defined, and cannot be dropped.';
  end if;
end
$$;
comment on function ninefold.drop_screen is 'Removes a defined screen; the one that follows from the entity, if any, comes back.';

-- Rights --------------------------------------------------------------------------------------------------------------------
-- The specification is read by the app's login role, which has no rights of its own.
grant select on ninefold.app, ninefold.roles, ninefold.screens to public;
grant insert, update, delete on ninefold.app, ninefold.roles, ninefold.screens to pg_database_owner;

alter table ninefold.member_roles enable row level security;
grant select on ninefold.member_roles to public;
grant insert, delete on ninefold.member_roles to pg_database_owner, service_role;
create policy own_roles on ninefold.member_roles for select using (user_id = ninefold.caller());
create policy read_all on ninefold.member_roles for select to ninefold_server, supabase_auth_admin using (true);
create policy app_owner on ninefold.member_roles to pg_database_owner using (true) with check (true);

revoke execute on function
  ninefold.describe_app, ninefold.define_role, ninefold.drop_role, ninefold.grant_role, ninefold.revoke_role,
  ninefold.define_screen, ninefold.drop_screen
from public;
grant execute on function
  ninefold.describe_app, ninefold.define_role, ninefold.drop_role, ninefold.grant_role, ninefold.revoke_role,
  ninefold.define_screen, ninefold.drop_screen
to pg_database_owner;
grant execute on function ninefold.grant_role, ninefold.revoke_role to service_role;

-- Changes are told and noted --------------------------------------------------------------------------------------------------
create function ninefold.tell_definition_changed() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  perform pg_catalog.pg_notify('ninefold', '{"type":"schema"}');
  return null;
end
$$;

do $$
declare
  named text;
begin
  foreach named in array array['app', 'roles', 'screens'] loop
    execute format('create trigger definition_told after insert or update or delete or truncate on ninefold.%I
      for each statement execute function ninefold.tell_definition_changed()', named);
    execute format('create trigger definition_noted after insert or update or delete on ninefold.%I
      for each statement execute function ninefold.note_definition_change()', named);
  end loop;
end
$$;
