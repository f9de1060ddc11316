import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ByteStore, BytesMissingError, type StoredBytes } from '../files/byte-store.ts';
import { type Spool, storeBody } from '../files/spool.ts';

/** The first bytes of every object: the format and its version. */
const MAGIC = Buffer.from('NFB1');
const SALT = 32;
/** Bytes of content that one authentication tag covers. A reader holds this many in memory. */
const CHUNK = 1024 * 1024;
const TAG = 16;
const KEY = 32;
const NONCE = 12;
/** Attempts to read an object to its end, and the pause after the first. */
const READ_ATTEMPTS = 5;
const READ_PAUSE_MILLISECONDS = 200;

/** Error of an object that is incomplete, was changed, or was encrypted with another key. */
export class SealError extends Error {
  override readonly name = 'SealError';
  readonly object: string;

  constructor(object: string, reason: string) {
    super(`The object ${object} of the backup ${reason}.`);
    this.object = object;
  }
}

/**
 * Objects of a backup target, each encrypted with AES-256-GCM. Every object has a key of its own, derived from the
 * backup's key, a random salt and the name of the object, so a target cannot pass one object off as another. The content
 * is divided into chunks. The nonce of a chunk is its number and a mark of the last chunk, so missing, exchanged and
 * cut-off chunks are detected (the construction "STREAM" of Hoang, Reyhanitabar, Rogaway and Vizár).
 */
export class SealedStore {
  readonly #store: ByteStore;
  readonly #spool: Spool;
  readonly #key: Buffer;
  readonly #prefix: string;

  /**
   * @param key The key of the backup; 32 bytes.
   * @param prefix Empty, or ends with a slash: the start of the names of all objects.
   */
  constructor({ store, spool }: { store: ByteStore; spool: Spool }, key: Buffer, prefix: string) {
    this.#store = store;
    this.#spool = spool;
    this.#key = key;
    this.#prefix = prefix;
  }

  /** Stores an object durably. Returns the number of its stored bytes. */
  async put(name: string, content: AsyncIterable<Uint8Array> | Uint8Array): Promise<number> {
    return this.#receive(name, sealed(this.#key, this.#prefix + name, content));
  }

  /** Stores an object without encryption, for facts that are needed to find the key. */
  async putPlain(name: string, content: Uint8Array): Promise<void> {
    await this.#receive(name, content);
  }

  /**
   * Yields the content of an object.
   * @throws SealError, or BytesMissingError if the target does not have the object.
   */
  async *read(name: string): AsyncGenerator<Buffer> {
    yield* opened(this.#key, this.#prefix + name, this.#readStored(this.#prefix + name));
  }

  /** Returns the complete content of a small object. @throws SealError or BytesMissingError */
  async readWhole(name: string): Promise<Buffer> {
    return collect(this.read(name));
  }

  /** Returns the content of an object that `putPlain` stored. @throws BytesMissingError */
  async readPlain(name: string): Promise<Buffer> {
    return collect(await this.#store.read(this.#prefix + name));
  }

  /** Yields the objects below a prefix, in any order. @param prefix Empty, or ends with a slash. */
  async *list(prefix: string): AsyncGenerator<StoredBytes> {
    for await (const found of this.#store.list(this.#prefix + prefix)) {
      yield { ...found, key: found.key.slice(this.#prefix.length) };
    }
  }

  /** Deletes objects. Ignores objects that do not exist. */
  async delete(names: readonly string[]): Promise<void> {
    if (names.length > 0) await this.#store.delete(names.map((name) => this.#prefix + name));
  }

  /** Yields the stored bytes of an object. Continues a read that broke off. */
  async *#readStored(object: string): AsyncGenerator<Uint8Array> {
    let offset = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        const rest = offset === 0 ? undefined : { start: offset, end: ((await this.#store.size(object)) ?? 0) - 1 };
        for await (const bytes of await this.#store.read(object, rest)) {
          offset += (bytes as Uint8Array).length;
          yield bytes as Uint8Array;
        }
        return;
      } catch (error) {
        if (error instanceof BytesMissingError || attempt === READ_ATTEMPTS) throw error;
        await delay(READ_PAUSE_MILLISECONDS * attempt);
      }
    }
  }

  #receive(name: string, content: AsyncIterable<Uint8Array> | Uint8Array): Promise<number> {
    return storeBody({ store: this.#store, spool: this.#spool }, this.#prefix + name, content);
  }
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Yields an object: the magic, the salt, and the encrypted chunks. */
async function* sealed(
  key: Buffer,
  name: string,
  content: AsyncIterable<Uint8Array> | Uint8Array,
): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT);
  const objectKey = keyOf(key, salt, name);
  yield Buffer.concat([MAGIC, salt]);
  let number = 0;
  for await (const { bytes, isLast } of chunks(content instanceof Uint8Array ? [content] : content, CHUNK)) {
    const cipher = createCipheriv('aes-256-gcm', objectKey, nonceOf(number++, isLast));
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
}

/** Yields the content of an object. A chunk is yielded after its tag was verified. */
async function* opened(key: Buffer, name: string, source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let objectKey: Buffer | null = null;
  let number = 0;
  const head = MAGIC.length + SALT;
  for await (const { bytes, isLast } of chunks(source, CHUNK + TAG, head)) {
    if (objectKey === null) {
      if (bytes.length < head || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
        throw new SealError(name, 'is no object of a backup, or of a newer version');
      }
      objectKey = keyOf(key, bytes.subarray(MAGIC.length), name);
      if (isLast) break;
      continue;
    }
    yield decrypt(objectKey, bytes, nonceOf(number++, isLast), name);
    if (isLast) return;
  }
  throw new SealError(name, 'is incomplete');
}

function decrypt(key: Buffer, chunk: Buffer, nonce: Buffer, name: string): Buffer {
  if (chunk.length < TAG) throw new SealError(name, 'is incomplete');
  const decipher = createDecipheriv('aes-256-gcm', key, nonce);
  decipher.setAuthTag(chunk.subarray(chunk.length - TAG));
  try {
    return Buffer.concat([decipher.update(chunk.subarray(0, chunk.length - TAG)), decipher.final()]);
  } catch {
    throw new SealError(name, 'was changed, is incomplete, or was encrypted with another key');
  }
}

/**
 * Divides bytes into chunks of `size`. The last chunk has 1 to `size` bytes, or none if there are no bytes at all.
 * @param first The size of the first chunk, if it differs.
 */
async function* chunks(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  size: number,
  first = size,
): AsyncGenerator<{ bytes: Buffer; isLast: boolean }> {
  let wanted = first;
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of source) {
    pieces.push(piece);
    length += piece.length;
    // A complete chunk waits for one more byte, because only then it is known not to be the last.
    if (length <= wanted) continue;
    let rest = Buffer.concat(pieces, length);
    for (; rest.length > wanted; wanted = size) {
      const bytes = rest.subarray(0, wanted);
      rest = rest.subarray(wanted);
      yield { bytes, isLast: false };
    }
    pieces = [rest];
    length = rest.length;
  }
  yield { bytes: Buffer.concat(pieces, length), isLast: true };
}

const keyOf = (key: Buffer, salt: Uint8Array, name: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, `ninefold backup object ${name}`, KEY));

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE);
  nonce.writeUIntBE(number, NONCE - 7, 6);
  nonce[NONCE - 1] = isLast ? 1 : 0;
  return nonce;
}

/** Derives the key of a node's backups from its master key. */
export const backupKeyOf = (masterKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), 'ninefold backup', KEY));
