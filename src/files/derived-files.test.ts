import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BytesMissingError } from './byte-store.ts';
import { chooseOldest, DerivedFiles, withDerivedFiles } from './derived-files.ts';
import { FolderStore } from './folder-store.ts';
import { Spool } from './spool.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ninefold-derived-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const bytes = (length: number) => new Uint8Array(length).fill(7);
const read = async (files: DerivedFiles, key: string, name: string) => {
  const file = await files.find(key, name);
  return file && (await buffer(await file.open()));
};
/** The names in the folder of the cache, without the one of incomplete files. */
const names = () => readdirSync(folder).filter((name) => !name.startsWith('.'));

describe('DerivedFiles', () => {
  it('returns a file to every process that has the same folder', async () => {
    const [one, other] = [new DerivedFiles(folder, 1e6), new DerivedFiles(folder, 1e6)];
    expect(await other.find('desk/ab/1', 'x.webp')).toBeNull();
    await one.put('desk/ab/1', 'x.webp', bytes(10));
    expect(await read(one, 'desk/ab/1', 'x.webp')).toEqual(Buffer.from(bytes(10)));
    expect(await read(other, 'desk/ab/1', 'x.webp')).toEqual(Buffer.from(bytes(10)));
    expect(await other.find('desk/ab/1', 'y.webp')).toBeNull();
  });

  it('reports a file that another process deleted after it was found', async () => {
    const files = new DerivedFiles(folder, 1e6);
    await files.put('desk/ab/1', 'x.webp', bytes(10));
    const found = await files.find('desk/ab/1', 'x.webp');
    await rm(join(folder, 'desk'), { recursive: true });
    await expect(found?.open()).rejects.toThrow(BytesMissingError);
    expect(await files.find('desk/ab/1', 'x.webp')).toBeNull();
  });

  it('deletes the files of a key and the empty folders above', async () => {
    const files = new DerivedFiles(folder, 1e6);
    await files.put('desk/ab/1', 'x.webp', bytes(10));
    await files.put('desk/cd/2', 'x.webp', bytes(10));
    await files.deleteOf(['desk/ab/1', 'desk/ef/3']);
    expect(readdirSync(join(folder, 'desk'))).toEqual(['cd']);
    await files.deleteOf(['desk/cd/2']);
    expect(names()).toEqual([]);
  });

  it('keeps the bytes of all files below the limit, and deletes those first that were not used for the longest time', async () => {
    const files = new DerivedFiles(folder, 100_000);
    const days = (count: number) => Date.now() / 1000 - count * 86_400;
    const old = ['old0', 'old1', 'old2'];
    for (const name of [...old, 'used']) {
      await files.put(`desk/ab/${name}`, 'x.webp', bytes(8000));
      const age = days(name === 'used' ? 2 : 1);
      await utimes(join(folder, `desk/ab/${name}/x.webp`), age, age);
    }
    // A process that starts sees the older time, and records the use.
    const later = new DerivedFiles(folder, 100_000);
    await read(later, 'desk/ab/used', 'x.webp');
    await expect
      .poll(async () => (await stat(join(folder, 'desk/ab/used/x.webp'))).mtimeMs / 1000 > days(1))
      .toBe(true);
    for (let i = 0; i < 9; i++) await later.put(`desk/ab/new${i}`, 'x.webp', bytes(8000));
    const left = readdirSync(join(folder, 'desk/ab'));
    expect(left).toHaveLength(10);
    expect(left).toContain('used');
    for (const name of old) expect(left).not.toContain(name);
  });

  it('stores nothing if the limit is 0', async () => {
    const files = new DerivedFiles(folder, 0);
    await files.put('desk/ab/1', 'x.webp', bytes(10));
    expect(names()).toEqual([]);
  });

  it.each(['../x', 'desk/../../x', '/etc', 'desk//x', 'desk/.incomplete'])('refuses the key %s', async (key) => {
    const files = new DerivedFiles(folder, 1e6);
    await expect(files.put(key, 'x.webp', bytes(1))).rejects.toThrow();
    await expect(files.deleteOf([key])).rejects.toThrow();
  });
});

describe('chooseOldest', () => {
  const file = (app: string, usedAt: number, size: number) => ({ app, path: `${app}${usedAt}`, bytes: size, usedAt });

  it('takes the files of the app that has most, so that an app cannot displace the files of others', () => {
    const small = [file('small', 1, 10), file('small', 2, 10)];
    const flood = Array.from({ length: 20 }, (_, i) => file('flood', 100 + i, 10));
    const chosen = chooseOldest([...small, ...flood], 200);
    expect(chosen.map(({ app }) => app)).toEqual(Array(6).fill('flood'));
    expect(chosen[0]?.usedAt).toBe(100);
  });
});

describe('withDerivedFiles', () => {
  it('deletes the derived files of bytes with the bytes', async () => {
    const incoming = join(folder, 'incoming');
    const spool = new Spool(incoming);
    const derived = new DerivedFiles(join(folder, 'images'), 1e6);
    const store = withDerivedFiles(new FolderStore(join(folder, 'apps'), incoming), derived);
    const file = await spool.receive(bytes(5), { maxBytes: 5, tooLarge: () => new Error('too large') });
    await store.put('desk/ab/1', file);
    expect(store.path?.('desk/ab/1')).toBe(join(folder, 'apps/desk/ab/1'));
    await derived.put('desk/ab/1', 'x.webp', bytes(5));
    await store.delete(['desk/ab/1']);
    expect(await store.size('desk/ab/1')).toBeNull();
    expect(existsSync(join(folder, 'images/desk'))).toBe(false);
  });
});
