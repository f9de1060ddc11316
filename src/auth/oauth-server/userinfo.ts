import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import type { User } from '../../accounts/users/user.ts';
import { findUser, isAddressProven, isPhoneProven } from '../../accounts/users/users.ts';
import { accountForScopes } from '../../identity/scoped-account.ts';
import { usable } from '../account/get-user.ts';
import { authCall } from '../call.ts';
import type { Member } from '../callers.ts';
import { type AuthContext, timeOf } from '../context.ts';
import { json } from '../reply.ts';

/**
 * Returns the claims of a member that the scopes include (OpenID Connect Core 1.0, section 5.4). An unproven address or
 * number is reported as not verified. Otherwise an application could sign the member in to an account with this address
 * that belongs to another person.
 */
export async function memberClaims(
  { database }: Pick<AuthContext, 'database'>,
  user: User,
  scopes: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const account = accountForScopes(user, scopes);
  const { email, phone, user_metadata: data } = account;
  const textOf = (...names: string[]): string | undefined =>
    names.map((name) => data[name]).find((value): value is string => typeof value === 'string' && value !== '');
  const [name, picture] = [textOf('name', 'full_name') ?? email, textOf('picture', 'avatar_url')];
  const nick = textOf('preferred_username', 'username', 'user_name');
  return {
    ...(email !== '' && { email, email_verified: await isAddressProven(database, user.id) }),
    ...(phone !== '' && { phone_number: phone, phone_number_verified: await isPhoneProven(database, user.id) }),
    ...(scopes.includes('profile') && {
      ...(name !== '' && { name }),
      ...(picture !== undefined && { picture }),
      ...(nick !== undefined && { preferred_username: nick }),
      updated_at: Math.floor(Date.parse(account.updated_at) / 1000),
    }),
  };
}

export const userInfoCall = authCall({
  id: 'auth.oauth.userinfo',
  route: 'GET /oauth/userinfo',
  caller: 'member',
  takesApplications: true,
  needs: { oauth_server_enabled: true },
  errors: [],
  summary: 'Returns the claims of the member that the scopes of the access token include.',
  returns: 'sub, and claims of the scopes',
  handle: userInfo,
});

export const userInfoByPost = authCall({
  id: 'auth.oauth.userinfo.post',
  route: 'POST /oauth/userinfo',
  caller: 'member',
  takesApplications: true,
  needs: { oauth_server_enabled: true },
  errors: [],
  summary: 'The same, for applications that post.',
  returns: 'sub, and claims of the scopes',
  handle: userInfo,
});

/**
 * Handles GET and POST /oauth/userinfo: returns the member's claims that the scopes of the access token include (OpenID
 * Connect Core 1.0, section 5.3). For a token of the app itself, returns only the id.
 */
async function userInfo(context: AuthContext, _request: CallRequest, { member }: { member: Member }): Promise<Reply> {
  const { userId, scope } = member;
  const user = usable(await findUser(context.database, userId), timeOf(context));
  return json({ sub: user.id, ...(await memberClaims(context, user, (scope ?? '').split(' '))) });
}
