import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

/** Maximum age of a lock in milliseconds. The process that holds an older lock hangs, or another program has its pid by now. */
const oldestMilliseconds = 20 * 60 * 1000;
/**
 * Maximum age in milliseconds of a lock folder that contains no pid. The process that takes a lock creates the folder
 * first, and writes its pid directly after that.
 */
const withoutPidMilliseconds = 2000;

/**
 * Runs the work while holding a lock between processes. The lock is a folder, which is created atomically and contains
 * the holder's pid. If the holder has ended, its lock is taken over.
 *
 * @template T
 * @param {string} folder The lock; its parent folder is created.
 * @param {() => Promise<T>} work
 * @param {(pid: number) => void} waiting Called once if another process holds the lock.
 * @returns {Promise<T>}
 */
export async function withFolderLock(folder, work, waiting) {
  mkdirSync(dirname(folder), { recursive: true });
  let isReported = false;
  while (!tryToTake(folder)) {
    const holder = readHolder(folder);
    if (holder.stale) {
      takeAway(folder, holder.pid);
      continue;
    }
    if (!isReported && holder.pid) {
      waiting(holder.pid);
      isReported = true;
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
      // the file with the pid does not exist yet
    }
    const stale = pid ? pid === process.pid || !isAlive(pid) || age > oldestMilliseconds : age > withoutPidMilliseconds;
    return { pid, stale };
  } catch {
    return { pid: 0, stale: false }; // the lock was released in the meantime
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

/**
 * Removes a stale lock by renaming it, which is atomic: of several processes that saw the same stale lock, one
 * succeeds. The renamed folder is checked again.
 */
function takeAway(folder, stalePid) {
  const aside = `${folder}.${process.pid}`;
  try {
    renameSync(folder, aside);
  } catch {
    return; // another process was faster
  }
  let pid = 0;
  try {
    pid = Number(readFileSync(join(aside, 'pid'), 'utf8'));
  } catch {
    // unchanged since it was found stale
  }
  if (pid === stalePid) {
    rmSync(aside, { recursive: true, force: true });
    return;
  }
  try {
    renameSync(aside, folder); // the lock of a new holder was renamed: restore it
  } catch {
    rmSync(aside, { recursive: true, force: true });
  }
}
