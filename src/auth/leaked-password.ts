import { NinefoldError } from '../errors/ninefold-error.ts';
import { EASY_TO_GUESS } from './check-password.ts';
import type { AuthContext } from './context.ts';

/**
 * Refuses a leaked new password, if the app enables this check. If the service does not respond in time, the password
 * is accepted and an event reports the reason.
 * @throws weak_password
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
