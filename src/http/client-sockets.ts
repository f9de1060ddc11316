import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Share of the limit above which each response announces that its connection closes. Closing an idle connection without
 * notice would reset a request that is on its way.
 */
const ANNOUNCED_SHARE = 0.9;

/**
 * Limits the open client sockets of a server, so that they do not use up the file descriptors for database connections.
 * Above the limit, it closes the oldest socket that has not sent anything. If there is none, it closes sockets that are
 * idle between two requests. If there is none either, it closes the new socket.
 * @returns A function that returns true if connections must close after their current response.
 */
export function limitSockets(server: Server, max: number): () => boolean {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    // A connection whose upgrade is ignored is reported again.
    if (open.has(socket)) return;
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
  return () => open.size > ANNOUNCED_SHARE * max;
}

function firstOf(sockets: Iterable<Socket>, matches: (socket: Socket) => boolean): Socket | null {
  for (const socket of sockets) if (matches(socket)) return socket;
  return null;
}
