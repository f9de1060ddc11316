import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spoolBytes } from '../../test/support/store-suite.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { diskSpace } from './disk.ts';
import { openTarget } from './open-store.ts';

const MIB = 1024 * 1024;
/** Only root can mount a disk that is small enough to be filled. */
const canMount = process.platform === 'linux' && process.getuid?.() === 0;

describe.skipIf(!canMount)('a full disk (skipped: only root on Linux can mount one)', () => {
  let disk: string;
  beforeAll(async () => {
    disk = await makeTestFolder('full-disk');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m,nr_inodes=100', 'tmpfs', disk]);
  });
  afterAll(async () => {
    execFileSync('umount', ['-l', disk]);
    await rm(disk, { recursive: true, force: true });
  });

  it('causes disk_full without leaving a part of the file, and files can be stored once there is space', async () => {
    const { store, spool, incoming } = openTarget({
      home: disk,
      storageUrl: null,
      storageFrom: null,
      storageKey: null,
      storageSecret: null,
    });
    const full = expect.objectContaining({ code: 'disk_full', status: 503 });
    const chunks = async function* () {
      for (let count = 0; count < 30; count++) yield randomBytes(MIB / 10);
    };
    const options = { maxBytes: 10 * MIB, tooLarge: () => new Error('too large') };
    await expect(spool.receive(chunks(), options)).rejects.toEqual(full);
    await expect(spool.receive(randomBytes(3 * MIB), options)).rejects.toEqual(full);
    expect(await readdir(incoming)).toEqual([]);

    const waiting = await spoolBytes(spool, randomBytes(1000));
    const fillers = await useAllInodes(join(disk, 'filler'));
    await expect(spoolBytes(spool, randomBytes(1000))).rejects.toEqual(full);
    await expect(store.put('app/ab/1', waiting)).rejects.toEqual(full);
    await Promise.all(fillers.map((path) => rm(path)));
    await store.put('app/ab/1', waiting);
    expect(await store.size('app/ab/1')).toBe(1000);
  });

  it('is visible in diskSpace', async () => {
    const { total, free } = await diskSpace(disk);
    expect(total).toBe(2 * MIB);
    await writeFile(join(disk, 'file'), Buffer.alloc(MIB));
    expect((await diskSpace(disk)).free).toBeLessThanOrEqual(free - MIB);
  });
});

/** Creates empty files until the file system has no inode for another one. */
async function useAllInodes(path: string): Promise<string[]> {
  const paths: string[] = [];
  for (let { ffree } = await statfs(path.replace(/\/[^/]*$/, '')); ffree > 0; ffree--) {
    paths.push(`${path}-${ffree}`);
    await writeFile(`${path}-${ffree}`, '');
  }
  return paths;
}
