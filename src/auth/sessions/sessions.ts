import type { SessionRow } from '../../../contract/admin.ts';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import type { AuditCaller } from '../../accounts/audit/audit.ts';
import { listSessions, revokeSession, revokeSessions } from '../../accounts/sessions/sessions.ts';
import { findUser } from '../../accounts/users/users.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { clientNetwork } from '../../limits/client-network.ts';
import { byAdmin, requireMember, requireSessionId, requireUserId } from '../callers.ts';
import type { AuthContext } from '../context.ts';
import { json, noContent } from '../reply.ts';

/** GET /sessions: the sessions of the member who calls, newest first. */
export async function listOwnSessions(context: AuthContext, request: CallRequest): Promise<Reply> {
  const { userId, sessionId } = await requireMember(context, request);
  const rows = await listSessions(context.database, context.settings, { userId });
  return json({ sessions: rows.map((row) => ({ ...shownSession(row), is_current: row.id === sessionId })) });
}

/** Returns a session as `/auth/v1` shows it. */
const shownSession = ({ user_id: _, email: __, refreshed_at, ...row }: SessionRow) => ({
  ...row,
  network: row.ip === null ? null : clientNetwork(row.ip),
  last_used_at: refreshed_at ?? row.created_at,
});

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
async function endSession(context: AuthContext, id: string, userId: string, caller: AuditCaller): Promise<void> {
  if (await revokeSession(context.database, id, userId, { action: 'session_ended', caller })) return;
  throw new NinefoldError('session_not_found', { status: 404, message: 'Session not found' });
}

/**
 * Handles GET /admin/users/<id>/sessions: returns the sessions of an account, newest first.
 * @throws user_not_found
 */
export async function adminListSessions(context: AuthContext, _request: CallRequest, segment: string): Promise<Reply> {
  const userId = requireUserId(segment);
  const rows = await listSessions(context.database, context.settings, { userId });
  if (rows.length === 0 && !(await findUser(context.database, userId))) throw new NinefoldError('user_not_found');
  return json({ sessions: rows.map(shownSession) });
}

/** DELETE /admin/users/<id>/sessions/<id>: ends one session of an account. Throws session_not_found. */
export async function adminEndSession(
  context: AuthContext,
  request: CallRequest,
  userSegment: string,
  sessionSegment: string,
): Promise<Reply> {
  await endSession(context, requireSessionId(sessionSegment), requireUserId(userSegment), byAdmin(request));
  return noContent;
}

/**
 * Handles POST /admin/users/<id>/logout and DELETE /admin/users/<id>/sessions: ends all sessions of an account.
 *
 * @throws user_not_found
 */
export async function adminLogOutUser(context: AuthContext, request: CallRequest, segment: string): Promise<Reply> {
  const userId = requireUserId(segment);
  const end = { action: 'session_ended', caller: byAdmin(request) } as const;
  const ended = await revokeSessions(context.database, { userId }, end);
  if (ended === 0 && !(await findUser(context.database, userId))) throw new NinefoldError('user_not_found');
  context.events.emit({ type: 'auth', what: 'signed-out', app: context.app.ref, userId, address: null });
  return noContent;
}
