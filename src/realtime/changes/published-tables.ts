import type { App } from '../../apps/app.ts';
import { runAsServerRole } from '../../apps/run-as-server-role.ts';
import { firstJson } from '../../database/statement.ts';

/** A column of a published table. */
export interface PublishedColumn {
  readonly name: string;
  /** Value of pg_type.typname. */
  readonly type: string;
  /** The type in SQL, with its schema and modifier. */
  readonly sqlType: string;
  /** Schema of the type, which also contains its operators. */
  readonly typeSchema: string;
  readonly isKey: boolean;
  /** True for a column that PostgreSQL computes when it is read. Triggers see NULL. */
  readonly isComputed: boolean;
  /** False for a column that the publication leaves out, and for a computed one. */
  readonly isPublished: boolean;
  /** True if two values are equal exactly if their bytes are. */
  readonly isBytewise: boolean;
}

/** A policy that decides about SELECT. */
export interface ReadPolicy {
  readonly isPermissive: boolean;
  /** OIDs of roles; 0 is PUBLIC. */
  readonly roles: readonly number[];
  readonly using: string;
}

/** A table of the publication supabase_realtime. */
export interface PublishedTable {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** OIDs of the table and of its partitions. */
  readonly parts: readonly number[];
  readonly columns: readonly PublishedColumn[];
  /** Condition of the publication for the rows of the table. */
  readonly condition: string | null;
  readonly hasPolicies: boolean;
  readonly policies: readonly ReadPolicy[];
  /** True with REPLICA IDENTITY FULL. */
  readonly keepsOldRows: boolean;
  /** False if the table has no trigger of Ninefold. */
  readonly isFollowed: boolean;
  /** The events that the publication publishes. */
  readonly events: readonly ('INSERT' | 'UPDATE' | 'DELETE')[];
}

const TABLES = `select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
    'oid', c.oid::pg_catalog.int8, 'schema', n.nspname, 'name', c.relname, 'condition', t.condition,
    'parts', (select pg_catalog.json_agg(p.oid) from (
        select c.oid::pg_catalog.int8 as oid union select i.relid::pg_catalog.oid::pg_catalog.int8 from pg_catalog.pg_partition_tree(c.oid) i) p),
    'hasPolicies', c.relrowsecurity, 'keepsOldRows', c.relreplident = 'f',
    'isFollowed', exists (
      select from pg_catalog.pg_trigger g where g.tgrelid = c.oid and g.tgname = 'ninefold_changed_rows' and g.tgenabled = 'A'),
    'events', pg_catalog.array_remove(array[
      case when b.pubinsert then 'INSERT' end, case when b.pubupdate then 'UPDATE' end, case when b.pubdelete then 'DELETE' end], null),
    'columns', (select pg_catalog.json_agg(pg_catalog.json_build_object(
        'name', a.attname, 'type', y.typname, 'sqlType', pg_catalog.format_type(a.atttypid, a.atttypmod), 'typeSchema', s.nspname,
        'isKey', coalesce(a.attnum = any (k.indkey::pg_catalog.int2[]), false),
        'isComputed', a.attgenerated = 'v', 'isPublished', a.attgenerated <> 'v' and (t.columns is null or a.attnum = any (t.columns)),
        'isBytewise', y.typname in ('int2', 'int4', 'int8', 'uuid', 'bool') and s.nspname = 'pg_catalog'
          or y.typname in ('text', 'varchar') and s.nspname = 'pg_catalog' and l.collisdeterministic
      ) order by a.attnum)
      from pg_catalog.pg_attribute a join pg_catalog.pg_type y on y.oid = a.atttypid join pg_catalog.pg_namespace s on s.oid = y.typnamespace
      left join pg_catalog.pg_collation l on l.oid = a.attcollation
      left join pg_catalog.pg_index k on k.indrelid = c.oid and k.indisprimary
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
    'policies', (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
        'isPermissive', p.polpermissive, 'roles', p.polroles::pg_catalog.int8[], 'using', pg_catalog.pg_get_expr(p.polqual, p.polrelid))
      order by p.polname), '[]')
      from pg_catalog.pg_policy p where p.polrelid = c.oid and p.polcmd in ('r', '*') and p.polqual is not null)
  )), '[]')
  from ninefold.published_tables() t join pg_catalog.pg_class c on c.oid = t.relation join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_publication b on b.pubname = 'supabase_realtime'`;

/** Reads the published tables of an app. */
export async function readPublishedTables({ serverDatabase }: Pick<App, 'serverDatabase'>): Promise<PublishedTable[]> {
  const [result] = await runAsServerRole(serverDatabase, [{ text: TABLES, params: [] }]);
  return (result && firstJson<PublishedTable[]>(result)) ?? [];
}

/** The privileges of one role on the published tables. */
export interface RoleAccess {
  /** OIDs of the role and of the roles whose privileges it has. */
  readonly roles: readonly number[];
  /** The columns that the role may select, by the OID of the table. A table without such a column is absent. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** OIDs of the tables whose policies do not apply to the role. */
  readonly unrestricted: readonly number[];
}

const ACCESS = `select pg_catalog.json_build_object(
    'roles', (select pg_catalog.json_agg(o.oid::pg_catalog.int8) from pg_catalog.pg_roles o where pg_catalog.pg_has_role(r.oid, o.oid, 'USAGE')),
    'columns', (select coalesce(pg_catalog.json_object_agg(c.oid, (
        select pg_catalog.json_agg(a.attname) from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          and pg_catalog.has_column_privilege(r.oid, c.oid, a.attnum, 'SELECT'))), '{}')
      from ninefold.published_tables() t join pg_catalog.pg_class c on c.oid = t.relation
      where pg_catalog.has_schema_privilege(r.oid, c.relnamespace, 'USAGE') and pg_catalog.has_any_column_privilege(r.oid, c.oid, 'SELECT')),
    'unrestricted', (select coalesce(pg_catalog.json_agg(c.oid::pg_catalog.int8), '[]')
      from ninefold.published_tables() t join pg_catalog.pg_class c on c.oid = t.relation
      where not c.relrowsecurity or r.rolbypassrls or r.rolsuper or pg_catalog.pg_has_role(r.oid, c.relowner, 'USAGE') and not c.relforcerowsecurity)
  ) from pg_catalog.pg_roles r where r.rolname = $1`;

/** Reads the privileges of a role; null if the role does not exist. */
export async function readRoleAccess(
  { serverDatabase }: Pick<App, 'serverDatabase'>,
  role: string,
): Promise<RoleAccess | null> {
  const [result] = await runAsServerRole(serverDatabase, [{ text: ACCESS, params: [role] }]);
  return result ? firstJson<RoleAccess>(result) : null;
}
