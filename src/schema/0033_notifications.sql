-- Notifications of members about rows: rules that the app's owner defines, triggers that apply them, and the notifications of each member.
--
-- The triggers run in transactions of members and evaluate what the owner defines (casts of rows, policies of tables that they read), so they
-- run with the privileges of their caller. The one function with other privileges, write_notifications, gets only values. The triggers name
-- every function and operator with its schema, because policies may look for their tables in the search path of the caller.

-- Rules ---------------------------------------------------------------------------------------------------------------

create table ninefold.notification_rules (
  entity regclass not null,
  kind text not null constraint notification_rules_kind check (kind in ('appointment', 'mention', 'assignment', 'reference', 'transition')),
  -- The field that decides: the text with mentions, the member, the reference, the state, or the beginning of an appointment.
  field text not null,
  -- Fields with the ids of the members who get the notification. For a reference, they are fields of the referenced row.
  tell text[] not null default '{}' constraint notification_rules_tell check (
    array_position(tell, null) is null and coalesce(array_ndims(tell), 1) = 1 and cardinality(tell) <= 10),
  -- The reference to the row that a mention is about; null for the row itself.
  about text,
  -- Names of transitions; null for every change of the state.
  transitions text[] constraint notification_rules_transitions check (
    array_position(transitions, null) is null and coalesce(array_ndims(transitions), 1) = 1),
  -- Of an appointment: the field with the end, the field with the state, and the states in which it does not take place.
  ends text,
  state text,
  cancelled text[] constraint notification_rules_cancelled check (
    array_position(cancelled, null) is null and coalesce(array_ndims(cancelled), 1) = 1),
  constraint notification_rules_pkey primary key (entity, kind, field)
);
comment on table ninefold.notification_rules is 'Rules that send notifications of changed rows to members. Set by ninefold.notify.';

-- Returns the table whose primary key a field references by itself, and the name of that key; no row without such a reference.
create function ninefold.referenced_by(entity oid, field text, out target oid, out key text)
  language plpgsql stable
  set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
begin
  select c.confrelid, k.attname::text into target, key
  from pg_catalog.pg_constraint c
  join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and c.conkey = array[a.attnum]
  join pg_catalog.pg_index i on i.indrelid = c.confrelid and i.indisprimary and i.indnkeyatts = 1 and i.indkey[0] = c.confkey[1]
  join pg_catalog.pg_attribute k on k.attrelid = c.confrelid and k.attnum = c.confkey[1]
  where c.conrelid = referenced_by.entity and c.contype = 'f' and a.attname = referenced_by.field
  order by c.oid limit 1;
end
$$;

create function ninefold.is_column_of(entity oid, field text, type oid default null) returns boolean
  language sql stable
  set search_path = pg_catalog, pg_temp
return exists (
  select from pg_catalog.pg_attribute a join pg_catalog.pg_type y on y.oid = a.atttypid
  where a.attrelid = is_column_of.entity and a.attname = is_column_of.field and a.attnum > 0 and not a.attisdropped
    and (is_column_of.type is null or is_column_of.type in (y.oid, y.typbasetype)));

-- Returns the reason why a rule cannot work; null if it can.
create function ninefold.notification_problem(rule ninefold.notification_rules) returns text
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
declare
  about text := case rule.kind when 'reference' then rule.field else rule.about end;
  target oid := case when about is null then rule.entity::oid else (ninefold.referenced_by(rule.entity, about)).target end;
  missing text;
begin
  if not ninefold.is_column_of(rule.entity, rule.field) then
    return pg_catalog.format('%s has no field %I', rule.entity, rule.field);
  end if;
  if target is null then
    return pg_catalog.format('the field %I of %s does not refer to the primary key of a table', about, rule.entity);
  end if;
  if not exists (select from pg_catalog.pg_index i where i.indrelid = target and i.indisprimary) then
    return pg_catalog.format('%s has no primary key, which names the row in a notification', target::regclass);
  end if;
  if rule.kind = 'appointment' then
    select named into missing from pg_catalog.unnest(array[rule.field, rule.ends]) named
    where named is not null and not ninefold.is_column_of(rule.entity, named, 'pg_catalog.timestamptz'::regtype) limit 1;
    if found then
      return pg_catalog.format('%s has no field %I of the type timestamptz', rule.entity, missing);
    elsif rule.state is not null and not ninefold.is_column_of(rule.entity, rule.state) then
      return pg_catalog.format('%s has no field %I', rule.entity, rule.state);
    end if;
  end if;
  select named into missing from pg_catalog.unnest(case rule.kind when 'assignment' then array[rule.field] else rule.tell end) named
  where not ninefold.is_column_of(target, named, 'pg_catalog.uuid'::regtype) limit 1;
  if found then
    return pg_catalog.format('%s has no field %I with the id of a member', target::regclass, missing);
  end if;
  return null;
end
$$;
comment on function ninefold.notification_problem is 'Why a rule of notifications cannot work; null if it can.';

-- Requires a table that the caller owns, and whose rows PostgreSQL changes only with the triggers of this table.
create function ninefold.check_notifying_table(entity regclass) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  c pg_catalog.pg_class;
begin
  select * into c from pg_catalog.pg_class x where x.oid = entity;
  if not pg_catalog.pg_has_role(c.relowner, 'usage') then
    raise exception using errcode = 'insufficient_privilege', message = pg_catalog.format('only the owner of %s can define notifications of it', entity);
  end if;
  if c.relkind <> 'r' or c.relispartition or c.relpersistence = 't'
    or not exists (select from pg_catalog.pg_index i where i.indrelid = entity and i.indisprimary) then
    raise exception using errcode = 'feature_not_supported',
      message = pg_catalog.format('%s cannot have notifications: it is no table with a primary key, or it is partitioned or temporary', entity);
  end if;
end
$$;

-- Replaces the triggers of a table by those that its rules need. Their conditions keep the cost of other writes at zero.
create function ninefold.make_notification_triggers(entity regclass) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  made record;
begin
  for made in
    select e.event, pg_catalog.string_agg(e.condition, ' or ' order by r.kind, r.field) as condition
    from ninefold.notification_rules r,
    lateral (values
      ('insert', case r.kind
        when 'mention' then pg_catalog.format('pg_catalog.strpos(%s::text, ''@'') > 0', ninefold.compared(r.entity, r.field, 'new'))
        when 'transition' then null else pg_catalog.format('new.%I is not null', r.field) end),
      ('update', case r.kind
        when 'mention' then pg_catalog.format('(%s and pg_catalog.strpos(%s::text, ''@'') > 0)', ninefold.differs(r.entity, r.field),
          ninefold.compared(r.entity, r.field, 'new'))
        when 'assignment' then pg_catalog.format('(%s and new.%I is not null)', ninefold.differs(r.entity, r.field), r.field)
        when 'appointment' then (
          select pg_catalog.string_agg(ninefold.differs(r.entity, named), ' or ') from pg_catalog.unnest(array[r.field, r.ends, r.state]) named
          where named is not null)
        when 'transition' then ninefold.differs(r.entity, r.field) end)
    ) e (event, condition)
    where r.entity = make_notification_triggers.entity and e.condition is not null
    group by e.event
    union all
    select pg_catalog.substring(g.tgname, 18), null from pg_catalog.pg_trigger g
    where g.tgrelid = make_notification_triggers.entity and g.tgname in ('zz_ninefold_tell_insert', 'zz_ninefold_tell_update')
    order by 2 nulls first
  loop
    if made.condition is null then
      execute pg_catalog.format('drop trigger %I on %s', 'zz_ninefold_tell_' || made.event, entity);
    else
      execute pg_catalog.format('create trigger %I after %s on %s for each row when (%s) execute function ninefold.tell_members()',
        'zz_ninefold_tell_' || made.event, made.event, entity, made.condition);
      -- The trigger fires whatever session_replication_role is.
      execute pg_catalog.format('alter table %s enable always trigger %I', entity, 'zz_ninefold_tell_' || made.event);
    end if;
  end loop;
end
$$;

create function ninefold.notify(
  entity regclass, kind text, field text, tell text[] default null, about text default null, transitions text[] default null,
  ends text default null, cancelled text[] default null) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  rule ninefold.notification_rules;
  problem text;
begin
  -- The state of an appointment is in the first state machine of its table, or in the one that has the states.
  rule := row(entity, kind, field, coalesce(tell, '{}'), about, transitions, ends, case when kind = 'appointment' then (
    select m.field from ninefold.machines m
    where m.entity = notify.entity and cancelled <@ (select pg_catalog.array_agg(t.to_state) from ninefold.transitions t
      where t.entity = m.entity and t.field = m.field) is not false
    order by m.field limit 1) end, cancelled);
  if entity is null or field is null or kind is null
    or kind not in ('appointment', 'mention', 'assignment', 'reference', 'transition') then
    raise exception using errcode = 'invalid_parameter_value',
      message = 'a rule needs a table, its kind (appointment, mention, assignment, reference or transition) and a field',
      hint = $hint$select ninefold.notify('public.tickets', 'transition', 'status', tell => array['customer'], transitions => array['solve']);$hint$;
  end if;
  problem := case
    when (kind in ('appointment', 'reference', 'transition')) <> (rule.tell <> '{}') then
      'tell names the fields with members of an appointment, a reference or a transition, and is left out for a mention or an assignment'
    when (ends is not null or cancelled is not null) and kind <> 'appointment' then 'ends and cancelled belong to an appointment'
    when cancelled is not null and rule.state is null then
      pg_catalog.format('no state machine of %s leads to these states: %s', entity, pg_catalog.array_to_string(cancelled, ', '))
    when about is not null and kind <> 'mention' then 'about belongs to a mention'
    when transitions is not null and kind <> 'transition' then 'transitions belong to the kind transition'
    when kind = 'transition' and not exists (select from ninefold.machines m where m.entity = notify.entity and m.field = notify.field) then
      pg_catalog.format('%s has no state machine on %I', entity, field)
    when kind = 'transition' then (
      select pg_catalog.format('the state machine of %s.%I has no transition %I', entity, field, named) from pg_catalog.unnest(transitions) named
      where not exists (
        select from ninefold.transitions t where t.entity = notify.entity and t.field = notify.field and t.name = named)
      limit 1)
    when kind = 'mention' and not exists (
      select from pg_catalog.pg_attribute a join pg_catalog.pg_type y on y.oid = a.atttypid
      where a.attrelid = entity and a.attname = field and not a.attisdropped and y.typcategory = 'S') then
      pg_catalog.format('%s has no text %I', entity, field)
  end;
  problem := coalesce(problem, ninefold.notification_problem(rule));
  if problem is not null then
    raise exception using errcode = 'invalid_parameter_value', message = problem;
  end if;
  perform ninefold.check_notifying_table(entity);
  insert into ninefold.notification_rules select rule.*
  on conflict on constraint notification_rules_pkey do update set
    tell = excluded.tell, about = excluded.about, transitions = excluded.transitions, ends = excluded.ends, state = excluded.state,
    cancelled = excluded.cancelled;
  perform ninefold.make_notification_triggers(entity);
end
$$;
comment on function ninefold.notify is
  'Defines or replaces a rule of notifications. transition: the members in the fields `tell` hear of these transitions of the state machine on '
  'the field. assignment: a member hears that the field was set to the member. mention: members hear that the text contains @ and their '
  'name; `about` is the reference to the row that the text is about. reference: the members in the fields `tell` of the referenced row hear '
  'of a new row. appointment: the members in the fields `tell` get a mail with a calendar file after each change of the time in the field and in '
  '`ends`, or of the state, also after an own change; in the states `cancelled` it does not take place. Nobody hears of another own change, or '
  'of a row that the member may not read.';

create function ninefold.stop_notifying(entity regclass, kind text, field text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  delete from ninefold.notification_rules r
  where r.entity = stop_notifying.entity and r.kind = stop_notifying.kind and r.field = stop_notifying.field;
  if not found then
    raise exception using errcode = 'undefined_object',
      message = pg_catalog.format('%s has no rule of the kind %s on %I', entity, kind, field);
  end if;
  perform ninefold.make_notification_triggers(entity);
end
$$;
comment on function ninefold.stop_notifying is 'Removes a rule of notifications. Notifications that members already have stay.';

-- Fields and references that a rule uses cannot be dropped or renamed before the rule. The function reads only catalogs, because it runs with
-- the privileges of the role that changes the schema. A rule that the owner wrote by hand must not stop changes by the server.
create function ninefold.keep_notification_rules() returns event_trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  lost record;
begin
  if ninefold.is_superuser_client() then
    return;
  end if;
  select r.entity, r.kind, r.field, ninefold.notification_problem(r) as problem into lost
  from ninefold.notification_rules r join pg_catalog.pg_class c on c.oid = r.entity
  where ninefold.notification_problem(r) is not null limit 1;
  if found then
    raise exception using errcode = 'dependent_objects_still_exist',
      message = pg_catalog.format('a rule of notifications of %s uses what would be dropped or renamed: %s', lost.entity, lost.problem),
      hint = pg_catalog.format('select ninefold.stop_notifying(%L, %L, %L); then define it anew.', lost.entity, lost.kind, lost.field);
  end if;
end
$$;
create event trigger ninefold_notifications_whole on ddl_command_end when tag in ('ALTER TABLE', 'DROP TABLE', 'DROP SCHEMA', 'DROP TYPE')
  execute function ninefold.keep_notification_rules();
alter event trigger ninefold_notifications_whole enable always;

-- Members and notifications -------------------------------------------------------------------------------------------

-- Members who have notifications, or who have made a choice about them.
create table ninefold.notified_members (
  user_id uuid not null references auth.users (id) on delete cascade,
  -- The time zone of the daily mail, as the pages of the member have reported it.
  time_zone text not null default 'UTC' constraint notified_members_time_zone check (length(time_zone) between 1 and 64),
  -- Mails contain it in the address that ends them (RFC 8058).
  unsubscribe_key uuid not null default gen_random_uuid() constraint notified_members_unsubscribe_key unique,
  constraint notified_members_pkey primary key (user_id)
);
alter table ninefold.notified_members owner to ninefold_server;
comment on table ninefold.notified_members is 'Members with notifications, or with choices about them.';

create table ninefold.notification_choices (
  user_id uuid not null references ninefold.notified_members (user_id) on delete cascade,
  kind text not null constraint notification_choices_kind check (kind in ('appointment', 'mention', 'assignment', 'reference', 'transition')),
  in_app boolean not null,
  mail text not null constraint notification_choices_mail check (mail in ('now', 'daily', 'never')),
  constraint notification_choices_pkey primary key (user_id, kind)
);
alter table ninefold.notification_choices owner to ninefold_server;
comment on table ninefold.notification_choices is 'How members want to hear of each kind of notification.';

-- How a member without a choice hears of a kind by mail: of appointments and of what waits for an answer at once, of the rest once a day.
create function ninefold.usual_mail(kind text) returns text
  language sql immutable
  set search_path = pg_catalog, pg_temp
return case when kind in ('appointment', 'mention', 'reference') then 'now' else 'daily' end;

create table ninefold.notifications (
  id bigint generated always as identity,
  user_id uuid not null references ninefold.notified_members (user_id) on delete cascade,
  kind text not null,
  field text not null,
  -- The row that the notification is about, and the row with the text, such as a comment on it. No text of a row is stored here.
  entity regclass not null,
  key jsonb not null,
  part regclass,
  part_key jsonb,
  transition text,
  to_state text,
  -- The member who made the change; null for keys and for SQL without claims.
  actor uuid,
  at timestamptz not null default clock_timestamp(),
  read_at timestamptz,
  -- False for a member who wants the kind by mail only.
  in_app boolean not null,
  -- The time of the mail; null without one, and once it is queued.
  mail_at timestamptz,
  constraint notifications_pkey primary key (id)
);
alter table ninefold.notifications owner to ninefold_server;
comment on table ninefold.notifications is 'Notifications of members about rows. A member sees one while the member may read the row.';
create index notifications_of_member on ninefold.notifications (user_id, id desc);
create index notifications_to_mail on ninefold.notifications (mail_at) where mail_at is not null;
create index notifications_at on ninefold.notifications (at);
-- The pages of members follow the table as they follow lists.
create trigger ninefold_touched after insert or update or delete or truncate on ninefold.notifications
  for each statement execute function ninefold.note_touched();
alter table ninefold.notifications enable always trigger ninefold_touched;

-- Writes notifications. `told` is a list of objects with their fields. A member gets at most one notification of a change.
create function ninefold.write_notifications(told jsonb) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_generic_plan
  set row_security = on
as $$
declare
  caller constant uuid := ninefold.caller();
  stored constant text := pg_catalog.current_setting('ninefold.notified', true);
  counted integer := case when stored ~ '^[0-9]{1,4}$' then stored::integer else 0 end;
  zone text;
  item record;
begin
  if pg_catalog.pg_trigger_depth() = 0 then
    raise exception using errcode = 'insufficient_privilege', message = 'only triggers of rules write notifications';
  end if;
  for item in
    -- Of an own appointment, the member gets the calendar file only.
    select distinct on (t."user") t.*, coalesce(c.in_app, true) and t."user" is distinct from caller as in_app, coalesce(c.mail, ninefold.usual_mail(t.kind)) as mail
    from rows from (pg_catalog.jsonb_to_recordset(told) as (
      "user" uuid, kind text, field text, entity oid, key jsonb, part oid, part_key jsonb, transition text, to_state text)) with ordinality
      as t ("user", kind, field, entity, key, part, part_key, transition, to_state, place)
    left join ninefold.notification_choices c on c.user_id = t."user" and c.kind = t.kind
    where (t."user" is distinct from caller or t.kind = 'appointment') and t."user" is not null
    order by t."user", t.place
  loop
    continue when not item.in_app and item.mail = 'never';
    -- Of a transaction that changes many rows, only the first ones lead to notifications.
    exit when counted >= 1000;
    select m.time_zone into zone from ninefold.notified_members m where m.user_id = item."user" for key share;
    if not found then
      begin
        insert into ninefold.notified_members (user_id) values (item."user") on conflict do nothing;
        zone := 'UTC';
      exception when foreign_key_violation then
        -- The field contains no member.
        continue;
      end;
    end if;
    insert into ninefold.notifications (user_id, kind, field, entity, key, part, part_key, transition, to_state, actor, in_app, mail_at)
    values (item."user", item.kind, item.field, item.entity, item.key, item.part, item.part_key, item.transition, item.to_state, caller, item.in_app,
      case item.mail
        when 'now' then pg_catalog.clock_timestamp() + interval '60 seconds'
        when 'daily' then (pg_catalog.date_trunc('day', (pg_catalog.clock_timestamp() at time zone zone) + interval '6 hours')
          + interval '18 hours') at time zone zone
      end);
    counted := counted + 1;
    -- One of 16 notifications removes those of the member that are too old to be shown. In another isolation level, rows that another
    -- transaction has removed would end this one.
    if pg_catalog.hashint8(pg_catalog.lastval()) & 15 = 0 and pg_catalog.current_setting('transaction_isolation') = 'read committed' then
      delete from ninefold.notifications n where n.id in (
        select o.id from ninefold.notifications o where o.user_id = item."user" order by o.id desc offset 500 for update skip locked);
    end if;
  end loop;
  perform pg_catalog.set_config('ninefold.notified', counted::text, true);
end
$$;
alter function ninefold.write_notifications owner to ninefold_server;
grant execute on function ninefold.write_notifications to public;

-- Names of members and rows -------------------------------------------------------------------------------------------

-- Returns the fields by which a person recognizes a row of a table, as the pages of members choose them (contract/label-fields.ts).
create function ninefold.label_fields(entity oid) returns text[]
  language plpgsql stable
  set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
begin
  return (
  with texts as (
    select a.attname::text as name, pg_catalog.replace(pg_catalog.lower(a.attname), '_', '') as bare, a.attnum as number
    from pg_catalog.pg_attribute a
    where a.attrelid = label_fields.entity and a.attnum > 0 and not a.attisdropped
      and a.atttypid in ('pg_catalog.text'::regtype, 'pg_catalog.varchar'::regtype)
  ),
  person as (
    select pg_catalog.array_agg(found.name order by found.place) as names from (
      (select t.name, 1 as place from texts t where t.bare in ('firstname', 'givenname', 'forename') order by t.number limit 1)
      union all
      (select t.name, 2 from texts t where t.bare in ('lastname', 'familyname', 'surname') order by t.number limit 1)
    ) found
    where not exists (select from texts t where t.bare = 'name')
  ),
  best as (
    select t.name from texts t
    order by pg_catalog.array_position(
        array['name', 'title', 'subject', 'label', 'headline', 'fullname', 'displayname', 'username', 'body', 'message', 'content', 'text'], t.bare) nulls last,
      t.bare !~ '(name|title)$', t.number
    limit 1
  )
  select coalesce((select p.names from person p), array(select b.name from best b)));
end
$$;

-- Returns the condition that finds a row t by its primary key, a jsonb in the parameter $1.
create function ninefold.key_condition(entity oid) returns text
  language sql stable
return (
  select pg_catalog.string_agg(pg_catalog.format('t.%I = ($1 operator(pg_catalog.->>) %L)::%s', a.attname, a.attname,
    pg_catalog.format_type(a.atttypid, a.atttypmod)), ' and ')
  from pg_catalog.pg_index i
  join pg_catalog.pg_attribute a on a.attrelid operator(pg_catalog.=) i.indrelid and a.attnum operator(pg_catalog.=) any (i.indkey)
  where i.indrelid operator(pg_catalog.=) key_condition.entity and i.indisprimary);

-- Returns the label of a row as the caller may read it; null if the caller may not. It does not set the search path, as policies run in it.
create function ninefold.row_label(entity oid, key jsonb) returns text
  language plpgsql stable
as $$
declare
  fields constant text[] := ninefold.label_fields(row_label.entity);
  label text;
begin
  if fields operator(pg_catalog.=) '{}' or exists (
    select from pg_catalog.unnest(fields) named
    where not pg_catalog.has_column_privilege(row_label.entity, named, 'select'))
  then
    return null;
  end if;
  execute pg_catalog.format('select pg_catalog.left(pg_catalog.concat_ws('' '', %s), 300) from %s t where %s',
    (select pg_catalog.string_agg(pg_catalog.format('t.%I', named), ', ') from pg_catalog.unnest(fields) named),
    row_label.entity::pg_catalog.regclass, ninefold.key_condition(row_label.entity)) into label using key;
  return nullif(label, '');
exception when others then
  return null;
end
$$;
comment on function ninefold.row_label is 'The text by which a person recognizes a row, if the caller may read it.';

-- Returns the time and the state of an appointment as the caller may read it, with the name of the first row that it refers to; null if the
-- caller may not. Policies run in the search path of the caller.
create function ninefold.appointment_of(entity oid, field text, key jsonb) returns jsonb
  language plpgsql stable
as $$
declare
  rule ninefold.notification_rules;
  item record;
  found_row jsonb;
  place text;
begin
  select r.* into rule from ninefold.notification_rules r
  where r.entity operator(pg_catalog.=) appointment_of.entity and r.kind operator(pg_catalog.=) 'appointment' and r.field operator(pg_catalog.=) appointment_of.field;
  execute pg_catalog.format('select pg_catalog.to_jsonb(x) from (select %s from %s t where %s) x',
    (select pg_catalog.string_agg(pg_catalog.format('t.%I', a.attname), ', ') from pg_catalog.pg_attribute a
      where a.attrelid operator(pg_catalog.=) appointment_of.entity and a.attnum operator(pg_catalog.>) 0 and not a.attisdropped
        and pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'select')),
    rule.entity, ninefold.key_condition(appointment_of.entity)) into found_row using key;
  for item in
    select c.confrelid as target, k.attname as target_key, a.attname as name
    from pg_catalog.pg_constraint c
    join pg_catalog.pg_attribute a on a.attrelid operator(pg_catalog.=) c.conrelid and c.conkey operator(pg_catalog.=) array[a.attnum]
    join pg_catalog.pg_attribute k on k.attrelid operator(pg_catalog.=) c.confrelid and c.confkey operator(pg_catalog.=) array[k.attnum]
    where c.conrelid operator(pg_catalog.=) appointment_of.entity and c.contype operator(pg_catalog.=) 'f'
      and c.confrelid operator(pg_catalog.<>) 'auth.users'::pg_catalog.regclass and a.attname operator(pg_catalog.<>) all (rule.tell::name[])
    order by a.attnum
  loop
    place := ninefold.row_label(item.target, pg_catalog.jsonb_build_object(item.target_key, found_row operator(pg_catalog.->) item.name::text));
    exit when place is not null;
  end loop;
  return pg_catalog.jsonb_build_object(
    'begins', found_row operator(pg_catalog.->) rule.field, 'ends', found_row operator(pg_catalog.->) rule.ends,
    'state', found_row operator(pg_catalog.->) rule.state, 'state_field', rule.state, 'place', place,
    'cancelled', coalesce((found_row operator(pg_catalog.->>) rule.state) operator(pg_catalog.=) any (rule.cancelled), false));
exception when others then
  return null;
end
$$;
comment on function ninefold.appointment_of is 'The time and the state of an appointment, if the caller may read it.';

-- Returns the tables with one row for each member: their key, or what it refers to, is the id of an account. The caller may read the fields.
create function ninefold.people() returns table (relation oid, key text, fields text[])
  language plpgsql stable
  set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
  with recursive keyed as (
    select c.conrelid, c.confrelid, a.attname::text as name, a.attnum
    from pg_catalog.pg_constraint c
    join pg_catalog.pg_index i on i.indrelid = c.conrelid and i.indisprimary and i.indnkeyatts = 1 and i.indkey[0] = c.conkey[1]
    join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1] and a.atttypid = 'pg_catalog.uuid'::regtype
    where c.contype = 'f' and pg_catalog.cardinality(c.conkey) = 1
  ),
  found as (
    select k.conrelid, k.name, k.attnum, 1 as depth from keyed k where k.confrelid = 'auth.users'::regclass
    union
    select k.conrelid, k.name, k.attnum, f.depth + 1 from found f join keyed k on k.confrelid = f.conrelid where f.depth < 4
  )
  select distinct c.oid, f.name, l.names
  from found f join pg_catalog.pg_class c on c.oid = f.conrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace, lateral ninefold.label_fields(c.oid) l (names)
  where n.nspname not in ('auth', 'ninefold') and l.names <> '{}'
    and pg_catalog.has_schema_privilege(n.oid, 'usage') and pg_catalog.has_column_privilege(c.oid, f.attnum, 'select') and not exists (
      select from pg_catalog.unnest(l.names) named where not pg_catalog.has_column_privilege(c.oid, named, 'select'));
end
$$;

-- Returns the name of a member as the caller may read it; null if the caller may not.
create function ninefold.member_name(member uuid) returns text
  language plpgsql stable
as $$
declare
  item record;
  label text;
begin
  for item in select p.relation, p.key from ninefold.people() p order by p.relation loop
    label := ninefold.row_label(item.relation, pg_catalog.jsonb_build_object(item.key, member));
    exit when label is not null;
  end loop;
  return label;
end
$$;
comment on function ninefold.member_name is 'The name of a member, from the table of the app with one row for each member.';

-- Returns the members whose names follow an @ in a text, among those whose names the caller may read: every whole name, or else the first
-- word of a name that only one member has. Upper and lower case are the same. A member with the name "Gus please" takes no mention of Gus.
create function ninefold.mentioned(body text) returns uuid[]
  language plpgsql stable
  set plan_cache_mode = force_generic_plan
as $$
declare
  -- For each mention, the first words after the @, from one to four of them.
  mentions jsonb := '[]';
  names text[] := '{}';
  known jsonb := '[]';
  item record;
  part jsonb;
  result uuid[] := '{}';
begin
  -- The words of a name end with the line. What closes a sentence belongs to no name.
  for item in
    select pg_catalog.array_agg(pg_catalog.lower(pg_catalog.regexp_replace(words.text, '[[:punct:]،؛؟»”’…]+$', '')) order by n) as texts
    from (
      -- An @ within a word belongs to an address.
      select m.place, pg_catalog.regexp_split_to_array((pg_catalog.regexp_match(m.after, '^[[:alnum:]][^\n\r]{0,80}'))[1], '[[:space:]]+') as all_words
      from (
        select p.place, p.after, pg_catalog.lag(p.after) over (order by p.place) as before
        from pg_catalog.unnest(pg_catalog.string_to_array(pg_catalog.left(mentioned.body, 100000), '@')) with ordinality as p (after, place)
      ) m
      where m.before operator(pg_catalog.!~) '[[:alnum:]_.-]$' and m.after operator(pg_catalog.~) '^[[:alnum:]]'
      order by m.place limit 10
    ) s, pg_catalog.generate_series(1, 4) n,
    lateral (select pg_catalog.array_to_string(s.all_words[1:n], ' ') as text) words
    where n operator(pg_catalog.<=) pg_catalog.cardinality(s.all_words)
    group by s.place order by s.place
  loop
    mentions := mentions operator(pg_catalog.||) pg_catalog.jsonb_build_array(pg_catalog.to_jsonb(item.texts));
    names := names operator(pg_catalog.||) item.texts;
  end loop;
  if names operator(pg_catalog.=) '{}' then
    return result;
  end if;
  for item in select p.relation, p.key, p.fields from ninefold.people() p loop
    execute pg_catalog.format(
      'select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_array(f.id, f.name)), ''[]'') from (
        select x.id, x.name from (select t.%I as id, pg_catalog.lower(pg_catalog.concat_ws('' '', %s)) as name from %s t) x
        where x.name operator(pg_catalog.=) any ($1) or pg_catalog.split_part(x.name, '' '', 1) operator(pg_catalog.=) any ($1) limit 100) f',
      item.key, (select pg_catalog.string_agg(pg_catalog.format('t.%I', named), ', ') from pg_catalog.unnest(item.fields) named),
      item.relation::pg_catalog.regclass) into part using names;
    known := known operator(pg_catalog.||) part;
  end loop;
  for item in select m.value from pg_catalog.jsonb_array_elements(mentions) m loop
    result := result operator(pg_catalog.||) coalesce(
      (select pg_catalog.array_agg(distinct (k.value operator(pg_catalog.->>) 0)::pg_catalog.uuid)
        from pg_catalog.jsonb_array_elements(known) k where item.value operator(pg_catalog.?) (k.value operator(pg_catalog.->>) 1)),
      (select pg_catalog.array_agg(distinct (k.value operator(pg_catalog.->>) 0)::pg_catalog.uuid)
        from pg_catalog.jsonb_array_elements(known) k
        where pg_catalog.split_part(k.value operator(pg_catalog.->>) 1, ' ', 1) operator(pg_catalog.=) (item.value operator(pg_catalog.->>) 0)
        having pg_catalog.count(distinct k.value operator(pg_catalog.->>) 0) operator(pg_catalog.=) 1),
      '{}');
  end loop;
  return result[1:10];
end
$$;
comment on function ninefold.mentioned is 'The members whose names follow an @ in a text, as far as the caller may read their names.';

-- Following the rules -------------------------------------------------------------------------------------------------

-- Returns the members in fields of the referenced row, as far as the caller may read them.
create function ninefold.members_in(entity oid, key text, value text, fields text[]) returns uuid[]
  language plpgsql stable
as $$
declare
  result uuid[];
begin
  if not pg_catalog.has_column_privilege(members_in.entity, key, 'select') or exists (
    select from pg_catalog.unnest(fields) named where not pg_catalog.has_column_privilege(members_in.entity, named, 'select'))
  then
    return null;
  end if;
  execute pg_catalog.format('select array[%s]::pg_catalog.uuid[] from %s t where t.%I = ($1)::%s',
    (select pg_catalog.string_agg(pg_catalog.format('t.%I', named), ', ') from pg_catalog.unnest(fields) named), members_in.entity::pg_catalog.regclass, key,
    (select pg_catalog.format_type(a.atttypid, a.atttypmod) from pg_catalog.pg_attribute a
      where a.attrelid operator(pg_catalog.=) members_in.entity and a.attname operator(pg_catalog.=) key))
    into result using value;
  return result;
end
$$;

create function ninefold.tell_members() returns trigger
  language plpgsql
as $$
declare
  becomes constant jsonb := pg_catalog.to_jsonb(new);
  was jsonb;
  own_key jsonb;
  rule ninefold.notification_rules;
  about text;
  target oid;
  target_key text;
  taken text;
  members uuid[];
  told jsonb := '[]';
begin
  if tg_op operator(pg_catalog.=) 'UPDATE' then
    was := pg_catalog.to_jsonb(old);
  end if;
  for rule in
    select r.* from ninefold.notification_rules r where r.entity operator(pg_catalog.=) tg_relid
    order by pg_catalog.array_position(array['appointment', 'mention', 'assignment', 'reference', 'transition'], r.kind), r.field
  loop
    continue when becomes operator(pg_catalog.->>) rule.field is null
      or was is not null and not exists (
        select from pg_catalog.unnest(array[rule.field, rule.ends, rule.state]) named
        where was operator(pg_catalog.->) named operator(pg_catalog.<>) (becomes operator(pg_catalog.->) named))
      or rule.kind operator(pg_catalog.=) 'transition' and was is null or rule.kind operator(pg_catalog.=) 'reference' and was is not null;
    about := case rule.kind when 'reference' then rule.field else rule.about end;
    continue when about is not null and becomes operator(pg_catalog.->>) about is null;
    target := null;
    if about is not null then
      select r.target, r.key into target, target_key from ninefold.referenced_by(tg_relid, about) r;
      continue when target is null;
    end if;
    taken := null;
    if rule.kind operator(pg_catalog.=) 'mention' then
      members := ninefold.mentioned(becomes operator(pg_catalog.->>) rule.field);
      if was is not null then
        members := array(select pg_catalog.unnest(members) except
          select pg_catalog.unnest(ninefold.mentioned(was operator(pg_catalog.->>) rule.field)));
      end if;
    elsif rule.kind operator(pg_catalog.=) 'reference' then
      members := ninefold.members_in(target, target_key, becomes operator(pg_catalog.->>) rule.field, rule.tell);
    elsif rule.kind operator(pg_catalog.=) 'assignment' then
      members := array[(becomes operator(pg_catalog.->>) rule.field)::pg_catalog.uuid];
    elsif rule.kind operator(pg_catalog.=) 'appointment' then
      members := array(select (becomes operator(pg_catalog.->>) named)::pg_catalog.uuid from pg_catalog.unnest(rule.tell) named);
    else
      -- The trigger that judged the change has recorded which of several transitions it was.
      select t.name into taken from ninefold.transitions t
      where t.entity operator(pg_catalog.=) tg_relid and t.field operator(pg_catalog.=) rule.field
        and t.to_state operator(pg_catalog.=) (becomes operator(pg_catalog.->>) rule.field)
        and (t.from_states is null or was operator(pg_catalog.->>) rule.field operator(pg_catalog.=) any (t.from_states))
      order by t.name operator(pg_catalog.=) pg_catalog.current_setting('ninefold.transition', true) desc nulls last, t.position limit 1;
      continue when rule.transitions is not null and (taken operator(pg_catalog.=) any (rule.transitions)) is not true;
      members := array(select (becomes operator(pg_catalog.->>) named)::pg_catalog.uuid from pg_catalog.unnest(rule.tell) named);
    end if;
    own_key := coalesce(own_key, ninefold.key_of(tg_relid, becomes));
    told := told operator(pg_catalog.||) coalesce((
      select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'user', member, 'kind', rule.kind, 'field', rule.field, 'transition', taken,
        'to_state', case when rule.kind operator(pg_catalog.=) 'transition' then becomes operator(pg_catalog.->>) rule.field end,
        'entity', coalesce(target, tg_relid),
        'key', case when about is null then own_key
          else pg_catalog.jsonb_build_object(target_key, becomes operator(pg_catalog.->) about) end,
        'part', case when about is not null then tg_relid end, 'part_key', case when about is not null then own_key end))
      from pg_catalog.unnest(members) member where member is not null), '[]');
  end loop;
  if told operator(pg_catalog.<>) '[]' then
    perform ninefold.write_notifications(told);
  end if;
  return null;
end
$$;
comment on function ninefold.tell_members is 'After a write that a rule of notifications is about: tells the members.';

-- Reading -------------------------------------------------------------------------------------------------------------

-- True if the caller may read the rows of a notification. A policy that fails hides the row. Policies run in the search path of the caller.
create function ninefold.may_be_told(entity regclass, key jsonb, part regclass, part_key jsonb) returns boolean
  language plpgsql stable
as $$
begin
  return ninefold.sees_row(entity, key) and (part is null or ninefold.sees_row(part, part_key));
exception when others then
  return false;
end
$$;

create function ninefold.may_read_field(entity regclass, field text) returns boolean
  language sql stable
return exists (
  select from pg_catalog.pg_attribute a
  where a.attrelid operator(pg_catalog.=) may_read_field.entity::pg_catalog.oid and a.attname operator(pg_catalog.=) may_read_field.field::pg_catalog.name
    and a.attnum operator(pg_catalog.>) 0 and pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'select'));
comment on function ninefold.may_read_field is 'Whether the caller has the privilege to read a field.';

-- The notification of a transition contains the state, so the member needs the privilege to read the field.
alter table ninefold.notifications enable row level security;
create policy own_of_readable_rows on ninefold.notifications for select using (
  user_id = ninefold.caller() and (to_state is null or ninefold.may_read_field(entity, field))
  and ninefold.may_be_told(entity, key, part, part_key));
create policy app_owner on ninefold.notifications for select to pg_database_owner using (true);
create policy server on ninefold.notifications to ninefold_server using (true) with check (true);

-- Returns the notifications of the caller that a mail is due for, with the words of their rows, the oldest first. The mail of an appointment
-- contains the calendar file, so the member needs it also after reading the notification.
create function ninefold.notifications_to_mail(max integer) returns jsonb
  language plpgsql stable
as $$
begin
  return (
    select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
      'id', n.id::pg_catalog.text, 'kind', n.kind, 'who', ninefold.member_name(n.actor), 'title', ninefold.row_label(n.entity, n.key),
      'quote', case when n.part is not null then ninefold.row_label(n.part, n.part_key) end, 'state', n.to_state,
      'appointment', n.appointment, 'entity', n.entity::pg_catalog.text, 'key', n.key,
      'states', (
        select pg_catalog.jsonb_object_agg(l.language, l.label) from ninefold.labels l
        where l.kind operator(pg_catalog.=) 'entity' and l.subject operator(pg_catalog.=) (n.entity)::pg_catalog.text
          and l.field operator(pg_catalog.=) coalesce(n.appointment operator(pg_catalog.->>) 'state_field', n.field)
          and l.value operator(pg_catalog.=) coalesce(n.appointment operator(pg_catalog.->>) 'state', n.to_state)
          and l.transition operator(pg_catalog.=) '')
      ) order by n.id)
    from (
      select o.*, case when o.kind operator(pg_catalog.=) 'appointment' then ninefold.appointment_of(o.entity, o.field, o.key) end as appointment
      from ninefold.notifications o
      where o.user_id operator(pg_catalog.=) ninefold.caller() and o.mail_at operator(pg_catalog.<=) pg_catalog.clock_timestamp()
        and (o.read_at is null or o.kind operator(pg_catalog.=) 'appointment')
      order by o.id limit max
    ) n
  );
end
$$;

-- Privileges ----------------------------------------------------------------------------------------------------------

create function ninefold.forget_notifications_of_dropped() returns event_trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set row_security = on
as $$
begin
  delete from ninefold.notification_rules r using pg_catalog.pg_event_trigger_dropped_objects() o
  where o.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and o.objsubid = 0 and o.objid = r.entity;
  delete from ninefold.notifications n using pg_catalog.pg_event_trigger_dropped_objects() o
  where o.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and o.objsubid = 0 and o.object_type = 'table' and o.objid in (n.entity, n.part);
end
$$;
alter function ninefold.forget_notifications_of_dropped() owner to ninefold_server;
create event trigger ninefold_notifications_dropped on sql_drop execute function ninefold.forget_notifications_of_dropped();
alter event trigger ninefold_notifications_dropped enable always;

-- A worker derives the specification as the app's login role, which has no privileges of its own.
grant select on ninefold.notification_rules, ninefold.notifications to public;
grant insert, update, delete on ninefold.notification_rules to pg_database_owner;
grant delete on ninefold.notification_rules to ninefold_server;
grant select on ninefold.notified_members, ninefold.notification_choices to pg_database_owner;
-- pg_dump reads the sequence.
grant select on sequence ninefold.notifications_id_seq to pg_database_owner;

revoke execute on function
  ninefold.notify, ninefold.stop_notifying, ninefold.check_notifying_table, ninefold.make_notification_triggers, ninefold.tell_members,
  ninefold.keep_notification_rules, ninefold.forget_notifications_of_dropped
from public;
grant execute on function
  ninefold.notify, ninefold.stop_notifying, ninefold.check_notifying_table, ninefold.make_notification_triggers, ninefold.tell_members
to pg_database_owner;

create trigger definition_told after insert or update or delete or truncate on ninefold.notification_rules
  for each statement execute function ninefold.tell_definition_changed();
create trigger definition_noted after insert or update or delete on ninefold.notification_rules
  for each statement when (current_user <> 'ninefold_server') execute function ninefold.note_definition_change();
alter table ninefold.notification_rules enable always trigger definition_told, enable always trigger definition_noted;
