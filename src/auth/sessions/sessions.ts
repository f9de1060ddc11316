import type { SessionRow } from '../../../contract/admin.ts';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import type { AuditCaller } from '../../accounts/audit/audit.ts';
import { listSessions, revokeSession, revokeSessions } from '../../accounts/sessions/sessions.ts';
import { findUser } from '../../accounts/users/users.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { clientNetwork } from '../../limits/client-network.ts';
import { authCall } from '../call.ts';
import { byAdmin, requireSessionId, requireUserId } from '../callers.ts';
import type { AuthContext } from '../context.ts';
import { json, noContent } from '../reply.ts';

export const listOwnSessions = authCall({
  id: 'auth.sessions.list',
  route: 'GET /sessions',
  caller: 'member',
  errors: [],
  summary:
    'Lists the sessions of the member who calls: device, address, when they were used, and how the member signed in.',
  returns:
    'sessions: a list, newest first: id, device, ip, network, created_at, last_used_at, ends_at, aal, amr, is_current',
  handle: async (context, _request, { member }) => {
    const { userId, sessionId } = member;
    const rows = await listSessions(context.database, context.settings, { userId });
    return json({ sessions: rows.map((row) => ({ ...shownSession(row), is_current: row.id === sessionId })) });
  },
});

/** Returns a session as `/auth/v1` shows it. */
const shownSession = ({ user_id: _, email: __, refreshed_at, ...row }: SessionRow) => ({
  ...row,
  network: row.ip === null ? null : clientNetwork(row.ip),
  last_used_at: refreshed_at ?? row.created_at,
});

/** A session of another member gets the same response as a missing session. */
export const endOwnSession = authCall({
  id: 'auth.sessions.end',
  route: 'DELETE /sessions/{session_id}',
  caller: 'member',
  errors: [],
  summary: 'Ends a session of the member who calls. Its access tokens stop working within a second.',
  returns: '204, no body',
  handle: async (context, request, { member, path }) => {
    const { userId } = member;
    await endSession(context, requireSessionId(path.session_id), userId, { address: request.address });
    context.events.emit({ type: 'auth', what: 'signed-out', app: context.app.ref, userId, address: request.address });
    return noContent;
  },
});

/** Ends a session of an account. Throws session_not_found. */
async function endSession(context: AuthContext, id: string, userId: string, caller: AuditCaller): Promise<void> {
  if (await revokeSession(context.database, id, userId, { action: 'session_ended', caller })) return;
  throw new NinefoldError('session_not_found', { status: 404, message: 'Session not found' });
}

export const adminListSessions = authCall({
  id: 'auth.admin.sessions.list',
  route: 'GET /admin/users/{user_id}/sessions',
  caller: 'secret-key',
  errors: ['user_not_found'],
  summary: 'Lists the sessions of an account.',
  returns: 'sessions: a list, newest first: id, device, ip, network, created_at, last_used_at, ends_at, aal, amr',
  handle: async (context, _request, { path }) => {
    const userId = requireUserId(path.user_id);
    const rows = await listSessions(context.database, context.settings, { userId });
    if (rows.length === 0 && !(await findUser(context.database, userId))) throw new NinefoldError('user_not_found');
    return json({ sessions: rows.map(shownSession) });
  },
});

export const adminEndSession = authCall({
  id: 'auth.admin.sessions.end',
  route: 'DELETE /admin/users/{user_id}/sessions/{session_id}',
  caller: 'secret-key',
  errors: [],
  summary: 'Ends one session of an account.',
  returns: '204, no body',
  handle: async (context, request, { path }) => {
    await endSession(context, requireSessionId(path.session_id), requireUserId(path.user_id), byAdmin(request));
    return noContent;
  },
});

export const adminEndSessions = authCall({
  id: 'auth.admin.sessions.end_all',
  route: 'DELETE /admin/users/{user_id}/sessions',
  caller: 'secret-key',
  errors: ['user_not_found'],
  summary: 'Ends all sessions of an account.',
  returns: '204, no body',
  handle: (context, request, { path }) => endSessions(context, request, path.user_id),
});

export const adminLogOutUser = authCall({
  id: 'auth.admin.logout',
  route: 'POST /admin/users/{user_id}/logout',
  caller: 'secret-key',
  errors: ['user_not_found'],
  summary: 'Ends all sessions of an account, as the call that deletes them all does.',
  returns: '204, no body',
  handle: (context, request, { path }) => endSessions(context, request, path.user_id),
});

/** Ends all sessions of an account. */
async function endSessions(context: AuthContext, request: CallRequest, segment: string): Promise<Reply> {
  const userId = requireUserId(segment);
  const end = { action: 'session_ended', caller: byAdmin(request) } as const;
  const ended = await revokeSessions(context.database, { userId }, end);
  if (ended === 0 && !(await findUser(context.database, userId))) throw new NinefoldError('user_not_found');
  context.events.emit({ type: 'auth', what: 'signed-out', app: context.app.ref, userId, address: null });
  return noContent;
}
