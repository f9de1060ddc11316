import type { ExplainedPolicy } from '../../contract/access.ts';
import { limits } from '../../contract/limits.ts';
import type { Executor } from '../database/database.ts';
import { plannerSettings } from '../database/startup-settings.ts';
import { firstJson } from '../database/statement.ts';
import type { TablePrivilege } from './operations.ts';

/**
 * Privileges of one role on one relation, as PostgreSQL decides them (has_table_privilege, pg_has_role), to explain a
 * single request. The class `Privileges` makes the same decisions for all roles from the catalog facts that Ninefold
 * has read.
 */
export interface RelationAccess {
  /** The role; null if no role has that name. */
  role: { name: string; bypasses: boolean } | null;
  schema_usage: { held: boolean; through: string[] };
  /** The relation, followed by the relations that it reads if it is a view, at any depth. */
  relations: RelationRights[];
}

/** The privileges on one relation that the request uses, and the policies of this relation. */
export interface RelationRights {
  oid: number;
  schema: string;
  name: string;
  kind: 'r' | 'p' | 'v' | 'm' | 'f';
  /** The number of views between the relation of the request and this relation; 0 for the relation of the request. */
  depth: number;
  /** The role whose privileges PostgreSQL checks: the calling role, or the owner of the view above. */
  as_role: string;
  /** True for superusers and roles with BYPASSRLS. */
  bypasses: boolean;
  /** True if `as_role` has the privileges of the relation's owner. */
  owns: boolean;
  security_invoker: boolean;
  row_security: boolean;
  force_row_security: boolean;
  columns: ColumnRights[];
  /** Grants that apply to `as_role`; `column` is null for the whole relation. */
  grants: { privilege: TablePrivilege; grantee: string; column: string | null }[];
  /** Privileges of `as_role` on the whole relation, from any source. */
  privileges: TablePrivilege[];
  /**
   * All policies of the relation. `applies` marks those for `as_role`, for a role that it inherits from, or for PUBLIC.
   * Expressions are printed with an empty search path.
   */
  policies: ExplainedPolicy[];
  /** Operations whose rows an enabled BEFORE trigger may change. */
  changed_by_trigger: ('insert' | 'update')[];
  /** Bits of pg_relation_is_updatable: 4 update, 8 insert, 16 delete. */
  updatable: number;
  /** Operations on a view that an INSTEAD OF trigger or a rule handles. */
  instead: ('insert' | 'update' | 'delete')[];
  /** Columns that the queries of the views above read. PostgreSQL requires SELECT on each of them, or on any column if empty. */
  columns_read: string[];
  /** The parse tree of a view's query; null for other relations. */
  tree: string | null;
  /**
   * True if the query of a view may give other rows to other callers: it calls a function of the app that is not IMMUTABLE, reads a
   * setting, or uses the name of a role.
   */
  depends_on_caller: boolean;
}

/** Privileges on one column. */
export interface ColumnRights {
  name: string;
  privileges: TablePrivilege[];
  number: number;
  /** Default as SQL text; for a generated column its expression. */
  default: string | null;
  generated: boolean;
  identity: boolean;
  /** False for a column of a view that PostgreSQL cannot write through to a table. */
  writable: boolean;
}

/** Privileges of one role on one function. */
export interface RoutineAccess {
  role: RelationAccess['role'];
  schema_usage: RelationAccess['schema_usage'];
  /** Name with the types of its arguments. */
  signature: string;
  execute: { held: boolean; through: string[] };
  security_definer: boolean;
  owner: string;
}

/** Returns an SQL expression: a JSON array of the grantees from which a role has one of the privileges. */
export const grantedVia = (acl: string, role: string, ...privileges: readonly string[]): string =>
  `(select coalesce(json_agg(distinct case g.grantee when 0 then 'PUBLIC' else pg_get_userbyid(g.grantee)::text end), '[]')
    from aclexplode(${acl}) g where g.privilege_type in (${privileges.map((privilege) => `'${privilege}'`).join(', ')})
      and case when g.grantee = 0 then true else pg_has_role(${role}, g.grantee, 'USAGE') end)`;

/** SQL with the role whose name is $2. */
export const roleByName = `select r.oid, r.rolname as name, r.rolsuper or r.rolbypassrls as bypasses
  from pg_catalog.pg_roles r where r.rolname = $2`;

const role = `(select json_build_object('name', me.name, 'bypasses', me.bypasses) from me)`;

const schemaUsage = `json_build_object(
  'held', coalesce((select has_schema_privilege(me.oid, n.oid, 'USAGE') from me), false),
  'through', coalesce((select ${grantedVia(`coalesce(n.nspacl, acldefault('n', n.nspowner))`, 'me.oid', 'USAGE')} from me), '[]'))`;

const invoker = `coalesce((select o.option_value::bool from pg_options_to_table(v.reloptions) o
  where o.option_name = 'security_invoker'), false)`;

const wholeList = `array_remove(array[
  case when has_table_privilege(u.as_role, c.oid, 'SELECT') then 'SELECT' end,
  case when has_table_privilege(u.as_role, c.oid, 'INSERT') then 'INSERT' end,
  case when has_table_privilege(u.as_role, c.oid, 'UPDATE') then 'UPDATE' end,
  case when has_table_privilege(u.as_role, c.oid, 'DELETE') then 'DELETE' end], null)`;

const columnList = `array_remove(array[
  case when has_column_privilege(u.as_role, c.oid, a.attnum, 'SELECT') then 'SELECT' end,
  case when has_column_privilege(u.as_role, c.oid, a.attnum, 'INSERT') then 'INSERT' end,
  case when has_column_privilege(u.as_role, c.oid, a.attnum, 'UPDATE') then 'UPDATE' end], null)`;

const grantsList = `(select coalesce(json_agg(json_build_object('privilege', g.privilege, 'column', g.name, 'grantee',
    case g.grantee when 0 then 'PUBLIC' else pg_get_userbyid(g.grantee)::text end) order by g.privilege, g.name), '[]')
  from (
    select e.privilege_type as privilege, null::name as name, e.grantee
    from aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) e
    union all
    select e.privilege_type, a.attname, e.grantee
    from pg_catalog.pg_attribute a, aclexplode(a.attacl) e
    where a.attrelid = c.oid and a.attacl is not null and not a.attisdropped) g
  where g.privilege in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
    and case when g.grantee = 0 then true else pg_has_role(u.as_role, g.grantee, 'USAGE') end)`;

const columnsList = `(select coalesce(json_agg(json_build_object('name', a.attname, 'number', a.attnum, 'privileges', ${columnList},
    'writable', case when c.relkind = 'v' then pg_column_is_updatable(c.oid, a.attnum, false) else true end,
    'default', pg_get_expr(d.adbin, d.adrelid), 'generated', a.attgenerated <> '', 'identity', a.attidentity <> '')
    order by a.attnum), '[]')
  from pg_catalog.pg_attribute a
  left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)`;

const policiesList = `(select coalesce(json_agg(json_build_object('name', p.polname, 'permissive', p.polpermissive,
    'command', case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete'
      else 'all' end,
    'roles', (select json_agg(case o.oid when 0 then 'PUBLIC' else pg_get_userbyid(o.oid)::text end)
      from unnest(p.polroles) o(oid)),
    'applies', (select bool_or(case when o.oid = 0 then true else pg_has_role(u.as_role, o.oid, 'USAGE') end)
      from unnest(p.polroles) o(oid)),
    'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid))
    order by p.polpermissive desc, p.polname), '[]')
  from pg_catalog.pg_policy p where p.polrelid = c.oid)`;

const triggersList = `(select coalesce(json_agg(distinct e.event), '[]')
  from pg_catalog.pg_trigger g, (values (4, 'insert'), (16, 'update')) e(bit, event)
  where g.tgrelid = c.oid and not g.tgisinternal and g.tgenabled in ('O', 'A') and g.tgtype & 3 = 3
    and g.tgtype & e.bit > 0)`;

const insteadList = `(select coalesce(json_agg(distinct e.event), '[]')
  from (values (4, '3', 'insert'), (16, '2', 'update'), (8, '4', 'delete')) e(bit, rule, event)
  where exists (select from pg_catalog.pg_trigger g where g.tgrelid = c.oid and g.tgtype & 64 > 0 and g.tgtype & e.bit > 0)
    or exists (select from pg_catalog.pg_rewrite r where r.ev_class = c.oid and r.ev_type::text = e.rule and r.is_instead))`;

const columnsRead = `(select coalesce(json_agg(distinct a.attname), '[]')
  from pg_catalog.pg_rewrite r
  join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = r.oid
    and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid = c.oid
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid and a.attnum > 0
  where r.ev_class = any (u.views) and r.ev_type = '1')`;

const dependsOnCaller = `coalesce((select r.ev_action::text ~ '\\{SQLVALUEFUNCTION ' or exists (
    select from regexp_matches(r.ev_action::text, ':funcid (\\d+)', 'g') f join pg_catalog.pg_proc p on p.oid = f[1]::oid
    where p.provolatile <> 'i' and (p.pronamespace <> 'pg_catalog'::regnamespace or p.proname ~ '^(current_setting|(pg_)?has_.*(privilege|role))$'))
  from pg_catalog.pg_rewrite r where r.ev_class = c.oid and r.ev_type = '1' and c.relkind = 'v'), false)`;

/**
 * Parameters: $1 is the oid of the relation, $2 is the name of the role. Below a view with security_invoker, PostgreSQL
 * checks the privileges of the calling role itself.
 */
const relationQuery = `with recursive me as (${roleByName}),
  used(relation, as_role, depth, view) as (
    select $1::oid, me.oid, 0, null::oid from me
    union
    select d.refobjid, case when ${invoker} then me.oid else v.relowner end, u.depth + 1, v.oid
    from used u cross join me
    join pg_catalog.pg_class v on v.oid = u.relation and v.relkind = 'v'
    join pg_catalog.pg_rewrite r on r.ev_class = v.oid and r.ev_type = '1'
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = r.oid
      and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid <> v.oid and d.deptype = 'n'
    join pg_catalog.pg_class c on c.oid = d.refobjid and c.relkind in ('r', 'p', 'v', 'm', 'f')
    where u.depth < ${limits.nestedViews.default})
  select json_build_object('role', ${role}, 'schema_usage',
    (select ${schemaUsage} from pg_catalog.pg_namespace n join pg_catalog.pg_class c on c.relnamespace = n.oid where c.oid = $1::oid),
    'relations', (select coalesce(json_agg(json_build_object(
      'oid', c.oid::int8, 'schema', n.nspname, 'name', c.relname, 'kind', c.relkind, 'depth', u.depth, 'as_role', w.rolname,
      'bypasses', w.rolsuper or w.rolbypassrls, 'owns', pg_has_role(w.oid, c.relowner, 'USAGE'),
      'security_invoker', (select ${invoker} from pg_catalog.pg_class v where v.oid = c.oid),
      'row_security', c.relrowsecurity, 'force_row_security', c.relforcerowsecurity,
      'columns', ${columnsList}, 'grants', ${grantsList}, 'privileges', ${wholeList}, 'policies', ${policiesList},
      'changed_by_trigger', ${triggersList}, 'updatable', pg_relation_is_updatable(c.oid, true), 'instead', ${insteadList},
      'columns_read', ${columnsRead},
      'tree', (select r.ev_action::text from pg_catalog.pg_rewrite r where r.ev_class = c.oid and r.ev_type = '1' and c.relkind = 'v'),
      'depends_on_caller', ${dependsOnCaller})
      order by u.depth, n.nspname, c.relname), '[]')
    from (select relation, as_role, min(depth) as depth, array_agg(view) as views from used group by 1, 2) u join pg_catalog.pg_class c on c.oid = u.relation
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace join pg_catalog.pg_roles w on w.oid = u.as_role))`;

const routineQuery = `with me as (${roleByName})
  select json_build_object('role', ${role}, 'schema_usage', ${schemaUsage},
    'signature', format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)),
    'execute', json_build_object(
      'held', coalesce((select has_function_privilege(me.oid, p.oid, 'EXECUTE') from me), false),
      'through', coalesce((select ${grantedVia(`coalesce(p.proacl, acldefault('f', p.proowner))`, 'me.oid', 'EXECUTE')} from me), '[]')),
    'security_definer', p.prosecdef, 'owner', pg_get_userbyid(p.proowner))
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace where p.oid = $1::oid`;

/**
 * Reads the privileges of a role on a relation. Returns null if the relation does not exist.
 * @throws DatabaseError
 * @throws ConnectionError
 */
export async function readRelationAccess(executor: Executor, oid: number, roleName: string) {
  const found = await readJson<RelationAccess>(executor, relationQuery, [String(oid), roleName]);
  return found?.schema_usage ? found : null;
}

/**
 * Reads the privileges of a role on a function. Returns null if the function does not exist.
 * @throws DatabaseError
 * @throws ConnectionError
 */
export const readRoutineAccess = (executor: Executor, oid: number, roleName: string): Promise<RoutineAccess | null> =>
  readJson<RoutineAccess>(executor, routineQuery, [String(oid), roleName]);

/**
 * Runs a query of one JSON value with an empty search path, so that names are printed with their schema and no object
 * of the app replaces one of PostgreSQL.
 */
export async function readJson<T>(executor: Executor, text: string, params: readonly string[]): Promise<T | null> {
  const results = await executor.run([
    {
      text: `select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true), ${plannerSettings}`,
      params: [],
    },
    { text, params },
  ]);
  const [, found] = results;
  return found ? firstJson<T>(found) : null;
}
