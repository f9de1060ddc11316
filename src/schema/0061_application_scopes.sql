-- The scopes that an application may ask for (RFC 7591, section 2); null: all scopes that the app supports.
-- Some databases lack the table (0015_supabase_projects.sql).
alter table if exists auth.oauth_clients add column if not exists scope text;
