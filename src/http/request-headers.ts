import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { isRequestId } from '../observe/request-id.ts';

/** Returns the client's request id if it is safe to echo, otherwise a new one. */
export function requestIdOf(headers: Record<string, unknown>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && isRequestId(sent) ? sent : randomUUID();
}

/**
 * Returns an error if the request does not have exactly one Host header (RFC 9112, section 3.2). HTTP/1.0 requests may
 * have none.
 */
export function hostHeaderError(request: IncomingMessage): NinefoldError | undefined {
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
 * Returns the path with its query, and the host of a request. For a target in absolute form, its authority overrides
 * the Host header (RFC 9112, section 3.2.2).
 */
export function readTarget(request: IncomingMessage): { path: string; host: string | undefined } {
  const url = request.url ?? '/';
  const { host } = request.headers;
  if (url.startsWith('/')) return { path: url, host };
  const match = ABSOLUTE.exec(url);
  return match ? { path: withSlash(url.slice(match[0].length)), host: match[1] } : { path: withSlash(url), host };
}

const withSlash = (path: string): string => (path === '' ? '/' : path);
