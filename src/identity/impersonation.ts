import type { User } from '../accounts/user.ts';
import { findUser } from '../accounts/users.ts';
import type { Executor } from '../database/database.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { isActingToken } from './acting.ts';
import type { Identity } from './identity.ts';
import { identityOfClaims, type RoleRules } from './resolve.ts';
import { UUID } from './uuid.ts';

/** The caller in the header `x-ninefold-as`: an anonymous caller, or a member by id. */
export type ImpersonatedCaller = 'anon' | { readonly userId: string };

/**
 * Parses the header `x-ninefold-as`. Returns null without the header or for an acting token, which is handled
 * elsewhere.
 * @throws NinefoldError validation_invalid
 */
export function namedCaller(header: string | undefined): ImpersonatedCaller | null {
  if (header === undefined || isActingToken(header)) return null;
  if (header === 'anon') return header;
  if (UUID.test(header)) return { userId: header.toLowerCase() };
  throw new NinefoldError('validation_invalid', { message: 'x-ninefold-as is “anon” or the id of a member.' });
}

/** Returns the claims of a token that an account would get without a session. */
export type ClaimsOf = (user: User) => Promise<Readonly<Record<string, unknown>>>;

/**
 * The identity that a call of the named caller has, with the claims of a token that the member would get now, those of
 * its session left out. An id without an account is a member of whom nothing but the id is known.
 * Throws PGRST302 for `anon` where the app refuses calls without a token, and what the database and `claimsOf` throw.
 *
 * @param claimsOf Applies the custom access token hook of the app.
 * @param more Further claims.
 * @throws NinefoldError PGRST302 for `anon` if the app rejects requests without a token.
 * @throws DatabaseError
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
