import { Readable } from 'node:stream';
import type { BodyStream } from '../../contract/exchange.ts';

/** What a tail asks of the connection that it comes from. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/**
 * The last value of a row, handed on while it arrives: the socket is read only as fast as this is. It must be read to its end or
 * destroyed; until then its connection serves nobody else. Once destroyed, the rest of it is let go of as it comes.
 */
export class Tail extends Readable implements BodyStream {
  readonly length: number;
  readonly #flow: Flow;
  #onBatchEnd: (() => void) | null = null;
  #batchEnded = false;

  constructor(length: number, flow: Flow) {
    super();
    this.length = length;
    this.#flow = flow;
  }

  /** The next bytes of it; the bytes are not copied. */
  receive(bytes: Buffer): void {
    if (!this.destroyed && !this.push(bytes)) this.#flow.pause();
  }

  /** All of it has come. */
  end(): void {
    if (!this.destroyed) this.push(null);
  }

  /** `listener` is called once the batch that it is part of has ended: then the connection is free. */
  onBatchEnd(listener: () => void): void {
    if (this.#batchEnded) listener();
    else this.#onBatchEnd = listener;
  }

  batchEnded(): void {
    this.#batchEnded = true;
    this.#onBatchEnd?.();
  }

  override _read(): void {
    this.#flow.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#flow.resume();
    callback(error);
  }
}
