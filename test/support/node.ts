import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { clone } from './clone.ts';
import { copyFolder, retainedFolder } from './retained-folder.ts';
import { makeTestHome } from './test-folder.ts';

/** The address and the secrets of a running node, for use in any test process. */
export interface NodeAddress {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The one-time link that creates the first builder; null if a builder exists. */
  readonly setupUrl: string | null;
  readonly home: string;
  readonly operatorToken: string;
}

/** A node that this process has started. */
export interface TestNode extends NodeAddress {
  /** The process id of the node's primary. */
  readonly pid: number;
  /** Returns everything that the node has printed so far. */
  logs(): string;
  /**
   * Stops the node with SIGTERM. Deletes its home unless the caller chose the home. Fails if the exit code is not 0, or
   * if a call returned an error that its definition does not declare.
   */
  stop(): Promise<void>;
  /** Kills only the primary, as the kernel does if memory runs out. The home is not deleted. */
  kill9(): Promise<void>;
}

export interface NodeOptions {
  /** Home of the node. By default a copy of the home of a node that ran once and has neither apps nor builders. */
  home?: string;
  /** Variables that are added to the environment, which contains no other setting of Ninefold. */
  env?: Record<string, string>;
  /** Arguments of the command that follow `start`. */
  args?: string[];
  /** A shell command in which `exec "$@"` starts the node. */
  shell?: string;
  /** True if the shell command redirects standard output, so that the line of a ready node does not arrive. */
  isSilent?: boolean;
}

const program = join(clone, 'dist/ninefold.js');

/** Starts a node on a free port and resolves when the node responds. If the node ends before that, rejects with its output. */
export async function startNode(options: NodeOptions = {}): Promise<TestNode> {
  const home = options.home ?? (await makeUsedHome('node'));
  const command = [process.execPath, program, 'start', ...(options.args ?? [])];
  const [executable = '', ...args] =
    options.shell === undefined ? command : ['sh', '-c', options.shell, 'sh', ...command];
  const child = spawn(executable, args, {
    cwd: clone,
    env: { ...environment(home), NINEFOLD_PORT: '0', NINEFOLD_READY_JSON: '1', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const ready = await (options.isSilent ? runFile(child, home) : readyLine(child, () => output));
  return {
    url: ready.url,
    setupUrl: ready.setup_url,
    home,
    operatorToken: (await readFile(join(home, 'secrets/operator-token'), 'utf8')).trim(),
    pid: child.pid ?? 0,
    logs: () => output,
    stop: async () => {
      await end(child, 'SIGTERM');
      if (options.home === undefined) await deleteHome(home);
      if (child.exitCode !== 0 && child.signalCode !== 'SIGKILL') {
        throw new Error(`The node ended with ${child.signalCode ?? child.exitCode}:\n${output}`);
      }
      const undeclared = new Set(output.match(/undeclared error: [\w. ]+/g));
      if (undeclared.size > 0) {
        throw new Error(`Definitions of calls lack errors that a test got: ${[...undeclared].join('; ')}`);
      }
    },
    kill9: () => end(child, 'SIGKILL'),
  };
}

/**
 * Creates the home of a node that ran once and has neither apps nor builders. Half of a first start is spent on
 * creating a server and its roles, so copying such a home saves time.
 */
export async function makeUsedHome(name: string): Promise<string> {
  const used = await retainedFolder('used-home', ['dist/.server-sources', 'package-lock.json'], async (home) => {
    const node = await startNode({ home });
    await node.stop();
    // The file is deleted, so that the node of each copy chooses its own port.
    await rm(join(home, 'postgres.port'));
    return home;
  });
  const home = await makeTestHome(name);
  // If the user of PostgreSQL may not enter the home, the home contains only a link to the data folder. A copy of
  // this home would share that folder.
  if (!(await lstat(join(used, 'postgres'))).isSymbolicLink()) await copyFolder(used, home);
  return home;
}

/** The result of a command of the CLI. */
export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a command of the CLI against a node, for example `cli(node, ['apps', 'list', '--json'])`. `input` is the
 * standard input of the command. Does not reject if the exit code is not 0.
 */
export function cli(
  node: Pick<NodeAddress, 'home'>,
  args: string[],
  { cwd = clone, input = '', env = {} }: { cwd?: string; input?: string; env?: Record<string, string> } = {},
): Promise<CliResult> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, ...args],
      { cwd, env: { ...environment(node.home), ...env }, maxBuffer: 2 ** 24 },
      (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr });
      },
    );
    child.stdin?.end(input);
  });
}

/** Deletes a home. If the home only links to its data folder, deletes that folder too. */
export async function deleteHome(home: string): Promise<void> {
  const linked = await readlink(join(home, 'postgres')).catch(() => null);
  if (linked !== null) await rm(linked, { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
}

function environment(home: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('NINEFOLD_'));
  // A test of backups turns them on. All others would only read and compress the same databases again.
  return { ...Object.fromEntries(inherited), NINEFOLD_HOME: home, NINEFOLD_BACKUP_URL: 'off' };
}

interface ReadyLine {
  url: string;
  setup_url: string | null;
}

function readyLine(child: ChildProcess, output: () => string): Promise<ReadyLine> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => reject(new Error(`The node ended with ${signal ?? code}:\n${output()}`)));
    if (!child.stdout) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{"ready":true')) resolve(JSON.parse(line));
    });
  });
}

/** Waits for the file that a running node writes. */
async function runFile(child: ChildProcess, home: string): Promise<ReadyLine> {
  while (child.exitCode === null && child.signalCode === null) {
    const text = await readFile(join(home, 'node.json'), 'utf8').catch(() => '');
    if (text.endsWith('\n')) return { url: JSON.parse(text).url, setup_url: null };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`The node ended with ${child.signalCode ?? child.exitCode}.`);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}
