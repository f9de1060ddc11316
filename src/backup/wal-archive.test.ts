import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { openTarget } from './open-target.ts';
import { SealedStore } from './sealed-store.ts';
import { listSegments, readSegment, WalArchive, type WalSegment } from './wal-archive.ts';

const SEGMENT = 1024 * 1024;
const MILLISECOND = 1000n;
let folder: string;
let store: SealedStore;
let archive: WalArchive;
beforeEach(async () => {
  folder = await makeTestFolder('wal');
  store = new SealedStore(openTarget({ kind: 'folder', folder }, ''), randomBytes(32), 'series/');
  archive = await WalArchive.open(store, 1, SEGMENT, 0n);
});
afterEach(() => rm(folder, { recursive: true }));

const read = (segment: WalSegment | undefined) => readSegment(store, segment as WalSegment, SEGMENT);

it('stores with a segment the time until which its own WAL is complete, though later WAL has arrived', async () => {
  archive.append(0n, randomBytes(SEGMENT), 5n * MILLISECOND);
  archive.append(BigInt(SEGMENT), randomBytes(1000), 9n * MILLISECOND);
  archive.append(BigInt(SEGMENT) + 1000n, randomBytes(SEGMENT), 20n * MILLISECOND);
  await archive.flush();
  const segments = await listSegments(store, 1, SEGMENT, 0n);
  const found = await Promise.all(segments.map(read));
  expect(found.map(({ completeAt, stored }) => [completeAt, stored])).toEqual([
    [5, SEGMENT],
    [9, SEGMENT],
    [20, 1000],
  ]);
});

it('reads a segment whose pieces were replaced after they were listed', async () => {
  const content = randomBytes(SEGMENT);
  const append = async (from: number, to: number) => {
    archive.append(BigInt(from), content.subarray(from, to), 1n);
    await archive.flush();
  };
  for (let from = 0; from < 60_000; from += 1000) await append(from, from + 1000);
  const [pieces] = await listSegments(store, 1, SEGMENT, 0n);
  expect(pieces?.pieces).toHaveLength(60);
  await append(60_000, 61_000);
  const merged = await read(pieces);
  expect(merged.stored).toBe(61_000);
  expect(merged.bytes.subarray(0, 61_000).equals(content.subarray(0, 61_000))).toBe(true);
  const [one] = await listSegments(store, 1, SEGMENT, 0n);
  expect(one?.pieces).toHaveLength(1);
  await append(61_000, SEGMENT);
  expect((await read(one)).bytes.equals(content)).toBe(true);
});
