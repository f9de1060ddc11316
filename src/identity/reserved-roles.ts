import { authenticatorRole, ownerRole } from '../apps/app-record.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

/** Roles that Ninefold or PostgreSQL uses itself. `none` returns to the login role. */
const reserved: ReadonlySet<string> = new Set([
  'none',
  'authenticator',
  'ninefold_server',
  'supabase_auth_admin',
  'supabase_admin',
  'supabase_storage_admin',
  'dashboard_user',
  'postgres',
]);

/**
 * Refuses a role that no call may run as: PostgreSQL would allow some of them, as the app's login role is a member. Throws
 * role_reserved.
 */
export function refuseReservedRole(ref: string, role: string): void {
  const isReserved =
    reserved.has(role) || role.startsWith('pg_') || role === ownerRole(ref) || role === authenticatorRole(ref);
  if (isReserved) throw new NinefoldError('role_reserved', { details: { role } });
}
