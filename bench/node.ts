import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface BenchNode {
  url: string;
  port: number;
  home: string;
  operatorToken: string;
  /** Time from the start of the node's process to the first response, in milliseconds. */
  startMilliseconds: number;
  /**
   * Returns the memory in bytes of all processes of the node, or only of those that run one program. A page that
   * several processes share is divided among them (PSS).
   */
  memory(program?: string): number;
  /** Returns the resident memory in bytes of each process of the node that runs one program, by process id. */
  residentMemory(program: string): ReadonlyMap<number, number>;
  /** Returns the processor time in milliseconds of the node's processes that run one program. Processes that have ended are included. */
  processorTime(program: string): number;
  /** Returns the processor time in milliseconds of all processes of the node. Processes that have ended are included. */
  allProcessorTime(): number;
  /** Returns the processor time in milliseconds of each process of the node, by process id. */
  processorTimes(): ReadonlyMap<number, number>;
  stop(): Promise<void>;
  /** Kills every process of the node at once. */
  kill(): Promise<void>;
}

/** Starts a built node in the same way as `npm start`, and waits until it responds. */
export async function startNode(
  options: { home?: string; workers?: number; env?: Record<string, string> } = {},
): Promise<BenchNode> {
  const home = options.home ?? mkdtempSync(join(process.cwd(), '.tmp/bench/home-'));
  const started = performance.now();
  const child = spawn(process.execPath, ['bin/ninefold.js', 'start'], {
    env: {
      ...process.env,
      NINEFOLD_HOME: home,
      NINEFOLD_PORT: '0',
      NINEFOLD_READY_JSON: '1',
      NINEFOLD_LOG: 'error',
      // Only the bench of backups measures them.
      NINEFOLD_BACKUP_URL: 'off',
      NINEFOLD_WORKERS: String(options.workers ?? 2),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await readyUrl(child);
  await fetch(`${url}/health`);
  return {
    url,
    port: Number(new URL(url).port),
    home,
    operatorToken: readFileSync(join(home, 'secrets/operator-token'), 'utf8').trim(),
    startMilliseconds: performance.now() - started,
    memory: (program) =>
      descendants(child.pid ?? 0)
        .filter((pid) => program === undefined || programOf(pid) === program)
        .reduce((sum, pid) => sum + pssOf(pid), 0),
    residentMemory: (program) =>
      new Map(
        descendants(child.pid ?? 0)
          .filter((pid) => programOf(pid) === program)
          .map((pid) => [pid, residentOf(pid)]),
      ),
    processorTime: (program) =>
      descendants(child.pid ?? 0)
        .filter((pid) => programOf(pid) === program)
        .reduce((sum, pid) => sum + processorTimeOf(pid) + endedTimeOf(pid), 0),
    allProcessorTime: () =>
      descendants(child.pid ?? 0).reduce((sum, pid) => sum + processorTimeOf(pid) + endedTimeOf(pid), 0),
    processorTimes: () => new Map(descendants(child.pid ?? 0).map((pid) => [pid, processorTimeOf(pid)])),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
    kill: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        for (const pid of descendants(child.pid ?? Number.NaN)) {
          try {
            process.kill(pid, 'SIGKILL');
          } catch {
            // the process has ended in the meantime
          }
        }
      }),
  };
}

export const removeHome = (home: string): void => rmSync(home, { recursive: true, force: true });

/** Sends one request to the management API with the operator's token. */
export async function admin<T>(node: BenchNode, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${node.url}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${node.operatorToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
}

function readyUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the node ended with ${code}`)));
    if (!child.stdout) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{"ready":true')) resolve((JSON.parse(line) as { url: string }).url);
    });
  });
}

/** Returns a process and all processes that it started directly or indirectly. */
function descendants(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0]));
    } catch {
      // the process has ended in the meantime
    }
  }
  const found = [root];
  for (const pid of found) for (const [child, parent] of parents) if (parent === pid) found.push(child);
  return found;
}

function programOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

const processorTimeOf = (pid: number): number => statFields(pid, 11, 12) * 10;
/** Returns the processor time of those children of a process that have ended. */
const endedTimeOf = (pid: number): number => statFields(pid, 13, 14) * 10;

/**
 * Returns the sum of two fields of proc(5). The fields are counted from the state of the process. A clock tick is a
 * hundredth of a second on every Linux that Node.js supports.
 */
function statFields(pid: number, one: number, other: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[one]) + Number(fields[other]);
  } catch {
    return 0;
  }
}

function pssOf(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function residentOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
