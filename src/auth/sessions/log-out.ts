import { revokeSession, revokeSessions } from '../../accounts/sessions/sessions.ts';
import { findUser } from '../../accounts/users/users.ts';
import { optional } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { usable } from '../account/get-user.ts';
import { authCall } from '../call.ts';
import { timeOf } from '../context.ts';
import { noContent } from '../reply.ts';

/** Characters of an unknown scope that the error repeats. */
const SHOWN_CHARACTERS = 40;

/** The default is global, also for an access token without a session. */
export const logOut = authCall({
  id: 'auth.logout',
  route: 'POST /logout',
  caller: 'member',
  takesApplications: true,
  errors: [],
  summary: 'Ends sessions of the member who calls. Their access tokens stop working within a second.',
  query: {
    scope: optional('Every session, this one, or every other one; global when not given.', 'global, local or others'),
  },
  returns: '204, no body',
  supabaseJs: 'supabase.auth.signOut()',
  handle: async (context, request, { member }) => {
    const scope = new URLSearchParams(request.query).get('scope') || 'global';
    if (scope !== 'global' && scope !== 'local' && scope !== 'others') {
      throw new NinefoldError('validation_failed', {
        message: `Unsupported logout scope "${scope.slice(0, SHOWN_CHARACTERS)}"`,
      });
    }
    const { userId, sessionId, clientId } = member;
    // A token without a session may name an account that does not exist, so the account is looked up.
    if (sessionId === null) usable(await findUser(context.database, userId), timeOf(context));
    const end = { action: 'logout', caller: { address: request.address } } as const;
    // A token of an application can end only its own session, whatever the scope is.
    const isOwnOnly = scope === 'local' || clientId !== null;
    if (isOwnOnly && sessionId !== null) await revokeSession(context.database, sessionId, undefined, end);
    else if (scope === 'others' && sessionId !== null) {
      await revokeSessions(context.database, { userId, except: sessionId }, end);
    } else await revokeSessions(context.database, { userId }, end);
    context.events.emit({ type: 'auth', what: 'signed-out', app: context.app.ref, userId, address: request.address });
    return noContent;
  },
});
