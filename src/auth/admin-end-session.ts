import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { requireAdmin, requireSessionId, requireUserId } from './callers.ts';
import type { AuthContext } from './context.ts';
import { endSession } from './end-own-session.ts';
import { noContent } from './reply.ts';

/** DELETE /admin/users/<id>/sessions/<id>: ends one session of an account. Throws session_not_found. */
export async function adminEndSession(
  context: AuthContext,
  request: CallRequest,
  userSegment: string,
  sessionSegment: string,
): Promise<Reply> {
  await requireAdmin(context, request);
  const caller = { address: request.address, isAdmin: true };
  await endSession(context, requireSessionId(sessionSegment), requireUserId(userSegment), caller);
  return noContent;
}
