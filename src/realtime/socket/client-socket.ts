import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AppTraffic } from './app-traffic.ts';
import { type ClientMessage, readBinary, readText, type ServerMessage, type Version } from './frames.ts';
import { type Outgoing, OutgoingMessage } from './outgoing.ts';

/** Codes that close a WebSocket (RFC 6455, section 7.4.1, and the registry of IANA). */
export const closeCodes = { policyViolation: 1008, serviceRestart: 1012, tryAgainLater: 1013 } as const;

/** The longest reason of a close frame in bytes (RFC 6455, section 5.5). */
const REASON_BYTES = 123;
/** Bytes of the header of a control frame of a client (RFC 6455, section 5.2). */
const CONTROL_HEADER = 6;

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
  readonly #stream: Socket;
  readonly #counts: SocketCounts;
  readonly #traffic: AppTraffic;
  #lastSeen = performance.now();
  /** Time since which bytes wait for the client; 0 if none wait. */
  #waitingSince = 0;
  #isClosed = false;
  #isCorked = false;
  /** Bytes that `traffic` counts as waiting for this client. */
  #countedBytes = 0;
  /** Bytes that had arrived with the last complete message. */
  #finishedBytes = 0;
  /** Frames that wait until the app may use the worker again. */
  #deferred: { readonly bytes: number; readonly handle: () => void }[] = [];
  #isPaused = false;

  /**
   * @param stream The connection of `ws`. Frames are written to it directly, because `ws` would make the header of a
   * frame for each socket anew.
   * @param ws Does not answer pings by itself.
   * @param counts Counts to which the socket adds.
   * @param traffic The limits that all sockets of the app share.
   */
  constructor(ws: WebSocket, stream: Socket, version: Version, counts: SocketCounts, traffic: AppTraffic) {
    this.#ws = ws;
    this.#stream = stream;
    this.version = version;
    this.#counts = counts;
    this.#traffic = traffic;
    this.#finishedBytes = stream.bytesRead;
  }

  /** Passes messages and the end of the socket to the handler. Broken frames close the socket. */
  start(handler: SocketHandler): void {
    this.#ws.on('message', (data: Buffer, isBinary: boolean) => {
      this.#finishedBytes = this.#stream.bytesRead;
      this.#onFrame(data.length, () => this.#read(data, isBinary, handler));
    });
    const onControl = (data: Buffer, handle: () => void): void => {
      this.#finishedBytes += data.length + CONTROL_HEADER;
      this.#onFrame(data.length, handle);
    };
    this.#ws.on('pong', (data: Buffer) => onControl(data, () => undefined));
    this.#ws.on('ping', (data: Buffer) =>
      onControl(data, () => {
        // A client that reads nothing could let pongs wait without end.
        if (!this.isSlow) this.#ws.pong(data, false);
      }),
    );
    // `ws` closes the socket after an error of the protocol, such as a frame above the limit.
    this.#ws.on('error', () => undefined);
    this.#ws.once('close', () => {
      this.#isClosed = true;
      this.#deferred = [];
      this.#countWaiting();
      handler.onClose();
    });
  }

  #read(data: Buffer, isBinary: boolean, handler: SocketHandler): void {
    try {
      const isNew = this.version === '2.0.0';
      const message = isBinary && isNew ? readBinary(data) : readText(data.toString('utf8'), this.version);
      handler.onMessage(message, data.length);
    } catch (error) {
      if (!(error instanceof NinefoldError)) throw error;
      this.close(closeCodes.policyViolation, `${error.code}: ${error.message}`);
    }
  }

  /** Handles a frame now, or when the app may use the worker again. */
  #onFrame(bytes: number, handle: () => void): void {
    this.#lastSeen = performance.now();
    if (this.#isClosed) return;
    this.#deferred.push({ bytes, handle });
    if (!this.#isPaused) this.#handleDeferred();
  }

  #handleDeferred(): void {
    const wasPaused = this.#isPaused;
    this.#isPaused = false;
    for (let next = this.#deferred[0]; next; next = this.#deferred[0]) {
      const now = performance.now();
      const pause = this.#traffic.pause(now);
      if (pause > 0) {
        this.#isPaused = true;
        this.#ws.pause();
        setTimeout(() => this.#handleDeferred(), pause);
        return;
      }
      this.#deferred.shift();
      next.handle();
      this.#traffic.count(next.bytes, performance.now() - now);
    }
    if (wasPaused) this.#ws.resume();
  }

  /** Bytes of messages that have not arrived completely, or are not handled. */
  get unfinishedBytes(): number {
    if (this.#isClosed) return 0;
    const deferred = this.#deferred.reduce((sum, { bytes }) => sum + bytes, 0);
    return deferred + Math.max(0, this.#stream.bytesRead - this.#finishedBytes);
  }

  #countWaiting(): void {
    const bytes = this.#stream.destroyed ? 0 : this.#stream.writableLength;
    this.#traffic.waitingBytes += bytes - this.#countedBytes;
    this.#countedBytes = bytes;
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
    if (this.#traffic.isFull) this.#flush();
    const waiting = this.#stream.writableLength;
    const isOverShare = this.#isOverShare;
    if (waiting > limits.realtimeClosedBytes.default || (isOverShare && !mayDrop)) {
      this.close(closeCodes.tryAgainLater, 'The client reads too slowly.');
      return true;
    }
    if (mayDrop && (isOverShare || waiting > limits.realtimeSlowBytes.default)) {
      this.#counts.dropped++;
      return false;
    }
    const frame = outgoing.frame(this.version);
    if (frame === null) return true;
    this.#counts.sent++;
    this.#cork();
    this.#stream.write(frame);
    this.#countWaiting();
    return true;
  }

  /** True while messages that may be lost would be left out. */
  get isSlow(): boolean {
    return this.#isOverShare || this.#stream.writableLength > limits.realtimeSlowBytes.default;
  }

  /** True if the app is full, and more than a small share waits for this client. */
  get #isOverShare(): boolean {
    return this.#traffic.isFull && this.#stream.writableLength > limits.realtimeShareBytes.default;
  }

  /** Collects the writes of this tick into one system call. */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#stream.cork();
    process.nextTick(() => this.#flush());
  }

  /** Hands the collected writes over to the system. */
  #flush(): void {
    if (this.#isCorked) this.#stream.uncork();
    this.#isCorked = false;
    this.#countWaiting();
  }

  /** Closes the socket if the client is silent or reads nothing. Called regularly. */
  check(now: number): void {
    if (this.#isClosed) return;
    this.#countWaiting();
    if (this.#stream.writableLength > limits.realtimeClosedBytes.default) {
      this.close(closeCodes.tryAgainLater, 'The client reads too slowly.');
      return;
    }
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

  /** Closes the socket without waiting for the client, so that its memory is free. */
  cutOff(code: number, reason: string): void {
    this.close(code, reason);
    this.#ws.terminate();
  }

  /** Closes the socket. A client that does not read is cut off. */
  close(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#deferred = [];
    // The client's own close frame must be read.
    this.#ws.resume();
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
