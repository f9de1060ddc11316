import { randomUUID } from 'node:crypto';
import { link, readFile, readlink, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { startOf } from './process-table.ts';
import { cannotWrite, StartError, systemCode } from './start-error.ts';

/** Interval at which a process refreshes its lock, because other machines and containers cannot check its pid. */
const beatMilliseconds = 1000;
/** A lock of another machine is stale if it was not refreshed for this time. */
const silenceMilliseconds = 5000;
/** Waiting time while another process removes a stale lock. */
const claimMilliseconds = 10;

interface Holder {
  pid: number;
  /** Start of the process, as `startOf` returns it. */
  started: string | null;
  /** Identifier of the boot and pid namespace in which the pid is valid. */
  place: string;
}

/**
 * Takes the lock that prevents two Ninefold processes from using one folder: a file with the pid of its holder. The
 * lock of an ended process is taken over. For a process on the same machine, the pid and the start time show whether
 * the process has ended. For a process on another machine (two containers with one volume), a lock file that is not
 * refreshed any more shows this.
 * @param path The lock file.
 * @param folder The locked folder, for the error message.
 * @returns A function that releases the lock.
 * @throws StartError if another Ninefold holds the lock, or the folder cannot be written.
 */
export async function lockFolder(path: string, folder: string): Promise<() => Promise<void>> {
  const mine: Holder = { pid: process.pid, started: await startOf(process.pid), place: await thisPlace() };
  const content = JSON.stringify(mine);
  for (;;) {
    if (await tryToTake(path, content, folder)) break;
    const found = await readFile(path, 'utf8').catch(() => null);
    if (found === null) continue; // The holder released the lock in the meantime.
    const holder = parseHolder(found);
    if (await isHeld(path, holder, mine)) {
      throw new StartError(
        `The folder ${folder} is in use by another Ninefold${holder ? ` (pid ${holder.pid})` : ''}: stop that one, or set NINEFOLD_HOME to another folder.`,
      );
    }
    await takeAway(path, found);
  }
  const beat = setInterval(() => utimes(path, new Date(), new Date()).catch(() => undefined), beatMilliseconds);
  beat.unref();
  return async () => {
    clearInterval(beat);
    if ((await readFile(path, 'utf8').catch(() => null)) === content) await unlink(path).catch(() => undefined);
  };
}

/** Tries to create the lock file. A hard link appears atomically with its content. */
async function tryToTake(path: string, content: string, folder: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, content, { mode: 0o600 });
    await link(draft, path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw cannotWrite(folder, error);
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

async function isHeld(path: string, holder: Holder | null, mine: Holder): Promise<boolean> {
  if (holder?.place !== mine.place) return isBeating(path);
  if (holder.pid === mine.pid) return holder.started === mine.started;
  const started = await startOf(holder.pid);
  return started !== null && started === holder.started;
}

/** Returns true if the lock is refreshed before it becomes stale. */
async function isBeating(path: string): Promise<boolean> {
  const lastBeat = () =>
    stat(path).then(
      (file) => file.mtimeMs,
      () => null,
    );
  const first = await lastBeat();
  if (first === null) return false;
  const patience = first + silenceMilliseconds - Date.now();
  // If the clock of the other machine is ahead, the time of the last refresh is in the future. Even then, the wait is
  // not longer than for any other lock.
  const until = Date.now() + Math.min(Math.max(patience, 0), silenceMilliseconds);
  while (Date.now() < until) {
    await delay(beatMilliseconds / 4);
    const now = await lastBeat();
    if (now === null) return false;
    if (now !== first) return true;
  }
  return false;
}

/**
 * Removes a stale lock, unless another process changed it. A second file, the claim, ensures that only one process
 * removes a lock at a time. So the removed lock is the lock that was checked.
 */
async function takeAway(path: string, found: string): Promise<void> {
  const claim = `${path}.claim`;
  try {
    await writeFile(claim, '', { flag: 'wx', mode: 0o600 });
  } catch {
    await dropClaim(claim);
    return;
  }
  try {
    if ((await readFile(path, 'utf8').catch(() => null)) === found) await unlink(path).catch(() => undefined);
  } finally {
    await unlink(claim).catch(() => undefined);
  }
}

/** Waits a short time for the process that holds the claim. Removes an old claim, whose process has ended. */
async function dropClaim(claim: string): Promise<void> {
  const since = await stat(claim).then(
    (file) => file.mtimeMs,
    () => null,
  );
  if (since === null) return;
  if (Date.now() - since > silenceMilliseconds) await unlink(claim).catch(() => undefined);
  else await delay(claimMilliseconds);
}

function parseHolder(content: string): Holder | null {
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value !== 'object' || value === null) return null;
    if (!('pid' in value && 'started' in value && 'place' in value)) return null;
    const { pid, started, place } = value;
    if (typeof pid !== 'number' || typeof place !== 'string') return null;
    return { pid, started: typeof started === 'string' ? started : null, place };
  } catch {
    return null;
  }
}

async function thisPlace(): Promise<string> {
  if (process.platform !== 'linux') return hostname();
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  const namespace = await readlink('/proc/self/ns/pid').catch(() => '');
  return `${boot.trim()} ${namespace}`;
}
