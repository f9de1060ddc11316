/** The latest delays that count, and for how long. */
const MAX_DELAYS = 500;
const PERIOD_MILLISECONDS = 60_000;

const TIMESTAMP = /"commit_timestamp":"([^"]{10,40})"/;
/** Bytes at the start of a change in which its time stands, after the names of its schema and table. */
const HEAD_BYTES = 512;

/** The delays of changes: from the time in a change until it is sent. */
export class Delays {
  readonly #delays: { readonly at: number; readonly milliseconds: number }[] = [];
  #last: Buffer | null = null;

  /**
   * Records that a change is sent. The channels of a worker share the same buffer, which counts once.
   * @param data JSON of the change.
   * @param now Milliseconds since 1970.
   */
  record(data: Buffer, now: number): void {
    if (data === this.#last) return;
    this.#last = data;
    const text = TIMESTAMP.exec(data.toString('latin1', 0, HEAD_BYTES))?.[1];
    const changed = text === undefined ? Number.NaN : Date.parse(text);
    if (Number.isNaN(changed)) return;
    this.#delays.push({ at: now, milliseconds: Math.max(0, now - changed) });
    if (this.#delays.length > MAX_DELAYS) this.#delays.shift();
  }

  /** Returns the delays of the last minute in milliseconds. */
  recent(now: number): number[] {
    return this.#delays.filter(({ at }) => now - at <= PERIOD_MILLISECONDS).map(({ milliseconds }) => milliseconds);
  }
}
