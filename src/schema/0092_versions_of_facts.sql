-- A version stores the facts of which its specification is derived. The numbers of the objects are among the facts.

alter table ninefold.versions rename column chapters to facts;
alter table ninefold.versions drop column object_ids;
comment on column ninefold.versions.facts is 'The facts of which the specification is derived, as gzipped JSON after a line with their format.';
