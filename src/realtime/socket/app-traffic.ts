import { limits } from '../../../contract/limits.ts';

/** Time for which the handled messages are counted. */
const WINDOW_MILLISECONDS = 100;
const SHARE_OF_SECOND = WINDOW_MILLISECONDS / 1000;

/** A socket as the sum over the sockets of its app needs it. */
interface Unfinished {
  /** Bytes of a message that has not arrived completely. */
  readonly unfinishedBytes: number;
}

/**
 * Bounds the share of one app in a worker that serves all apps: the time to read messages, and the memory for messages
 * that wait for slow clients or have not arrived completely. No setting of the app changes these limits.
 */
export class AppTraffic {
  #window = 0;
  #frames = 0;
  #bytes = 0;
  #milliseconds = 0;
  /** Bytes that wait for the clients of the app. Messages with several receivers count for each of them. */
  waitingBytes = 0;

  /** True while so much waits that no client may have more than a small share. */
  get isFull(): boolean {
    return this.waitingBytes > limits.realtimeAppWaitingBytes.default;
  }

  /**
   * Returns the milliseconds for which no message of the app is handled, because the others need the worker; 0 for none.
   * @param now Milliseconds of a clock that never goes back.
   */
  pause(now: number): number {
    const window = Math.floor(now / WINDOW_MILLISECONDS);
    if (window !== this.#window) {
      this.#window = window;
      this.#frames = 0;
      this.#bytes = 0;
      this.#milliseconds = 0;
    }
    const isExhausted =
      this.#frames > limits.realtimeReceivedPerSecond.default * SHARE_OF_SECOND ||
      this.#bytes > limits.realtimeReceivedBytesPerSecond.default * SHARE_OF_SECOND ||
      this.#milliseconds > (limits.realtimeReadPercent.default / 100) * WINDOW_MILLISECONDS;
    return isExhausted ? Math.ceil(WINDOW_MILLISECONDS - (now % WINDOW_MILLISECONDS)) : 0;
  }

  /** Counts a frame that was handled. */
  count(bytes: number, milliseconds: number): void {
    this.#frames += 1;
    this.#bytes += bytes;
    this.#milliseconds += milliseconds;
  }

  /** Returns the sockets with the longest unfinished messages that must be closed, so that the others fit into the limit. */
  excess<Socket extends Unfinished>(sockets: readonly Socket[]): Socket[] {
    let sum = sockets.reduce((bytes, { unfinishedBytes }) => bytes + unfinishedBytes, 0);
    const max = limits.realtimeUnfinishedBytes.default;
    if (sum <= max) return [];
    const longest = sockets.toSorted((one, other) => other.unfinishedBytes - one.unfinishedBytes);
    const excess: Socket[] = [];
    for (const socket of longest) {
      if (sum <= max) break;
      sum -= socket.unfinishedBytes;
      excess.push(socket);
    }
    return excess;
  }
}
