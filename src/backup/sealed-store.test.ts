import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { openTarget } from './open-target.ts';
import { SealedStore } from './sealed-store.ts';

const MIB = 1024 * 1024;
const key = randomBytes(32);
let folder: string;
let store: SealedStore;
beforeEach(async () => {
  folder = await makeTestFolder('sealed');
  store = new SealedStore(openTarget({ kind: 'folder', folder }, ''), key, 'series/');
});
afterEach(() => rm(folder, { recursive: true }));

const fileOf = (name: string) => join(folder, 'objects/series', name);

describe('SealedStore', () => {
  it('returns the content that was stored, whatever its size and its pieces', async () => {
    for (const size of [0, 1, 100, MIB - 1, MIB, MIB + 1, 2 * MIB, 3 * MIB + 17]) {
      const content = randomBytes(size);
      const pieces = async function* () {
        for (let start = 0; start < size; start += 777_777) yield content.subarray(start, start + 777_777);
      };
      await store.put(`object-${size}`, pieces());
      expect((await store.readWhole(`object-${size}`)).equals(content)).toBe(true);
    }
  });

  it('stores no content in plain text', async () => {
    await store.put('object', Buffer.from('a secret of a member'));
    expect((await readFile(fileOf('object'))).includes('secret')).toBe(false);
  });

  it('refuses an object that was changed, cut off, reordered, renamed or sealed with another key', async () => {
    const content = randomBytes(2 * MIB + 5);
    await store.put('object', content);
    const sealed = await readFile(fileOf('object'));
    const head = 36;
    const chunk = MIB + 16;
    const [first, second, last] = [
      sealed.subarray(head, head + chunk),
      sealed.subarray(head + chunk, head + 2 * chunk),
      sealed.subarray(head + 2 * chunk),
    ];
    const changed = Buffer.from(sealed);
    changed[head + 10] = (changed[head + 10] as number) ^ 1;
    const start = sealed.subarray(0, head);
    for (const [name, bytes] of Object.entries({
      changed,
      'cut-at-a-chunk': Buffer.concat([start, first, second]),
      'cut-in-a-chunk': sealed.subarray(0, -1),
      'only-a-head': start,
      empty: Buffer.alloc(0),
      reordered: Buffer.concat([start, second, first, last]),
      longer: Buffer.concat([sealed, Buffer.from('x')]),
    })) {
      await writeFile(fileOf('object'), bytes);
      await expect(store.readWhole('object'), name).rejects.toMatchObject({ name: 'SealError' });
    }
    await writeFile(fileOf('other'), sealed);
    await expect(store.readWhole('other')).rejects.toMatchObject({ name: 'SealError' });
    await writeFile(fileOf('object'), sealed);
    const stranger = new SealedStore(openTarget({ kind: 'folder', folder }, ''), randomBytes(32), 'series/');
    await expect(stranger.readWhole('object')).rejects.toMatchObject({ name: 'SealError' });
    expect((await store.readWhole('object')).equals(content)).toBe(true);
  });
});
