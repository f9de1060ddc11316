import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ByteStore, BytesMissingError, type SpooledFile } from '../../src/files/byte-store.ts';
import type { Spool } from '../../src/files/spool.ts';

const KIB = 1024;

/** Writes bytes to the spool. */
export const spoolBytes = (spool: Spool, bytes: Uint8Array): Promise<SpooledFile> =>
  spool.receive(bytes, { maxBytes: 1024 * KIB * KIB, tooLarge: () => new Error('too large') });

/** Returns the key that the node gives to bytes of an app. */
export function keyOf(app: string, bytes: Uint8Array, id = '1'): string {
  const hash = createHash('sha256').update(bytes).digest('hex');
  return `${app}/${hash.slice(0, 2)}/${hash}.${id}`;
}

/** Collects the keys of a store below a prefix with their sizes, in order. */
export async function sizesBelow(store: ByteStore, prefix: string): Promise<[string, number][]> {
  const found: [string, number][] = [];
  for await (const { key, size } of store.list(prefix)) found.push([key, size]);
  return found.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Declares the tests that every store passes. */
export function testStore(open: () => Promise<{ store: ByteStore; spool: Spool }>): void {
  let store: ByteStore;
  let spool: Spool;
  beforeAll(async () => {
    ({ store, spool } = await open());
  });
  const put = async (key: string, bytes: Uint8Array) => store.put(key, await spoolBytes(spool, bytes));
  const read = async (key: string, range?: { start: number; end: number }) => buffer(await store.read(key, range));

  describe('ByteStore', () => {
    it.each([0, 1, KIB, 256 * KIB, 700 * KIB + 7])('stores and reads %d bytes', async (length) => {
      const bytes = randomBytes(length);
      const key = keyOf('sizes', bytes);
      const file = await spoolBytes(spool, bytes);
      await store.put(key, file);
      expect(existsSync(file.path)).toBe(false);
      expect((await read(key)).equals(bytes)).toBe(true);
      expect(await store.size(key)).toBe(length);
    });

    it('reads a range from its first to its last byte', async () => {
      const bytes = randomBytes(600 * KIB);
      const key = keyOf('ranges', bytes);
      await put(key, bytes);
      for (const [start, end] of [
        [0, 0],
        [0, bytes.length - 1],
        [5, 300 * KIB],
        [bytes.length - 1, bytes.length - 1],
      ] as const) {
        expect((await read(key, { start, end })).equals(bytes.subarray(start, end + 1))).toBe(true);
        expect(bytes.subarray(start, end + 1).equals(await store.readWhole(key, { start, end }))).toBe(true);
      }
    });

    it('fails a read of more bytes than the key has', async () => {
      const bytes = randomBytes(10 * KIB);
      const key = keyOf('truncated', bytes);
      await put(key, bytes);
      await expect(read(key, { start: 5, end: bytes.length })).rejects.toThrow('bytes for the key');
      await expect(store.readWhole(key, { start: 5, end: bytes.length })).rejects.toThrow('bytes for the key');
    });

    it('releases what a read holds when the reader stops', async () => {
      const bytes = randomBytes(3000 * KIB);
      const key = keyOf('stopped', bytes);
      await put(key, bytes);
      for (let turn = 0; turn < 100; turn++) {
        for await (const chunk of await store.read(key)) {
          expect(chunk.length).toBeGreaterThan(0);
          break;
        }
      }
      expect((await read(key)).equals(bytes)).toBe(true);
    });

    it('rejects a read and a copy of a key without bytes, and has no size of it', async () => {
      const key = keyOf('missing', randomBytes(4));
      await expect(store.read(key)).rejects.toThrow(BytesMissingError);
      await expect(store.read(key, { start: 0, end: 1 })).rejects.toThrow(BytesMissingError);
      await expect(store.copy(key, `${key}.copy`)).rejects.toThrow(BytesMissingError);
      expect(await store.size(key)).toBeNull();
    });

    it('keeps the bytes of a key that is stored twice', async () => {
      const bytes = randomBytes(2 * KIB);
      const key = keyOf('twice', bytes);
      await Promise.all([put(key, bytes), put(key, bytes)]);
      expect((await read(key)).equals(bytes)).toBe(true);
      expect(await sizesBelow(store, 'twice/')).toEqual([[key, bytes.length]]);
    });

    it('deletes many keys and ignores those without bytes', async () => {
      const keys = Array.from({ length: 40 }, (_, index) => `deleted/uploads/one/${index}`);
      for (const key of keys) await put(key, Buffer.from(key));
      await put('deleted/uploads/two/1', Buffer.from('other'));
      await store.delete([...keys, 'deleted/uploads/one/missing', 'deleted/none/1']);
      expect(await sizesBelow(store, 'deleted/')).toEqual([['deleted/uploads/two/1', 5]]);
      await store.delete([]);
      await put('deleted/uploads/one/1', Buffer.from('new'));
      expect((await read('deleted/uploads/one/1')).toString()).toBe('new');
    });

    it('lists the keys of one app with size and time, and not those of an app whose name begins the same', async () => {
      const before = Date.now();
      for (const key of ['listed/aa/1', 'listed/bb/2', 'listed/uploads/x/1', 'listed-other/aa/1']) {
        await put(key, Buffer.from(key));
      }
      expect(await sizesBelow(store, 'listed/')).toEqual([
        ['listed/aa/1', 11],
        ['listed/bb/2', 11],
        ['listed/uploads/x/1', 18],
      ]);
      expect(await sizesBelow(store, 'not-there/')).toEqual([]);
      for await (const { storedAt } of store.list('listed/')) {
        // S3 has the time in whole seconds.
        expect(storedAt).toBeGreaterThan(before - 2000);
        expect(storedAt).toBeLessThan(Date.now() + 2000);
      }
    });

    it('copies bytes to another key, which outlives the first', async () => {
      const bytes = randomBytes(9 * KIB);
      const [from, to] = [keyOf('original', bytes), keyOf('copy', bytes)];
      await put(from, bytes);
      await store.copy(from, to);
      await store.copy(from, to);
      await store.delete([from]);
      expect(await store.size(from)).toBeNull();
      expect((await read(to)).equals(bytes)).toBe(true);
    });

    it.each(['', '/', '../secret', 'a/../b', 'a//b', '/etc/passwd', 'a/.hidden', 'a b', 'a\0b', 'x'.repeat(600)])(
      'rejects the key “%s”',
      async (key) => {
        await expect(store.read(key)).rejects.toThrow('is no key');
        await expect(store.delete([key])).rejects.toThrow('is no key');
        await expect(store.copy(key, 'a/b')).rejects.toThrow('is no key');
      },
    );
  });
}
