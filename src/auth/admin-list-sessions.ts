import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { listSessions } from '../accounts/sessions.ts';
import { findUser } from '../accounts/users.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { requireAdmin, requireUserId } from './callers.ts';
import type { AuthContext } from './context.ts';
import { shownSession } from './list-own-sessions.ts';
import { json } from './reply.ts';

/**
 * Handles GET /admin/users/<id>/sessions: returns the sessions of an account, newest first.
 * @throws user_not_found
 */
export async function adminListSessions(context: AuthContext, request: CallRequest, segment: string): Promise<Reply> {
  await requireAdmin(context, request);
  const userId = requireUserId(segment);
  const rows = await listSessions(context.database, context.settings, { userId });
  if (rows.length === 0 && !(await findUser(context.database, userId))) throw new NinefoldError('user_not_found');
  return json({ sessions: rows.map(shownSession) });
}
