-- What a caller may do with one row, for the buttons of the pages for members.

-- True if the policies of a table let the caller run a command on a stored row; null if that cannot be found out. `command` is a value of
-- pg_policy.polcmd: w for UPDATE, d for DELETE. The caller sees the row, so it has passed the policies for SELECT. The path is
-- that of the caller, as for ninefold.passes.
create or replace function ninefold.may_change_row("row" anyelement, entity regclass, command "char") returns boolean
  language plpgsql stable
as $$
declare
  relation name;
  condition text;
begin
  if not pg_catalog.row_security_active(entity::pg_catalog.oid) then
    return true;
  end if;
  select c.relname,
    pg_catalog.format('(%s)', coalesce(pg_catalog.string_agg(p.condition, ' or ') filter (where p.polpermissive), 'false'))
      || coalesce(' and ' || pg_catalog.string_agg(p.condition, ' and ') filter (where not p.polpermissive), '')
  into relation, condition
  from pg_catalog.pg_class c left join lateral (
    select o.polpermissive, '(' || pg_catalog.pg_get_expr(o.polqual, o.polrelid) || ')' as condition
    from pg_catalog.pg_policy o
    where o.polrelid = c.oid and o.polqual is not null and o.polcmd in ('*', may_change_row.command) and exists (
      select from pg_catalog.unnest(o.polroles) r (oid) where case when r.oid = 0 then true else pg_catalog.pg_has_role(r.oid, 'usage') end)
  ) p on true
  where c.oid = may_change_row.entity::pg_catalog.oid
  group by c.relname;
  return ninefold.passes("row", relation, condition);
end
$$;
comment on function ninefold.may_change_row is 'Whether policies let the caller change or delete a row that the caller sees; null if that cannot be found out.';

create or replace function ninefold.row_rights("row" anyelement, entity regclass) returns jsonb
  language plpgsql stable
as $$
begin
  return pg_catalog.jsonb_build_object(
    'update', ninefold.may_change_row("row", entity, 'w'), 'delete', ninefold.may_change_row("row", entity, 'd'));
end
$$;
comment on function ninefold.row_rights is 'Whether policies let the caller change and delete a row that the caller sees.';
