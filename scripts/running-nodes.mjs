import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** One file for each process that runs from the clone: its name is the pid, its content the start of the process. */
const folder = '.tmp/running';

/**
 * Records that this process runs from the clone until it ends, so that nothing replaces its packages meanwhile.
 *
 * @param {string} root The clone. In a folder that cannot be written nothing can be replaced either, and nothing is recorded.
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

/** Returns when a process started: with the pid it names one process, because pids are used again. Empty for no process. */
function startOf(pid) {
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim();
    }
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name, in brackets, may hold anything; starttime is the 22nd field (proc_pid_stat(5)).
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
