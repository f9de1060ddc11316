import type { SequenceMark, Snapshot } from './message-reader.ts';

/** Checks without a read after which a read follows anyway: the app's owner can write rows past the sequence. */
const MAX_CHECKS = 25;

/**
 * Finds out without a read whether realtime.messages can have new rows. A row takes a number of the sequence before its
 * transaction commits. So new rows come from transactions that took a later number than the sequence had, or from
 * transactions that were running when the last number was taken.
 */
export class MessageWriters {
  #value: string | null = null;
  /** The transactions that were running and can have earlier numbers. */
  #running: ReadonlySet<string> = new Set();
  #checks = 0;

  /** Returns true if a transaction that can have inserted rows may have ended since the last read. */
  mayHaveWritten({ value, snapshot }: SequenceMark): boolean {
    this.#checks += 1;
    if (value !== this.#value || this.#checks > MAX_CHECKS) return true;
    if (this.#running.size === 0) return false;
    const running = runningIn(snapshot);
    return [...this.#running].some((transaction) => !running.has(transaction));
  }

  /**
   * Records a read.
   * @param value The state of the sequence before the read.
   * @param snapshot The transactions that the read saw.
   */
  onRead(value: string, snapshot: Snapshot): void {
    const running = runningIn(snapshot);
    // Without a new number, a transaction that has begun since can have no earlier one.
    const isSame = value === this.#value;
    this.#running = isSame ? new Set([...this.#running].filter((each) => running.has(each))) : running;
    this.#value = value;
    this.#checks = 0;
  }
}

const runningIn = ({ running }: Snapshot): ReadonlySet<string> => new Set(running === '' ? [] : running.split(','));
