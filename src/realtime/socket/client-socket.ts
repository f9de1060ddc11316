import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type ClientMessage, readBinary, readText, type ServerMessage, type Version } from './frames.ts';
import { type Outgoing, OutgoingMessage } from './outgoing.ts';

/** Codes that close a WebSocket (RFC 6455, section 7.4.1, and the registry of IANA). */
export const closeCodes = { policyViolation: 1008, serviceRestart: 1012, tryAgainLater: 1013 } as const;

/** The longest reason of a close frame in bytes (RFC 6455, section 5.5). */
const REASON_BYTES = 123;

/** Receives what happens on a socket. */
export interface SocketHandler {
  /** @param bytes Length of the message on the wire. */
  onMessage(message: ClientMessage, bytes: number): void;
  onClose(): void;
}

/** Counts of a socket that the page Realtime shows. */
export interface SocketCounts {
  /** Messages that were written. */
  sent: number;
  /** Messages that were left out because the client reads too slowly. */
  dropped: number;
}

/**
 * The socket of one client. Messages are written at once and nothing waits for the client: a slow client loses messages
 * that may be lost, and later its socket.
 */
export class ClientSocket {
  readonly version: Version;
  readonly #ws: WebSocket;
  readonly #stream: Duplex;
  readonly #counts: SocketCounts;
  #lastSeen = performance.now();
  /** Time since which bytes wait for the client; 0 if none wait. */
  #waitingSince = 0;
  #isClosed = false;
  #isCorked = false;

  /**
   * @param stream The connection of `ws`. Frames are written to it directly, because `ws` would make the header of a
   * frame for each socket anew.
   * @param counts Counts to which the socket adds.
   */
  constructor(ws: WebSocket, stream: Duplex, version: Version, counts: SocketCounts) {
    this.#ws = ws;
    this.#stream = stream;
    this.version = version;
    this.#counts = counts;
  }

  /** Passes messages and the end of the socket to the handler. Broken frames close the socket. */
  start(handler: SocketHandler): void {
    this.#ws.on('message', (data: Buffer, isBinary: boolean) => {
      this.#lastSeen = performance.now();
      if (this.#isClosed) return;
      try {
        const isNew = this.version === '2.0.0';
        const message = isBinary && isNew ? readBinary(data) : readText(data.toString('utf8'), this.version);
        handler.onMessage(message, data.length);
      } catch (error) {
        if (!(error instanceof NinefoldError)) throw error;
        this.close(closeCodes.policyViolation, `${error.code}: ${error.message}`);
      }
    });
    this.#ws.on('ping', () => {
      this.#lastSeen = performance.now();
    });
    // `ws` closes the socket after an error of the protocol, such as a frame above the limit.
    this.#ws.on('error', () => undefined);
    this.#ws.once('close', () => {
      this.#isClosed = true;
      handler.onClose();
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Writes a message to this client only. */
  sendMessage(message: ServerMessage): void {
    this.send(new OutgoingMessage(message), false);
  }

  /**
   * Writes a message.
   * @param mayDrop True if the message may be left out for a slow client.
   * @returns false if it was left out
   */
  send(outgoing: Outgoing, mayDrop: boolean): boolean {
    if (this.#isClosed) return true;
    const waiting = this.#stream.writableLength;
    if (waiting > limits.realtimeClosedBytes.default) {
      this.close(closeCodes.tryAgainLater, 'The client reads too slowly.');
      return true;
    }
    if (mayDrop && waiting > limits.realtimeSlowBytes.default) {
      this.#counts.dropped++;
      return false;
    }
    const frame = outgoing.frame(this.version);
    if (frame === null) return true;
    this.#counts.sent++;
    this.#cork();
    this.#stream.write(frame);
    return true;
  }

  /** True while messages that may be lost would be left out. */
  get isSlow(): boolean {
    return this.#stream.writableLength > limits.realtimeSlowBytes.default;
  }

  /** Collects the writes of this tick into one system call. */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      this.#stream.uncork();
    });
  }

  /** Closes the socket if the client is silent or reads nothing. Called regularly. */
  check(now: number): void {
    if (this.#isClosed) return;
    if (now - this.#lastSeen > limits.realtimeSilenceSeconds.default * 1000) {
      this.close(closeCodes.policyViolation, 'The client sent no heartbeat.');
      return;
    }
    if (this.#stream.writableLength === 0) this.#waitingSince = 0;
    else if (this.#waitingSince === 0) this.#waitingSince = now;
    else if (now - this.#waitingSince > limits.realtimeSlowSeconds.default * 1000) {
      this.close(closeCodes.tryAgainLater, 'The client reads too slowly.');
    }
  }

  /** Closes the socket. A client that does not read is cut off. */
  close(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#ws.close(code, shortened(reason));
    if (this.#stream.writableLength > limits.realtimeSlowBytes.default) this.#ws.terminate();
  }
}

/** Shortens a reason to the bytes of a close frame. */
function shortened(reason: string): string {
  const bytes = Buffer.from(reason);
  return bytes.length <= REASON_BYTES
    ? reason
    : `${bytes
        .subarray(0, REASON_BYTES - 3)
        .toString('utf8')
        .replace(/\uFFFD+$/, '')}…`;
}
