/**
 * Every error that a client can get from Ninefold itself, with its meaning and action. `npm run docs` writes
 * `docs/errors.md` from them, and a test compares the two. A retired code is listed in `retired` and never reused.
 */
import { authErrors } from './errors/auth.ts';
import { bodyErrors } from './errors/bodies.ts';
import type { ErrorEntry } from './errors/entry.ts';
import { functionErrors } from './errors/functions.ts';
import { ninefoldErrors } from './errors/ninefold.ts';
import { postgresErrors } from './errors/postgres.ts';
import { realtimeErrors } from './errors/realtime.ts';
import { restErrors } from './errors/rest.ts';
import { s3Errors } from './errors/s3.ts';
import { stateErrors } from './errors/states.ts';
import { storageErrors } from './errors/storage.ts';

export type { ErrorEntry };

export const errors = {
  ...ninefoldErrors,
  ...restErrors,
  ...authErrors,
  ...storageErrors,
  ...s3Errors,
  ...realtimeErrors,
  ...functionErrors,
};

export type ErrorCode = keyof typeof errors;

/** The HTTP statuses that a response with this code may have in place of the status in its entry. */
export type OtherStatus<Code extends ErrorCode> = (typeof errors)[Code] extends { appChoosesStatus: true }
  ? number
  : (typeof errors)[Code] extends { otherStatuses: infer Statuses }
    ? keyof Statuses & number
    : never;

/** Errors that Ninefold raises and errors of PostgreSQL that pass through, by the code in a response. */
export const allErrors: Readonly<Record<string, ErrorEntry>> = {
  ...errors,
  ...stateErrors,
  ...postgresErrors,
  ...bodyErrors,
};

/** Codes that were sent in the past and are never reused. */
export const retired: readonly string[] = [];
