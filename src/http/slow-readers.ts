import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { limits } from '../../contract/limits.ts';

/** Limits for clients that read slowly. */
export interface SlowReaderBounds {
  /** Maximum number of bytes that all unread responses together may hold in memory. */
  readonly bytes: number;
  /** Minimum number of bytes that a client must read in each period. */
  readonly bytesPerPeriod: number;
  readonly periodMilliseconds: number;
}

const standardBounds: SlowReaderBounds = {
  bytes: limits.slowReaderBytes.default,
  bytesPerPeriod: limits.replyBytesPerPeriod.default,
  periodMilliseconds: limits.streamIdleSeconds.default * 1000,
};

/** How often the progress of the clients is checked. */
const SWEEP_MILLISECONDS = 1000;

/** Size of the slices in which larger bodies are written, so that the progress of the client is visible. */
const SLICE_BYTES = 64 * 1024;

/** A client that has not read all bytes written for it. */
interface Reader {
  readonly socket: Socket;
  bufferedBytes: number;
  taken: number;
  /** Time at which the client last made progress, in milliseconds of performance.now(). */
  progressAt: number;
  periodAt: number;
  takenBeforePeriod: number;
}

/**
 * Limits the memory of a worker for clients that do not read their responses. It checks all client connections. It
 * closes the connection of a client that reads too little in a period. If all clients together exceed the limit, it
 * closes the connections that made no progress for the longest time.
 */
export class SlowReaders {
  readonly #bounds: SlowReaderBounds;
  readonly #sockets = new Set<Socket>();
  /** Functions that return the bytes in memory of the bodies that are written in parts, by socket. */
  readonly #bodies = new Map<Socket, () => number>();
  readonly #readers = new Map<Socket, Reader>();

  constructor(bounds: SlowReaderBounds = standardBounds) {
    this.#bounds = bounds;
  }

  /** Checks the connections of the server until it closes. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      if (this.#sockets.has(socket)) return;
      this.#sockets.add(socket);
      socket.once('close', () => this.#forget(socket));
    });
    const timer = setInterval(() => this.#sweep(), SWEEP_MILLISECONDS).unref();
    server.once('close', () => clearInterval(timer));
  }

  /** Returns a body to write. A large body becomes a stream of slices, which is read as fast as the client reads. */
  body(response: ServerResponse, body: string | Uint8Array): string | Uint8Array | Readable {
    if (body.length <= SLICE_BYTES) return body;
    const bytes: Uint8Array = typeof body === 'string' ? Buffer.from(body) : body;
    const slices = Readable.from(slicesOf(bytes), { objectMode: false });
    this.#count(response, slices, () => bytes.length);
    return slices;
  }

  /** Counts the bytes of a streamed body that have arrived and that the client has not read. */
  countStream(response: ServerResponse, body: Readable): void {
    this.#count(response, body, () => body.readableLength);
  }

  #count(response: ServerResponse, body: Readable, bytesOf: () => number): void {
    const { socket } = response.req;
    this.#bodies.set(socket, bytesOf);
    body.once('close', () => this.#bodies.delete(socket));
    let bufferedBytes = 0;
    for (const size of this.#bodies.values()) bufferedBytes += size();
    if (bufferedBytes > this.#bounds.bytes) this.#sweep();
  }

  #sweep(): void {
    const now = performance.now();
    let bufferedBytes = 0;
    for (const socket of this.#sockets) {
      const bytes = socket.writableLength + (this.#bodies.get(socket)?.() ?? 0);
      if (bytes === 0) {
        this.#readers.delete(socket);
        continue;
      }
      bufferedBytes += bytes;
      const reader = this.#look(socket, bytes, now);
      if (now - reader.periodAt < this.#bounds.periodMilliseconds) continue;
      if (reader.taken - reader.takenBeforePeriod < this.#bounds.bytesPerPeriod) bufferedBytes -= this.#cut(reader);
      reader.periodAt = now;
      reader.takenBeforePeriod = reader.taken;
    }
    if (bufferedBytes > this.#bounds.bytes) this.#makeRoom(bufferedBytes, now);
  }

  #look(socket: Socket, bufferedBytes: number, now: number): Reader {
    const taken = socket.bytesWritten - socket.writableLength;
    const known = this.#readers.get(socket);
    if (!known) {
      const reader = { socket, bufferedBytes, taken, progressAt: now, periodAt: now, takenBeforePeriod: taken };
      this.#readers.set(socket, reader);
      return reader;
    }
    if (taken > known.taken) known.progressAt = now;
    known.taken = taken;
    known.bufferedBytes = bufferedBytes;
    return known;
  }

  /**
   * Closes connections until the total is below the limit. The connection of a client that makes progress is closed
   * only if the total exceeds twice the limit.
   */
  #makeRoom(bufferedBytes: number, now: number): void {
    let left = bufferedBytes;
    const longestIdleFirst = [...this.#readers.values()].sort((a, b) => a.progressAt - b.progressAt);
    for (const reader of longestIdleFirst) {
      const isIdle = now - reader.progressAt >= SWEEP_MILLISECONDS;
      if (left <= (isIdle ? 1 : 2) * this.#bounds.bytes) return;
      left -= this.#cut(reader);
    }
  }

  #cut({ socket, bufferedBytes }: Reader): number {
    socket.destroy();
    this.#forget(socket);
    return bufferedBytes;
  }

  #forget(socket: Socket): void {
    this.#sockets.delete(socket);
    this.#bodies.delete(socket);
    this.#readers.delete(socket);
  }
}

function* slicesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) yield bytes.subarray(start, start + SLICE_BYTES);
}
