import { appendFile, readFile, rename, rm } from 'node:fs/promises';
import { type ByteStore, BytesMissingError, isKey, withChanges } from '../files/byte-store.ts';
import { errnoOf } from '../files/disk.ts';
import { type Spool, storeBody } from '../files/spool.ts';
import { SealError, type SealedStore } from './sealed-store.ts';

const FILES = 'files/';
const GONE = 'files-gone';

/**
 * The list of files that workers have stored since the backup last looked: a file with one key in each line. Several
 * processes append to it.
 */
export class NewFiles {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Adds a key. Never rejects: a key that is not in the list is copied with the next base backup. */
  async add(key: string): Promise<void> {
    await appendFile(this.#path, `${key}\n`).catch(() => undefined);
  }

  /** Returns the keys in the list, and a function that removes them from it. */
  async take(): Promise<{ keys: string[]; done: () => Promise<void> }> {
    const taken = `${this.#path}.taken`;
    // A list that was taken and not finished comes first.
    let text = await readFile(taken, 'utf8').catch(() => null);
    if (text === null) {
      try {
        await rename(this.#path, taken);
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') return { keys: [], done: async () => undefined };
        throw error;
      }
      text = await readFile(taken, 'utf8');
    }
    return {
      keys: text.split('\n').filter((line) => line !== '' && isKey(line)),
      done: () => rm(taken, { force: true }),
    };
  }
}

/**
 * Copies the files of apps to a series. The bytes of a key never change, and they are stored before the row that names
 * them, so all files together with the WAL at any time are consistent.
 */
export class FileBackup {
  readonly #source: ByteStore;
  readonly #store: SealedStore;

  /** @param source The store of the node's files. */
  constructor(source: ByteStore, store: SealedStore) {
    this.#source = source;
    this.#store = store;
  }

  /** Copies files by their keys. Ignores files that have been deleted. Returns the number of copied files. */
  async copy(keys: readonly string[]): Promise<number> {
    let copied = 0;
    for (const key of keys) {
      try {
        await this.#store.put(FILES + key, await this.#source.read(key));
        copied += 1;
      } catch (error) {
        if (!(error instanceof BytesMissingError)) throw error;
      }
    }
    return copied;
  }

  /**
   * Copies all files that the series does not have. Deletes from the series the files that the node deleted before a
   * time, because no kept backup refers to them.
   * @param oldest The start of the oldest kept backup, ISO 8601; null to delete nothing.
   */
  async copyAll(oldest: string | null): Promise<void> {
    const stored = new Set<string>();
    for await (const { key } of this.#store.list(FILES)) stored.add(key.slice(FILES.length));
    for await (const { key } of this.#source.list('')) if (!stored.delete(key)) await this.copy([key]);
    // The node has deleted the files that are left in `stored`.
    const now = new Date().toISOString();
    const before = await this.#readGone();
    const gone = new Map([...stored].map((key) => [key, before[key] ?? now]));
    const outdated = [...gone].filter(([, since]) => oldest !== null && since < oldest).map(([key]) => key);
    await this.#store.delete(outdated.map((key) => FILES + key));
    for (const key of outdated) gone.delete(key);
    await this.#store.put(GONE, Buffer.from(JSON.stringify(Object.fromEntries(gone))));
  }

  async #readGone(): Promise<Readonly<Record<string, string>>> {
    try {
      return JSON.parse((await this.#store.readWhole(GONE)).toString());
    } catch (error) {
      if (error instanceof BytesMissingError || error instanceof SealError) return {};
      throw error;
    }
  }
}

/**
 * Copies the files of a series back to a store. Files that it has already are not copied.
 * @returns The number of copied files and their bytes.
 */
export async function restoreFiles(
  store: SealedStore,
  target: { readonly store: ByteStore; readonly spool: Spool },
  onProgress: (files: number, bytes: number) => void = () => undefined,
): Promise<{ files: number; bytes: number }> {
  let [files, bytes] = [0, 0];
  for await (const { key } of store.list(FILES)) {
    const name = key.slice(FILES.length);
    if ((await target.store.size(name)) !== null) continue;
    bytes += await restoreFile(store, name, target, name);
    files += 1;
    onProgress(files, bytes);
  }
  return { files, bytes };
}

/**
 * Copies the bytes of one file of a series to a key of a store. Returns their number.
 * @throws BytesMissingError if the series does not have them
 */
export function restoreFile(
  series: SealedStore,
  from: string,
  target: { readonly store: ByteStore; readonly spool: Spool },
  to: string,
): Promise<number> {
  return storeBody(target, to, series.read(FILES + from));
}

/** Returns a store that also adds each stored key to the list of new files. */
export function withNewFiles(store: ByteStore, newFiles: NewFiles): ByteStore {
  return withChanges(store, {
    put: async (key, file) => {
      await store.put(key, file);
      await newFiles.add(key);
    },
    copy: async (from, to) => {
      await store.copy(from, to);
      await newFiles.add(to);
    },
  });
}
