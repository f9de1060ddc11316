import { execFile } from 'node:child_process';
import { readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Binaries, findBinaries, makeLinks } from './binaries.ts';
import { type DataFolder, locateDataFolder, makeHome } from './data-folder.ts';
import { lockFolder } from './home-lock.ts';
import { initialise, newDataFolder, superuser } from './initialise.ts';
import { stopLeftoverServer } from './leftover-server.ts';
import { freePort } from './port.ts';
import { mayEnter, type RunAs } from './run-as.ts';
import { ServerLog } from './server-log.ts';
import { ServerFailure, type ServerPlan, ServerProcess } from './server-process.ts';
import { socketFolderFor } from './settings.ts';
import type { Log } from './shutdown.ts';
import { StartError } from './start-error.ts';

const MAX_CONNECTIONS = 50;
const PROCESS_BYTES = 2 * 1024 * 1024 * 1024;

/** The servers of two major versions of PostgreSQL, with the data of one home. */
export interface SideBySide {
  /** URLs of the superuser, which name the folder of the Unix socket if there is one. */
  readonly olderUrl: string;
  readonly newerUrl: string;
  readonly olderMajor: number;
  readonly newerMajor: number;
  /** Stops both servers, and gives the data folder of the newer its place. The folder of the older one stays beside it. */
  finish(): Promise<{ olderFolder: string }>;
  /** Stops both servers. A later call of `startSideBySide` goes on with the same folders. */
  stop(): Promise<void>;
}

/** Options of `startSideBySide`. */
export interface SideBySideOptions {
  readonly home: string;
  /** Folder with the programs of the older major version, or its parent folder. */
  readonly olderPrograms: string;
  /** The superuser's password. */
  readonly password: string;
  readonly log: Log;
}

/**
 * Starts the server that created the data folder of a home, and a new server of the installed major version beside it. No
 * node may run. Returns null if the data folder already belongs to the installed version.
 * @throws StartError with one sentence for the operator
 */
export async function startSideBySide(options: SideBySideOptions): Promise<SideBySide | null> {
  const home = await makeHome(resolve(options.home));
  const unlock = await lockFolder(join(home, 'ninefold.lock'), home);
  const stops: (() => Promise<void> | void)[] = [unlock];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const folder = await locateDataFolder(home);
    const binaries = await findBinaries(folder.runAs);
    const olderMajor = await finishRename(folder, binaries);
    if (olderMajor === binaries.major) {
      await stop();
      return null;
    }
    const older = await olderBinaries(options.olderPrograms, olderMajor, folder.runAs);
    const next = { ...folder, path: newDataFolder(folder.path) };
    await initialise(next, binaries, options.password);
    const log = new ServerLog(join(home, 'logs/postgres.log'));
    stops.push(() => log.close());
    const start = async (server: DataFolder, programs: Binaries, isOlder: boolean) => {
      await stopLeftoverServer(server.path, options.log);
      const port = await freePort();
      const isProxied = socketFolderFor(server.path, port) !== null;
      const plan: ServerPlan = {
        ...{ folder: server, binaries: programs, port, isProxied, log },
        ...{ maxConnections: MAX_CONNECTIONS, processMemoryBytes: PROCESS_BYTES },
        // The older server does not know all settings that this version writes.
        ...(isOlder && {
          commandLine: {
            ...{ port: String(port), unix_socket_directories: '.' },
            listen_addresses: isProxied ? '' : '127.0.0.1',
          },
        }),
      };
      const running = await ServerProcess.start(plan, new AbortController().signal).catch((error: unknown) => {
        if (!(error instanceof ServerFailure)) throw error;
        throw new StartError(
          `PostgreSQL ${programs.version} did not start: ${error.message} (its log is ${log.path}).`,
        );
      });
      stops.push(() => running.stop(options.log));
      const place = isProxied ? `?host=${encodeURIComponent(server.path)}` : '';
      return `postgres://${superuser}:${encodeURIComponent(options.password)}@127.0.0.1:${port}/postgres${place}`;
    };
    const olderUrl = await start(folder, older, true);
    const newerUrl = await start(next, binaries, false);
    return {
      ...{ olderUrl, newerUrl, olderMajor, newerMajor: binaries.major, stop },
      finish: async () => {
        const [release, ...servers] = stops.splice(0);
        for (const each of servers.reverse()) await each();
        await rename(folder.path, retiredFolder(folder.path, olderMajor));
        await rename(next.path, folder.path);
        await release?.();
        return { olderFolder: retiredFolder(folder.path, olderMajor) };
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const retiredFolder = (path: string, major: number): string => `${path}-${major}`;

/**
 * Returns the major version of the data folder. If the previous run was killed between its last two steps, gives the new
 * folder its place first.
 */
async function finishRename(folder: DataFolder, { major }: Binaries): Promise<number> {
  const next = newDataFolder(folder.path);
  const version = (path: string) =>
    readFile(join(path, 'PG_VERSION'), 'utf8').then(
      (text) => Number(text.trim()),
      () => null,
    );
  const current = await version(folder.path);
  if (current !== null) return current;
  if ((await version(next)) !== major) {
    throw new StartError(`There is no data folder at ${folder.path}: start a node with “ninefold start”.`);
  }
  await rm(folder.path, { recursive: true, force: true });
  await rename(next, folder.path);
  return major;
}

/** Finds the programs of the older version. @throws StartError */
async function olderBinaries(path: string, major: number, runAs: RunAs): Promise<Binaries> {
  const given = await realpath(resolve(path)).catch(() => null);
  for (const folder of given === null ? [] : [given, join(given, 'bin'), join(given, 'native/bin')]) {
    const postgres = join(folder, 'postgres');
    if (!(await stat(postgres).catch(() => null))) continue;
    await makeLinks(join(folder, '..'));
    const printed = await promisify(execFile)(postgres, ['--version'], { timeout: 10_000 });
    const version = /\(PostgreSQL\) ([\d.]+)/.exec(printed.stdout)?.[1] ?? '';
    if (Number.parseInt(version, 10) !== major) {
      throw new StartError(`The data folder was made by PostgreSQL ${major}, and ${postgres} is version ${version}.`);
    }
    if (runAs && !(await mayEnter(folder, runAs))) {
      throw new StartError(
        `The user that PostgreSQL runs as (uid ${runAs.uid}) may not enter ${folder}: copy the programs to a folder that every user can enter.`,
      );
    }
    return { initdb: join(folder, 'initdb'), postgres, version, major, extensions: null };
  }
  throw new StartError(
    `${path} does not contain the programs of PostgreSQL ${major}: give the folder of its package, which contains bin/postgres.`,
  );
}
