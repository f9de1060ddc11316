import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, expect, it, vi } from 'vitest';
import { withFolderLock } from './folder-lock.mjs';

let lock;

beforeEach(() => {
  mkdirSync('.tmp/tests', { recursive: true });
  lock = join(mkdtempSync('.tmp/tests/folder-lock-'), 'lock');
});

function leaveLock(pid) {
  mkdirSync(lock);
  if (pid !== undefined) writeFileSync(join(lock, 'pid'), String(pid));
}

const never = () => expect.unreachable('nobody holds the lock');

it('withFolderLock releases the lock after the work, also if the work failed', async () => {
  await expect(withFolderLock(lock, () => Promise.reject(new Error('no disk')), never)).rejects.toThrow('no disk');
  expect(await withFolderLock(lock, () => Promise.resolve(existsSync(lock)), never)).toBe(true);
  expect(existsSync(lock)).toBe(false);
});

it('withFolderLock waits for the process that holds the lock, and reports its pid', async () => {
  leaveLock(process.ppid);
  const waiting = vi.fn();
  const work = vi.fn(() => Promise.resolve());
  const done = withFolderLock(lock, work, waiting);
  await vi.waitFor(() => expect(waiting).toHaveBeenCalledWith(process.ppid));
  expect(work).not.toHaveBeenCalled();
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  writeFileSync(join(lock, 'pid'), String(pid)); // the holder ends without removing its lock
  await done;
  expect(work).toHaveBeenCalledOnce();
});

it('withFolderLock takes over the lock of a process that was killed before it wrote its pid', async () => {
  leaveLock();
  utimesSync(lock, new Date(0), new Date(0));
  expect(await withFolderLock(lock, () => Promise.resolve('done'), never)).toBe('done');
});

it('withFolderLock takes over the lock of an earlier process with the same pid, as after a restart of a container', async () => {
  leaveLock(process.pid);
  expect(await withFolderLock(lock, () => Promise.resolve('done'), never)).toBe('done');
});
