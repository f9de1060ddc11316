import type { IncomingMessage, Server } from 'node:http';
import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Returns true for a request that opens a WebSocket (RFC 6455, section 4.2.1). */
export const isWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && headers['sec-websocket-key'] !== undefined;

/**
 * Handles a request with the header Upgrade as if it had none, which a server may do (RFC 9110, section 7.8). Java's
 * client asks for HTTP/2 in this way. Node.js stops parsing the connection at this header, so the body is read here,
 * and the connection closes after the response.
 */
export function handleWithoutUpgrade(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.end());
  socket.on('error', () => socket.destroy());
  let missing = Number(request.headers['content-length'] ?? 0);
  const read = (chunk: Buffer) => {
    const part = chunk.subarray(0, missing);
    missing -= part.length;
    if (part.length > 0) request.push(part);
    if (missing > 0) return;
    socket.off('data', read);
    request.complete = true;
    request.push(null);
  };
  socket.on('data', read);
  read(head);
  server.emit('request', request, response);
}
