import { type ChildProcess, spawn } from 'node:child_process';
import { chown, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import type { DataFolder } from './data-folder.ts';
import { oomEnvironment } from './oom-score.ts';
import { programEnvironment } from './program-environment.ts';
import { writeProvidedExtensions } from './provided-extensions.ts';
import type { ServerLog } from './server-log.ts';
import { settingsFile } from './settings.ts';
import { type Log, shutDown } from './shutdown.ts';

/** All data needed to start or restart a server. */
export interface ServerPlan {
  readonly binaries: Binaries;
  readonly folder: DataFolder;
  readonly port: number;
  readonly maxConnections: number;
  /** True if the proxy accepts the TCP connections on the port. */
  readonly isProxied?: boolean;
  /** Maximum memory of each server process in bytes; enforced on Linux. */
  readonly processMemoryBytes: number;
  /** Further settings, which override those of every server. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly log: ServerLog;
  /** Settings on the command line. With them, the settings file of the data folder stays as it is. */
  readonly commandLine?: Readonly<Record<string, string>>;
}

/** The end of a process: its exit code, or the signal that ended it. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Error of a server that ended before it accepted connections. `message` is PostgreSQL's own reason. */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure';

  get portTaken(): boolean {
    return /Address already in use/.test(this.message);
  }
}

/** Interval for reading postmaster.pid. pg_ctl reads the same file ten times per second. */
const lookMilliseconds = 10;

/** A running PostgreSQL server, a child of this process. */
export class ServerProcess {
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #dataFolder: string;

  private constructor(child: ChildProcess, dataFolder: string) {
    this.#child = child;
    this.#dataFolder = dataFolder;
    // If this process ends for any reason other than a kill, the server is stopped too.
    const abandon = () => child.kill('SIGINT');
    process.once('exit', abandon);
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
      child.once('error', () => resolve({ code: null, signal: null }));
    });
    void this.exited.then(() => process.off('exit', abandon));
  }

  /**
   * Starts a server. Resolves when the server accepts connections. After a crash, this is when the recovery is
   * complete.
   * @param signal Aborts the start.
   * @throws ServerFailure if the server ends instead.
   */
  static async start(plan: ServerPlan, signal: AbortSignal): Promise<ServerProcess> {
    if (plan.commandLine === undefined) await writeSettings(plan);
    const logged = await plan.log.size();
    const output = await plan.log.open();
    // The server runs in a separate process group. So Ctrl-C in a terminal reaches only Ninefold, which completes its
    // requests before it stops the server.
    const child = spawn(...boundedCommand(plan), {
      ...(plan.folder.runAs ?? {}),
      cwd: '/',
      env: { ...programEnvironment, ...oomEnvironment() },
      stdio: ['ignore', output.fd, output.fd],
      detached: true,
    });
    const server = new ServerProcess(child, plan.folder.path);
    let failure: Error | undefined;
    child.once('error', (error) => {
      failure = error;
    });
    await output.close();
    const abort = () => child.kill('SIGINT');
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    try {
      if (await server.#becomesReady()) return server;
      throw new ServerFailure(failure?.message ?? lastComplaint(await plan.log.readFrom(logged)));
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async #becomesReady(): Promise<boolean> {
    let ended = false;
    void this.exited.then(() => {
      ended = true;
    });
    while (!ended) {
      if ((await this.status()) === 'ready') return true;
      await delay(lookMilliseconds);
    }
    return false;
  }

  /**
   * Returns the status in line 8 of postmaster.pid: starting, ready, standby, stopping (`src/include/utils/pidfile.h`).
   * Returns null if the file is missing or belongs to another server.
   */
  async status(): Promise<string | null> {
    const lines = (await readFile(join(this.#dataFolder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    return Number(lines[0]) === this.#child.pid ? (lines[7]?.trim() ?? null) : null;
  }

  /** Resumes a postmaster that was stopped by SIGSTOP. Has no effect on a postmaster that runs. */
  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /**
   * Shuts the server down with the mode "fast": ends open transactions and writes a checkpoint. Resolves when the
   * process has ended.
   */
  async stop(log: Log): Promise<void> {
    if (this.#child.pid !== undefined) await shutDown(this.#dataFolder, this.#child.pid, log, this.exited);
  }
}

/** Shell command that sets a memory limit if the system allows it, then runs the program. */
const BOUNDED = '(ulimit -d "$1") 2>/dev/null && ulimit -d "$1"; shift; exec "$0" "$@"';

/**
 * Returns the command that starts the server with a limit for the data memory of each process (RLIMIT_DATA). A session
 * that needs more gets the error "out of memory". Without the limit, the kernel could kill a process, and PostgreSQL
 * would restart for all apps. Shared memory does not count. The shell replaces itself, so the child is the postmaster.
 * macOS does not enforce this limit.
 */
function boundedCommand(plan: ServerPlan): [program: string, args: string[]] {
  const { binaries, folder, processMemoryBytes, commandLine = {} } = plan;
  const args = [
    '-D',
    folder.path,
    ...Object.entries(commandLine).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  if (process.platform !== 'linux') return [binaries.postgres, args];
  const kibibytes = String(Math.floor(processMemoryBytes / 1024));
  return ['/bin/sh', ['-c', BOUNDED, binaries.postgres, kibibytes, ...args]];
}

async function writeSettings(plan: ServerPlan): Promise<void> {
  const { binaries, folder, port, maxConnections, settings, isProxied = false } = plan;
  await writeProvidedExtensions(folder);
  const path = join(folder.path, 'postgresql.conf');
  const draft = `${path}.new`;
  await writeFile(
    draft,
    settingsFile({
      ...{ dataFolder: folder.path, port, maxConnections, isProxied },
      ...{ major: binaries.major, extensions: binaries.extensions, further: settings ?? {} },
    }),
    {
      mode: 0o600,
    },
  );
  if (folder.runAs) await chown(draft, folder.runAs.uid, folder.runAs.gid);
  await rename(draft, path);
}

/**
 * Returns the last FATAL or PANIC message of a log without its prefix, otherwise the last line. A message about a port
 * in use has priority.
 */
function lastComplaint(log: string): string {
  const lines = log.trim().split('\n');
  const line = lines.findLast((text) => /(FATAL|PANIC): /.test(text)) ?? lines.at(-1) ?? '';
  const bind = lines.find((text) => /could not bind .*Address already in use/.test(text));
  return (bind ?? line).replace(/^.*?(LOG|FATAL|PANIC):\s+/, '');
}
