import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Returns the worker processes of a node, its PostgreSQL server, and all processes that its primary started directly or indirectly. */
export async function partsOf(primary: number): Promise<{ workers: number[]; postmaster: number; all: number[] }> {
  const table = await processTable();
  const children = (parent: number) => table.filter((row) => row.parent === parent);
  const below = (parent: number): ProcessRow[] => children(parent).flatMap((row) => [row, ...below(row.pid)]);
  const postmaster = children(primary).find((row) => /\/postgres -D /.test(row.command));
  if (!postmaster) throw new Error(`process ${primary} has no PostgreSQL server`);
  const workers = children(primary).filter((row) => /ninefold\.js/.test(row.command));
  const pids = (rows: ProcessRow[]) => rows.map((row) => row.pid);
  return { workers: pids(workers), postmaster: postmaster.pid, all: pids(below(primary)) };
}

/** Kills every process of a node at once, as a failure of the machine does. Resolves when the primary has ended. */
export async function killAll(node: { pid: number; kill9(): Promise<void> }): Promise<void> {
  const { all } = await partsOf(node.pid);
  const killed = node.kill9();
  for (const pid of all) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // the process has ended in the meantime
    }
  }
  await killed;
}

/** Returns all processes of this machine. A minimal Linux has no `ps`. */
export function processTable(): Promise<ProcessRow[]> {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

/** Returns true if a process is running, which means that it neither waits nor is stopped. */
export async function isBusy(pid: number): Promise<boolean> {
  if (process.platform === 'linux') return stateIn(await readFile(`/proc/${pid}/stat`, 'utf8'))[0] === 'R';
  const { stdout } = await promisify(execFile)('ps', ['-o', 'state=', '-p', String(pid)]);
  return stdout.trim().startsWith('R');
}

/** Returns the fields of a line that follow the name in brackets. The first is the state, the second the parent (proc_pid_stat(5)). */
const stateIn = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

async function fromProc(): Promise<ProcessRow[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const rows = await Promise.all(
    pids.map(async (pid): Promise<ProcessRow[]> => {
      try {
        const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
        const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
        const parent = Number(stateIn(stat)[1]);
        return [{ pid: Number(pid), parent, command: command.replaceAll('\0', ' ') }];
      } catch {
        return []; // the process has ended in the meantime
      }
    }),
  );
  return rows.flat();
}

async function fromPs(): Promise<ProcessRow[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'pid=,ppid=,command='], { maxBuffer: 2 ** 24 });
  return stdout.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
    return match ? [{ pid: Number(match[1]), parent: Number(match[2]), command: match[3] ?? '' }] : [];
  });
}

/**
 * Returns true if the process has a TCP connection from this local port to that port of a server (proc_pid_net(5),
 * proc_pid_fd(5)). Connections to other servers can have the same local port.
 */
export async function ownsPort(pid: number, port: number, server: number): Promise<boolean> {
  const suffix = (number: number) => `:${number.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const inode = lines.find(([, from, to]) => from?.endsWith(suffix(port)) && to?.endsWith(suffix(server)))?.[9];
  if (inode === undefined) return false;
  const descriptors = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(descriptors.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  return links.includes(`socket:[${inode}]`);
}
