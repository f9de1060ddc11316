import type { Readable } from 'node:stream';

/** Characters of the longest key. A key of the node has at most 150. */
const MAX_KEY = 512;

/** A file that the node received and has not stored yet. */
export interface SpooledFile {
  readonly path: string;
  readonly size: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
  /** In hexadecimal digits; empty unless the receiver requested it. */
  readonly md5: string;
  /** The first 4 KB. */
  readonly head: Buffer;
}

/** The first and the last byte of a part, both inclusive, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A key of a store, with the size in bytes and the time of storing in milliseconds since 1970. */
export interface StoredBytes {
  readonly key: string;
  readonly size: number;
  readonly storedAt: number;
}

/** Stores bytes by key. The bytes of a key never change. */
export interface ByteStore {
  readonly name: 'folder' | 's3';
  /** Stores a spooled file durably and removes it from the spool. If it rejects, the file is still in the spool. */
  put(key: string, file: SpooledFile): Promise<void>;
  /**
   * Opens all bytes of a key, or a range of them. The stream fails if the key has fewer bytes than the range or the
   * store promised. A caller that knows the size gives the range, so that a truncated file is detected.
   * @throws BytesMissingError before the first byte if the key has no bytes.
   */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /**
   * Reads a range of few bytes into memory, which takes a fraction of the time of a stream.
   * @throws BytesMissingError, or BytesTruncatedError if the key has fewer bytes than the range.
   */
  readWhole(key: string, range: ByteRange): Promise<Uint8Array>;
  /** Returns the size in bytes; null if the key has no bytes. */
  size(key: string): Promise<number | null>;
  /** Deletes the bytes of all keys. Ignores keys without bytes. */
  delete(keys: readonly string[]): Promise<void>;
  /** Yields every key below a prefix, in any order. @param prefix Empty, or ends with a slash. */
  list(prefix: string): AsyncIterable<StoredBytes>;
  /** Stores the bytes of one key under another: a hard link, or a copy in S3. @throws BytesMissingError */
  copy(from: string, to: string): Promise<void>;
  /** Returns the path of the file with the bytes of a key. Only a store that has files on this machine has this function. */
  path?(key: string): string;
}

/** Returns a store that does some things otherwise, and everything else as `store`. */
export function withChanges(store: ByteStore, changes: Partial<Omit<ByteStore, 'path'>>): ByteStore {
  const all: ByteStore = {
    name: store.name,
    put: (key, file) => store.put(key, file),
    read: (key, range) => store.read(key, range),
    readWhole: (key, range) => store.readWhole(key, range),
    size: (key) => store.size(key),
    list: (prefix) => store.list(prefix),
    copy: (from, to) => store.copy(from, to),
    delete: (keys) => store.delete(keys),
    ...changes,
  };
  return store.path ? { ...all, path: store.path.bind(store) } : all;
}

/** Error of a key that has no bytes. */
export class BytesMissingError extends Error {
  override readonly name = 'BytesMissingError';
  readonly key: string;

  constructor(key: string, cause?: unknown) {
    super(`The store has no bytes for the key ${key}.`, { cause });
    this.key = key;
  }
}

/** Error of a key that has fewer bytes than its reader expects. */
export class BytesTruncatedError extends Error {
  override readonly name = 'BytesTruncatedError';

  constructor(key: string, expected: number, actual: number) {
    super(`The store has ${actual} instead of ${expected} bytes for the key ${key}.`);
  }
}

const segments = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

/** Returns true if a store could have given this name to bytes. */
export const isKey = (text: string): boolean => text.length <= MAX_KEY && segments.test(text);

/** Returns the key. @throws Error if it could name a place outside of the store or needs an escape in a URL. */
export function checkKey(key: string): string {
  if (isKey(key)) return key;
  throw new Error(`“${key.slice(0, MAX_KEY)}” is no key of a store of files.`);
}

/** Returns the prefix of keys. @throws Error if it neither is empty nor names a folder of keys. */
export function checkPrefix(prefix: string): string {
  if (prefix === '' || (prefix.endsWith('/') && checkKey(prefix.slice(0, -1)))) return prefix;
  throw new Error(`The prefix of keys “${prefix}” must end with a slash.`);
}
