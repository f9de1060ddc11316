import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { User } from '../accounts/user.ts';
import { findUser } from '../accounts/users.ts';
import { requireMember } from './callers.ts';
import { type AuthContext, timeOf } from './context.ts';
import { usable } from './get-user.ts';
import { requireOAuthServer } from './oauth-server.ts';
import { json } from './reply.ts';

/**
 * Returns true if somebody has proved that the address of an account is theirs, as `ACCOUNT` of external-sign-in.ts
 * decides. An address that was confirmed automatically at sign-up must not open an account of another application.
 */
function hasProvenEmail({ email, email_confirmed_at: confirmedAt, created_at: createdAt, identities }: User): boolean {
  if (confirmedAt === undefined) return false;
  if (confirmedAt !== createdAt) return true;
  const own = identities.map(({ provider, identity_data: data }) => ({
    isExternal: provider !== 'email' && provider !== 'phone',
    isSame: typeof data.email === 'string' && data.email.toLowerCase() === email.toLowerCase(),
    isVerified: data.email_verified === true,
  }));
  return own.length === 0 || own.some(({ isExternal, isSame, isVerified }) => isExternal && isSame && isVerified);
}

/** Returns the claims of a member that the scopes include (OpenID Connect Core 1.0, section 5.4). */
export function memberClaims(user: User, scopes: readonly string[]): Readonly<Record<string, unknown>> {
  const { user_metadata: data } = user;
  const textOf = (...names: string[]): string | undefined =>
    names.map((name) => data[name]).find((value): value is string => typeof value === 'string' && value !== '');
  const [name, picture] = [textOf('name', 'full_name') ?? user.email, textOf('picture', 'avatar_url')];
  const nick = textOf('preferred_username', 'username', 'user_name');
  const claims = {
    email: { email: user.email, email_verified: hasProvenEmail(user) },
    phone: { phone_number: user.phone, phone_number_verified: user.phone_confirmed_at !== undefined },
    profile: {
      ...(name !== '' && { name }),
      ...(picture !== undefined && { picture }),
      ...(nick !== undefined && { preferred_username: nick }),
      updated_at: Math.floor(Date.parse(user.updated_at) / 1000),
    },
  };
  return {
    ...(scopes.includes('email') && user.email !== '' ? claims.email : {}),
    ...(scopes.includes('phone') && user.phone !== '' ? claims.phone : {}),
    ...(scopes.includes('profile') ? claims.profile : {}),
  };
}

/**
 * Handles GET and POST /oauth/userinfo: returns the member's claims that the scopes of the access token include (OpenID
 * Connect Core 1.0, section 5.3). For a token of the app itself, returns only the id.
 */
export async function userInfo(context: AuthContext, request: CallRequest): Promise<Reply> {
  requireOAuthServer(context);
  const { userId, scope } = await requireMember(context, request, { takesApplications: true });
  const user = usable(await findUser(context.database, userId), timeOf(context));
  return json({ sub: user.id, ...memberClaims(user, (scope ?? '').split(' ')) });
}
