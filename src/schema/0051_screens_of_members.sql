-- Chapter 2 with what the pages for members need: groups, related lists, actions, the home screen, the order of the navigation,
-- calendars and figures.

alter table ninefold.screens
  drop constraint screens_kind_check,
  add constraint screens_kind check (kind in ('list', 'detail', 'form', 'board', 'calendar', 'figures')),
  add column group_by text check (length(group_by) between 1 and 200),
  -- Qualified names of the entities whose rows a detail lists, in this order.
  add column related text[] check (array_position(related, null) is null and coalesce(array_ndims(related), 1) = 1),
  -- Qualified names of functions. A screen outlives its functions, as it outlives its entity.
  add column actions text[] check (array_position(actions, null) is null and coalesce(array_ndims(actions), 1) = 1),
  add column home boolean not null default false,
  add column place integer;
create unique index screens_home on ninefold.screens (home) where home;

drop function ninefold.define_screen(text, text, text, regclass, text[], text, text, text[]);

create function ninefold.define_screen(
  route text,
  title text,
  kind text,
  entity regclass,
  columns text[] default null,
  filter text default null,
  order_by text default null,
  roles text[] default null,
  group_by text default null,
  related text[] default null,
  actions text[] default null,
  home boolean default false,
  place integer default null
) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  missing text;
begin
  select named into missing from pg_catalog.unnest(define_screen.columns || define_screen.group_by) as named
  where named is not null and not exists (
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
  if define_screen.home then
    update ninefold.screens s set home = false where s.home and s.route <> define_screen.route;
  end if;
  insert into ninefold.screens (route, title, kind, entity, columns, filter, order_by, roles, group_by, related, actions, home, place)
  values (
    define_screen.route, define_screen.title, define_screen.kind, define_screen.entity::text, nullif(define_screen.columns, '{}'),
    nullif(define_screen.filter, ''), nullif(define_screen.order_by, ''), nullif(define_screen.roles, '{}'),
    nullif(define_screen.group_by, ''),
    -- The casts refuse an entity and a function that do not exist. The search path is empty, so the names are qualified.
    (select pg_catalog.array_agg(named::pg_catalog.regclass::text order by nth)
      from pg_catalog.unnest(define_screen.related) with ordinality as listed (named, nth)),
    (select pg_catalog.array_agg(named::pg_catalog.regproc::text order by nth)
      from pg_catalog.unnest(define_screen.actions) with ordinality as listed (named, nth)),
    coalesce(define_screen.home, false), define_screen.place
  )
  on conflict on constraint screens_pkey do update set
    title = excluded.title, kind = excluded.kind, entity = excluded.entity, columns = excluded.columns,
    filter = excluded.filter, order_by = excluded.order_by, roles = excluded.roles, group_by = excluded.group_by,
    related = excluded.related, actions = excluded.actions, home = excluded.home, place = excluded.place;
end
$$;
comment on function ninefold.define_screen is
  'Adds a screen, or replaces the screen with this route. filter and order_by are written as in the query of a data call: '
  'status=neq.closed&owner=is.null, created_at.desc,id. Without columns, the screen shows those that follow from the entity. Without roles, '
  'the screen is for every role that may read them. related lists the entities below a detail. actions are functions that the screen offers '
  'as buttons. home makes the screen the first page; place orders the navigation.';

revoke execute on function ninefold.define_screen from public;
grant execute on function ninefold.define_screen to pg_database_owner;
