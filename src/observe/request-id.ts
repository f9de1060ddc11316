import { limits } from '../../contract/limits.ts';

const REQUEST_ID = new RegExp(`^[A-Za-z0-9._:-]{1,${limits.requestIdCharacters.default}}$`);

/** Returns true for a request id that is safe to repeat in headers, logs and notifications. */
export const isRequestId = (id: string): boolean => REQUEST_ID.test(id);
