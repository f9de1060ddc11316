import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { lockFolder } from './home-lock.ts';
import { startOf } from './process-table.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await makeTestFolder('lock');
  path = join(folder, 'ninefold.lock');
});

const take = () => lockFolder(path, folder);

async function place(): Promise<string> {
  const release = await take();
  const holder: { place: string } = JSON.parse(await readFile(path, 'utf8'));
  await release();
  return holder.place;
}

it('lockFolder admits one process at a time, and removes its lock files afterwards', async () => {
  const release = await take();
  await expect(take()).rejects.toThrow(`The folder ${folder} is in use by another Ninefold (pid ${process.pid})`);
  await release();
  expect(await readdir(folder)).toEqual([]);
  await (await take())();
});

it('lockFolder admits exactly one of many processes, even if all of them find the same stale lock', async () => {
  await writeFile(path, JSON.stringify({ pid: process.pid, started: 'long ago', place: await place() }));
  const attempts = await Promise.allSettled(Array.from({ length: 20 }, take));
  const winners = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  expect(winners).toHaveLength(1);
  await winners[0]?.();
});

it('lockFolder takes over the lock of a process that ended while it was taking over a lock itself', async () => {
  await writeFile(path, JSON.stringify({ pid: process.pid, started: 'long ago', place: await place() }));
  await writeFile(`${path}.claim`, '');
  await utimes(`${path}.claim`, new Date(0), new Date(0));
  await (await take())();
  expect(await readdir(folder)).toEqual([]);
});

it('lockFolder takes over the lock of a process that has ended', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  await writeFile(path, JSON.stringify({ pid: child.pid, started: '1', place: await place() }));
  await (await take())();
});

it('lockFolder takes over a lock if the process with its pid is another program', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  try {
    await once(other, 'spawn');
    const pid = other.pid ?? 0;
    const here = await place();
    await writeFile(path, JSON.stringify({ pid, started: await startOf(pid), place: here }));
    await expect(take()).rejects.toThrow(`(pid ${pid})`);
    await writeFile(path, JSON.stringify({ pid, started: 'another time', place: here }));
    await (await take())();
  } finally {
    other.kill('SIGKILL');
  }
});

it('lockFolder respects the lock of another machine only while that machine refreshes the lock', async () => {
  await writeFile(path, JSON.stringify({ pid: process.pid, started: '1', place: 'another machine' }));
  const beat = setInterval(() => utimes(path, new Date(), new Date()), 500);
  await expect(take()).rejects.toThrow('in use by another Ninefold');
  clearInterval(beat);
  await utimes(path, new Date(), new Date(Date.now() - 60_000));
  await (await take())();
});

it('lockFolder refreshes its lock, so that other machines see that the process of the lock runs', async () => {
  const release = await take();
  await utimes(path, new Date(0), new Date(0));
  await expect.poll(async () => (await stat(path)).mtimeMs, { timeout: 5000 }).toBeGreaterThan(0);
  await release();
});

it('lockFolder takes over a lock file without content once it is old', async () => {
  await writeFile(path, '');
  await utimes(path, new Date(0), new Date(0));
  await (await take())();
});

it('lockFolder reports a folder that cannot be written', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  await expect(lockFolder(join(file, 'lock'), file)).rejects.toThrow(`The folder ${file} cannot be written (ENOTDIR)`);
});
