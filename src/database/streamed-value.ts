import { Readable } from 'node:stream';
import type { BodyStream } from '../../contract/call-request.ts';

/** Pauses and resumes the connection from which a streamed value arrives. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/**
 * A stream of the last value of a row, which the caller reads while the value arrives. The socket is read only as fast
 * as the stream. The stream must be read to its end or destroyed; until then no other batch uses its connection. After
 * `destroy`, the remaining bytes are discarded as they arrive.
 */
export class StreamedValue extends Readable implements BodyStream {
  readonly length: number;
  readonly #flow: Flow;
  #received = 0;
  #readsAhead = false;
  /** Time at which the connection was paused, in milliseconds of performance.now(); null while it is not paused. */
  #pausedAt: number | null = null;
  #onBatchEnd: (() => void) | null = null;
  #batchEnded = false;

  constructor(length: number, flow: Flow) {
    super();
    this.length = length;
    this.#flow = flow;
  }

  /** Adds the next bytes of the value, without a copy. */
  receive(bytes: Buffer): void {
    this.#received += bytes.length;
    if (this.destroyed || this.push(bytes) || this.#readsAhead) return;
    this.#pausedAt ??= performance.now();
    this.#flow.pause();
  }

  /** Number of bytes that have not arrived. */
  get remaining(): number {
    return this.length - this.#received;
  }

  /** Time for which the caller has read nothing although bytes were there. */
  get stalledMilliseconds(): number {
    return this.#pausedAt === null ? 0 : performance.now() - this.#pausedAt;
  }

  /** Reads the rest of the value into memory, so that the connection is free soon. */
  readAhead(): void {
    this.#readsAhead = true;
    this.#flow.resume();
  }

  /** Ends the stream after the last byte of the value. */
  end(): void {
    if (!this.destroyed) this.push(null);
  }

  /** Sets a listener that is called once the batch of this value has ended and the connection is free. */
  onBatchEnd(listener: () => void): void {
    if (this.#batchEnded) listener();
    else this.#onBatchEnd = listener;
  }

  batchEnded(): void {
    this.#batchEnded = true;
    this.#onBatchEnd?.();
  }

  override _read(): void {
    this.#pausedAt = null;
    this.#flow.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#flow.resume();
    callback(error);
  }
}
