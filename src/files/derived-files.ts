import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { type ByteStore, BytesMissingError, checkKey, withChanges } from './byte-store.ts';
import { isMissing } from './disk.ts';
import { openFileStream } from './file-stream.ts';

/** Number of files whose size and last use a process remembers. */
const REMEMBERED = 20_000;
/** Bytes that a small file takes on the disk. */
const BLOCK = 4096;
/** Pause in milliseconds between two records of the use of a file. */
const USE_MILLISECONDS = 3_600_000;
/** Age in milliseconds at which an incomplete file was left behind by a process that ended. */
const ABANDONED = 3_600_000;
/** A process looks for files to delete when it has written this part of the bytes that are allowed. */
const CHECKED_PART = 0.05;
/** The part of the allowed bytes that remains after a deletion. */
const LEFT_PART = 0.8;
/** The folder of incomplete files. The other folders have refs, which begin with a letter. */
const INCOMPLETE = '.incomplete';

/** A file on the disk. `app` is the first segment of its key. */
interface Found {
  readonly app: string;
  readonly path: string;
  readonly bytes: number;
  readonly usedAt: number;
}

/** The size of a file, and the time in milliseconds since 1970 at which its use was recorded. */
interface Known {
  readonly size: number;
  recordedAt: number;
}

/** A file that was derived from the bytes of a key. */
export interface DerivedFile {
  readonly size: number;
  /** @throws BytesMissingError if the file was deleted since. */
  readonly open: () => Promise<Readable>;
}

/**
 * Caches files that were derived from stored bytes, such as scaled images, in a folder that all workers of the node
 * share. Nothing here needs fsync, because every file can be derived again.
 */
export class DerivedFiles {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #known = new LRUCache<string, Known>({ max: REMEMBERED });
  /** The bytes that this process wrote since it last looked for files to delete. A new process looks at once. */
  #written = Number.POSITIVE_INFINITY;
  #deleting: Promise<void> | null = null;

  /** @param maxBytes The bytes of all files together; 0 stores none. */
  constructor(folder: string, maxBytes: number) {
    mkdirSync(join(folder, INCOMPLETE), { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /**
   * Returns a file, and null if it is not in the cache.
   * @param key The key of the bytes.
   * @param name The name of the file among those of the key.
   */
  async find(key: string, name: string): Promise<DerivedFile | null> {
    const path = this.#path(key, name);
    const known = this.#known.get(path) ?? (await this.#look(path));
    if (known === null) return null;
    this.#recordUse(path, known);
    return { size: known.size, open: () => this.#open(path, key, known.size) };
  }

  /** Stores a file. */
  async put(key: string, name: string, bytes: Uint8Array): Promise<void> {
    if (bytes.length > this.#maxBytes) return;
    const path = this.#path(key, name);
    const incomplete = join(this.#folder, INCOMPLETE, randomUUID());
    try {
      await writeFile(incomplete, bytes, { mode: 0o600, flag: 'wx' });
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(incomplete, path);
    } catch (error) {
      await rm(incomplete, { force: true });
      // The file's folder was deleted, because its bytes were.
      if (isMissing(error)) return;
      throw error;
    }
    this.#known.set(path, { size: bytes.length, recordedAt: Date.now() });
    this.#written += Math.max(bytes.length, BLOCK);
    if (this.#written > this.#maxBytes * CHECKED_PART) await this.#deleteUnused();
  }

  /** Deletes the files of keys whose bytes were deleted. */
  async deleteOf(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const folder = join(this.#folder, checkKey(key));
      if (!(await isThere(folder))) continue;
      await rm(folder, { recursive: true, force: true });
      await this.#removeEmpty(dirname(folder));
    }
  }

  #path(key: string, name: string): string {
    return join(this.#folder, checkKey(`${key}/${name}`));
  }

  async #look(path: string): Promise<Known | null> {
    const found = await stat(path).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (!found?.isFile()) return null;
    const known = { size: found.size, recordedAt: found.mtimeMs };
    this.#known.set(path, known);
    return known;
  }

  async #open(path: string, key: string, size: number): Promise<Readable> {
    try {
      return await openFileStream(path, key, { start: 0, end: size - 1 });
    } catch (error) {
      this.#known.delete(path);
      throw isMissing(error) ? new BytesMissingError(key, error) : error;
    }
  }

  /** Records the use of a file in its time of change, because many file systems record no time of access. */
  #recordUse(path: string, known: Known): void {
    const now = Date.now();
    if (now - known.recordedAt < USE_MILLISECONDS) return;
    known.recordedAt = now;
    // If the file was deleted, the reader notices.
    utimes(path, now / 1000, now / 1000).catch(() => undefined);
  }

  async #deleteUnused(): Promise<void> {
    this.#deleting ??= this.#deleteOldest().finally(() => {
      this.#deleting = null;
    });
    await this.#deleting;
  }

  async #deleteOldest(): Promise<void> {
    this.#written = 0;
    await this.#removeIncomplete();
    const found: Found[] = [];
    for (const app of await namesIn(this.#folder)) {
      if (app !== INCOMPLETE) await collect(join(this.#folder, app), app, found);
    }
    for (const { path } of chooseOldest(found, this.#maxBytes)) {
      await rm(path, { force: true });
      this.#known.delete(path);
      await this.#removeEmpty(dirname(path));
    }
  }

  async #removeIncomplete(): Promise<void> {
    const folder = join(this.#folder, INCOMPLETE);
    for (const name of await namesIn(folder)) {
      const found = await stat(join(folder, name)).catch(() => null);
      if (found && found.mtimeMs < Date.now() - ABANDONED) await rm(join(folder, name), { force: true });
    }
  }

  /** Removes a folder and the folders above it as long as they are empty. */
  async #removeEmpty(folder: string): Promise<void> {
    for (let path = folder; path !== this.#folder; path = dirname(path)) {
      try {
        await rmdir(path);
      } catch {
        return;
      }
    }
  }
}

/**
 * Returns the files to delete: if all together are larger than `maxBytes`, the oldest files of the app that has most, until
 * LEFT_PART remains. So an app that fills the cache loses its own files.
 */
export function chooseOldest(found: readonly Found[], maxBytes: number): Found[] {
  let total = found.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= maxBytes) return [];
  const apps = new Map<string, { bytes: number; files: Found[] }>();
  for (const file of found) {
    const app = apps.get(file.app) ?? { bytes: 0, files: [] };
    app.bytes += file.bytes;
    app.files.push(file);
    apps.set(file.app, app);
  }
  for (const { files } of apps.values()) files.sort((a, b) => b.usedAt - a.usedAt);
  const chosen: Found[] = [];
  while (total > maxBytes * LEFT_PART) {
    const largest = [...apps.values()].reduce((a, b) => (b.bytes > a.bytes ? b : a));
    const oldest = largest.files.pop();
    if (!oldest) break;
    largest.bytes -= oldest.bytes;
    total -= oldest.bytes;
    chosen.push(oldest);
  }
  return chosen;
}

async function collect(folder: string, app: string, found: Found[]): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await collect(path, app, found);
    else {
      const file = await stat(path).catch(() => null);
      if (file) found.push({ app, path, bytes: Math.max(file.size, BLOCK), usedAt: file.mtimeMs });
    }
  }
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Returns a store that also deletes the files that were derived from bytes when it deletes the bytes. */
export function withDerivedFiles(store: ByteStore, derived: DerivedFiles): ByteStore {
  return withChanges(store, {
    delete: async (keys) => {
      await store.delete(keys);
      await derived.deleteOf(keys);
    },
  });
}
