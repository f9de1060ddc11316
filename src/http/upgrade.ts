import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Returns true for a request that opens a WebSocket (RFC 6455, section 4.2.1). */
export const isWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && headers['sec-websocket-key'] !== undefined;

/** Headers that are removed to ignore the upgrade. */
const OF_UPGRADE = /^(?:upgrade|connection|http2-settings)$/i;

/**
 * Handles a request with the header Upgrade as if it had none, which a server may do (RFC 9110, section 7.8). Java's
 * client asks for HTTP/2 in this way. Node.js stops parsing the connection at this header, so the connection is parsed
 * again from the beginning of the request, without the header.
 * @param head Bytes that arrived after the headers.
 */
export function handleWithoutUpgrade(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (!OF_UPGRADE.test(name)) lines.push(`${name}: ${rawHeaders[i + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
