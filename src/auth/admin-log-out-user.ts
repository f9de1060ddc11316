import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { revokeSessions } from '../accounts/sessions.ts';
import { findUser } from '../accounts/users.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { requireAdmin, requireUserId } from './callers.ts';
import type { AuthContext } from './context.ts';
import { noContent } from './reply.ts';

/**
 * Handles POST /admin/users/<id>/logout and DELETE /admin/users/<id>/sessions: ends all sessions of an account.
 *
 * @throws user_not_found
 */
export async function adminLogOutUser(context: AuthContext, request: CallRequest, segment: string): Promise<Reply> {
  await requireAdmin(context, request);
  const userId = requireUserId(segment);
  const caller = { address: request.address, isAdmin: true };
  const ended = await revokeSessions(context.database, { userId }, { action: 'session_ended', caller });
  if (ended === 0 && !(await findUser(context.database, userId))) throw new NinefoldError('user_not_found');
  context.events.emit({ type: 'auth', what: 'signed-out', app: context.app.ref, userId, address: null });
  return noContent;
}
