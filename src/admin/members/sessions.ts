import type { CallRequest } from '../../../contract/call-request.ts';
import { listSessions, revokeSession, revokeSessions, type SessionsEnd } from '../../accounts/sessions/sessions.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { type AdminCall, adminCall, type Query } from '../call.ts';
import { json, noContent } from '../reply.ts';

/**
 * Returns `?user_id=` of the query.
 * @throws `validation_invalid` if it is not an id
 */
function userIdOf(query: Query<'user_id'>): { userId?: string } {
  const userId = query.get('user_id');
  if (userId === null) return {};
  requireUuid(userId, 'user_id');
  return { userId };
}

function requireUuid(value: string, field: string): void {
  if (!UUID.test(value)) throw new NinefoldError('validation_invalid', { message: `${field} must be a UUID.` });
}

const showSessions = adminCall({
  route: 'GET /apps/:ref/sessions',
  least: 'developer',
  summary: 'Returns the sessions of an app or of one account.',
  returns: 'SessionRow[]',
  query: ['user_id'],
  handle: async ({ context, ref, query }) => {
    const app = await context.apps.get(ref);
    const { auth } = await app.settings();
    return json(await listSessions(app.database, auth, userIdOf(query)));
  },
});

const endSession = adminCall({
  route: 'DELETE /apps/:ref/sessions/:id',
  least: 'developer',
  audit: { action: 'session_ended', details: (_, { id }) => ({ session_id: id }) },
  summary: 'Ends a session.',
  errors: ['not_found'],
  handle: async ({ context, request, ref, id }) => {
    requireUuid(id, 'id');
    const app = await context.apps.get(ref);
    if (!(await revokeSession(app.database, id, undefined, endOf(request)))) {
      throw new NinefoldError('not_found', { message: 'This session has ended already.' });
    }
    return noContent();
  },
});

const endSessions = adminCall({
  route: 'DELETE /apps/:ref/sessions',
  least: 'developer',
  audit: { action: 'sessions_ended' },
  summary: 'Ends all sessions, or those of `?user_id=`.',
  returns: '{revoked}',
  query: ['user_id'],
  handle: async ({ context, request, ref, query }) => {
    const app = await context.apps.get(ref);
    return json({ revoked: await revokeSessions(app.database, userIdOf(query), endOf(request)) });
  },
});

const endOf = ({ address }: CallRequest): SessionsEnd => ({
  action: 'session_ended',
  caller: { address, isAdmin: true },
});

export const sessionCalls: readonly AdminCall[] = [showSessions, endSessions, endSession];
