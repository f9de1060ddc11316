import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallRequest } from '../../contract/call-request.ts';
import { DisconnectSignal } from './disconnect-signal.ts';
import { requestIdOf } from './request-headers.ts';

/**
 * Converts a request of Node.js. The query is not decoded, because its decoding depends on the API. The body is read
 * later, when the caller is known.
 * @param to The part of the target below the API, the client's address, and the URL that the API has for clients.
 */
export function toCallRequest(
  request: IncomingMessage,
  response: ServerResponse,
  to: Pick<CallRequest, 'path' | 'query' | 'address' | 'baseUrl'> & Partial<Pick<CallRequest, 'headers'>>,
): CallRequest {
  const headers = request.headers as CallRequest['headers'];
  return {
    method: request.method ?? 'GET',
    path: to.path,
    query: to.query,
    headers: to.headers ?? headers,
    body: null,
    address: to.address,
    requestId: requestIdOf(headers),
    baseUrl: to.baseUrl,
    signal: new DisconnectSignal(response),
  };
}
