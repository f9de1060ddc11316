-- Chapters 1 and 2, and the pages for members: PostgreSQL has no place for these definitions, so functions that a migration can call set
-- them. The functions run with the privileges of their caller; the privileges on the tables decide who may write.

-- 1 Purpose -----------------------------------------------------------------------------------------------------------

create table ninefold.app (
  only_row boolean primary key default true check (only_row),
  name text check (length(name) between 1 and 200),
  purpose text check (length(purpose) <= 4000),
  audience text check (length(audience) <= 4000),
  owner text check (length(owner) <= 400),
  accent text constraint app_accent check (accent ~ '^#[0-9a-f]{6}$'),
  -- The row contains the picture, so that the pages load it from the app's own origin.
  logo text constraint app_logo
    check (length(logo) <= 100000 and logo ~ '^data:image/(png|jpeg|webp|svg[+]xml);base64,[A-Za-z0-9+/]+=*$')
);
comment on table ninefold.app is 'The purpose, the audience, the owner and the look of the app: one row. Set by ninefold.describe_app and ninefold.set_look.';

create function ninefold.describe_app(
  name text default null, purpose text default null, audience text default null, owner text default null
) returns void
  language sql
  set search_path = pg_catalog, pg_temp
begin atomic
  insert into ninefold.app (name, purpose, audience, owner)
  values (
    nullif(pg_catalog.btrim(describe_app.name), ''), nullif(pg_catalog.btrim(describe_app.purpose), ''),
    nullif(pg_catalog.btrim(describe_app.audience), ''), nullif(pg_catalog.btrim(describe_app.owner), '')
  )
  on conflict (only_row) do update set
    name = excluded.name, purpose = excluded.purpose, audience = excluded.audience, owner = excluded.owner;
end;
comment on function ninefold.describe_app is 'Sets chapter 1. An argument that you leave out is reset to null.';

create function ninefold.set_look(accent text default null, logo text default null) returns void
  language sql
  set search_path = pg_catalog, pg_temp
begin atomic
  insert into ninefold.app (accent, logo)
  values (
    nullif(pg_catalog.lower(pg_catalog.btrim(set_look.accent)), ''), nullif(pg_catalog.btrim(set_look.logo), '')
  )
  on conflict (only_row) do update set accent = excluded.accent, logo = excluded.logo;
end;
comment on function ninefold.set_look is
  'Sets the accent colour of the pages for members, as in #1f6feb, and their logo, a data: address of a PNG, JPEG, WebP or SVG picture. '
  'The pages use the hue of the colour, in a lightness that keeps texts readable. An argument that you leave out is reset.';

-- 2 Screens -----------------------------------------------------------------------------------------------------------

create table ninefold.screens (
  route text primary key
    constraint screens_route check (length(route) <= 200 and route ~ '^(/:?[A-Za-z0-9%._~-]+)+$|^/$'),
  title text not null check (length(title) between 1 and 200),
  kind text not null constraint screens_kind check (kind in ('list', 'detail', 'form', 'board', 'calendar', 'figures')),
  -- The qualified name. A screen outlives its entity and is then reported as broken.
  entity text not null,
  columns text[] check (array_position(columns, null) is null and coalesce(array_ndims(columns), 1) = 1),
  filter text check (length(filter) <= 2000),
  order_by text check (length(order_by) <= 1000),
  roles text[] check (array_position(roles, null) is null and coalesce(array_ndims(roles), 1) = 1),
  group_by text check (length(group_by) between 1 and 200),
  -- Qualified names of the entities whose rows a detail lists, in this order.
  related text[] check (array_position(related, null) is null and coalesce(array_ndims(related), 1) = 1),
  -- Qualified names of functions. A screen outlives its functions, as it outlives its entity.
  actions text[] check (array_position(actions, null) is null and coalesce(array_ndims(actions), 1) = 1),
  home boolean not null default false,
  place integer
);
create unique index screens_home on ninefold.screens (home) where home;
comment on table ninefold.screens is 'Defined screens. Other screens follow from the entities. Set by ninefold.define_screen.';

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
  set search_path = pg_catalog, pg_temp
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

create function ninefold.drop_screen(route text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
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
comment on function ninefold.drop_screen is 'Removes a defined screen. The screen that follows from the entity, if any, returns.';

-- Labels of the pages for members in several languages ----------------------------------------------------------------

-- Labels of the pages for members in several languages.
create table ninefold.labels (
  language text not null constraint labels_language check (length(language) <= 35 and language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$'),
  kind text not null constraint labels_kind check (kind in ('entity', 'screen', 'role', 'action')),
  -- Qualified name of an entity or a function, the route of a screen, or a role. A label outlives the object.
  subject text not null constraint labels_subject check (length(subject) between 1 and 400),
  field text not null default '',
  -- A value of the field: a label of an enum, a value that a check constraint lists, or a state.
  value text not null default '',
  transition text not null default '',
  label text not null constraint labels_label check (length(label) between 1 and 200),
  -- The label of one row of an entity.
  one text constraint labels_one check (length(one) between 1 and 200),
  help text constraint labels_help check (length(help) between 1 and 1000),
  constraint labels_pkey primary key (language, kind, subject, field, value, transition)
);
comment on table ninefold.labels is 'Labels of entities, fields, values, screens, roles and actions in a language. Set by ninefold.label.';

create function ninefold.label(
  language text,
  label text,
  entity regclass default null,
  field text default null,
  value text default null,
  transition text default null,
  screen text default null,
  role text default null,
  action regproc default null,
  one text default null,
  help text default null
) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  found_kind text := case
    when label.entity is not null then 'entity' when label.screen is not null then 'screen'
    when label.role is not null then 'role' when label.action is not null then 'action' end;
  found_subject text := coalesce(label.entity::text, label.screen, label.role, label.action::text);
begin
  if pg_catalog.num_nonnulls(label.entity, label.screen, label.role, label.action) <> 1 then
    raise exception using errcode = 'invalid_parameter_value',
      message = 'a label is of an entity, a screen, a role or an action: name exactly one';
  end if;
  if pg_catalog.num_nonnulls(label.value, label.transition) > 1
    or (pg_catalog.num_nonnulls(label.value, label.transition) = 1 and label.field is null)
    or (label.field is not null and label.entity is null) or (label.one is not null and (label.entity is null or label.field is not null)) then
    raise exception using errcode = 'invalid_parameter_value',
      message = 'a value or a transition needs its field, a field needs its entity, and only an entity has a label of one row';
  end if;
  if label.field is not null and not exists (
    select from pg_catalog.pg_attribute a
    where a.attrelid = label.entity and a.attname = label.field and a.attnum > 0 and not a.attisdropped) then
    raise exception using errcode = 'undefined_column',
      message = pg_catalog.format('%s has no column %I', label.entity, label.field);
  end if;
  if label.role is not null and not exists (select from ninefold.roles r where r.name = label.role) then
    raise exception using errcode = 'undefined_object',
      message = pg_catalog.format('there is no role %L for members', label.role);
  end if;
  if label.label is null then
    delete from ninefold.labels l
    where (l.language, l.kind, l.subject, l.field, l.value, l.transition) = (
      label.language, found_kind, found_subject, coalesce(label.field, ''), coalesce(label.value, ''), coalesce(label.transition, ''));
    return;
  end if;
  insert into ninefold.labels (language, kind, subject, field, value, transition, label, one, help)
  values (
    label.language, found_kind, found_subject, coalesce(label.field, ''), coalesce(label.value, ''), coalesce(label.transition, ''),
    pg_catalog.btrim(label.label), nullif(pg_catalog.btrim(label.one), ''), nullif(pg_catalog.btrim(label.help), '')
  )
  on conflict on constraint labels_pkey do update set label = excluded.label, one = excluded.one, help = excluded.help;
end
$$;
comment on function ninefold.label is
  'Sets the label of an entity, of one of its fields, of a value or a transition of a field, of a screen, of a role or of an action in a '
  'language (BCP 47). one is the label of one row, help the text below a field. The label null removes the entry. Without a label in the '
  'language of a member, the pages show the names and comments.';

-- Privileges and notifications of these definitions -------------------------------------------------------------------

-- A worker derives the specification as the app's login role, which has no privileges of its own.
grant select on ninefold.app, ninefold.screens, ninefold.labels to public;
grant insert, update, delete on ninefold.app, ninefold.screens, ninefold.labels to pg_database_owner;
revoke execute on function ninefold.describe_app, ninefold.set_look, ninefold.define_screen, ninefold.drop_screen, ninefold.label from public;
grant execute on function ninefold.describe_app, ninefold.set_look, ninefold.define_screen, ninefold.drop_screen, ninefold.label
  to pg_database_owner;

create trigger definition_told after insert or update or delete or truncate on ninefold.app
  for each statement execute function ninefold.tell_definition_changed();
create trigger definition_noted after insert or update or delete on ninefold.app
  for each statement when (current_user <> 'ninefold_server') execute function ninefold.note_definition_change();
alter table ninefold.app enable always trigger definition_told, enable always trigger definition_noted;

create trigger definition_told after insert or update or delete or truncate on ninefold.screens
  for each statement execute function ninefold.tell_definition_changed();
create trigger definition_noted after insert or update or delete on ninefold.screens
  for each statement when (current_user <> 'ninefold_server') execute function ninefold.note_definition_change();
alter table ninefold.screens enable always trigger definition_told, enable always trigger definition_noted;

create trigger definition_told after insert or update or delete or truncate on ninefold.labels
  for each statement execute function ninefold.tell_definition_changed();
create trigger definition_noted after insert or update or delete on ninefold.labels
  for each statement when (current_user <> 'ninefold_server') execute function ninefold.note_definition_change();

-- Views of lists ------------------------------------------------------------------------------------------------------

-- Members save searches, filters and orders of lists under a name.
create table ninefold.member_views (
  user_id uuid not null references auth.users (id) on delete cascade,
  route text not null constraint member_views_route check (length(route) between 1 and 200),
  name text not null constraint member_views_name check (length(name) between 1 and 60),
  search text not null constraint member_views_search check (length(search) <= 2000),
  saved_at timestamptz not null default now(),
  constraint member_views_pkey primary key (user_id, route, name)
);
comment on table ninefold.member_views is 'Views of lists that members have saved: the query of the list’s address, by a name.';
grant select, insert, update, delete on ninefold.member_views to ninefold_server;
grant select on ninefold.member_views to pg_database_owner;

-- The app's own front end ---------------------------------------------------------------------------------------------
-- Versions of a static build, which the server serves on the app's origin. Only the server writes these tables.

create table ninefold.site_versions (
  id uuid primary key default pg_catalog.gen_random_uuid(),
  number integer generated always as identity,
  created_at timestamptz not null default pg_catalog.now(),
  created_by text not null,
  -- Null during the upload of files.
  published_at timestamptz,
  is_active boolean not null default false,
  -- The size of all files; null until the version is published.
  bytes bigint,
  -- By path without a leading slash: the SHA-256 of the file in hexadecimal digits.
  files jsonb not null,
  check (not is_active or published_at is not null)
);
create unique index site_versions_active on ninefold.site_versions (is_active) where is_active;
comment on table ninefold.site_versions is 'Versions of the app’s own front end. Without an active version, the pages for members are served.';

create table ninefold.site_files (
  sha256 text primary key,
  content bytea not null,
  -- Compressed copies; null if they are not smaller.
  br bytea,
  gzip bytea
);
alter table ninefold.site_files alter column content set storage external, alter column br set storage external,
  alter column gzip set storage external;
comment on table ninefold.site_files is 'Files of the app’s own front end by the SHA-256 of their content.';

-- The workers cache the active version, and discard it with the cached settings.
create trigger site_changed after insert or update or delete or truncate on ninefold.site_versions
  for each statement execute function ninefold.tell_settings_changed();
grant select, insert, update, delete on ninefold.site_versions, ninefold.site_files to ninefold_server;
grant select on ninefold.site_versions, ninefold.site_files to pg_database_owner;
-- pg_dump reads the sequence.
grant select on sequence ninefold.site_versions_number_seq to pg_database_owner;
