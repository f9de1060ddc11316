import type { CallRequest } from '../../../contract/call-request.ts';
import { type AttemptReservation, reserveAttempt } from '../../accounts/factors/second-factor-attempts.ts';
import { accountJson, runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AuthContext } from '../context.ts';

/**
 * Counts an attempt with a code of a second factor before the code is compared. Returns the function that settles the
 * attempt; an attempt that is not settled counts as wrong.
 * @throws `code` after too many wrong attempts
 */
export async function countAttempt(
  { database, settings }: AuthContext,
  userId: string,
  code: 'over_request_rate_limit' | 'mfa_recovery_codes_locked' = 'over_request_rate_limit',
): Promise<string> {
  const bound = {
    most: settings.rate_limit_second_factor,
    seconds: settings.rate_limit_second_factor_window,
  };
  const [result] = await runAsAuthAdmin(database, [reserveAttempt(userId, bound)]);
  const reservation = accountJson<AttemptReservation>(result);
  if (reservation && 'at' in reservation) return reservation.at;
  const wait = reservation?.wait ?? 1;
  throw new NinefoldError(code, {
    message: `Too many wrong codes. Try again in ${wait} ${wait === 1 ? 'second' : 'seconds'}.`,
    retryAfter: wait,
    limit: 'secondFactorFailures',
    quota: { count: bound.most, seconds: bound.seconds },
  });
}

/**
 * Waits for the check of a second factor, and emits an event if it fails.
 * @throws what `proving` throws
 */
export async function reportFailure<T>(
  { events, app }: AuthContext,
  { address }: CallRequest,
  userId: string,
  proving: Promise<T>,
): Promise<T> {
  try {
    return await proving;
  } catch (error) {
    if (error instanceof NinefoldError) {
      events.emit({ type: 'auth', what: 'second-factor-failed', app: app.ref, userId, address });
    }
    throw error;
  }
}
