import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { isRequestId } from '../observe/request-id.ts';

/** The client's own request id where it sent one that is safe to repeat, else a new one. */
export function requestIdOf(headers: Record<string, unknown>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && isRequestId(sent) ? sent : randomUUID();
}

/** RFC 9112, section 3.2: a request of HTTP/1.1 has exactly one Host header. */
export function refusedForHost(request: IncomingMessage): NinefoldError | undefined {
  const { rawHeaders } = request;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts++;
  }
  if (hosts === 1 || (hosts === 0 && request.httpVersion === '1.0')) return undefined;
  return new NinefoldError('bad_request', { message: 'A request has exactly one Host header.' });
}

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
