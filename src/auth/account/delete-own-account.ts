import { limits } from '../../../contract/limits.ts';
import { hasRecentProof } from '../../accounts/sessions/recent-proof.ts';
import { sessionAgeSeconds } from '../../accounts/sessions/sessions.ts';
import { deleteUser } from '../../accounts/users/users.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { authCall } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { noContent } from '../reply.ts';
import { hasSecondFactor, requireSession } from '../sessions/assurance.ts';

/**
 * The member must have signed in within accountDeletionSeconds, by any method, or have proven their identity in this
 * session. For a member without an address and a phone number, the session is enough, because this member could not
 * sign in again. The call returns database_refused if rows of the app refer to the account.
 */
export const deleteOwnAccount = authCall({
  id: 'auth.user.delete',
  route: 'DELETE /user',
  caller: 'member',
  errors: ['account_proof_needed', 'insufficient_aal'],
  summary: 'Deletes the account of the member who calls and the files that the member uploaded, soon after a sign-in.',
  returns: '204, no body',
  handle: async (context, request, { member }) => {
    const { user, sessionId, isWhole } = await requireSession(context, member, { mayBeAnonymous: true });
    if (hasSecondFactor(user) && !isWhole) throw new NinefoldError('insufficient_aal');
    if (!user.is_anonymous && !(await isRecent(context, sessionId))) throw new NinefoldError('account_proof_needed');
    const { address } = request;
    if (!(await deleteUser(context.database, user.id, { address }, { deletesFiles: true })))
      throw new NinefoldError('user_not_found');
    context.events.emit({ type: 'auth', what: 'signed-out', app: context.app.ref, userId: user.id, address });
    return noContent;
  },
});

async function isRecent({ database }: AuthContext, sessionId: string): Promise<boolean> {
  const seconds = limits.accountDeletionSeconds.default;
  const age = await sessionAgeSeconds(database, sessionId);
  return (age !== null && age < seconds) || (await hasRecentProof(database, sessionId, seconds));
}
