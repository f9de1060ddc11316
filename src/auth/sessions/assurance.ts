import { isIP } from 'node:net';
import type { CallRequest } from '../../../contract/call-request.ts';
import { findMemberOfSession } from '../../accounts/sessions/assurance.ts';
import type { User } from '../../accounts/users/user.ts';
import { findUser } from '../../accounts/users/users.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { usable } from '../account/get-user.ts';
import { decodeSegment, type Member } from '../callers.ts';
import { type AuthContext, timeOf } from '../context.ts';

/** A member who calls with a session. */
export interface MemberSession {
  readonly user: User;
  readonly sessionId: string;
  /** True if both the session and the access token have the assurance that a second factor gives. */
  readonly isWhole: boolean;
}

/**
 * Returns the account and the session of the member who calls.
 * @throws no_authorization for an anonymous member, who has nothing that a second factor could protect;
 * session_not_found for a token without a session
 */
export async function requireSession(
  context: AuthContext,
  { userId, sessionId, aal }: Member,
  options: { mayBeAnonymous?: boolean } = {},
): Promise<MemberSession> {
  if (sessionId === null) throw new NinefoldError('session_not_found');
  const found = await findMemberOfSession(context.database, userId, sessionId);
  if (!found) throw new NinefoldError('session_not_found');
  const user = usable(found.user, timeOf(context));
  if (user.is_anonymous && !options.mayBeAnonymous) {
    throw new NinefoldError('no_authorization', {
      status: 403,
      message: 'Anonymous user not allowed to perform these actions',
    });
  }
  return { user, sessionId, isWhole: isSecondLevel(aal) && isSecondLevel(found.aal) };
}

/** Returns true for the assurance level that a second factor gives. */
export const isSecondLevel = (aal: string | null): boolean => aal === 'aal2' || aal === 'aal3';

/** Returns true if an account has a verified second factor. */
export const hasSecondFactor = (user: User): boolean =>
  user.factors?.some((factor) => factor.status === 'verified') ?? false;

/**
 * Returns the account of a member who adds or removes an identity, by which the account can be signed in to.
 * @param aal The assurance of the caller's token. If the account has a second factor, it must be the assurance of that
 * factor.
 * @throws insufficient_aal, user_not_found
 */
export async function requireWholeAccount(context: AuthContext, userId: string, aal: string | null): Promise<User> {
  const user = await findUser(context.database, userId);
  if (user === null) throw new NinefoldError('user_not_found', { status: 403 });
  if (hasSecondFactor(user) && !isSecondLevel(aal)) throw new NinefoldError('insufficient_aal');
  return user;
}

/**
 * Returns an id of a path in its canonical form.
 * @param name The name of the id in the error.
 * @throws validation_failed
 */
export function requireId(segment: string, name: string): string {
  const id = decodeSegment(segment);
  if (UUID.test(id)) return id.toLowerCase();
  throw new NinefoldError('validation_failed', { status: 404, message: `${name} must be an UUID` });
}

/** Returns the address of the client as a challenge stores it. */
export function challengeAddress(request: CallRequest): string {
  const address = request.address.replace(/%.*$/, '');
  return isIP(address) ? address : '0.0.0.0';
}
