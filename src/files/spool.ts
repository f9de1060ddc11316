import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteStore, SpooledFile } from './byte-store.ts';
import { closeFile, openFile, removeFile, syncData, toDiskFull, writeAll } from './disk.ts';
import { Turns } from './turns.ts';

/** Number of bytes at the start of a file that its receiver sees before the rest is read. */
const HEAD = 4096;
/** Number of bytes that are written at once. A shorter file is written when its last byte is there. */
const BATCH = 256 * 1024;
/**
 * Number of bytes after which a file that is still arriving is synced. So the disk works during the upload, and the last
 * fsync is short. A file whose previous sync has not ended waits for it, which bounds the unwritten bytes in memory.
 */
const SYNCED = 16 * 1024 * 1024;
/**
 * Number of long syncs of a process at the same time. Each occupies one of the four threads that Node.js has for files,
 * and reads of files need the others.
 */
const LONG_SYNCS = 2;
/** Age in milliseconds at which a file was left behind by a process that ended. A running upload writes more often. */
const ABANDONED = 24 * 60 * 60 * 1000;

export interface ReceiveOptions {
  readonly maxBytes: number;
  /** Returns the error of a body that is longer than `maxBytes`. */
  readonly tooLarge: () => Error;
  readonly withMd5?: boolean;
  /** Receives the first 4 KB, or all bytes of a shorter body, before more is read. It may throw. */
  readonly onHead?: (head: Buffer) => void;
}

/** Holds the files that the node receives, in one folder, until a store has them. All workers share the folder. */
export class Spool {
  readonly #folder: string;
  /** Null if no file needs fsync. */
  readonly #syncs: Turns | null;

  /** @param isDurable False if the store copies the bytes to another machine, so that no file needs fsync. */
  constructor(folder: string, isDurable = true) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.#syncs = isDurable ? new Turns(LONG_SYNCS) : null;
  }

  /**
   * Writes a body to a new file. If it rejects, it has removed the file. Like any `for await`, it closes the body then:
   * pass `request.iterator({ destroyOnReturn: false })` if the connection must stay open for a response.
   * @throws The error of `tooLarge` or `onHead`, an error of the body, or `disk_full`.
   */
  async receive(body: AsyncIterable<Uint8Array> | Uint8Array, options: ReceiveOptions): Promise<SpooledFile> {
    const file = new IncomingFile(join(this.#folder, randomUUID()), options, this.#syncs);
    try {
      if (body instanceof Uint8Array) await file.add(body);
      else for await (const chunk of body) await file.add(chunk);
      return await file.finish();
    } catch (error) {
      await file.remove();
      throw toDiskFull(error);
    }
  }

  /** Removes a file that no store took. Does nothing if a store took it. */
  async discard(file: SpooledFile): Promise<void> {
    await removeFile(file.path);
  }

  /** Removes the files that processes left behind when they ended. */
  async removeAbandoned(now = Date.now()): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      const found = await stat(path).catch(() => null);
      if (found?.isFile() && found.mtimeMs < now - ABANDONED) await removeFile(path);
    }
  }
}

/**
 * Stores a body of any length under a key. Returns the number of its bytes.
 * @throws The errors of `receive` and of the store; then nothing is left in the spool.
 */
export async function storeBody(
  { store, spool }: { readonly store: ByteStore; readonly spool: Spool },
  key: string,
  body: AsyncIterable<Uint8Array> | Uint8Array,
): Promise<number> {
  const options = { maxBytes: Number.POSITIVE_INFINITY, tooLarge: () => new RangeError('the body is too large') };
  const file = await spool.receive(body, options);
  try {
    await store.put(key, file);
  } catch (error) {
    await spool.discard(file);
    throw error;
  }
  return file.size;
}

/** A file that is being written. It hashes and collects bytes while the previous batch is written. */
class IncomingFile {
  readonly #path: string;
  readonly #options: ReceiveOptions;
  readonly #syncs: Turns | null;
  readonly #sha256 = createHash('sha256');
  readonly #md5;
  #head: Buffer | null = null;
  #batch: Uint8Array[] = [];
  #batchSize = 0;
  #size = 0;
  #descriptor: number | null = null;
  #writing: Promise<void> = Promise.resolve();
  #unsynced = 0;
  #syncing: Promise<void> = Promise.resolve();

  constructor(path: string, options: ReceiveOptions, syncs: Turns | null) {
    this.#path = path;
    this.#options = options;
    this.#syncs = syncs;
    this.#md5 = options.withMd5 ? createHash('md5') : null;
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#size += chunk.length;
    if (this.#size > this.#options.maxBytes) throw this.#options.tooLarge();
    this.#sha256.update(chunk);
    this.#md5?.update(chunk);
    this.#batch.push(chunk);
    this.#batchSize += chunk.length;
    if (this.#head === null && this.#size >= HEAD) this.#showHead();
    if (this.#batchSize >= BATCH) await this.#startWriting();
  }

  async finish(): Promise<SpooledFile> {
    const head = this.#head ?? this.#showHead();
    await this.#startWriting();
    await this.#writing;
    const descriptor = this.#descriptor ?? (await this.#open());
    await this.#syncing;
    if (this.#syncs !== null)
      await (this.#size > BATCH ? this.#syncs.run(() => syncData(descriptor)) : syncData(descriptor));
    this.#close();
    return {
      path: this.#path,
      size: this.#size,
      sha256: this.#sha256.digest('hex'),
      md5: this.#md5?.digest('hex') ?? '',
      head,
    };
  }

  async remove(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await this.#syncing.catch(() => undefined);
    if (this.#descriptor === null) return;
    this.#close();
    await removeFile(this.#path);
  }

  #showHead(): Buffer {
    this.#head = Buffer.concat(this.#batch, Math.min(this.#batchSize, HEAD));
    this.#options.onHead?.(this.#head);
    return this.#head;
  }

  /** Waits for the previous batch and starts to write the collected one. */
  async #startWriting(): Promise<void> {
    const [pieces, size] = [this.#batch, this.#batchSize];
    if (size === 0) return;
    this.#batch = [];
    this.#batchSize = 0;
    await this.#writing;
    this.#writing = this.#write(pieces, size);
    // `finish`, `remove` or the next batch reports the error.
    this.#writing.catch(() => undefined);
  }

  async #write(pieces: readonly Uint8Array[], size: number): Promise<void> {
    const descriptor = this.#descriptor ?? (await this.#open());
    await writeAll(descriptor, pieces);
    this.#unsynced += size;
    if (this.#syncs === null || this.#unsynced < SYNCED) return;
    this.#unsynced = 0;
    await this.#syncing;
    this.#syncing = this.#syncs.run(() => syncData(descriptor));
    // `finish` or the next sync reports the error.
    this.#syncing.catch(() => undefined);
  }

  async #open(): Promise<number> {
    this.#descriptor = await openFile(this.#path, 'wx', 0o600);
    return this.#descriptor;
  }

  #close(): void {
    if (this.#descriptor !== null) closeFile(this.#descriptor);
    this.#descriptor = null;
  }
}
