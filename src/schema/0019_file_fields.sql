-- Fields that hold files: a text with the path of one object of a bucket, or a text[] with the paths of several. Pages show such a field with
-- upload, preview and download. PostgreSQL has no place for this fact, so functions that a migration can call set it, as in 0012_screens.sql.

create table ninefold.file_fields (
  entity regclass,
  -- The name serves pg_dump. The number identifies the column in this database, also after the column is renamed.
  field text,
  number smallint not null,
  bucket text not null constraint file_fields_bucket check (length(bucket) between 1 and 100),
  -- Content types, such as image/png or image/*. Null: those that the bucket allows.
  types text[] constraint file_fields_types check (
    array_position(types, null) is null and coalesce(array_ndims(types), 1) = 1 and coalesce(cardinality(types), 1) between 1 and 50
    and array_to_string(types, E'\n') ~ '^([a-z0-9][a-z0-9.+-]*/([a-z0-9][a-z0-9.+-]*|[*])(\n|$))+$'),
  max_bytes bigint constraint file_fields_max_bytes check (max_bytes > 0),
  -- The folder of a new file. Null: {user}/{table}/{uuid}.
  folder text constraint file_fields_folder check (
    length(folder) <= 200 and folder !~ '(^|/)[.]{0,2}(/|$)'
    and regexp_replace(folder, '[{](user|table|id|uuid)[}]', 'x', 'g') !~ '[{}[:cntrl:]]'),
  constraint file_fields_pkey primary key (entity, field)
);
comment on table ninefold.file_fields is 'Fields that hold paths of files. Set by ninefold.file_field.';

-- Finds the number of a column, also of rows that pg_restore inserts.
create function ninefold.number_file_field() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  select a.attnum into new.number from pg_catalog.pg_attribute a
  where a.attrelid = new.entity and a.attname = new.field and a.attnum > 0 and not a.attisdropped;
  if not found then
    raise exception using errcode = 'undefined_column', message = pg_catalog.format('%s has no column %I', new.entity, new.field);
  end if;
  return new;
end
$$;
create trigger number_file_field before insert on ninefold.file_fields
  for each row execute function ninefold.number_file_field();
alter table ninefold.file_fields enable always trigger number_file_field;

create function ninefold.remove_file_field(entity regclass, field text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  delete from ninefold.file_fields f where f.entity = remove_file_field.entity and f.field = remove_file_field.field;
  if not found then
    raise exception using errcode = 'undefined_object',
      message = pg_catalog.format('%I of %s is no file field', remove_file_field.field, remove_file_field.entity),
      hint = 'If the comment on the column begins with @files, change the comment.';
  end if;
end
$$;
comment on function ninefold.remove_file_field is
  'Pages show the paths of the field as text from now on. The files and their bucket stay.';

create function ninefold.file_field(
  entity regclass, field text, bucket text, types text[] default null, max_bytes bigint default null, folder text default null
) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  base oid;
begin
  if file_field.bucket is null then
    perform ninefold.remove_file_field(file_field.entity, file_field.field);
    return;
  end if;
  with recursive types_of (oid, kind, next) as (
    select t.oid, t.typtype, t.typbasetype from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
    where a.attrelid = file_field.entity and a.attname = file_field.field and a.attnum > 0 and not a.attisdropped
    union all
    select t.oid, t.typtype, t.typbasetype from types_of o join pg_catalog.pg_type t on t.oid = o.next where o.kind = 'd'
  )
  select o.oid into base from types_of o where o.kind <> 'd';
  if base is null then
    raise exception using errcode = 'undefined_column',
      message = pg_catalog.format('%s has no column %I', file_field.entity, file_field.field);
  end if;
  if base <> all ('{text,varchar,text[],varchar[]}'::pg_catalog.regtype[]) then
    raise exception using errcode = 'datatype_mismatch',
      message = pg_catalog.format('%I of %s is %s', file_field.field, file_field.entity, pg_catalog.format_type(base, null)),
      hint = 'A file field is a text with one path, or a text[] with several.';
  end if;
  insert into ninefold.file_fields as f (entity, field, bucket, types, max_bytes, folder)
  values (
    file_field.entity, file_field.field, file_field.bucket,
    (select pg_catalog.array_agg(pg_catalog.lower(pg_catalog.btrim(named)) order by nth)
      from pg_catalog.unnest(file_field.types) with ordinality as listed (named, nth)),
    file_field.max_bytes, nullif(pg_catalog.btrim(file_field.folder, ' /'), '')
  )
  on conflict on constraint file_fields_pkey do update set
    bucket = excluded.bucket, types = excluded.types, max_bytes = excluded.max_bytes, folder = excluded.folder;
  -- A schema storage that is not Ninefold's has its own rules for buckets.
  if exists (
    select from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.oid = c.relowner
    where c.oid = pg_catalog.to_regclass('storage.buckets') and c.relkind = 'r' and r.rolname = 'pg_database_owner'
  ) then
    insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
    values (
      file_field.bucket, file_field.bucket, false, file_field.max_bytes,
      (select f.types from ninefold.file_fields f where f.entity = file_field.entity and f.field = file_field.field)
    )
    on conflict do nothing;
  end if;
end
$$;
comment on function ninefold.file_field is
  'The field holds files of a bucket: a text has the path of one file, a text[] those of several. types (image/png, image/*) and max_bytes '
  'limit what the pages accept. A bucket that does not exist is created: it is private and has the same limits. folder is the folder of a new '
  'file; {user}, {table}, {id} and {uuid} stand for the member, the table, the key of the row and a random id. Without folder, it is '
  '{user}/{table}/{uuid}. The bucket null removes the file field.';

-- Follows columns that are renamed or dropped ---------------------------------------------------------------------------

create function ninefold.follow_file_fields() returns event_trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set row_security = on
as $$
begin
  delete from ninefold.file_fields f where not exists (
    select from pg_catalog.pg_attribute a where a.attrelid = f.entity and a.attnum = f.number and not a.attisdropped);
  update ninefold.file_fields f set field = a.attname from pg_catalog.pg_attribute a
  where a.attrelid = f.entity and a.attnum = f.number and a.attname <> f.field;
end
$$;
alter function ninefold.follow_file_fields() owner to ninefold_server;
create event trigger ninefold_file_fields_followed on ddl_command_end when tag in (
  'ALTER TABLE', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER FOREIGN TABLE', 'DROP TABLE', 'DROP VIEW', 'DROP MATERIALIZED VIEW',
  'DROP FOREIGN TABLE', 'DROP SCHEMA', 'DROP EXTENSION', 'DROP OWNED', 'DROP TYPE', 'DROP DOMAIN', 'DROP FUNCTION')
  execute function ninefold.follow_file_fields();
alter event trigger ninefold_file_fields_followed enable always;

-- Privileges and notifications ------------------------------------------------------------------------------------------

grant select on ninefold.file_fields to public;
grant insert, update, delete on ninefold.file_fields to pg_database_owner, ninefold_server;
revoke execute on function ninefold.file_field, ninefold.remove_file_field, ninefold.number_file_field, ninefold.follow_file_fields from public;
grant execute on function ninefold.file_field, ninefold.remove_file_field to pg_database_owner;

create trigger definition_told after insert or update or delete or truncate on ninefold.file_fields
  for each statement execute function ninefold.tell_definition_changed();
create trigger definition_noted after insert or update or delete on ninefold.file_fields
  for each statement when (current_user <> 'ninefold_server') execute function ninefold.note_definition_change();
alter table ninefold.file_fields enable always trigger definition_told, enable always trigger definition_noted;
