import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { listSessions, revokeSession, revokeSessions, type SessionsEnd } from '../../accounts/sessions/sessions.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import type { AdminContext } from '../context.ts';
import { json, noContent } from '../router.ts';

/**
 * Returns `?user_id=` of the query.
 * @throws `validation_invalid` if it is not an id
 */
function userIdOf(request: CallRequest): { userId?: string } {
  const userId = new URLSearchParams(request.query).get('user_id');
  if (userId === null) return {};
  requireUuid(userId, 'user_id');
  return { userId };
}

function requireUuid(value: string, field: string): void {
  if (!UUID.test(value)) throw new NinefoldError('validation_invalid', { message: `${field} must be a UUID.` });
}

/** Handles GET /apps/:ref/sessions: returns the sessions of an app or of one account. */
export async function showSessions(context: AdminContext, request: CallRequest, ref: string): Promise<Reply> {
  const app = await context.apps.get(ref);
  const { auth } = await app.settings();
  return json(await listSessions(app.database, auth, userIdOf(request)));
}

/**
 * Handles DELETE /apps/:ref/sessions/:id: ends a session.
 * @throws `not_found` if it has already ended
 */
export async function endSession(context: AdminContext, request: CallRequest, ref: string, id: string): Promise<Reply> {
  requireUuid(id, 'id');
  const app = await context.apps.get(ref);
  if (!(await revokeSession(app.database, id, undefined, endOf(request)))) {
    throw new NinefoldError('not_found', { message: 'This session has ended already.' });
  }
  return noContent();
}

/** Handles DELETE /apps/:ref/sessions: ends all sessions, or those of `?user_id=`. */
export async function endSessions(context: AdminContext, request: CallRequest, ref: string): Promise<Reply> {
  const app = await context.apps.get(ref);
  return json({ revoked: await revokeSessions(app.database, userIdOf(request), endOf(request)) });
}

const endOf = ({ address }: CallRequest): SessionsEnd => ({
  action: 'session_ended',
  caller: { address, isAdmin: true },
});
