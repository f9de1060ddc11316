import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';

/**
 * When a process started, in whatever unit the system has: with the pid it names one process, because a pid is given
 * again to another. Null when there is no such process, or it has ended and only its parent has not noticed (a zombie:
 * common in containers, whose first process may not wait for orphans).
 */
export async function startOf(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') {
    const line = await ps(['-o', 'stat=,lstart=', '-p', String(pid)]);
    return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '');
  }
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets and may hold anything; state is the 3rd, starttime the 22nd
    // (proc_pid_stat(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

/**
 * The pids of all PostgreSQL processes of one data folder, the postmaster and its children.
 *
 * @param dataFolder Absolute and without symbolic links.
 */
export function serverProcesses(dataFolder: string): Promise<number[]> {
  return process.platform === 'linux' ? fromProc(dataFolder) : fromPs(dataFolder);
}

/** The processes of a server that end after its last checkpoint; all others end before it (postmaster.c, PM_WAIT_BACKENDS). */
const endsLate = /: (?:checkpointer|archiver|walsender|io worker|logger)\b/;

/** Returns true if processes are left that end before the last checkpoint of a shutdown, sessions of clients above all. */
export async function hasSessions(dataFolder: string): Promise<boolean> {
  const titles = await Promise.all((await serverProcesses(dataFolder)).map(titleOf));
  return titles.some((title) => title.startsWith('postgres: ') && !endsLate.test(title));
}

/** Returns the title of a process: of PostgreSQL's, but the postmaster, `postgres: <cluster name>: <what it does>`. */
export async function titleOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return ps(['-ww', '-o', 'command=', '-p', String(pid)]);
  const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return title.replaceAll('\0', ' ');
}

/** Every PostgreSQL process works in its data folder. */
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

/** Without /proc: the postmaster by its arguments (`-D <data folder>`), the others as its children or by their title. */
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

/** The setting `cluster_name`, which PostgreSQL shows in the title of each of its processes (at most 63 characters). */
export function clusterName(dataFolder: string): string {
  return `ninefold ${dataFolder.replace(/[^\w/.-]/g, '_').slice(-50)}`;
}
