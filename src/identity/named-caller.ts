import { findUser } from '../accounts/users.ts';
import type { Executor } from '../database/database.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { isActingToken } from './acting.ts';
import type { Identity } from './identity.ts';
import { identityOfClaims, type RoleRules } from './resolve.ts';
import { UUID } from './uuid.ts';

/** The caller in the header `x-ninefold-as`: an anonymous caller, or a member by id. */
export type NamedCaller = 'anon' | { readonly userId: string };

/**
 * Parses the header `x-ninefold-as`. Returns null without the header or for an acting token, which is handled
 * elsewhere.
 * @throws NinefoldError validation_invalid
 */
export function namedCaller(header: string | undefined): NamedCaller | null {
  if (header === undefined || isActingToken(header)) return null;
  if (header === 'anon') return header;
  if (UUID.test(header)) return { userId: header.toLowerCase() };
  throw new NinefoldError('validation_invalid', { message: 'x-ninefold-as is “anon” or the id of a member.' });
}

/**
 * Returns the identity of the named caller, with the claims of a new token for the member except those of a session.
 * For an id without an account, only the id is known.
 * @param more Further claims.
 * @throws NinefoldError PGRST302 for `anon` if the app rejects requests without a token.
 * @throws DatabaseError
 */
export async function identityOfNamed(
  database: Executor,
  rules: RoleRules,
  caller: NamedCaller,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Identity> {
  if (caller === 'anon') return { ...identityOfClaims(rules, {}), source: 'none' };
  const user = await findUser(database, caller.userId);
  if (!user) {
    return identityOfClaims(rules, { sub: caller.userId, aud: 'authenticated', role: 'authenticated', ...more });
  }
  const { id: sub, aud, email, phone, app_metadata, user_metadata, role, is_anonymous } = user;
  return identityOfClaims(rules, {
    sub,
    aud,
    email,
    phone,
    app_metadata,
    user_metadata,
    role,
    aal: 'aal1',
    is_anonymous,
    ...more,
  });
}
