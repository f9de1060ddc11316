import type { RightName } from '../../../contract/server-rights.ts';
import type { Pool } from '../../database/pool.ts';
import { quoteLiteral as literal, plain } from '../../database/statement.ts';
import { authenticatorRole, ownerRole, serverRole } from '../registry/app-record.ts';
import type { Server } from '../registry/server.ts';

/**
 * Sets properties of apps' login roles that only a superuser can set, if they are not set yet. A role cannot change its
 * own temp_file_limit. The authenticators and server roles may use reserved connections, so that owners who log in directly cannot use
 * up all connections of the server (PostgreSQL 16 and newer). An owner bypasses row-level security and may set
 * session_replication_role, as `postgres` can in a hosted Supabase project; both affect only the app's database,
 * because the role can connect to no other.
 * A server that lacks a right leaves its property as it is.
 */
export async function boundRoles(
  maintenance: Pool,
  refs: readonly string[],
  { temporaryBytes, missingRights }: Pick<Server, 'temporaryBytes' | 'missingRights'>,
): Promise<void> {
  const setting = `temp_file_limit=${Math.floor(temporaryBytes / 1024)}kB`;
  const names = (roleOf: (ref: string) => string) =>
    `array[${refs.map((ref) => literal(roleOf(ref))).join(', ')}]::text[]`;
  const has = (right: RightName) => !missingRights.includes(right);
  const temporaryFiles = `
  for login in
    select r.rolname from pg_catalog.pg_roles r
    where r.rolname = any (${names(ownerRole)} || ${names(authenticatorRole)} || ${names(serverRole)}) and not exists (
      select from pg_catalog.pg_db_role_setting s
      where s.setrole = r.oid and s.setdatabase = 0 and ${literal(setting)} = any (s.setconfig))
  loop
    execute pg_catalog.format('alter role %I set temp_file_limit = %L', login.rolname, ${literal(setting.replace(/^.*=/, ''))});
  end loop;`;
  const owners = `
  for login in
    select r.rolname, r.rolbypassrls from pg_catalog.pg_roles r where r.rolname = any (${names(ownerRole)})
  loop
    if not login.rolbypassrls then
      execute pg_catalog.format('alter role %I bypassrls', login.rolname);
    end if;
    if not pg_catalog.pg_has_role(login.rolname, 'ninefold_owner', 'member') then
      execute pg_catalog.format('grant ninefold_owner to %I', login.rolname);
    end if;
  end loop;`;
  const reservedConnections = `
  if exists (select from pg_catalog.pg_roles where rolname = 'pg_use_reserved_connections') then
    for login in
      select r.rolname from pg_catalog.pg_roles r
      where r.rolname = any (${names(authenticatorRole)} || ${names(serverRole)}) and not exists (
        select from pg_catalog.pg_auth_members m
        where m.member = r.oid and m.roleid = 'pg_use_reserved_connections'::pg_catalog.regrole)
    loop
      execute pg_catalog.format('grant pg_use_reserved_connections to %I with inherit true, set false', login.rolname);
    end loop;
  end if;`;
  const parts = [
    ...(has('temporaryFiles') ? [temporaryFiles] : []),
    owners,
    ...(has('reservedConnections') ? [reservedConnections] : []),
  ];
  await maintenance.run([plain(`do $do$\ndeclare\n  login record;\nbegin${parts.join('')}\nend\n$do$`)]);
}
