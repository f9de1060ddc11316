import type { SqlFailure, SqlRequest, SqlResponse } from '../../../../contract/admin.ts';
import { api, segment } from '../api.ts';
import { ApiFailure } from '../api-failure.ts';

/**
 * Runs SQL as the app's owner. Aborting `signal` cancels the statement in the database.
 * @throws {ApiFailure} sql_failed with an SqlFailure in `details` if PostgreSQL refused a statement
 */
export const runSql = (ref: string, sql: string, signal: AbortSignal): Promise<SqlResponse> =>
  api<SqlResponse>(`/apps/${segment(ref)}/sql`, { method: 'POST', body: { sql } satisfies SqlRequest, signal });

/** Returns PostgreSQL's error if PostgreSQL refused the statement; otherwise null. */
export function sqlFailureOf(error: unknown): SqlFailure | null {
  if (!(error instanceof ApiFailure) || error.code !== 'sql_failed') return null;
  const { details } = error;
  const isFailure = typeof details === 'object' && details !== null && 'sqlstate' in details && 'message' in details;
  return isFailure ? (details as SqlFailure) : null;
}
