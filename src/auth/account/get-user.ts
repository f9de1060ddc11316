import type { User } from '../../accounts/users/user.ts';
import { findUser } from '../../accounts/users/users.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { accountForScopes } from '../../identity/scoped-account.ts';
import { authCall } from '../call.ts';
import { timeOf } from '../context.ts';
import { json } from '../reply.ts';

/** An application that the member signed in to receives only the fields that its scopes include. */
export const getUser = authCall({
  id: 'auth.user',
  route: 'GET /user',
  caller: 'member',
  takesApplications: true,
  errors: [],
  summary: 'The account of the member who calls.',
  returns: 'the user: id, email, app_metadata, user_metadata, identities, created_at …',
  supabaseJs: 'supabase.auth.getUser()',
  handle: async (context, _request, { member }) => {
    const { userId, clientId, scope } = member;
    const user = usable(await findUser(context.database, userId), timeOf(context));
    return json(clientId === null ? user : accountForScopes(user, (scope ?? '').split(' ')));
  },
});

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
