import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Limits the open client sockets of a server, so that they do not use up the file descriptors for database connections.
 * Above the limit, it closes the oldest socket that has not sent anything. If there is none, it closes sockets that are
 * idle between two requests. If there is none either, it closes the new socket.
 */
export function limitSockets(server: Server, max: number): void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (open.size <= max) return;
    const silent = firstOf(open, (other) => other !== socket && other.bytesRead === 0 && !other.destroyed);
    if (silent) {
      silent.destroy();
      return;
    }
    server.closeIdleConnections();
    if (!firstOf(open, (other) => other.destroyed)) socket.destroy();
  });
}

function firstOf(sockets: Iterable<Socket>, matches: (socket: Socket) => boolean): Socket | null {
  for (const socket of sockets) if (matches(socket)) return socket;
  return null;
}
