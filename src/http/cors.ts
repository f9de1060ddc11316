import type { Exchange, Reply } from '../../contract/exchange.ts';

/**
 * On every answer of an app: any page may read it, with all its headers, since no cookie opens anything here, only a header a page
 * must set itself. The star stands for every header of a call without credentials (Fetch standard, "CORS-safelisted response
 * header name"), and another call no page can make.
 */
export const corsHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
};

/** True for the question a browser asks before a call (Fetch standard, "CORS-preflight request"). */
export const isPreflight = (exchange: Exchange): boolean =>
  exchange.method === 'OPTIONS' && exchange.headers['access-control-request-method'] !== undefined;

/** Allowed whether a page asks for them or not, as PostgREST allows them; all but the first are always allowed. */
const ALWAYS_ALLOWED = ['Authorization', 'Accept', 'Accept-Language', 'Content-Language'] as const;

/** The answer to it: every method, and the headers that were asked for (PostgREST docs, "CORS"). */
export function preflightReply(exchange: Exchange): Reply {
  const asked = (exchange.headers['access-control-request-headers'] ?? 'apikey, Content-Type').split(',');
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

/** Each header name once, however its letters are written. */
function unique(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return names.filter((name) => {
    const folded = name.toLowerCase();
    return !seen.has(folded) && seen.add(folded);
  });
}
