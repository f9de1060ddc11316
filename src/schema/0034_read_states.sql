-- A notification of a transition contains the state, so a member needs the privilege to read the field.

create or replace function ninefold.may_read_field(entity regclass, field text) returns boolean
  language sql stable
return exists (
  select from pg_catalog.pg_attribute a
  where a.attrelid operator(pg_catalog.=) may_read_field.entity::pg_catalog.oid and a.attname operator(pg_catalog.=) may_read_field.field::pg_catalog.name
    and a.attnum operator(pg_catalog.>) 0 and pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'select'));
comment on function ninefold.may_read_field is 'Whether the caller has the privilege to read a field.';

alter policy own_of_readable_rows on ninefold.notifications using (
  user_id = ninefold.caller() and (to_state is null or ninefold.may_read_field(entity, field))
  and ninefold.may_be_told(entity, key, part, part_key));
