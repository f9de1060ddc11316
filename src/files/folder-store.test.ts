import { linkSync, mkdirSync } from 'node:fs';
import { mkdir, open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { spoolBytes, testStore } from '../../test/support/store-suite.ts';
import { makeTestFolder, makeTestHome } from '../../test/support/test-folder.ts';
import { BytesTruncatedError } from './byte-store.ts';
import { FolderStore } from './folder-store.ts';
import { Spool } from './spool.ts';

async function openFolders() {
  const home = await makeTestHome('folder-store');
  const [files, incoming] = [join(home, 'files'), join(home, 'incoming')];
  return { files, incoming, store: new FolderStore(files, incoming), spool: new Spool(incoming) };
}

testStore(openFolders);

describe('FolderStore', () => {
  let folders: Awaited<ReturnType<typeof openFolders>>;
  beforeEach(async () => {
    folders = await openFolders();
  });

  it('stores a file at the path of its key, which only this user can read', async () => {
    const { files, incoming, store, spool } = folders;
    await store.put('app/ab/abc.1', await spoolBytes(spool, Buffer.from('text')));
    expect((await stat(join(files, 'app/ab/abc.1'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(files, 'app/ab'))).mode & 0o777).toBe(0o700);
    expect(await readdir(incoming)).toEqual([]);
  });

  it('leaves a file in the spool that it could not store', async () => {
    const { files, store, spool } = folders;
    await (await open(join(files, 'app'), 'w')).close();
    const file = await spoolBytes(spool, Buffer.from('text'));
    await expect(store.put('app/ab/abc.1', file)).rejects.toThrow();
    expect((await stat(file.path)).size).toBe(4);
    await spool.discard(file);
    await spool.discard(file);
    expect(await readdir(folders.incoming)).toEqual([]);
  });

  it('removes the folders that a deletion leaves empty', async () => {
    const { files, store, spool } = folders;
    await mkdir(join(files, 'other'));
    await store.put('app/uploads/1/1', await spoolBytes(spool, Buffer.from('text')));
    await store.delete(['app/uploads/1/1']);
    expect(await readdir(files)).toEqual(['other']);
  });

  it('stores files while other calls remove the same folder', async () => {
    const { store, spool } = folders;
    await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const key = `app/ab/${index}`;
        await store.put(key, await spoolBytes(spool, Buffer.from(key)));
        expect(await store.size(key)).toBe(key.length);
        await store.delete([key]);
      }),
    );
  });

  it('fails a read if the file is truncated while it is read', async () => {
    const { files, store, spool } = folders;
    await store.put('app/ab/abc.1', await spoolBytes(spool, Buffer.alloc(1_000_000)));
    const stream = await store.read('app/ab/abc.1');
    await truncate(join(files, 'app/ab/abc.1'), 500_000);
    await expect(buffer(stream)).rejects.toThrow(BytesTruncatedError);
  });

  it('copies a file by a link, and by its bytes if the file system allows no more links', async () => {
    const home = await makeTestFolder('links');
    const incoming = join(home, 'incoming');
    const [store, spool] = [new FolderStore(join(home, 'files'), incoming), new Spool(incoming)];
    await store.put('app/ab/abc.1', await spoolBytes(spool, Buffer.from('text')));
    await store.copy('app/ab/abc.1', 'other/ab/abc.1');
    const path = join(home, 'files/other/ab/abc.1');
    expect((await stat(path)).nlink).toBe(2);
    const hasLimit = linkUntilLimit(path, join(home, 'links'));
    await store.copy('app/ab/abc.1', 'third/ab/abc.1');
    expect((await buffer(await store.read('third/ab/abc.1'))).toString()).toBe('text');
    expect((await stat(join(home, 'files/third/ab/abc.1'))).nlink === 1).toBe(hasLimit);
    expect(await readdir(incoming)).toEqual([]);
    await rm(home, { recursive: true });
  });
});

/** Links a file as often as ext4 allows. Returns false if the file system allows more links. */
function linkUntilLimit(path: string, folder: string): boolean {
  mkdirSync(folder);
  try {
    for (let count = 0; count < 65_000; count++) linkSync(path, join(folder, String(count)));
    return false;
  } catch {
    return true;
  }
}
