import { limitsOf } from './limit.ts';

/** Limits of auth hooks. */
export const hookLimits = limitsOf('sessions', {
  hookFunctionMilliseconds: {
    unit: 'milliseconds',
    default: 2000,
    meaning: 'How long the function of an auth hook may run.',
    code: 'hook_timeout',
  },
  hookRequestMilliseconds: {
    unit: 'milliseconds',
    default: 5000,
    meaning: 'How long all requests for one call of an auth hook may take together.',
    code: 'hook_timeout',
  },
  hookRequestAttempts: {
    unit: 'count',
    default: 3,
    meaning: 'Requests for one call of an auth hook, if the server cannot be reached or asks for a retry.',
    code: 'hook_timeout_after_retry',
  },
  hookRetryMilliseconds: {
    unit: 'milliseconds',
    default: 2000,
    meaning: 'The pause before a request to an auth hook is repeated.',
  },
  hookRequests: {
    unit: 'count',
    default: 50,
    meaning: 'Concurrent calls of auth hooks over HTTP of one worker for one app.',
    code: 'unexpected_failure',
  },
  hookAnswerBytes: {
    unit: 'bytes',
    default: 200 * 1024,
    meaning: 'Size of one response of an auth hook.',
    code: 'hook_payload_over_size_limit',
  },
  hookMessageCharacters: {
    unit: 'characters',
    default: 2000,
    meaning: 'The longest message of an auth hook that is passed on. The rest is cut off.',
  },
  hookFunctionsListed: {
    group: 'settings',
    unit: 'count',
    default: 200,
    meaning: 'Functions that the settings of an auth hook offer.',
  },
  hookClaimsBytes: {
    unit: 'bytes',
    default: 16 * 1024,
    meaning:
      'Size of the claims that an auth hook adds to an access token, as JSON. The token must fit into the headers of a request.',
    code: 'hook_payload_over_size_limit',
  },
});
