import { chmod, copyFile, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environment } from '../../contract/environment.ts';
import type { Config } from '../config/config.ts';
import type { HostBounds } from '../functions/host/function-host.ts';
import type { AllowedNetwork } from '../jobs/public-address.ts';
import { isRoot, mayAccess, mayEnter } from '../postgres/run-as.ts';
import { StartError } from '../postgres/start-error.ts';

/** The message with which the primary starts the process of the functions. */
export interface FunctionConfiguration {
  /** A folder that only this node uses. */
  readonly folder: string;
  /** The Unix socket for workers. */
  readonly socketPath: string;
  readonly program: string;
  readonly bootstrap: string;
  readonly bounds: HostBounds;
  readonly httpAllowed: readonly AllowedNetwork[];
  /** True if each app's functions run as a user of their own, which only root can choose. */
  readonly hasUsers: boolean;
}

/** Names of npm packages with the program, by platform and architecture. */
const packages: Readonly<Record<string, string>> = {
  'linux-x64': '@deno/linux-x64-glibc',
  'linux-arm64': '@deno/linux-arm64-glibc',
  'darwin-x64': '@deno/darwin-x64',
  'darwin-arm64': '@deno/darwin-arm64',
};

/** The beginning of the name of a node's folder. */
const PREFIX = 'ninefold-functions-';
/** Mode of the folder and the program: every user may enter and run, and nobody else may list or write. */
const FOLDER_MODE = 0o711;
const PROGRAM_MODE = 0o755;
const EXECUTE = 1;
const READ = 4;
/** A user without any privileges, to check which files all users may read. */
const anyone = { uid: 65_533, gid: 65_533 };

/**
 * Prepares the functions of a node. Returns null if it runs none: because its configuration says so, or because the system has no Deno.
 * @throws StartError if the configuration asks for functions and there is no program
 */
export async function functionConfiguration(config: Config): Promise<FunctionConfiguration | null> {
  const isWanted = config.functions ?? (config.databaseUrl === null ? 'on' : 'off');
  if (isWanted === 'off' || process.platform === 'win32') return null;
  const found = config.deno ?? programOfPackage();
  if (found === null) {
    if (config.functions === null) return null;
    throw new StartError(
      `There is no Deno for ${process.platform}-${process.arch}: set ${environment.deno.name} to the program, or ${environment.functions.name} to off.`,
    );
  }
  await removeAbandoned();
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  await chmod(folder, FOLDER_MODE);
  const { limits } = config;
  return {
    folder,
    socketPath: join(folder, 'host.sock'),
    program: await usableByAll(found, folder, 'deno'),
    bootstrap: await usableByAll(
      fileURLToPath(new URL('./function-runtime.js', import.meta.url)),
      folder,
      'runtime.js',
    ),
    bounds: {
      functionCalls: limits.functionCalls,
      functionIdleSeconds: limits.functionIdleSeconds,
      functionMemoryBytes: limits.functionMemoryBytes,
      functionProcessorSeconds: limits.functionProcessorSeconds,
      functionSeconds: limits.functionSeconds,
      functionsMemoryBytes: limits.functionsMemoryBytes,
    },
    httpAllowed: config.httpAllowed,
    hasUsers: isRoot(),
  };
}

/** Removes the folders of nodes that were killed together with their processes. The name of a folder has the id of its node. */
async function removeAbandoned(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  const abandoned = names.filter((name) => {
    const [, pid] = name.startsWith(PREFIX) ? (/^(\d+)-/.exec(name.slice(PREFIX.length)) ?? []) : [];
    return pid !== undefined && !isRunning(Number(pid));
  });
  // Another user may own a folder.
  await Promise.all(
    abandoned.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)),
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Returns the program of the npm package; null if it was not installed. */
function programOfPackage(): string | null {
  const name = packages[`${process.platform}-${process.arch}`];
  if (name === undefined) return null;
  try {
    const { resolve } = createRequire(import.meta.url);
    const ofDeno = createRequire(resolve('deno/package.json'));
    return join(dirname(ofDeno.resolve(`${name}/package.json`)), 'deno');
  } catch {
    return null;
  }
}

/** Returns a path at which every user can run a file: its own, or that of a copy. */
async function usableByAll(path: string, folder: string, name: string): Promise<string> {
  const isUsable = mayAccess(await stat(path), anyone, READ + EXECUTE) && (await mayEnter(dirname(path), anyone));
  if (isUsable) return path;
  const copy = join(folder, name);
  await copyFile(path, copy);
  await chmod(copy, PROGRAM_MODE);
  return copy;
}
