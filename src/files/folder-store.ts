import { randomUUID } from 'node:crypto';
import { constants, type Dirent, mkdirSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, rename, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import {
  type ByteRange,
  type ByteStore,
  BytesMissingError,
  checkKey,
  checkPrefix,
  type SpooledFile,
  type StoredBytes,
} from './byte-store.ts';
import { closeFile, errnoOf, isMissing, openFile, removeFile, syncData, syncFolder, toDiskFull } from './disk.ts';
import { openFileStream, readFilePart } from './file-stream.ts';

/** Number of folders that the store remembers as durable. For each other folder, a file takes three more fsyncs. */
const DURABLE_FOLDERS = 20_000;
/** Attempts to put a file into a folder that another process removes because it is empty. */
const ATTEMPTS = 5;
/** Number of files that are deleted at the same time. Node.js has four threads for files. */
const DELETIONS = 4;
/** Errors of a file system that cannot link, or has too many links to the file. */
const unlinkable = ['EMLINK', 'EPERM', 'EXDEV', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Stores bytes as files below a folder, which is on the same file system as the spool. A key is a path there. */
export class FolderStore implements ByteStore {
  readonly name = 'folder';
  readonly #folder: string;
  readonly #incoming: string;
  /** The folders whose entries in their parents this process has made durable. */
  readonly #durable = new LRUCache<string, true>({ max: DURABLE_FOLDERS });

  /** @param incoming The folder of the spool, for copies that are not complete. */
  constructor(folder: string, incoming: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.#incoming = incoming;
  }

  path(key: string): string {
    return join(this.#folder, checkKey(key));
  }

  async put(key: string, file: SpooledFile): Promise<void> {
    await this.#place(key, (path) => rename(file.path, path));
  }

  read(key: string, range?: ByteRange): Promise<Readable> {
    return this.#open(key, (path) => openFileStream(path, key, range));
  }

  readWhole(key: string, range: ByteRange): Promise<Uint8Array> {
    return this.#open(key, (path) => readFilePart(path, key, range));
  }

  async size(key: string): Promise<number | null> {
    try {
      return (await stat(this.path(key))).size;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Deletes without fsync: after a crash, some of the files can exist again. */
  async delete(keys: readonly string[]): Promise<void> {
    const paths = keys.map((key) => this.path(key));
    for (let first = 0; first < paths.length; first += DELETIONS) {
      await Promise.all(paths.slice(first, first + DELETIONS).map(removeFile));
    }
    for (const folder of new Set(paths.map(dirname))) await this.#removeEmpty(folder);
  }

  async *list(prefix: string): AsyncGenerator<StoredBytes> {
    const path = checkPrefix(prefix).slice(0, -1);
    yield* this.#walk(path === '' ? this.#folder : this.path(path), prefix);
  }

  async copy(from: string, to: string): Promise<void> {
    const source = this.path(from);
    await stat(source).catch((error: unknown) => {
      throw isMissing(error) ? new BytesMissingError(from, error) : error;
    });
    await this.#place(to, async (path) => {
      try {
        await link(source, path);
      } catch (error) {
        const errno = errnoOf(error) ?? '';
        if (unlinkable.includes(errno)) await this.#duplicate(source, path);
        // The key has its bytes already, because they never change.
        else if (errno !== 'EEXIST') throw error;
      }
    });
  }

  async #open<T>(key: string, open: (path: string) => Promise<T>): Promise<T> {
    try {
      return await open(this.path(key));
    } catch (error) {
      throw isMissing(error) ? new BytesMissingError(key, error) : error;
    }
  }

  /** Makes an entry in the folder of a key, creates the folder if it is missing, and makes all changed folders durable. */
  async #place(key: string, makeEntry: (path: string) => Promise<void>): Promise<void> {
    const path = this.path(key);
    const folder = dirname(path);
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          await makeEntry(path);
          break;
        } catch (error) {
          if (errnoOf(error) !== 'ENOENT' || attempt === ATTEMPTS) throw error;
          this.#durable.delete(folder);
          await makeFolder(folder);
        }
      }
      await this.#makeDurable(folder);
    } catch (error) {
      throw toDiskFull(error);
    }
  }

  /** Makes the entries of a folder durable, and the entries of the folders above unless this process has done so. */
  async #makeDurable(folder: string): Promise<void> {
    await syncFolder(folder);
    if (this.#durable.has(folder)) return;
    if (folder !== this.#folder) await this.#makeDurable(dirname(folder));
    this.#durable.set(folder, true);
  }

  /** Copies a file where the file system cannot link. A reader never sees a part of it. */
  async #duplicate(source: string, path: string): Promise<void> {
    const partial = join(this.#incoming, randomUUID());
    try {
      await copyFile(source, partial, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      const file = await openFile(partial, 'r');
      await syncData(file).finally(() => closeFile(file));
      await rename(partial, path);
    } catch (error) {
      await removeFile(partial);
      throw error;
    }
  }

  /** Removes a folder and the folders above it as long as they are empty. */
  async #removeEmpty(folder: string): Promise<void> {
    for (let path = folder; path !== this.#folder; path = dirname(path)) {
      this.#durable.delete(path);
      try {
        await rmdir(path);
      } catch (error) {
        if (['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) return;
        if (!isMissing(error)) throw error;
      }
    }
  }

  async *#walk(folder: string, prefix: string): AsyncGenerator<StoredBytes> {
    for (const entry of await entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) yield* this.#walk(path, `${prefix}${entry.name}/`);
      else if (entry.isFile()) {
        const found = await stat(path).catch(() => null);
        // The time of the last change of the inode, because a link has the time of writing of its original.
        if (found) yield { key: prefix + entry.name, size: found.size, storedAt: found.ctimeMs };
      }
    }
  }
}

/** Returns the entries of a folder; none if it is missing. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * Creates a folder and the folders above it. The recursive mode of `mkdir` would report ENOENT for a full disk.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return;
    if (errnoOf(error) !== 'ENOENT') throw error;
    await makeFolder(dirname(path));
    await makeFolder(path);
  }
}
