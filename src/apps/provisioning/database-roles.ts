import { DatabaseError } from '../../database/database-error.ts';
import type { Pool } from '../../database/pool.ts';
import { quoteIdentifier as id, quoteLiteral as literal, plain, rowsAsText } from '../../database/statement.ts';
import { authenticatorRole, ownerRole } from '../registry/app-record.ts';

/** SQL that is true for a role `r` that apps have created (`src/schema/0027_roles.sql`). */
const OF_APPS = 'not r.rolcanlogin and r.rolconnlimit = 0';
/** SQL that is true for a membership `m` of an app that has not dropped the role. PostgreSQL 15 lacks the column. */
const NOT_DROPPED = `coalesce((pg_catalog.to_jsonb(m) ->> 'set_option')::boolean, true)`;
/** How long a drop waits for a session that uses the role. */
const LOCK_MILLISECONDS = 500;

/** A database role of an app. */
export interface DatabaseRole {
  readonly name: string;
  /** True if tokens of the app may name the role. */
  readonly isAllowed: boolean;
}

/** SQL that reads the database roles of the app whose owner has this name. */
export const databaseRolesOf = (owner: string): string => `select r.rolname as name,
    exists (select from pg_catalog.pg_auth_members a where a.roleid = r.oid
      and a.member = (select l.oid from pg_catalog.pg_roles l where l.rolname = ${literal(`${owner}_authenticator`)})) as allowed
  from pg_catalog.pg_auth_members m join pg_catalog.pg_roles r on r.oid = m.roleid and ${OF_APPS}
  where m.member = (select o.oid from pg_catalog.pg_roles o where o.rolname = ${literal(owner)}) and ${NOT_DROPPED}`;

/** Gives an app the database roles of another app, whose database was copied. */
export async function copyDatabaseRoles(maintenance: Pool, sourceOwner: string, ref: string): Promise<void> {
  const [found] = await maintenance.run([plain(databaseRolesOf(sourceOwner))]);
  const roles = found ? rowsAsText(found) : [];
  await giveDatabaseRoles(
    maintenance,
    ref,
    roles.map(({ name, allowed }) => ({ name: name ?? '', isAllowed: allowed === 't' })),
  );
}

/** Gives an app database roles, and creates those that the server does not have. */
export async function giveDatabaseRoles(maintenance: Pool, ref: string, roles: readonly DatabaseRole[]): Promise<void> {
  for (const { name, isAllowed } of roles) {
    await maintenance.run([
      plain(`do $do$ begin
        if not exists (select from pg_catalog.pg_roles r where r.rolname = ${literal(name)}) then
          create role ${id(name)} nologin connection limit 0;
        end if;
      end $do$`),
      plain(`grant ${id(name)} to ${id(ownerRole(ref))}`),
      ...(isAllowed ? [plain(`grant ${id(name)} to ${id(authenticatorRole(ref))}`)] : []),
    ]);
  }
}

/** Drops the database roles that no app has. A role that an object of another app names stays until the object is gone. */
export async function dropUnusedRoles(maintenance: Pool): Promise<void> {
  const [found] = await maintenance.run([
    plain(`select r.rolname as name from pg_catalog.pg_roles r
      where ${OF_APPS} and not exists (select from pg_catalog.pg_auth_members m where m.roleid = r.oid and ${NOT_DROPPED})`),
  ]);
  for (const { name } of found ? rowsAsText(found) : []) {
    // A member that dropped the role has a row without the right to switch to it. DROP ROLE removes these rows.
    await maintenance
      .run([plain(`set local lock_timeout = ${LOCK_MILLISECONDS}`), plain(`drop role if exists ${id(name ?? '')}`)])
      .catch((error: unknown) => {
        if (!(error instanceof DatabaseError)) throw error;
      });
  }
}
