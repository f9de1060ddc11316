import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Exchange } from '../../contract/exchange.ts';
import { ClientSignal } from './client-signal.ts';

/**
 * The request as an area sees it. The first `segments` segments are cut off the path (by number, as a client may percent-encode
 * letters of them); the query stays as it was sent, since how it is decoded is the protocol's own matter.
 */
export function toExchange(
  request: FastifyRequest,
  reply: FastifyReply,
  { segments, baseUrl, address }: { segments: number; baseUrl: string; address: string },
): Exchange {
  const url = request.raw.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  return {
    method: request.method,
    path: afterSegments(path, segments) || '/',
    query: mark < 0 ? '' : url.slice(mark + 1),
    headers: request.headers as Record<string, string | undefined>,
    body: null,
    address,
    requestId: request.id,
    baseUrl,
    signal: new ClientSignal(reply.raw),
  };
}

function afterSegments(path: string, segments: number): string {
  let at = 0;
  for (let i = 0; i < segments; i++) {
    at = path.indexOf('/', at + 1);
    if (at < 0) return '';
  }
  return path.slice(at);
}
