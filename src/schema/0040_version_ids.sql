-- PostgreSQL keeps the number of an object when its name changes, so the numbers tell a rename from a removal and an addition.

alter table ninefold.versions add column object_ids bytea;
alter table ninefold.versions alter column object_ids set storage external;
comment on column ninefold.versions.object_ids is 'The numbers of the objects that the chapters name, as gzipped JSON; null in a version of an earlier Ninefold.';

-- The name of a member role is its primary key and changes with it.
alter table ninefold.roles add column id bigint not null generated always as identity unique;
comment on column ninefold.roles.id is 'Stays the same when the role is renamed.';
grant select on all sequences in schema ninefold to pg_database_owner;
