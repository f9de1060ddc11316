-- Pages of several parts, menus of roles, and further properties of screens (chapter 2).

-- Screens -------------------------------------------------------------------------------------------------------------

alter table ninefold.screens
  drop constraint screens_kind,
  add constraint screens_kind check (kind in ('list', 'detail', 'form', 'board', 'calendar', 'gallery', 'figures')),
  -- The words that stand in place of rows if there are none.
  add column empty text constraint screens_empty check (length(empty) between 1 and 400),
  -- The fields of a calendar with the start and the end of a row.
  add column starts text,
  add column ends text,
  -- The field of a gallery with the picture of a row.
  add column picture text;

drop function ninefold.define_screen(text, text, text, regclass, text[], text, text, text[], text, text[], text[], boolean, integer);

-- Pages ---------------------------------------------------------------------------------------------------------------

create table ninefold.pages (
  route text primary key constraint pages_route check (length(route) <= 200 and route ~ '^(/[A-Za-z0-9%._~-]+)+$'),
  title text not null constraint pages_title check (length(title) between 1 and 200),
  -- An array of parts, as ninefold.checked_parts returns them.
  parts jsonb not null constraint pages_parts
    check (jsonb_typeof(parts) = 'array' and jsonb_array_length(parts) between 1 and 20 and length(parts::text) <= 40000),
  roles text[] constraint pages_roles check (array_position(roles, null) is null and coalesce(array_ndims(roles), 1) = 1),
  home boolean not null default false,
  place integer
);
create unique index pages_home on ninefold.pages (home) where home;
comment on table ninefold.pages is 'Pages of several parts, such as numbers and texts. Set by ninefold.define_page.';

-- Refuses a role that does not exist.
create function ninefold.require_roles(roles text[]) returns void
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
declare
  missing text;
begin
  select named into missing from pg_catalog.unnest(require_roles.roles) as named
  where named not in ('anon', 'authenticated', 'service_role')
    and not exists (select from ninefold.roles r where r.name = named)
    and not exists (select from pg_catalog.pg_roles r where r.rolname = named)
  limit 1;
  if found then
    raise exception using errcode = 'undefined_object',
      message = pg_catalog.format('there is no role %L', missing),
      hint = pg_catalog.format('Define it first: select ninefold.define_role(%L, ''…'');', missing);
  end if;
end
$$;

-- Refuses a column that the relation does not have.
create function ninefold.require_columns(entity regclass, columns text[]) returns void
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
declare
  missing text;
begin
  select named into missing from pg_catalog.unnest(require_columns.columns) as named
  where named is not null and not exists (
    select from pg_catalog.pg_attribute a
    where a.attrelid = require_columns.entity and a.attname = named and a.attnum > 0 and not a.attisdropped)
  limit 1;
  if found then
    raise exception using errcode = 'undefined_column',
      message = pg_catalog.format('%s has no column %I', require_columns.entity, missing);
  end if;
end
$$;

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
  place integer default null,
  empty text default null,
  starts text default null,
  ends text default null,
  picture text default null
) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform ninefold.require_columns(
    define_screen.entity,
    define_screen.columns || array[define_screen.group_by, define_screen.starts, define_screen.ends, define_screen.picture]);
  perform ninefold.require_roles(define_screen.roles);
  if (define_screen.starts is null) <> (define_screen.ends is null) then
    raise exception using errcode = 'null_value_not_allowed', message = 'a calendar needs both starts and ends, or neither';
  end if;
  if define_screen.home then
    update ninefold.screens s set home = false where s.home and s.route <> define_screen.route;
    update ninefold.pages p set home = false where p.home;
  end if;
  insert into ninefold.screens (
    route, title, kind, entity, columns, filter, order_by, roles, group_by, related, actions, home, place, empty, starts, ends, picture)
  values (
    define_screen.route, define_screen.title, define_screen.kind, define_screen.entity::text, nullif(define_screen.columns, '{}'),
    nullif(define_screen.filter, ''), nullif(define_screen.order_by, ''), nullif(define_screen.roles, '{}'),
    nullif(define_screen.group_by, ''),
    -- The casts refuse an entity and a function that do not exist. The search path is empty, so the names are qualified.
    (select pg_catalog.array_agg(named::pg_catalog.regclass::text order by nth)
      from pg_catalog.unnest(define_screen.related) with ordinality as listed (named, nth)),
    (select pg_catalog.array_agg(named::pg_catalog.regproc::text order by nth)
      from pg_catalog.unnest(define_screen.actions) with ordinality as listed (named, nth)),
    coalesce(define_screen.home, false), define_screen.place, nullif(pg_catalog.btrim(define_screen.empty), ''),
    define_screen.starts, define_screen.ends, define_screen.picture
  )
  on conflict on constraint screens_pkey do update set
    title = excluded.title, kind = excluded.kind, entity = excluded.entity, columns = excluded.columns,
    filter = excluded.filter, order_by = excluded.order_by, roles = excluded.roles, group_by = excluded.group_by,
    related = excluded.related, actions = excluded.actions, home = excluded.home, place = excluded.place, empty = excluded.empty,
    starts = excluded.starts, ends = excluded.ends, picture = excluded.picture;
end
$$;
comment on function ninefold.define_screen is
  'Adds a screen, or replaces the screen with this route. filter and order_by are written as in the query of a data call: '
  'status=neq.closed&owner=is.null, created_at.desc,id. Without columns, the screen shows those that follow from the entity. Without roles, '
  'the screen is for every role that may read them. related lists the entities below a detail. actions are functions that the screen offers '
  'as buttons. home makes the screen the first page; place orders the navigation. empty is shown in place of rows if there are none; starts '
  'and ends are the fields of a calendar, picture that of a gallery.';

-- Returns one part of a page with qualified names; refuses a part that the pages for members cannot show.
create function ninefold.checked_part(part jsonb) returns jsonb
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
declare
  kind text := part ->> 'kind';
  entity regclass;
  allowed text[] := case kind
    when 'text' then array['text', 'texts']
    when 'buttons' then array['routes']
    when 'number' then array['title', 'titles', 'entity', 'filter', 'value', 'of', 'over']
    when 'bars' then array['title', 'titles', 'entity', 'filter', 'value', 'of', 'by']
    when 'line' then array['title', 'titles', 'entity', 'filter', 'value', 'of', 'over', 'by']
    when 'list' then array['title', 'titles', 'entity', 'filter', 'order_by', 'columns', 'rows']
  end;
  required text[] := case kind
    when 'text' then array['text'] when 'buttons' then array['routes'] when 'bars' then array['title', 'entity', 'by']
    when 'line' then array['title', 'entity', 'over'] else array['title', 'entity'] end;
  wrong text;
begin
  if allowed is null then
    raise exception using errcode = 'invalid_parameter_value',
      message = pg_catalog.format('a part of a page has no kind %s', coalesce(kind, 'null')),
      hint = 'The kinds are text, buttons, number, bars, line and list.';
  end if;
  select key into wrong from pg_catalog.jsonb_object_keys(part) as key where key <> 'kind' and key <> all (allowed) limit 1;
  if found then
    raise exception using errcode = 'invalid_parameter_value',
      message = pg_catalog.format('a part of kind %s has no property %s', kind, wrong),
      hint = pg_catalog.format('Its properties are %s.', pg_catalog.array_to_string(allowed, ', '));
  end if;
  select key into wrong from pg_catalog.unnest(required) as key where part -> key is null or part -> key = 'null' limit 1;
  if found then
    raise exception using errcode = 'null_value_not_allowed', message = pg_catalog.format('a part of kind %s needs %s', kind, wrong);
  end if;
  select key into wrong from pg_catalog.jsonb_each(part) as each (key, value)
    where pg_catalog.jsonb_typeof(value) <> case
      when key in ('titles', 'texts') then 'object' when key in ('routes', 'columns') then 'array' when key = 'rows' then 'number' else 'string' end
    or (key in ('titles', 'texts')
      and exists (select from pg_catalog.jsonb_each(case pg_catalog.jsonb_typeof(value) when 'object' then value else '{}' end) as text
        where pg_catalog.jsonb_typeof(text.value) <> 'string'))
    or (key in ('routes', 'columns')
      and exists (select from pg_catalog.jsonb_array_elements(case pg_catalog.jsonb_typeof(value) when 'array' then value else '[]' end) as text
        where pg_catalog.jsonb_typeof(text.value) <> 'string'))
    limit 1;
  if found then
    raise exception using errcode = 'invalid_parameter_value', message = pg_catalog.format('the property %s has another type', wrong);
  end if;
  if kind in ('text', 'buttons') then
    return part;
  end if;
  -- The cast refuses an entity that does not exist.
  entity := (part ->> 'entity')::pg_catalog.regclass;
  perform ninefold.require_columns(
    entity,
    array[part ->> 'of', part ->> 'over', part ->> 'by']
      || array(select pg_catalog.jsonb_array_elements_text(coalesce(part -> 'columns', '[]'))));
  if coalesce(part ->> 'value', 'count') not in ('count', 'sum', 'avg', 'min', 'max') then
    raise exception using errcode = 'invalid_parameter_value',
      message = pg_catalog.format('no part computes %s', part ->> 'value'), hint = 'The values are count, sum, avg, min and max.';
  end if;
  if (coalesce(part ->> 'value', 'count') = 'count') <> (part ->> 'of' is null) then
    raise exception using errcode = 'invalid_parameter_value', message = 'sum, avg, min and max need a column in of, and count has none';
  end if;
  if part -> 'rows' is not null and (part ->> 'rows')::numeric not between 1 and 20 then
    raise exception using errcode = 'invalid_parameter_value', message = 'a part of kind list has between 1 and 20 rows';
  end if;
  return part || pg_catalog.jsonb_build_object('entity', entity::text);
end
$$;

create function ninefold.define_page(
  route text, title text, parts jsonb, roles text[] default null, home boolean default false, place integer default null
) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  if pg_catalog.jsonb_typeof(define_page.parts) is distinct from 'array' then
    raise exception using errcode = 'invalid_parameter_value', message = 'parts is an array of objects',
      hint = '[{"kind": "text", "text": "Welcome"}]';
  end if;
  perform ninefold.require_roles(define_page.roles);
  if define_page.home then
    update ninefold.screens s set home = false where s.home;
    update ninefold.pages p set home = false where p.home and p.route <> define_page.route;
  end if;
  insert into ninefold.pages (route, title, parts, roles, home, place)
  values (
    define_page.route, define_page.title,
    (select pg_catalog.jsonb_agg(ninefold.checked_part(part) order by nth)
      from pg_catalog.jsonb_array_elements(define_page.parts) with ordinality as listed (part, nth)),
    nullif(define_page.roles, '{}'), coalesce(define_page.home, false), define_page.place
  )
  on conflict on constraint pages_pkey do update set
    title = excluded.title, parts = excluded.parts, roles = excluded.roles, home = excluded.home, place = excluded.place;
end
$$;
comment on function ninefold.define_page is
  'Adds a page of several parts, or replaces the page with this route. Each part has a kind: text (Markdown), buttons (routes of screens), number, '
  'bars (by a field), line (over a time) or list. Without roles, the page is for all members.';

create function ninefold.drop_page(route text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  delete from ninefold.pages p where p.route = drop_page.route;
  if not found then
    raise exception using errcode = 'undefined_object', message = pg_catalog.format('no page is defined at %s', drop_page.route);
  end if;
end
$$;
comment on function ninefold.drop_page is 'Removes a page.';

-- Menus ---------------------------------------------------------------------------------------------------------------

create table ninefold.menus (
  -- A role of members; authenticated for members without a role, anon for visitors.
  role text primary key constraint menus_role check (length(role) between 1 and 63),
  -- An array of groups: {"title": "Tickets", "routes": ["/queue"]}.
  groups jsonb not null constraint menus_groups
    check (jsonb_typeof(groups) = 'array' and jsonb_array_length(groups) <= 30 and length(groups::text) <= 20000),
  home text constraint menus_home check (length(home) between 1 and 200)
);
comment on table ninefold.menus is 'The navigation and the first page of a role of members. Set by ninefold.define_menu.';

create function ninefold.define_menu(role text, groups jsonb, home text default null) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  if not (pg_catalog.jsonb_typeof(define_menu.groups) is not distinct from 'array' and not exists (
    select from pg_catalog.jsonb_array_elements(define_menu.groups) as g (value)
    where pg_catalog.jsonb_typeof(g.value) <> 'object'
      or pg_catalog.jsonb_typeof(coalesce(g.value -> 'title', '""')) not in ('string', 'null')
      or pg_catalog.jsonb_typeof(coalesce(g.value -> 'titles', '{}')) <> 'object'
      or exists (select from pg_catalog.jsonb_each(
          case pg_catalog.jsonb_typeof(g.value -> 'titles') when 'object' then g.value -> 'titles' else '{}' end) as text
        where pg_catalog.jsonb_typeof(text.value) <> 'string')
      or pg_catalog.jsonb_typeof(g.value -> 'routes') is distinct from 'array'
      or exists (select from pg_catalog.jsonb_array_elements(
          case pg_catalog.jsonb_typeof(g.value -> 'routes') when 'array' then g.value -> 'routes' else '[]' end) as text
        where pg_catalog.jsonb_typeof(text.value) <> 'string'))
  ) then
    raise exception using errcode = 'invalid_parameter_value', message = 'groups is an array of groups with their routes',
      hint = '[{"title": "Tickets", "titles": {"de": "Anfragen"}, "routes": ["/queue"]}]';
  end if;
  perform ninefold.require_roles(array[define_menu.role]);
  insert into ninefold.menus (role, groups, home)
  values (define_menu.role, define_menu.groups, nullif(define_menu.home, ''))
  on conflict on constraint menus_pkey do update set groups = excluded.groups, home = excluded.home;
end
$$;
comment on function ninefold.define_menu is
  'Sets the navigation of a role of members, of members without a role (authenticated) or of visitors (anon): groups of routes in their order, '
  'and the first page. Screens that no group names stay open, without an entry.';

create function ninefold.drop_menu(role text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  delete from ninefold.menus m where m.role = drop_menu.role;
  if not found then
    raise exception using errcode = 'undefined_object', message = pg_catalog.format('the role %s has no menu of its own', drop_menu.role);
  end if;
end
$$;
comment on function ninefold.drop_menu is 'Removes the menu of a role. Its navigation then follows from the screens.';

-- Privileges and notifications of these definitions -------------------------------------------------------------------

grant select on ninefold.pages, ninefold.menus to public;
grant insert, update, delete on ninefold.pages, ninefold.menus to pg_database_owner;
revoke execute on function ninefold.define_screen, ninefold.define_page, ninefold.drop_page, ninefold.define_menu, ninefold.drop_menu,
  ninefold.checked_part, ninefold.require_roles, ninefold.require_columns from public;
grant execute on function ninefold.define_screen, ninefold.define_page, ninefold.drop_page, ninefold.define_menu, ninefold.drop_menu,
  ninefold.checked_part, ninefold.require_roles, ninefold.require_columns to pg_database_owner;

create trigger definition_told after insert or update or delete or truncate on ninefold.pages
  for each statement execute function ninefold.tell_definition_changed();
create trigger definition_noted after insert or update or delete on ninefold.pages
  for each statement when (current_user <> 'ninefold_server') execute function ninefold.note_definition_change();
alter table ninefold.pages enable always trigger definition_told, enable always trigger definition_noted;

create trigger definition_told after insert or update or delete or truncate on ninefold.menus
  for each statement execute function ninefold.tell_definition_changed();
create trigger definition_noted after insert or update or delete on ninefold.menus
  for each statement when (current_user <> 'ninefold_server') execute function ninefold.note_definition_change();
alter table ninefold.menus enable always trigger definition_told, enable always trigger definition_noted;
