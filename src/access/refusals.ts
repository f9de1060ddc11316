import { type AttemptResult, isError } from './attempts.ts';
import type { RowOperation } from './operations.ts';

/** SQLSTATE insufficient_privilege: a missing privilege, or a row that the policies refuse. */
export const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * SQLSTATEs with which PostgreSQL refuses a statement before it reads a row: insufficient_privilege, infinite recursion
 * of policies, statements that a view does not accept (55000, 42809, 0A000), its check option (44000), a publication
 * that does not fit (42P10), no such role, a lock in a read-only transaction (25006).
 */
const refusals: ReadonlySet<string> = new Set([
  INSUFFICIENT_PRIVILEGE,
  ...['42P17', '55000', '42809', '0A000', '44000', '42P10', '22023', '25006'],
]);

/**
 * - `allowed`: the statement reached a row.
 * - `hidden`: it found no row.
 * - `refused`: PostgreSQL refused it for a missing privilege.
 * - `stopped`: a rule, a trigger or a function stopped it, so that the result says nothing about privileges.
 */
export type AttemptOutcome = 'allowed' | 'hidden' | 'refused' | 'stopped';

/**
 * Returns the outcome of an attempt. PostgreSQL checks constraints after privileges and policies, so a violated
 * constraint counts as allowed.
 * @param beforeRow True if a BEFORE trigger may skip the row.
 */
export function outcomeOf(
  result: AttemptResult,
  operation: RowOperation | 'execute',
  beforeRow: boolean,
): AttemptOutcome {
  if (!isError(result)) {
    if (result.rows > 0) return 'allowed';
    return beforeRow ? 'stopped' : 'hidden';
  }
  const { sqlstate, within } = result;
  if (!within && refusals.has(sqlstate)) return 'refused';
  const writes = operation !== 'select' && operation !== 'execute';
  return !within && writes && sqlstate.startsWith('23') ? 'allowed' : 'stopped';
}
