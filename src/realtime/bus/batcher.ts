import type { OutQueue } from './out-queue.ts';

/** Shortest time between two frames `lost` for one receiver, because each makes its subscribers ask for their state again. */
const LOST_MILLISECONDS = 1000;

export interface BatcherOptions {
  readonly queue: OutQueue;
  /** Returns true if a batch must be sent although the queue is empty. */
  readonly hasMore?: () => boolean;
  /** Sends a batch, which may be empty if `hasMore` returned true. Calls `sent` once the receiver can take the next one. */
  readonly send: (batch: Uint8Array, sent: () => void) => void;
  /** The smallest time between the starts of two batches, in milliseconds. */
  readonly milliseconds: number;
  /** The size of a batch. */
  readonly maxBytes: number;
}

/**
 * Sends the frames of a queue in batches: at once if the receiver is idle, otherwise when `milliseconds` have passed
 * since the previous batch and the receiver has taken it. So a slow receiver gets few large batches.
 */
export class Batcher {
  readonly #options: BatcherOptions;
  #isSending = false;
  #timer: NodeJS.Timeout | NodeJS.Immediate | null = null;
  #sentAt = Number.NEGATIVE_INFINITY;
  #lostAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: BatcherOptions) {
    this.#options = options;
  }

  /** Schedules a batch. Call it after each change of the queue. */
  schedule(): void {
    if (this.#isClosed || this.#isSending || this.#timer !== null) return;
    const { queue, milliseconds, hasMore = () => false } = this.#options;
    const isIdle = queue.isEmpty && !hasMore();
    if (isIdle && !queue.hasLost) return;
    const now = performance.now();
    const due = isIdle ? this.#lostAt + LOST_MILLISECONDS : this.#sentAt + milliseconds;
    // An immediate collects everything that this turn of the event loop still adds.
    this.#timer =
      due <= now ? setImmediate(() => this.#send()) : setTimeout(() => this.#send(), Math.ceil(due - now)).unref();
  }

  close(): void {
    this.#isClosed = true;
    this.#options.queue.clear();
  }

  #send(): void {
    this.#timer = null;
    if (this.#isClosed) return;
    const { queue, send, maxBytes, hasMore = () => false } = this.#options;
    const now = performance.now();
    if (queue.hasLost && now - this.#lostAt >= LOST_MILLISECONDS) {
      this.#lostAt = now;
      queue.reportLost();
    }
    const batch = queue.take(maxBytes);
    if (batch.length === 0 && !hasMore()) {
      this.schedule();
      return;
    }
    this.#sentAt = now;
    this.#isSending = true;
    let isDone = false;
    send(batch, () => {
      if (isDone) return;
      isDone = true;
      this.#isSending = false;
      this.schedule();
    });
  }
}
