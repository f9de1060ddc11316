import type { Lsn } from './wal-position.ts';

/** A position of the WAL, and the server's time until which the WAL before the position is complete. */
interface Claim {
  readonly lsn: Lsn;
  /** Microseconds since 1970. */
  readonly at: bigint;
}

/**
 * Derives from the messages of a server until when the WAL is complete. The time of a message is no such time: the server reads
 * the end of its WAL earlier, and it answers a request before it sends the WAL of the meantime (`WalSndLoop` in
 * `src/backend/replication/walsender.c`). But before it reads a request, it has sent the WAL that was written before its
 * previous answer, or has at least reported the end of this WAL.
 */
export class WalProgress {
  /** The greatest end of the server's WAL that a message reported. */
  #end: Lsn = 0n;
  #sentAt = 0n;
  #completeAt = 0n;
  #isAnswerDue = false;
  /** The time of the first of two answers. */
  #answeredAt: bigint | null = null;
  #claim: Claim | null = null;

  /**
   * Records a message with WAL.
   * @param last The position after the last byte.
   * @param end The end of the server's WAL, which the server read after it had sent the previous message.
   * @param sentAt The server's time in microseconds since 1970.
   * @returns The time until which the WAL before `last` is complete, in microseconds since 1970; 0 if it is not known.
   */
  data(last: Lsn, end: Lsn, sentAt: bigint): bigint {
    if (last >= end) this.#completeAt = this.#sentAt;
    this.#report(end, sentAt);
    return this.#completeAt;
  }

  /** Records a message that is no answer. */
  keepalive(end: Lsn, sentAt: bigint): void {
    this.#report(end, sentAt);
  }

  /** Returns true if a request must be sent, and expects its answer. */
  request(): boolean {
    if (this.#isAnswerDue) return false;
    this.#isAnswerDue = true;
    return true;
  }

  /** Records an answer. Returns true if another request must be sent at once, whose answer is then expected. */
  answer(end: Lsn, sentAt: bigint): boolean {
    this.#report(end, sentAt);
    const first = this.#answeredAt;
    this.#answeredAt = first === null ? sentAt : null;
    this.#isAnswerDue = first === null;
    if (first !== null) this.#claim ??= { lsn: this.#end, at: first };
    return first === null;
  }

  /**
   * Returns the time until which the stored WAL is complete, in milliseconds since 1970; null if no time was proven since the
   * last one.
   */
  takeCompleteAt(stored: Lsn): number | null {
    if (this.#claim === null || stored < this.#claim.lsn) return null;
    const { at } = this.#claim;
    this.#claim = null;
    return Number(at / 1000n);
  }

  #report(end: Lsn, sentAt: bigint): void {
    if (end > this.#end) this.#end = end;
    this.#sentAt = sentAt;
  }
}
