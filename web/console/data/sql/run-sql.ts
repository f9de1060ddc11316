import type { SqlFailure, SqlRequest, SqlResponse } from '../../../../contract/admin.ts';
import { api, segment } from '../api.ts';
import { ApiFailure } from '../api-failure.ts';

/**
 * Runs SQL as the app's owner. Giving up through `signal` cancels it in the database.
 *
 * @throws {ApiFailure} sql_failed with an SqlFailure in `details` where PostgreSQL refused a statement
 */
export const runSql = (ref: string, sql: string, signal: AbortSignal): Promise<SqlResponse> =>
  api<SqlResponse>(`/apps/${segment(ref)}/sql`, { method: 'POST', body: { sql } satisfies SqlRequest, signal });

/** What PostgreSQL said, where it was PostgreSQL that refused; else null. */
export function sqlFailureOf(error: unknown): SqlFailure | null {
  if (!(error instanceof ApiFailure) || error.code !== 'sql_failed') return null;
  const { details } = error;
  const isFailure = typeof details === 'object' && details !== null && 'sqlstate' in details && 'message' in details;
  return isFailure ? (details as SqlFailure) : null;
}
