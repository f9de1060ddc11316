import type { Exchange, Reply } from '../../contract/exchange.ts';

const EXPOSED =
  'content-range, content-location, location, preference-applied, link, x-total-count, x-request-id, retry-after, server-timing, www-authenticate, x-supabase-api-version, x-sb-error-code';

/** On every answer of an app: any page may read it, since no cookie opens anything here, only a header a page must set itself. */
export const corsHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
};

/** True for the question a browser asks before a call (Fetch standard, "CORS-preflight request"). */
export const isPreflight = (exchange: Exchange): boolean =>
  exchange.method === 'OPTIONS' && exchange.headers['access-control-request-method'] !== undefined;

/** The answer to it: every method, and the headers that were asked for. */
export function preflightReply(exchange: Exchange): Reply {
  return {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
      'access-control-allow-headers':
        exchange.headers['access-control-request-headers'] ?? 'authorization, apikey, content-type',
      'access-control-max-age': '86400',
      vary: 'access-control-request-headers',
    },
    body: null,
  };
}
