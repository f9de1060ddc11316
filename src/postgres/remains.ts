import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serverProcesses } from './process-table.ts';
import { killProcesses, type Log, shutDown } from './shutdown.ts';

/** Processes whose postmaster is gone notice that by themselves, unless they are busy. */
const noticeMilliseconds = 1000;
const lookMilliseconds = 20;

/**
 * Ends what an earlier run left of a server on this data folder: a postmaster whose Ninefold was killed, or processes whose
 * postmaster was killed. Then removes the lock files that are nobody's any more, because PostgreSQL would not start if the
 * pid in them had been given to another program of its user. Call it only while holding the lock of the home.
 *
 * @param dataFolder Absolute and without symbolic links.
 * @param log Receives how far a shutdown is.
 * @returns Whether there was something running.
 */
export async function endRemains(dataFolder: string, log: Log): Promise<boolean> {
  const content = await readFile(join(dataFolder, 'postmaster.pid'), 'utf8').catch(() => null);
  const found = await serverProcesses(dataFolder);
  if (content === null && found.length === 0) return false;
  const postmaster = Number.parseInt(content ?? '', 10);
  if (found.includes(postmaster)) await shutDown(dataFolder, postmaster, log);
  else if (found.length > 0 && !(await areGoneWithin(dataFolder, noticeMilliseconds))) {
    await killProcesses(dataFolder, log);
  }
  for (const name of await readdir(dataFolder)) {
    // The socket has a lock file of its own: .s.PGSQL.<port>.lock.
    if (name === 'postmaster.pid' || name.startsWith('.s.PGSQL.')) await rm(join(dataFolder, name), { force: true });
  }
  return found.length > 0;
}

async function areGoneWithin(dataFolder: string, milliseconds: number): Promise<boolean> {
  const until = Date.now() + milliseconds;
  while ((await serverProcesses(dataFolder)).length > 0) {
    if (Date.now() > until) return false;
    await delay(lookMilliseconds);
  }
  return true;
}
