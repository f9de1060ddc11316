import { NinefoldError } from '../../../errors/ninefold-error.ts';

/** Maximum length of the line before a chunk and of a trailer, in bytes. */
const MAX_LINE = 1024;
const LINE_FEED = 10;

/** Reads lines and runs of bytes from a body as it arrives. */
export class ChunkedReader {
  readonly #body: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = Buffer.alloc(0);

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#body = body[Symbol.asyncIterator]();
  }

  /**
   * Returns the next line without its end, which is a line feed or a carriage return and a line feed. Returns null at
   * the end of the body.
   * @throws NinefoldError InvalidRequest for a longer line than the limit; IncompleteBody if the body ends in the line.
   */
  async line(): Promise<string | null> {
    let line = '';
    for (;;) {
      if (this.#chunk.length === 0 && !(await this.#pull())) {
        if (line === '') return null;
        throw new NinefoldError('IncompleteBody');
      }
      const end = this.#chunk.indexOf(LINE_FEED);
      const taken = end < 0 ? this.#chunk : this.#chunk.subarray(0, end);
      if (line.length + taken.length > MAX_LINE) {
        throw new NinefoldError('InvalidRequest', { message: 'A line of the aws-chunked body is too long.' });
      }
      line += Buffer.from(taken.buffer, taken.byteOffset, taken.byteLength).toString('latin1');
      this.#chunk = this.#chunk.subarray(end < 0 ? taken.length : end + 1);
      if (end >= 0) return line.endsWith('\r') ? line.slice(0, -1) : line;
    }
  }

  /**
   * Returns at least one byte, and at most `max` bytes.
   * @throws NinefoldError IncompleteBody if the body ends.
   */
  async bytes(max: number): Promise<Uint8Array> {
    if (this.#chunk.length === 0 && !(await this.#pull())) throw new NinefoldError('IncompleteBody');
    const taken = this.#chunk.subarray(0, max);
    this.#chunk = this.#chunk.subarray(taken.length);
    return taken;
  }

  /** Ends the reading of the body. */
  async close(): Promise<void> {
    await this.#body.return?.();
  }

  async #pull(): Promise<boolean> {
    for (;;) {
      const { value, done } = await this.#body.next();
      if (done) return false;
      this.#chunk = value;
      if (value.length > 0) return true;
    }
  }
}
