import { serverRoles } from '../../contract/server-roles.ts';
import { authenticatorRole, ownerRole } from '../apps/app-record.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

/**
 * Refuses a role that no call may run as: PostgreSQL would allow some of them, as the app's login role is a member. Throws
 * role_reserved.
 */
export function refuseReservedRole(ref: string, role: string): void {
  // `none` returns to the login role.
  const isReserved =
    role === 'none' ||
    serverRoles.has(role) ||
    role.startsWith('pg_') ||
    role === ownerRole(ref) ||
    role === authenticatorRole(ref);
  if (isReserved) throw new NinefoldError('role_reserved', { details: { role } });
}
