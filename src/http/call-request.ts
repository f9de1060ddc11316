import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallRequest, CancelSignal } from '../../contract/call-request.ts';
import { allErrors } from '../../contract/errors.ts';
import { limits } from '../../contract/limits.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { isRequestId } from '../observe/request-id.ts';
import type { TraceSampler } from '../observe/trace-context.ts';

/**
 * Converts a request of Node.js. The query is not decoded, because its decoding depends on the API. The body is read
 * later, when the caller is known.
 * @param traces Decides to which trace the request belongs.
 * @param to The part of the target below the API, the client's address, and the URL that the API has for clients.
 */
export function toCallRequest(
  request: IncomingMessage,
  response: ServerResponse,
  traces: Pick<TraceSampler, 'contextOf'>,
  to: Pick<CallRequest, 'path' | 'query' | 'address' | 'baseUrl'> & Partial<Pick<CallRequest, 'headers'>>,
): CallRequest {
  const headers = request.headers as CallRequest['headers'];
  return {
    method: request.method ?? 'GET',
    path: to.path,
    query: to.query,
    headers: to.headers ?? headers,
    body: null,
    stream: null,
    target: request.url ?? '/',
    address: to.address,
    requestId: requestIdOf(headers),
    trace: traces.contextOf(headers),
    baseUrl: to.baseUrl,
    signal: new DisconnectSignal(response),
  };
}

/** Returns the client's request id if it is safe to echo, otherwise a new one. */
export function requestIdOf(headers: Record<string, unknown>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && isRequestId(sent) ? sent : randomUUID();
}

/**
 * Returns an error if the request line and headers exceed the limit urlBytes, or if the request does not have exactly
 * one Host header (RFC 9112, section 3.2). HTTP/1.0 requests may have none. Node's parser accepts twice as many bytes,
 * so that the API of the app can refuse a long URL in its own format, and a preflight request with this URL succeeds.
 * Without both, a browser reports only that the request failed.
 */
export function headerError(request: IncomingMessage, isPreflight = false): NinefoldError | undefined {
  const { rawHeaders, url = '' } = request;
  let hosts = 0;
  let bytes = url.length;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    bytes += name.length + (rawHeaders[i + 1] as string).length;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (bytes > limits.urlBytes.default && !isPreflight) return headersTooLarge();
  if (hosts === 1 || (hosts === 0 && request.httpVersion === '1.0')) return undefined;
  return new NinefoldError('bad_request', { message: 'A request has exactly one Host header.' });
}

/** Maximum number of bytes of the request line and headers that Node's parser reads. */
export const PARSED_HEADER_BYTES = 2 * limits.urlBytes.default;

/** Returns the error for a request line and headers that exceed the limit urlBytes. */
export const headersTooLarge = (): NinefoldError =>
  new NinefoldError('headers_too_large', { hint: allErrors.headers_too_large?.action ?? null });

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

/**
 * Aborts if the client disconnects before its response is written. Registers a listener on the response only while it
 * has listeners itself.
 */
class DisconnectSignal implements CancelSignal {
  readonly #response: ServerResponse;
  #listeners: (() => void)[] = [];

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get aborted(): boolean {
    return this.#response.destroyed && !this.#response.writableFinished;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listeners.length === 0) this.#response.on('close', this.#onClose);
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((each) => each !== listener);
    if (this.#listeners.length === 0) this.#response.off('close', this.#onClose);
  }

  readonly #onClose = (): void => {
    if (!this.aborted) return;
    for (const listener of this.#listeners) listener();
  };
}

const bodiless = new Set(['GET', 'HEAD']);

/** Returns true if the request has a body with a defined meaning (RFC 9110, section 9.3). */
export const hasBody = ({ method, headers }: IncomingMessage): boolean =>
  !bodiless.has(method ?? '') &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
