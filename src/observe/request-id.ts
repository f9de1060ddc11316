import { limits } from '../../contract/limits.ts';

const REQUEST_ID = new RegExp(`^[A-Za-z0-9._:-]{1,${limits.requestIdCharacters.default}}$`);

/** Returns true for a request id that can be repeated in headers, logs and notifications as it is. */
export const isRequestId = (id: string): boolean => REQUEST_ID.test(id);
