import type { User } from '../accounts/users/user.ts';
import { findUser } from '../accounts/users/users.ts';
import type { Executor } from '../database/database.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { isActingToken } from './acting-token.ts';
import type { Identity } from './identity.ts';
import { identityOfClaims, type RoleRules } from './resolve.ts';
import { UUID } from './uuid.ts';

/** The caller in the header `x-ninefold-as`: an anonymous caller, or a member by id. */
export type ImpersonatedCaller = 'anon' | { readonly userId: string };

/**
 * Parses the header `x-ninefold-as`. Returns null without the header, and for an acting token, which `requireActing`
 * verifies.
 * @throws NinefoldError validation_invalid
 */
export function namedCaller(header: string | undefined): ImpersonatedCaller | null {
  if (header === undefined || isActingToken(header)) return null;
  if (header === 'anon') return header;
  if (UUID.test(header)) return { userId: header.toLowerCase() };
  throw new NinefoldError('validation_invalid', { message: 'x-ninefold-as is “anon” or the id of a member.' });
}

/** Returns the claims that an access token of an account would have, without creating a session. */
export type ClaimsOf = (user: User) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Returns the identity of the impersonated caller. A member gets the claims of a new access token, but no claims about
 * a session. If no account has the id, the claims contain only the id.
 * @param claimsOf Applies the custom access token hook of the app.
 * @param more Further claims.
 * @throws NinefoldError PGRST302 for `anon` if the app rejects requests without a token.
 * @throws DatabaseError
 * @throws the errors of `claimsOf`
 */
export async function impersonatedIdentity(
  database: Executor,
  rules: RoleRules,
  caller: ImpersonatedCaller,
  claimsOf: ClaimsOf,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Identity> {
  if (caller === 'anon') return { ...identityOfClaims(rules, {}), source: 'none' };
  const user = await findUser(database, caller.userId);
  if (!user) {
    return identityOfClaims(rules, { sub: caller.userId, aud: 'authenticated', role: 'authenticated', ...more });
  }
  return identityOfClaims(rules, { ...(await claimsOf(user)), ...more });
}
