import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '../../contract/limits.ts';

/** How many requests of a connection wait for their turn. */
const waiting = new WeakMap<Socket, number>();

/**
 * Calls `answer` once the earlier requests of the connection are answered. A client may send requests without waiting for responses
 * (RFC 9112, section 9.3.2); answered all at once, their responses would be held in memory until the first one is read.
 */
export function inTurn(response: ServerResponse, answer: () => void): void {
  // Node.js gives a response its socket when the one before it is finished.
  if (response.socket !== null) {
    answer();
    return;
  }
  const { socket } = response.req;
  const count = (waiting.get(socket) ?? 0) + 1;
  if (count > limits.pipelinedRequests.default) {
    socket.destroy();
    return;
  }
  waiting.set(socket, count);
  response.once('socket', () => {
    waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
    answer();
  });
}
