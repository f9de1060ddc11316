-- Migrations of Supabase projects may create roles. Roles belong to all apps of the server, so CREATE ROLE only stores the name here.
-- What later statements grant to such a role is left out.
create table ninefold.skipped_roles (
  name text primary key
);
comment on table ninefold.skipped_roles is 'The roles whose CREATE ROLE was skipped. Grants to them are left out.';
grant select, insert, delete on ninefold.skipped_roles to pg_database_owner;
