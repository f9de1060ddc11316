import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type S3Server, startS3Server } from '../../test/support/s3-server.ts';
import { keyOf, sizesBelow, spoolBytes } from '../../test/support/store-suite.ts';
import { makeTestHome } from '../../test/support/test-folder.ts';
import type { ByteStore } from './byte-store.ts';
import { BytesDamagedError, type MoveProgress, moveBytes } from './move-bytes.ts';
import { type OpenStore, openStore, openTarget } from './open-store.ts';

let home: string;
let folder: ByteStore;
let bucket: ByteStore;
let toFolder: OpenStore;
let toBucket: OpenStore;
let server: S3Server | undefined;
beforeEach(async () => {
  await server?.close();
  server = await startS3Server();
  const { url: endpoint, bucket: name, region, accessKey, secret } = server;
  home = await makeTestHome('move-bytes');
  const storageUrl = { endpoint, bucket: name, prefix: '', region, isPathStyle: true };
  const config = { home, storageFrom: null, storageKey: accessKey, storageSecret: secret };
  toBucket = openTarget({ ...config, storageUrl });
  toFolder = openTarget({ ...config, storageUrl: null });
  [bucket, folder] = [toBucket.store, toFolder.store];
});
afterAll(() => server?.close());

async function fill(count: number): Promise<Map<string, Buffer>> {
  const all = new Map<string, Buffer>();
  for (let index = 0; index < count; index++) {
    const bytes = randomBytes(index * 100);
    all.set(keyOf(`app-${index % 3}`, bytes), bytes);
  }
  all.set('app-1/uploads/one/1', Buffer.from('part'));
  for (const [key, bytes] of all) await folder.put(key, await spoolBytes(toFolder.spool, bytes));
  return all;
}

describe('moveBytes', () => {
  it('copies every key from a folder to a bucket and back, and only what is missing', async () => {
    const all = await fill(30);
    const reports: MoveProgress[] = [];
    const bytes = [...all.values()].reduce((sum, { length }) => sum + length, 0);
    expect(await moveBytes(folder, toBucket, (progress) => reports.push(progress))).toEqual({
      ...{ present: 0, copied: 31, copiedBytes: bytes, removed: 0 },
    });
    expect(reports).toHaveLength(31);
    for (const [key, expected] of all) expect((await buffer(await bucket.read(key))).equals(expected)).toBe(true);
    expect(await moveBytes(folder, toBucket)).toMatchObject({ present: 31, copied: 0 });

    const [first = ''] = all.keys();
    await folder.delete([first]);
    expect(await moveBytes(bucket, toFolder)).toMatchObject({ present: 30, copied: 1 });
    expect(await sizesBelow(folder, '')).toEqual(await sizesBelow(bucket, ''));
    expect(await readdir(join(home, 'files/incoming'))).toEqual([]);
  });

  it('rejects bytes whose hash is not the one in their key, and stores the others at the next run', async () => {
    const all = await fill(20);
    const [damaged = ''] = [...all.keys()].filter((key) => (all.get(key)?.length ?? 0) > 500);
    const path = join(home, 'files/apps', damaged);
    await writeFile(path, randomBytes(all.get(damaged)?.length ?? 0));
    await expect(moveBytes(folder, toBucket)).rejects.toThrow(BytesDamagedError);
    expect(await bucket.size(damaged)).toBeNull();
    expect(await readdir(join(home, 'files/incoming'))).toEqual([]);
    await writeFile(path, all.get(damaged) ?? '');
    await moveBytes(folder, toBucket);
    expect(await sizesBelow(bucket, '')).toEqual(await sizesBelow(folder, ''));
  });

  it('replaces bytes of which the target has only a part', async () => {
    await fill(5);
    await moveBytes(folder, toBucket);
    const [name = '', bytes = Buffer.alloc(0)] =
      [...(server?.objects ?? [])].find(([, { length }]) => length > 100) ?? [];
    server?.objects.set(name, bytes.subarray(0, 50));
    expect(await moveBytes(folder, toBucket)).toMatchObject({ copied: 1 });
    expect(server?.objects.get(name)?.equals(bytes)).toBe(true);
  });

  it('ignores a key that is deleted while the move runs', async () => {
    await fill(6);
    const [removed = ''] = (await sizesBelow(folder, '')).map(([key]) => key);
    const source: ByteStore = {
      ...{ name: 'folder', put: folder.put, size: folder.size, copy: folder.copy, delete: folder.delete },
      list: (prefix) => folder.list(prefix),
      readWhole: (key, range) => folder.readWhole(key, range),
      read: async (key, range) => {
        if (key === removed) await folder.delete([key]);
        return folder.read(key, range);
      },
    };
    expect(await moveBytes(source, toBucket)).toMatchObject({ removed: 1, copied: 6 });
  });
});

describe('openStore', () => {
  it('opens the folder of the node without a bucket', async () => {
    const open = openStore({ home, storageUrl: null, storageFrom: null, storageKey: null, storageSecret: null });
    await open.store.put('app/aa/1', await spoolBytes(open.spool, Buffer.from('text')));
    expect([open.store.name, bucket.name]).toEqual(['folder', 's3']);
    expect((await buffer(await folder.read('app/aa/1'))).toString()).toBe('text');
    expect(await readdir(open.incoming)).toEqual([]);
  });
});
