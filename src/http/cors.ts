import type { CallRequest, Reply } from '../../contract/call-request.ts';

/**
 * CORS headers of every response of an app. Any page may read responses and all their headers: cookies do not
 * authenticate requests to apps, only headers that a page must set itself. The wildcard covers all headers of requests
 * without credentials (Fetch standard, "CORS-safelisted response-header name"). Browsers reject responses with a
 * wildcard to requests with credentials.
 */
export const corsHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
};

/** Returns true for a preflight request of a browser (Fetch standard, "CORS-preflight request"). */
export const isPreflight = (request: CallRequest): boolean =>
  request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;

/** Headers that are allowed in every response, as in PostgREST. */
const ALWAYS_ALLOWED = ['Authorization', 'Accept', 'Accept-Language', 'Content-Language'] as const;

/** Returns the response to a preflight request: every method, and the requested headers (PostgREST docs, "CORS"). */
export function preflightReply(request: CallRequest): Reply {
  const asked = (request.headers['access-control-request-headers'] ?? 'apikey, Content-Type').split(',');
  const [first, ...rest] = ALWAYS_ALLOWED;
  const names = [first, ...asked.map((name) => name.trim()), ...rest].filter((name) => name !== '');
  return {
    status: 200,
    headers: {
      'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD',
      'access-control-allow-headers': unique(names).join(', '),
      'access-control-max-age': '86400',
      vary: 'access-control-request-headers',
    },
    body: null,
  };
}

/** Removes duplicate header names, ignoring case. */
function unique(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return names.filter((name) => {
    const folded = name.toLowerCase();
    return !seen.has(folded) && seen.add(folded);
  });
}
