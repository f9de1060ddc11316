import type { z } from 'zod';
import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { isMissing, nonceStatements } from '../../accounts/messages/one-time-tokens.ts';
import { isOwnPassword, type Login } from '../../accounts/passwords/password-sign-in.ts';
import { runAsAuthAdmin, type SqlStatement } from '../../accounts/run-as-auth-admin.ts';
import { hasRecentProof } from '../../accounts/sessions/recent-proof.ts';
import { type SessionClient, sessionAgeSeconds } from '../../accounts/sessions/sessions.ts';
import type { User } from '../../accounts/users/user.ts';
import { optional } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { signInSubjects } from '../../limits/sign-in-attempts.ts';
import { password, text } from '../body.ts';
import type { AuthContext } from '../context.ts';
import { clientOf } from '../sign-in/token-reply.ts';
import type { MemberSession } from './assurance.ts';

interface Proof {
  /** The code that GET /reauthenticate sent. */
  readonly nonce: string | undefined;
  /** The current password. */
  readonly password: string | undefined;
  readonly client: SessionClient;
  readonly signal: CallRequest['signal'];
}

const NONCE_INVALID = 'Nonce has expired or is invalid';

/**
 * Checks that the member who changes a password or an address has signed in recently, knows the current password or has
 * the code of a mail. Returns the statements that use the code up, for the transaction of the change.
 * @throws reauthentication_needed, reauthentication_not_valid, and over_request_rate_limit after too many wrong passwords
 */
export async function proofOfPresence(
  context: AuthContext,
  user: User,
  sessionId: string | null,
  { nonce, password, client, signal }: Proof,
): Promise<readonly SqlStatement[]> {
  const { database, settings } = context;
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
  // The password counts as a sign-in, so that a stolen access token does not allow more guesses than a sign-in.
  const login: Login = user.email ? { by: 'email', name: user.email.toLowerCase() } : { by: 'phone', name: user.phone };
  const subjects = signInSubjects(client.address, login.name, settings);
  if (await isOwnPassword(context, user.id, { login, password, subjects, client, signal })) return [];
  throw new NinefoldError('reauthentication_needed');
}

/** The fields of a body that prove the presence of a member whose session is older than a day. */
export const presence = {
  nonce: text(limits.authFieldCharacters.default).meta(
    optional('The code of GET /reauthenticate, for a session that is older than a day.'),
  ),
  current_password: password.meta(optional('The current password, in place of the code.')),
};

/**
 * Checks that the member who adds a factor, a passkey or an identity has signed in or shown a second factor recently, knows the
 * current password or has a code. Uses the code up.
 * @throws what `proofOfPresence` throws
 */
export async function requirePresence(
  context: AuthContext,
  request: CallRequest,
  { user, sessionId }: Pick<MemberSession, 'user' | 'sessionId'>,
  shown: Partial<z.output<z.ZodObject<typeof presence>>> = {},
): Promise<void> {
  // An anonymous account needs no proof. Only this session can use it, and its member has no way to sign in again.
  if (user.is_anonymous) return;
  if (await hasRecentProof(context.database, sessionId, limits.recentSignInSeconds.default)) return;
  const statements = await proofOfPresence(context, user, sessionId, {
    nonce: shown.nonce,
    password: shown.current_password,
    client: clientOf(request),
    signal: request.signal,
  });
  if (statements.length === 0) return;
  await runAsAuthAdmin(context.database, statements).catch((error: unknown) => {
    throw isMissing(error) ? new NinefoldError('reauthentication_not_valid', { message: NONCE_INVALID }) : error;
  });
}
