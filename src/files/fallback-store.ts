import type { Readable } from 'node:stream';
import { type ByteRange, type ByteStore, BytesMissingError, type SpooledFile, type StoredBytes } from './byte-store.ts';

/**
 * A store with bytes that are still in an earlier store. It writes to the new store and reads from both, so that a node
 * serves while `ninefold storage move` copies the bytes.
 */
export class FallbackStore implements ByteStore {
  readonly name: ByteStore['name'];
  readonly #store: ByteStore;
  readonly #earlier: ByteStore;

  constructor(store: ByteStore, earlier: ByteStore) {
    this.name = store.name;
    this.#store = store;
    this.#earlier = earlier;
  }

  put(key: string, file: SpooledFile): Promise<void> {
    return this.#store.put(key, file);
  }

  read(key: string, range?: ByteRange): Promise<Readable> {
    return this.#inEither((store) => store.read(key, range));
  }

  readWhole(key: string, range: ByteRange): Promise<Uint8Array> {
    return this.#inEither((store) => store.readWhole(key, range));
  }

  async size(key: string): Promise<number | null> {
    return (await this.#store.size(key)) ?? (await this.#earlier.size(key)) ?? this.#store.size(key);
  }

  async delete(keys: readonly string[]): Promise<void> {
    await this.#earlier.delete(keys);
    await this.#store.delete(keys);
  }

  async *list(prefix: string): AsyncGenerator<StoredBytes> {
    yield* this.#store.list(prefix);
    for await (const stored of this.#earlier.list(prefix)) {
      if ((await this.#store.size(stored.key)) === null) yield stored;
    }
  }

  copy(from: string, to: string): Promise<void> {
    return this.#inEither((store) => store.copy(from, to));
  }

  /** Tries the store, then the earlier one, then the store again: the bytes may have moved meanwhile. */
  async #inEither<T>(work: (store: ByteStore) => Promise<T>): Promise<T> {
    for (const store of [this.#store, this.#earlier]) {
      try {
        return await work(store);
      } catch (error) {
        if (!(error instanceof BytesMissingError)) throw error;
      }
    }
    return work(this.#store);
  }
}
