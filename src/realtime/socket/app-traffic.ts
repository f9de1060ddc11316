import { limits } from '../../../contract/limits.ts';
import { RatePerSecond } from './rate.ts';

const SECOND = 1000;

/** A socket as the sum over the sockets of its app needs it. */
interface Unfinished {
  /** Bytes of a message that has not arrived completely. */
  readonly unfinishedBytes: number;
}

/**
 * What the sockets of one app use of a worker that all apps share: time to read messages, and memory for messages that wait
 * for slow clients or have not arrived completely. No setting of the app changes these limits.
 */
export class AppTraffic {
  readonly #messages = new RatePerSecond();
  readonly #bytes = new RatePerSecond();
  /** Bytes that wait for the clients of the app. Messages with several receivers count for each of them. */
  waitingBytes = 0;

  /** True while so much waits that no client may have more than a small share. */
  get isFull(): boolean {
    return this.waitingBytes > limits.realtimeAppWaitingBytes.default;
  }

  /**
   * Counts a frame that has arrived.
   * @param now Milliseconds of a clock that never goes back.
   * @returns the milliseconds for which its socket must not be read; 0 for none
   */
  take(bytes: number, now: number): number {
    const hasMessages = this.#messages.take(1, limits.realtimeReceivedPerSecond.default, now);
    const hasBytes = this.#bytes.take(bytes, limits.realtimeReceivedBytesPerSecond.default, now);
    return hasMessages && hasBytes ? 0 : SECOND - (now % SECOND);
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
