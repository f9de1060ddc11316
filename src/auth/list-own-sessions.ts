import type { SessionRow } from '../../contract/admin.ts';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { listSessions } from '../accounts/sessions.ts';
import { clientNetwork } from '../limits/client-network.ts';
import { requireMember } from './callers.ts';
import type { AuthContext } from './context.ts';
import { json } from './reply.ts';

/** GET /sessions: the sessions of the member who calls, newest first. */
export async function listOwnSessions(context: AuthContext, request: CallRequest): Promise<Reply> {
  const { userId, sessionId } = await requireMember(context, request);
  const rows = await listSessions(context.database, context.settings, { userId });
  return json({ sessions: rows.map((row) => ({ ...shownSession(row), is_current: row.id === sessionId })) });
}

/** Returns a session as `/auth/v1` shows it. */
export const shownSession = ({ user_id: _, email: __, refreshed_at, ...row }: SessionRow) => ({
  ...row,
  network: row.ip === null ? null : clientNetwork(row.ip),
  last_used_at: refreshed_at ?? row.created_at,
});
