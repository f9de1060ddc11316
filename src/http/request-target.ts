import type { IncomingMessage } from 'node:http';

const ABSOLUTE = /^https?:\/\/([^/?]*)/i;

/**
 * Returns the path with its query, and the host that a request names. Of a target in absolute form the authority decides, not the header
 * Host (RFC 9112, section 3.2.2).
 */
export function readTarget(request: IncomingMessage): { path: string; host: string | undefined } {
  const url = request.url ?? '/';
  const { host } = request.headers;
  if (url.startsWith('/')) return { path: url, host };
  const match = ABSOLUTE.exec(url);
  return match ? { path: withSlash(url.slice(match[0].length)), host: match[1] } : { path: withSlash(url), host };
}

const withSlash = (path: string): string => (path === '' ? '/' : path);
