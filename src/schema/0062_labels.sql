-- Labels of the pages for members in several languages.

create table ninefold.labels (
  language text not null constraint labels_language check (length(language) <= 35 and language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$'),
  kind text not null constraint labels_kind check (kind in ('entity', 'screen', 'role', 'action')),
  -- Qualified name of an entity or a function, the route of a screen, or a role. A label outlives the object.
  subject text not null constraint labels_subject check (length(subject) between 1 and 400),
  field text not null default '',
  -- A value of the field: of an enum, a check list, or a state.
  value text not null default '',
  transition text not null default '',
  label text not null constraint labels_label check (length(label) between 1 and 200),
  -- Of an entity: the label of one row.
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
  set search_path = ''
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

revoke execute on function ninefold.label from public;
grant execute on function ninefold.label to pg_database_owner;
grant select on ninefold.labels to public;
grant insert, update, delete on ninefold.labels to pg_database_owner;

create trigger definition_told after insert or update or delete or truncate on ninefold.labels
  for each statement execute function ninefold.tell_definition_changed();
create trigger definition_noted after insert or update or delete on ninefold.labels
  for each statement when (current_user <> 'ninefold_server') execute function ninefold.note_definition_change();
