/**
 * Every error that a client can get from Ninefold itself, with what it means and what to do.
 * `docs/errors.md` says the same in prose; a test holds the two against each other. A retired code is
 * listed in `retired` and never used again.
 */
import { authErrors } from './errors/auth.ts';
import { bodyErrors } from './errors/bodies.ts';
import type { ErrorEntry } from './errors/entry.ts';
import { ninefoldErrors } from './errors/ninefold.ts';
import { postgresErrors } from './errors/postgres.ts';
import { restErrors } from './errors/rest.ts';
import { stateErrors } from './errors/states.ts';

export type { ErrorEntry };

export const errors = { ...ninefoldErrors, ...restErrors, ...authErrors };

export type ErrorCode = keyof typeof errors;

/** The statuses that may replace the one of a code's entry. */
export type OtherStatus<Code extends ErrorCode> = (typeof errors)[Code] extends { appChoosesStatus: true }
  ? number
  : (typeof errors)[Code] extends { otherStatuses: infer Statuses }
    ? keyof Statuses & number
    : never;

/** Those that Ninefold raises, and those of PostgreSQL that pass through: what a code in an answer means. */
export const allErrors: Readonly<Record<string, ErrorEntry>> = {
  ...errors,
  ...stateErrors,
  ...postgresErrors,
  ...bodyErrors,
};

/** Codes that were sent once and never will be again. */
export const retired: readonly string[] = [];
