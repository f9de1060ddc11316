import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/**
 * Folder with one file for each process that runs from the clone. The name of a file is the pid, its content the start
 * time of the process.
 */
const folder = '.tmp/running';

/**
 * Records, until the process ends, that it runs from the clone, so that nothing replaces its packages.
 *
 * @param {string} root The clone. If its folder is not writable, nothing is recorded, and nothing could be replaced
 * either.
 */
export function registerRunning(root) {
  const file = join(root, folder, String(process.pid));
  try {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(file, startOf(process.pid));
  } catch {
    return;
  }
  process.once('exit', () => rmSync(file, { force: true }));
}

/**
 * Returns the pid of a process that runs from the clone, or null. Removes the records of processes that were killed.
 *
 * @param {string} root The clone.
 * @returns {number | null}
 */
export function runningFrom(root) {
  for (const name of list(join(root, folder))) {
    const file = join(root, folder, name);
    const started = startOf(Number(name));
    if (started !== '' && started === read(file)) return Number(name);
    rmSync(file, { force: true });
  }
  return null;
}

function list(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null; // the process has just ended
  }
}

/**
 * Returns the start time of a process, or an empty text if there is no such process. The start time is needed in
 * addition to the pid, because the system uses pids again.
 */
function startOf(pid) {
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim();
    }
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program is in brackets and may contain any characters. starttime is field 22 (proc_pid_stat(5)).
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
