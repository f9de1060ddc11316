-- The app's own front end: versions of a static build, which the server serves on the app's origin. Only the server writes these tables.

create table ninefold.site_versions (
  id uuid primary key default pg_catalog.gen_random_uuid(),
  number integer generated always as identity,
  created_at timestamptz not null default pg_catalog.now(),
  created_by text not null,
  -- Null while files are being uploaded.
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
  -- Compressed copies; null where they would save nothing.
  br bytea,
  gzip bytea
);
alter table ninefold.site_files alter column content set storage external, alter column br set storage external,
  alter column gzip set storage external;
comment on table ninefold.site_files is 'Files of the app’s own front end by the SHA-256 of their content.';

-- The workers cache which version is active, and drop the cache as they do for settings.
create trigger site_changed after insert or update or delete or truncate on ninefold.site_versions
  for each statement execute function ninefold.tell_settings_changed();

grant select, insert, update, delete on ninefold.site_versions, ninefold.site_files to ninefold_server;
grant select on ninefold.site_versions, ninefold.site_files to pg_database_owner;
-- For pg_dump.
grant select on sequence ninefold.site_versions_number_seq to pg_database_owner;
