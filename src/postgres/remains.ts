import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serverProcesses } from './process-table.ts';

/** The signals that end a server, from the gentlest on, with how long each is given (PostgreSQL manual, "Shutting Down"). */
const fastShutdown = { signal: 'SIGINT', milliseconds: 60_000 } as const;
const immediateShutdown = { signal: 'SIGQUIT', milliseconds: 10_000 } as const;
const kill = { signal: 'SIGKILL', milliseconds: 10_000 } as const;
/** Processes whose postmaster is gone notice that by themselves, unless they are busy. */
const noticeMilliseconds = 1000;
const lookMilliseconds = 20;

/**
 * Ends what an earlier run left of a server on this data folder: a postmaster whose Ninefold was killed, or processes whose
 * postmaster was killed. Then removes the lock files that are nobody's any more, because PostgreSQL would not start if the
 * pid in them had been given to another program of its user. Call it only while holding the lock of the home.
 *
 * @param dataFolder Absolute and without symbolic links.
 * @returns Whether there was something running.
 */
export async function endRemains(dataFolder: string): Promise<boolean> {
  const content = await readFile(join(dataFolder, 'postmaster.pid'), 'utf8').catch(() => null);
  if (content === null) return false;
  const found = await serverProcesses(dataFolder);
  if (found.length > 0) {
    const postmaster = Number.parseInt(content, 10);
    const gone = found.includes(postmaster)
      ? await endWith(dataFolder, fastShutdown, [postmaster])
      : await areGoneWithin(dataFolder, noticeMilliseconds);
    if (!gone && !(await endWith(dataFolder, immediateShutdown)) && !(await endWith(dataFolder, kill))) {
      throw new Error(`processes of an earlier PostgreSQL on ${dataFolder} cannot be ended`);
    }
  }
  for (const name of await readdir(dataFolder)) {
    // The socket has a lock file of its own: .s.PGSQL.<port>.lock.
    if (name === 'postmaster.pid' || name.startsWith('.s.PGSQL.')) await rm(join(dataFolder, name), { force: true });
  }
  return found.length > 0;
}

/** Sends a signal to some of the server's processes, or to all; returns whether all are gone in time. */
async function endWith(
  dataFolder: string,
  step: { signal: NodeJS.Signals; milliseconds: number },
  pids?: readonly number[],
): Promise<boolean> {
  for (const pid of pids ?? (await serverProcesses(dataFolder))) {
    try {
      process.kill(pid, step.signal);
    } catch {
      // it ended in between
    }
  }
  return areGoneWithin(dataFolder, step.milliseconds);
}

async function areGoneWithin(dataFolder: string, milliseconds: number): Promise<boolean> {
  const until = Date.now() + milliseconds;
  while ((await serverProcesses(dataFolder)).length > 0) {
    if (Date.now() > until) return false;
    await delay(lookMilliseconds);
  }
  return true;
}
