import type { HookName } from '../../contract/hooks.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

/**
 * Returns the error for a hook with a wrong configuration or response.
 * @param cause Logged, not sent.
 */
export const hookFailure = (message: string, cause?: unknown): NinefoldError =>
  new NinefoldError('unexpected_failure', { message, ...(cause !== undefined && { cause }) });

/** Returns the error for a hook that cannot be called. */
export const hookMisconfigured = (name: HookName, problem: string): NinefoldError =>
  hookFailure(`The auth hook ${name} is on, but ${problem}.`);
