import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All processes below one, its children and theirs. */
async function processesBelow(pid: number): Promise<ProcessRow[]> {
  const all = await processTable();
  const below = (parent: number): ProcessRow[] =>
    all.filter((row) => row.parent === parent).flatMap((row) => [row, ...below(row.pid)]);
  return below(pid);
}

async function processTable(): Promise<ProcessRow[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'pid=,ppid=,command='], { maxBuffer: 2 ** 24 });
  return stdout.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
    return match ? [{ pid: Number(match[1]), parent: Number(match[2]), command: match[3] ?? '' }] : [];
  });
}

/** The worker processes of a node, and its PostgreSQL server. */
export async function partsOf(primary: number): Promise<{ workers: number[]; postmaster: number; all: number[] }> {
  const below = await processesBelow(primary);
  const postmaster = below.find((row) => row.parent === primary && /\/postgres -D /.test(row.command));
  if (!postmaster) throw new Error(`process ${primary} has no PostgreSQL server`);
  const workers = below.filter((row) => row.parent === primary && /ninefold\.js/.test(row.command));
  return { workers: workers.map((row) => row.pid), postmaster: postmaster.pid, all: below.map((row) => row.pid) };
}
