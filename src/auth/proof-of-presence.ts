import { limits } from '../../contract/limits.ts';
import { commonDecoys } from '../accounts/common-hashes.ts';
import { nonceStatements, type SqlStatement } from '../accounts/one-time-tokens.ts';
import { findPasswordHash } from '../accounts/password-sign-in.ts';
import { verifyPassword } from '../accounts/passwords.ts';
import { type SessionClient, sessionAgeSeconds } from '../accounts/sessions.ts';
import type { User } from '../accounts/user.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { AuthContext } from './context.ts';

interface Proof {
  /** The code that GET /reauthenticate sent. */
  readonly nonce: string | undefined;
  /** The current password. */
  readonly password: string | undefined;
  readonly client: SessionClient;
}

const NONCE_INVALID = 'Nonce has expired or is invalid';

/**
 * Checks that the member who changes a password or an address has signed in recently, knows the current password or has
 * the code of a mail. Returns the statements that use the code up, for the transaction of the change.
 * @throws reauthentication_needed, reauthentication_not_valid
 */
export async function proofOfPresence(
  { database, settings }: AuthContext,
  user: User,
  sessionId: string | null,
  { nonce, password, client }: Proof,
): Promise<readonly SqlStatement[]> {
  if (!settings.security_update_password_require_reauthentication) return [];
  const age = sessionId === null ? null : await sessionAgeSeconds(database, sessionId);
  if (age !== null && age < limits.recentSignInSeconds.default) return [];
  if (nonce) {
    const used = await nonceStatements(
      database,
      user,
      nonce,
      user.email ? settings.mailer_otp_exp : settings.sms_otp_exp,
      client,
    );
    if (used === null) throw new NinefoldError('reauthentication_not_valid', { message: NONCE_INVALID });
    return used;
  }
  if (!password) throw new NinefoldError('reauthentication_needed');
  const hash = await findPasswordHash(database, user.id);
  if (await verifyPassword(password, hash, await commonDecoys(database))) return [];
  throw new NinefoldError('reauthentication_needed');
}
