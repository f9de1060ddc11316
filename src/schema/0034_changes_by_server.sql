-- The owner can write machines by hand that no function would accept. They must not stop the server when it changes its own tables.

create or replace function ninefold.keep_machines_whole() returns event_trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  lost record;
begin
  if ninefold.is_superuser_client() then
    return;
  end if;
  select m.entity, m.field, used.name into lost
  from ninefold.machines m
  join pg_catalog.pg_class c on c.oid = m.entity,
  lateral (
    select m.field as name
    union
    select pg_catalog.unnest(t.requires || t.sets) from ninefold.transitions t where t.entity = m.entity and t.field = m.field
  ) used
  where not exists (
    select from pg_catalog.pg_attribute a where a.attrelid = m.entity and a.attname = used.name and a.attnum > 0 and not a.attisdropped)
  limit 1;
  if found then
    raise exception using errcode = 'dependent_objects_still_exist',
      message = pg_catalog.format('the state machine of %s.%I uses the column %I', lost.entity, lost.field, lost.name),
      hint = pg_catalog.format('select ninefold.drop_machine(%L, %L); then define it anew.', lost.entity, lost.field);
  end if;
  select m.entity, m.field, used.state as name into lost
  from ninefold.machines m
  join pg_catalog.pg_attribute a on a.attrelid = m.entity and a.attname = m.field and not a.attisdropped
  join pg_catalog.pg_type y on y.oid = a.atttypid and y.typtype = 'e',
  lateral (
    select m.initial as state
    union
    select pg_catalog.unnest(t.from_states || t.to_state) from ninefold.transitions t where t.entity = m.entity and t.field = m.field
  ) used
  where not exists (select from pg_catalog.pg_enum e where e.enumtypid = y.oid and e.enumlabel = used.state)
  limit 1;
  if found then
    raise exception using errcode = 'dependent_objects_still_exist',
      message = pg_catalog.format('the state machine of %s.%I has the state %s', lost.entity, lost.field, lost.name),
      hint = pg_catalog.format('select ninefold.drop_machine(%L, %L); then define it anew.', lost.entity, lost.field);
  end if;
  select t.entity, t.field, t.name into lost from ninefold.transitions t, lateral (values (t.guard), (t.setter)) f (name)
  where not exists (
    select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'ninefold_states' and p.proname = f.name)
    and f.name is not null
  limit 1;
  if found then
    raise exception using errcode = 'dependent_objects_still_exist',
      message = pg_catalog.format('the transition %s of the state machine of %s.%I uses what would be dropped', lost.name, lost.entity, lost.field),
      hint = pg_catalog.format('select ninefold.drop_machine(%L, %L); then define it anew.', lost.entity, lost.field);
  end if;
  select m.entity, m.field into lost from ninefold.machines m join pg_catalog.pg_class c on c.oid = m.entity
  where ninefold.key_fields(m.entity) is distinct from m.key limit 1;
  if found then
    raise exception using errcode = 'dependent_objects_still_exist',
      message = pg_catalog.format('the state machine of %s.%I needs the primary key of its table as it is', lost.entity, lost.field),
      hint = pg_catalog.format('Passages are recorded by it. select ninefold.drop_machine(%L, %L); then define it anew.', lost.entity, lost.field);
  end if;
end
$$;
