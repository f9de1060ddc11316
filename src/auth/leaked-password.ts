import { NinefoldError } from '../errors/ninefold-error.ts';
import { EASY_TO_GUESS } from './check-password.ts';
import type { AuthContext } from './context.ts';

/**
 * Refuses a new password that was leaked, where the app asks for it. If the service does not answer in time the password is taken, and an
 * event tells why. Throws weak_password.
 */
export async function refuseLeakedPassword(
  context: Pick<AuthContext, 'settings' | 'leakedPasswords' | 'events'>,
  password: string | undefined,
  requestId: string,
): Promise<void> {
  const { settings, leakedPasswords, events } = context;
  if (!password || !settings.password_hibp_enabled || !leakedPasswords) return;
  const isLeaked = await leakedPasswords.has(password).catch((error: unknown) => {
    events.emit({ type: 'fault', requestId, where: 'the check for leaked passwords', error });
    return false;
  });
  if (isLeaked) throw new NinefoldError('weak_password', { message: EASY_TO_GUESS, details: { reasons: ['pwned'] } });
}
