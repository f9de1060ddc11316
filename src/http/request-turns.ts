import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '../../contract/limits.ts';

/**
 * Handles the requests of each connection one after the other. A client may send requests without waiting for responses
 * (RFC 9112, section 9.3.2). If they were handled in parallel, their responses would stay in memory until the client
 * reads the first one.
 */
export class RequestTurns {
  /** Number of requests on each connection that wait for the response to a previous request. */
  readonly #waiting = new WeakMap<Socket, number>();

  /** Calls `answer` once the responses to previous requests of the connection are finished. */
  take(response: ServerResponse, answer: () => void): void {
    // Node.js assigns the socket to a response when the previous response is finished.
    if (response.socket !== null) {
      answer();
      return;
    }
    const { socket } = response.req;
    const count = (this.#waiting.get(socket) ?? 0) + 1;
    if (count > limits.pipelinedRequests.default) {
      socket.destroy();
      return;
    }
    this.#waiting.set(socket, count);
    response.once('socket', () => {
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1);
      answer();
    });
  }
}
