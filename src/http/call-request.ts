import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallRequest } from '../../contract/call-request.ts';
import { DisconnectSignal } from './disconnect-signal.ts';

/**
 * Converts a request of the framework. The query is not decoded, because its decoding depends on the API.
 * @param options.segments Number of path segments to remove. The segments are counted, because clients may
 * percent-encode their letters.
 */
export function toCallRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { segments, baseUrl, address }: { segments: number; baseUrl: string; address: string },
): CallRequest {
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
    signal: new DisconnectSignal(reply.raw),
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
