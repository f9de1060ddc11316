import type { RawSession } from '../../database/raw-session.ts';
import { quoteIdentifier as id, quoteLiteral as literal } from '../../database/statement.ts';
import { type DatabaseRole, databaseRolesOf } from '../provisioning/database-roles.ts';
import { ownerRole, vaultRole } from '../registry/app-record.ts';

/** Schemas in which an app's owner can create and change nothing (decision 67). */
export const OWN_SCHEMAS: ReadonlySet<string> = new Set(['ninefold', 'cron', 'net']);

/**
 * Tables and sequences of Ninefold whose rows are useless in a copy: they name objects and transactions by the numbers of the
 * other server, and workers fill them anew.
 */
const TRANSIENT = ['changes', 'changes_since', 'watched', 'watched_until', 'watched_bits'];

/** Number of sequences that one statement reads. */
const SEQUENCES = 200;

/** The properties of a database that CREATE DATABASE sets. */
export interface DatabaseProperties {
  readonly collate: string;
  readonly ctype: string;
  /** `b` builtin, `c` the C library, `i` ICU. */
  readonly provider: string;
  readonly locale: string | null;
  readonly comment: string | null;
}

/** A table whose rows are copied. */
export interface SourceTable {
  /** Quoted name with schema. */
  readonly name: string;
  readonly schema: string;
  readonly owner: string;
  readonly columns: readonly string[];
  readonly format: 'binary' | 'text';
  /** True if a column has a type whose values PostgreSQL reads with code that an app's owner may have defined: any but an enum. */
  readonly hasTypesOfApp: boolean;
  /** Size on disk in bytes. */
  readonly bytes: number;
}

/** A setting of ALTER DATABASE or ALTER ROLE … IN DATABASE. */
export interface DatabaseSetting {
  /** Null for all roles. */
  readonly role: string | null;
  readonly name: string;
  readonly value: string;
}

/** All facts of a database that pg_dump does not write into the dump of its schema. */
export interface SourceFacts {
  readonly tables: readonly SourceTable[];
  readonly sequences: readonly { name: string; lastValue: string; isCalled: boolean }[];
  readonly largeObjects: readonly { oid: string; owner: string; statements: string[] }[];
  readonly settings: readonly DatabaseSetting[];
  /** Extensions and the roles that own them. */
  readonly extensions: ReadonlyMap<string, string>;
  /** Quoted names of filled materialized views, each after those that it reads. */
  readonly filledViews: readonly string[];
  /** Roles that are superusers at the source. */
  readonly superusers: ReadonlySet<string>;
  readonly hasPublicSchema: boolean;
  /** The database roles of the app. */
  readonly databaseRoles: readonly DatabaseRole[];
  /** The password verifier that is the key of the app's Vault; null if the app has none. */
  readonly vaultKey: string | null;
}

/** Reads the properties of a database. @param session A session in any database of its server. */
export async function readProperties(session: RawSession, database: string): Promise<DatabaseProperties | null> {
  // The column of the locale has another name in releases before 17.
  const [row] = await session.query(`select d.datcollate, d.datctype, d.datlocprovider,
      coalesce(pg_catalog.to_jsonb(d) ->> 'datlocale', pg_catalog.to_jsonb(d) ->> 'daticulocale') as locale,
      pg_catalog.shobj_description(d.oid, 'pg_database') as comment
    from pg_catalog.pg_database d where d.datname = ${literal(database)}`);
  if (!row) return null;
  return {
    collate: row.datcollate ?? '',
    ctype: row.datctype ?? '',
    provider: row.datlocprovider ?? 'c',
    locale: row.locale ?? null,
    comment: row.comment ?? null,
  };
}

const USER_SCHEMA = `n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;
/** True for an object of an extension, which CREATE EXTENSION creates. */
const ofExtension = (catalog: string, oid: string) => `exists (select from pg_catalog.pg_depend d
  where d.classid = 'pg_catalog.${catalog}'::pg_catalog.regclass and d.objid = ${oid} and d.objsubid = 0 and d.deptype = 'e')`;

/**
 * Reads a database as of the snapshot of the session, which runs as the superuser in a transaction.
 * @param ref The app whose roles at the source have the names of this ref.
 */
export async function readSource(session: RawSession, ref: string): Promise<SourceFacts> {
  const superusers = await session.query('select rolname from pg_catalog.pg_roles where rolsuper');
  const extensions = await session.query(
    'select e.extname, r.rolname from pg_catalog.pg_extension e join pg_catalog.pg_roles r on r.oid = e.extowner',
  );
  const [vault] = await session.query(
    `select a.rolpassword from pg_catalog.pg_authid a where a.rolname = ${literal(vaultRole(ref))}`,
  );
  const roles = await session.query(databaseRolesOf(ownerRole(ref)));
  const [place] = await session.query(`select pg_catalog.to_regnamespace('public') is not null as has`);
  return {
    tables: await readTables(session),
    sequences: await readSequences(session),
    largeObjects: await readLargeObjects(session),
    settings: await readSettings(session),
    extensions: new Map(extensions.map((row) => [row.extname ?? '', row.rolname ?? ''])),
    filledViews: await readFilledViews(session),
    superusers: new Set(superusers.map((row) => row.rolname ?? '')),
    hasPublicSchema: place?.has === 't',
    databaseRoles: roles.map(({ name, allowed }) => ({ name: name ?? '', isAllowed: allowed === 't' })),
    vaultKey: vault?.rolpassword ?? null,
  };
}

async function readTables(session: RawSession): Promise<SourceTable[]> {
  const textTypes = await readTextTypes(session);
  const appTypes =
    await session.query(`select t.oid from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = t.typnamespace
    where ${USER_SCHEMA} and n.nspname not in ('ninefold', 'cron', 'net') and t.typtype <> 'e' and not ${ofExtension('pg_type', 't.oid')}`);
  const ofApp = new Set(appTypes.map(({ oid }) => oid));
  const rows = await session.query(`select n.nspname, c.relname, r.rolname,
      pg_catalog.pg_table_size(c.oid) as bytes,
      (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_array(a.attname, a.atttypid::pg_catalog.text) order by a.attnum), '[]')
        from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_roles r on r.oid = c.relowner
    where c.relkind = 'r' and c.relpersistence <> 't' and ${USER_SCHEMA} and not ${ofExtension('pg_class', 'c.oid')}
    order by n.nspname, c.relname`);
  return rows
    .filter((row) => !(row.nspname === 'ninefold' && TRANSIENT.includes(row.relname ?? '')))
    .map((row) => {
      const columns: [name: string, type: string][] = JSON.parse(row.columns ?? '[]');
      return {
        name: qualified(row.nspname, row.relname),
        schema: row.nspname ?? '',
        owner: row.rolname ?? '',
        columns: columns.map(([name]) => name),
        format: columns.some(([, type]) => textTypes.has(type)) ? 'text' : 'binary',
        hasTypesOfApp: columns.some(([, type]) => ofApp.has(type)),
        bytes: Number(row.bytes),
      };
    });
}

/**
 * Returns the types whose values are copied as text: types of names of catalog entries, whose binary form is a number of one server,
 * types without a binary form, and all types that contain one of these.
 */
async function readTextTypes(session: RawSession): Promise<ReadonlySet<string>> {
  const rows = await session.query(`with recursive text_type as (
      select t.oid from pg_catalog.pg_type t
      where t.typtype in ('b', 'r', 'm') and (t.typsend = 0 or t.typreceive = 0)
        or t.typnamespace = 'pg_catalog'::pg_catalog.regnamespace and t.typname ~ '^reg(class|collation|config|dictionary|namespace|oper|operator|proc|procedure|role|type|database)$'
      union
      select t.oid from text_type x join pg_catalog.pg_type t on t.typelem = x.oid and t.typcategory = 'A' or t.typbasetype = x.oid
        or exists (select from pg_catalog.pg_attribute a where a.attrelid = t.typrelid and t.typrelid <> 0 and a.atttypid = x.oid)
        or exists (select from pg_catalog.pg_range g where g.rngsubtype = x.oid and t.oid in (g.rngtypid, g.rngmultitypid))
    )
    select oid from text_type`);
  return new Set(rows.map((row) => row.oid ?? ''));
}

async function readSequences(session: RawSession): Promise<SourceFacts['sequences']> {
  const rows = await session.query(`select n.nspname, c.relname from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'S' and c.relpersistence <> 't' and ${USER_SCHEMA} and not ${ofExtension('pg_class', 'c.oid')}`);
  const names = rows
    .filter((row) => !(row.nspname === 'ninefold' && TRANSIENT.includes(row.relname ?? '')))
    .map((row) => qualified(row.nspname, row.relname));
  const values: { name: string; lastValue: string; isCalled: boolean }[] = [];
  for (let i = 0; i < names.length; i += SEQUENCES) {
    const selects = names
      .slice(i, i + SEQUENCES)
      .map((name) => `select ${literal(name)} as name, last_value, is_called from ${name}`);
    for (const row of await session.query(selects.join(' union all '))) {
      values.push({ name: row.name ?? '', lastValue: row.last_value ?? '1', isCalled: row.is_called === 't' });
    }
  }
  return values;
}

async function readLargeObjects(session: RawSession): Promise<SourceFacts['largeObjects']> {
  const rows =
    await session.query(`select m.oid, r.rolname, pg_catalog.obj_description(m.oid, 'pg_largeobject') as comment,
      (select pg_catalog.json_agg(pg_catalog.json_build_array(g.rolname, x.privilege_type, x.is_grantable))
        from pg_catalog.aclexplode(m.lomacl) x left join pg_catalog.pg_roles g on g.oid = x.grantee) as privileges
    from pg_catalog.pg_largeobject_metadata m join pg_catalog.pg_roles r on r.oid = m.lomowner order by m.oid`);
  return rows.map((row) => {
    const privileges: [role: string | null, privilege: string, mayGrant: boolean][] = JSON.parse(
      row.privileges ?? '[]',
    );
    const grants = privileges.map(
      ([role, privilege, mayGrant]) =>
        `grant ${privilege} on large object ${row.oid} to ${role === null ? 'public' : id(role)}${mayGrant ? ' with grant option' : ''}`,
    );
    const comment = row.comment === null ? [] : [`comment on large object ${row.oid} is ${literal(row.comment ?? '')}`];
    const revoked =
      privileges.length > 0 ? [`revoke all on large object ${row.oid} from ${id(row.rolname ?? '')}`] : [];
    return {
      oid: row.oid ?? '',
      owner: row.rolname ?? '',
      statements: [...revoked, ...grants, ...comment],
    };
  });
}

async function readSettings(session: RawSession): Promise<DatabaseSetting[]> {
  const rows = await session.query(`select r.rolname, pg_catalog.unnest(s.setconfig) as setting
    from pg_catalog.pg_db_role_setting s left join pg_catalog.pg_roles r on r.oid = s.setrole
    where s.setdatabase = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())
      and (s.setrole = 0 or r.oid is not null)`);
  return rows.map((row) => {
    const setting = row.setting ?? '';
    const split = setting.indexOf('=');
    return { role: row.rolname ?? null, name: setting.slice(0, split), value: setting.slice(split + 1) };
  });
}

/** Orders by number of the catalog: a view is created after those that it reads, unless its query was replaced later. */
async function readFilledViews(session: RawSession): Promise<string[]> {
  const rows = await session.query(`select n.nspname, c.relname from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'm' and c.relispopulated and ${USER_SCHEMA} and not ${ofExtension('pg_class', 'c.oid')} order by c.oid`);
  return rows.map((row) => qualified(row.nspname, row.relname));
}

const qualified = (schema: string | null | undefined, name: string | null | undefined): string =>
  `${id(schema ?? '')}.${id(name ?? '')}`;
