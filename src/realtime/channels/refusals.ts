import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Identity } from '../../identity/identity.ts';
import { LiveReadError } from '../live/live-parts.ts';

/** Returns the words of a refusal: the code and the message. */
export const reasonOf = (error: unknown): string => {
  const isKnown = error instanceof NinefoldError || error instanceof LiveReadError;
  const { code, message } = isKnown ? error : new NinefoldError('RealtimeRestarting');
  return `${code}: ${message}`;
};

export const sessionEnded = () => new NinefoldError('InvalidJWTToken', { message: 'The session has ended' });
export const tokenExpired = () => new NinefoldError('InvalidJWTToken', { message: 'Access token has expired' });

/** Returns the time at which the token of a caller expires, in seconds since 1970; Infinity for a key. */
export function expiryOf({ source, claims }: Identity): number {
  const isToken = source === 'token' || source === 'external-token';
  return isToken && typeof claims.exp === 'number' ? claims.exp : Number.POSITIVE_INFINITY;
}

/** Returns the refusal of a caller in the words of Supabase. */
export function asRefusal(error: unknown): NinefoldError {
  if (!(error instanceof NinefoldError)) return new NinefoldError('RealtimeRestarting', { cause: error });
  const { code, message } = error;
  const isOfCaller = error.status === 401 || error.status === 403;
  return isOfCaller && code !== 'Unauthorized' && code !== 'InvalidJWTToken'
    ? new NinefoldError('InvalidJWTToken', { message, cause: error })
    : error;
}
