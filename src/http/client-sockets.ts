import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps the open sockets of a server below a bound, so that sockets of clients never take the file descriptors that
 * connections to the database need. For a socket beyond the bound it closes the one that has been silent for longest, else
 * those that wait for their next request, else the new one.
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
