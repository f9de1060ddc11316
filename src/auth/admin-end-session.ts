import type { Exchange, Reply } from '../../contract/exchange.ts';
import { requireAdmin, requireSessionId, requireUserId } from './callers.ts';
import type { AuthContext } from './context.ts';
import { endSession } from './end-own-session.ts';
import { noContent } from './reply.ts';

/** DELETE /admin/users/<id>/sessions/<id>: ends one session of an account. Throws session_not_found. */
export async function adminEndSession(
  context: AuthContext,
  exchange: Exchange,
  userSegment: string,
  sessionSegment: string,
): Promise<Reply> {
  await requireAdmin(context, exchange);
  const caller = { address: exchange.address, isAdmin: true };
  await endSession(context, requireSessionId(sessionSegment), requireUserId(userSegment), caller);
  return noContent;
}
