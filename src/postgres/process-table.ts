import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';

/**
 * Returns the start time of a process in a unit of the operating system. Together with the pid it identifies a process,
 * because pids are reused. Returns null if there is no such process, or if it is a zombie: it has ended and its parent
 * has not reaped it, which is common in containers.
 */
export async function startOf(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') {
    const line = await ps(['-o', 'stat=,lstart=', '-p', String(pid)]);
    return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '');
  }
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets and may contain any characters; state is the 3rd field,
    // starttime the 22nd (proc_pid_stat(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

/**
 * Returns the pids of all PostgreSQL processes of a data folder: the postmaster and its children.
 * @param dataFolder Absolute path without symbolic links.
 */
export function serverProcesses(dataFolder: string): Promise<number[]> {
  return process.platform === 'linux' ? fromProc(dataFolder) : fromPs(dataFolder);
}

/**
 * Matches the titles of server processes that end only after the last checkpoint. All other processes end before the
 * checkpoint (postmaster.c, PM_WAIT_BACKENDS).
 */
const endsLate = /: (?:checkpointer|archiver|walsender|io worker|logger)\b/;

/**
 * Returns true if some processes are left that end before the last checkpoint of a shutdown, mainly client sessions.
 */
export async function hasSessions(dataFolder: string): Promise<boolean> {
  const titles = await Promise.all((await serverProcesses(dataFolder)).map(titleOf));
  return titles.some((title) => title.startsWith('postgres: ') && !endsLate.test(title));
}

/**
 * Returns the title of a process. PostgreSQL's processes except the postmaster have
 * `postgres: <cluster name>: <activity>`.
 */
export async function titleOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return ps(['-ww', '-o', 'command=', '-p', String(pid)]);
  const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return title.replaceAll('\0', ' ');
}

/** Finds server processes by their working directory, which is the data folder. */
async function fromProc(dataFolder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const folder = await readlink(`/proc/${pid}/cwd`).catch(() => null);
      if (folder !== dataFolder) return false;
      const program = await readlink(`/proc/${pid}/exe`).catch(() => '');
      return basename(program.replace(/ \(deleted\)$/, '')) === 'postgres';
    }),
  );
  return pids.filter((_, i) => found[i]);
}

/**
 * Finds server processes without /proc: the postmaster by its arguments (`-D <data folder>`), its child processes by
 * their title.
 */
async function fromPs(dataFolder: string): Promise<number[]> {
  const title = `postgres: ${clusterName(dataFolder)}: `;
  const lines = (await ps(['-axww', '-o', 'pid=,command='])).split('\n');
  return lines.flatMap((line) => {
    const match = /^\s*(\d+) (.*)$/.exec(line);
    if (!match?.[1] || match[2] === undefined) return [];
    const isPostmaster = /\/postgres -D /.test(match[2]) && match[2].endsWith(` -D ${dataFolder}`);
    return isPostmaster || match[2].startsWith(title) ? [Number(match[1])] : [];
  });
}

async function ps(args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', args, { maxBuffer: 16 * 1024 * 1024 }).catch(() => ({
    stdout: '',
  }));
  return stdout.trim();
}

/** Returns the setting `cluster_name`, which PostgreSQL shows in the title of each process (at most 63 characters). */
export function clusterName(dataFolder: string): string {
  return `ninefold ${dataFolder.replace(/[^\w/.-]/g, '_').slice(-50)}`;
}
