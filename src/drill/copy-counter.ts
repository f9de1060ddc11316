/** Bytes of a message before its content: the type and the length. */
const HEAD = 5;
/** Parameters of the hash FNV-1a. */
const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const NEWLINE = 0x0a;

/** Counts the rows of `COPY … TO STDOUT` in text format and adds their hashes, without keeping any of them. */
export class CopyCounter {
  #rows = 0;
  #sum = 0n;
  #hash = FNV_START;
  #head = 0;
  #length = 0;
  #left = 0;

  get rows(): number {
    return this.#rows;
  }

  /** The sum of the hashes of the rows, which does not depend on their order. */
  get sum(): bigint {
    return this.#sum;
  }

  /** Reads bytes of CopyData messages, whole or in parts, with their heads. */
  add(bytes: Buffer): void {
    let batch = 0;
    for (const byte of bytes) {
      if (this.#left === 0) {
        // The length counts itself and not the type.
        if (this.#head > 0) this.#length = this.#length * 256 + byte;
        this.#head += 1;
        if (this.#head < HEAD) continue;
        this.#left = this.#length - 4;
        this.#head = 0;
        this.#length = 0;
      } else {
        this.#left -= 1;
        // A line break within a value is escaped, so each one ends a row.
        if (byte === NEWLINE) {
          this.#rows += 1;
          batch += this.#hash >>> 0;
          this.#hash = FNV_START;
        } else {
          this.#hash = Math.imul(this.#hash ^ byte, FNV_PRIME);
        }
      }
    }
    this.#sum += BigInt(batch);
  }
}
