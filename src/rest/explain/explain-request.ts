import type { CallRequest } from '../../../contract/call-request.ts';

/** The value of the Prefer header that requests an explanation. */
export const EXPLAIN_ACCESS = 'explain=access';

const wordsOf = (request: CallRequest): string[] =>
  (request.headers.prefer ?? '').split(',').map((word) => word.trim());

/**
 * Returns true for a request for an explanation. Only the service role and builders below /admin/v1 get one; for other
 * callers the preference is unknown and ignored.
 */
export const wantsExplanation = (request: CallRequest): boolean => wordsOf(request).includes(EXPLAIN_ACCESS);

/** Headers of the caller that are not part of the explained request. */
const callerHeaders = ['x-ninefold-as', 'authorization', 'apikey', 'cookie'];

/** Returns the request to explain, without the preference and the caller's credentials. */
export function explainedRequest(request: CallRequest): CallRequest {
  const prefer = wordsOf(request).filter((word) => word !== EXPLAIN_ACCESS && word !== '');
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => name !== 'prefer' && !callerHeaders.includes(name)),
  );
  return { ...request, headers: prefer.length > 0 ? { ...headers, prefer: prefer.join(', ') } : headers };
}
