/**
 * Every error that a client can get from Ninefold itself, with what it means and what to do.
 * `docs/errors.md` says the same in prose; a test holds the two against each other. A retired code is
 * listed in `retired` and never used again.
 */
import { authErrors } from './errors/auth.ts';
import { ninefoldErrors } from './errors/ninefold.ts';
import { restErrors } from './errors/rest.ts';

export type { ErrorEntry } from './errors/entry.ts';

export const errors = { ...ninefoldErrors, ...restErrors, ...authErrors };

export type ErrorCode = keyof typeof errors;

/** Codes that were sent once and never will be again. */
export const retired: readonly string[] = [];
