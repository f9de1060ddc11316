import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

/** A lock older than this is of a process that hangs, or of another program that got the same pid. */
const oldestMilliseconds = 20 * 60 * 1000;
/** How long a lock folder may stand without a pid: the moment between two system calls. */
const withoutPidMilliseconds = 2000;

/**
 * Does the work while holding a lock between processes: a folder, made atomically, with the holder's pid in it. The lock
 * of a process that is gone is taken over.
 *
 * @template T
 * @param {string} folder The lock; its parent is made.
 * @param {() => Promise<T>} work
 * @param {(pid: number) => void} waiting Called once when another process holds the lock.
 * @returns {Promise<T>}
 */
export async function withFolderLock(folder, work, waiting) {
  mkdirSync(dirname(folder), { recursive: true });
  let told = false;
  while (!tryToTake(folder)) {
    const holder = readHolder(folder);
    if (holder.stale) {
      takeAway(folder, holder.pid);
      continue;
    }
    if (!told && holder.pid) {
      waiting(holder.pid);
      told = true;
    }
    await delay(100);
  }
  const release = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

function tryToTake(folder) {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  writeFileSync(join(folder, 'pid'), String(process.pid));
  return true;
}

function readHolder(folder) {
  try {
    const age = Date.now() - statSync(folder).mtimeMs;
    let pid = 0;
    try {
      pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    } catch {
      // no pid yet
    }
    const stale = pid ? pid === process.pid || !isAlive(pid) || age > oldestMilliseconds : age > withoutPidMilliseconds;
    return { pid, stale };
  } catch {
    return { pid: 0, stale: false }; // released just now
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Renaming is atomic, so of several that saw the same stale lock one gets it; what was renamed is looked at again. */
function takeAway(folder, stalePid) {
  const aside = `${folder}.${process.pid}`;
  try {
    renameSync(folder, aside);
  } catch {
    return; // another one was quicker
  }
  let pid = 0;
  try {
    pid = Number(readFileSync(join(aside, 'pid'), 'utf8'));
  } catch {
    // as it was when it was found stale
  }
  if (pid === stalePid) {
    rmSync(aside, { recursive: true, force: true });
    return;
  }
  try {
    renameSync(aside, folder); // a new holder's lock was renamed: give it back
  } catch {
    rmSync(aside, { recursive: true, force: true });
  }
}
