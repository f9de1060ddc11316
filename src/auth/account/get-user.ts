import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import type { User } from '../../accounts/users/user.ts';
import { findUser } from '../../accounts/users/users.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { accountForScopes } from '../../identity/scoped-account.ts';
import { requireMember } from '../callers.ts';
import { type AuthContext, timeOf } from '../context.ts';
import { json } from '../reply.ts';

/**
 * Handles GET /user: returns the account of the member who calls. An application that the member signed in to receives
 * only the fields that its scopes include.
 */
export async function getUser(context: AuthContext, request: CallRequest): Promise<Reply> {
  const { userId, clientId, scope } = await requireMember(context, request, { takesApplications: true });
  const user = usable(await findUser(context.database, userId), timeOf(context));
  return json(clientId === null ? user : accountForScopes(user, (scope ?? '').split(' ')));
}

/**
 * Returns the account that an access token names, if the member may use it.
 * @throws user_not_found, user_banned
 */
export function usable(user: User | null, now: number): User {
  if (!user) {
    throw new NinefoldError('user_not_found', {
      status: 403,
      message: 'User from sub claim in JWT does not exist',
    });
  }
  if (user.banned_until && Date.parse(user.banned_until) > now) throw new NinefoldError('user_banned', { status: 403 });
  return user;
}
