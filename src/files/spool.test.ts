import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeTestHome } from '../../test/support/test-folder.ts';
import { type ReceiveOptions, Spool } from './spool.ts';

let folder: string;
let spool: Spool;
beforeEach(async () => {
  folder = join(await makeTestHome('spool'), 'incoming');
  spool = new Spool(folder);
});

const options = (more: Partial<ReceiveOptions> = {}): ReceiveOptions => ({
  maxBytes: 50_000_000,
  tooLarge: () => new Error('too large'),
  ...more,
});
const hash = (name: string, bytes: Uint8Array) => createHash(name).update(bytes).digest('hex');
async function* inChunks(bytes: Buffer, length: number) {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

describe('Spool.receive', () => {
  it.each([
    [0, 1],
    [1, 1],
    [4095, 64],
    [4096, 4096],
    [5000, 999],
    [3_000_000, 65_536],
    [3_000_000, 2_000_000],
    [300_000, 7],
    [40_000_000, 65_536],
  ])('writes %d bytes that arrive in chunks of %d', async (length, chunk) => {
    const bytes = randomBytes(length);
    const heads: Buffer[] = [];
    const file = await spool.receive(
      inChunks(bytes, chunk),
      options({ withMd5: true, onHead: (head) => heads.push(head) }),
    );
    expect((await readFile(file.path)).equals(bytes)).toBe(true);
    expect(file).toMatchObject({ size: length, sha256: hash('sha256', bytes), md5: hash('md5', bytes) });
    expect(file.head.equals(bytes.subarray(0, 4096))).toBe(true);
    expect(heads).toEqual([file.head]);
  });

  it('writes a body that is in memory, without MD5 unless requested', async () => {
    const bytes = randomBytes(1_000_000);
    const file = await spool.receive(bytes, options());
    expect((await readFile(file.path)).equals(bytes)).toBe(true);
    expect(file).toMatchObject({ size: bytes.length, sha256: hash('sha256', bytes), md5: '' });
  });

  it('accepts a body of maxBytes and stops to read a longer one', async () => {
    const bytes = randomBytes(2_000_000);
    expect((await spool.receive(bytes, options({ maxBytes: 2_000_000 }))).size).toBe(2_000_000);
    let sent = 0;
    const endless = async function* () {
      for (;;) {
        sent += 100_000;
        yield bytes.subarray(0, 100_000);
      }
    };
    const before = await readdir(folder);
    await expect(spool.receive(endless(), options({ maxBytes: 999_999 }))).rejects.toThrow('too large');
    expect(sent).toBe(1_000_000);
    expect(await readdir(folder)).toEqual(before);
  });

  it('stops before the second chunk if onHead throws', async () => {
    let sent = 0;
    const body = async function* () {
      for (;;) {
        sent++;
        yield Buffer.alloc(5000);
      }
    };
    const onHead = () => {
      throw new Error('refused type');
    };
    await expect(spool.receive(body(), options({ onHead }))).rejects.toThrow('refused type');
    expect(sent).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });

  it('removes the file if the body breaks off', async () => {
    const body = async function* () {
      yield* inChunks(randomBytes(2_000_000), 65_536);
      throw new Error('aborted');
    };
    await expect(spool.receive(body(), options())).rejects.toThrow('aborted');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('Spool.removeAbandoned', () => {
  it('removes files that nothing wrote to for a day, and no other', async () => {
    const day = 24 * 60 * 60;
    for (const [name, age] of [
      ['old', day + 60],
      ['new', day - 60],
    ] as const) {
      await writeFile(join(folder, name), 'x');
      const time = Date.now() / 1000 - age;
      await utimes(join(folder, name), time, time);
    }
    await spool.removeAbandoned();
    expect(await readdir(folder)).toEqual(['new']);
  });
});
