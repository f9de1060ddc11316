/**
 * Splits a body into parts. If the body fails, the current part ends, so that the bytes before the failure are not
 * lost.
 */
export class BodyParts {
  readonly #body: AsyncIterator<Uint8Array>;
  readonly #partBytes: number;
  #isOver = false;
  #failure: unknown = null;

  /** @param partBytes Size from which a part ends. The last chunk of a part is not divided. */
  constructor(body: AsyncIterable<Uint8Array>, partBytes: number) {
    this.#body = body[Symbol.asyncIterator]();
    this.#partBytes = partBytes;
  }

  /** True after the last part. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The error with which the body ended; null if it ended as the client announced. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Returns the bytes of the next part, which can be empty. The caller must read all of them. */
  async *next(): AsyncGenerator<Uint8Array, void> {
    for (let size = 0; size < this.#partBytes; ) {
      const chunk = await this.#read();
      if (chunk === null) return;
      size += chunk.length;
      yield chunk;
    }
  }

  /** Ends the reading of the body. */
  async stop(): Promise<void> {
    await this.#body.return?.();
  }

  async #read(): Promise<Uint8Array | null> {
    try {
      const { done, value } = await this.#body.next();
      if (!done) return value;
    } catch (error) {
      this.#failure = error;
    }
    this.#isOver = true;
    return null;
  }
}
