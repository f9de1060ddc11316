import type { ActualResponse } from '../../../contract/access.ts';
import type { CancelSignal } from '../../../contract/call-request.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { RestContext } from '../handle.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { restErrorReply } from '../response/error-reply.ts';
import { queryReply } from '../response/query-reply.ts';
import { runBatch } from '../run/run.ts';
import { buildStatements, type QueryPlan } from '../sql/build-statements.ts';

/**
 * Executes the request in a transaction and rolls it back, as the preference tx=rollback does. Triggers, functions and
 * deferred constraints run. Only effects outside of transactions remain, such as values taken from a sequence.
 * @throws ConnectionError
 * @throws PoolTimeoutError
 */
export async function dryRun(
  { database, identity, settings }: RestContext,
  request: ApiRequest,
  plan: QueryPlan,
  signal: CancelSignal,
): Promise<ActualResponse> {
  const rolledBack: ApiRequest = { ...request, preferences: { ...request.preferences, transaction: 'rollback' } };
  const batch = buildStatements(rolledBack, plan, identity, settings);
  try {
    const result = await runBatch(database, batch, plan, signal);
    const { status } = queryReply(rolledBack, plan, result, settings);
    return { status, code: null, message: null, rows: result.page };
  } catch (error) {
    if (signal.aborted || !(error instanceof DatabaseError || error instanceof NinefoldError)) throw error;
    const authenticated = identity.role !== (settings.db_anon_role ?? 'anon');
    const reply = restErrorReply(error, { authenticated, verbosity: 'verbose' });
    const { code, message } = JSON.parse(String(reply?.body)) as { code: string; message: string };
    return { status: reply?.status ?? 500, code, message, rows: null };
  }
}
