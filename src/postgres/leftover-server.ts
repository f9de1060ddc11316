import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serverProcesses } from './process-table.ts';
import { killProcesses, type Log, shutDown } from './shutdown.ts';

/**
 * Time within which idle processes notice that their postmaster has ended, and end too. Processes that still run after
 * this time are killed.
 */
const noticeMilliseconds = 1000;
const lookMilliseconds = 20;

/**
 * Ends the processes that a previous run left on this data folder: a postmaster whose Ninefold was killed, or processes
 * whose postmaster was killed. Then removes stale lock files, because PostgreSQL does not start if a pid in them
 * belongs to another program of its user. Call it only while holding the lock of the home.
 * @param dataFolder Absolute path without symbolic links.
 * @param log Receives the progress of a shutdown.
 * @returns True if a process was running.
 */
export async function stopLeftoverServer(dataFolder: string, log: Log): Promise<boolean> {
  const content = await readFile(join(dataFolder, 'postmaster.pid'), 'utf8').catch(() => null);
  const found = await serverProcesses(dataFolder);
  if (content === null && found.length === 0) return false;
  const postmaster = Number.parseInt(content ?? '', 10);
  if (found.includes(postmaster)) await shutDown(dataFolder, postmaster, log);
  else if (found.length > 0 && !(await areGoneWithin(dataFolder, noticeMilliseconds))) {
    await killProcesses(dataFolder, log);
  }
  for (const name of await readdir(dataFolder)) {
    // The lock file of the socket is .s.PGSQL.<port>.lock. It must be removed too.
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
