import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { AuditCaller } from '../accounts/audit.ts';
import { revokeSession } from '../accounts/sessions.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { requireMember, requireSessionId } from './callers.ts';
import type { AuthContext } from './context.ts';
import { noContent } from './reply.ts';

/**
 * Handles DELETE /sessions/<id>: ends a session of the calling member with its access tokens. A session of another
 * member gets the same response as a missing session.
 * @throws session_not_found
 */
export async function endOwnSession(context: AuthContext, request: CallRequest, segment: string): Promise<Reply> {
  const { userId } = await requireMember(context, request);
  await endSession(context, requireSessionId(segment), userId, { address: request.address });
  context.events.emit({ type: 'auth', what: 'signed-out', app: context.app.ref, userId, address: request.address });
  return noContent;
}

/** Ends a session of an account. Throws session_not_found. */
export async function endSession(context: AuthContext, id: string, userId: string, caller: AuditCaller): Promise<void> {
  if (await revokeSession(context.database, id, userId, { action: 'session_ended', caller })) return;
  throw new NinefoldError('session_not_found', { status: 404, message: 'Session not found' });
}
