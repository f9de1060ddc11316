import { entries } from './entry.ts';

/** PostgREST's codes (https://docs.postgrest.org/en/stable/references/errors.html). */
export const restErrors = entries({});
