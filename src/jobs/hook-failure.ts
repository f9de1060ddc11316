import type { HookName } from '../../contract/hooks.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

/** Returns the error of a call whose auth hook is set up or answers wrongly. @param cause For the log. */
export const hookFailure = (message: string, cause?: unknown): NinefoldError =>
  new NinefoldError('unexpected_failure', { message, ...(cause !== undefined && { cause }) });

/** Returns the error of a call whose auth hook cannot be called. */
export const hookMisconfigured = (name: HookName, problem: string): NinefoldError =>
  hookFailure(`The auth hook ${name} is on, but ${problem}.`);
