import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findBinaries } from './binaries.ts';
import { locateDataFolder, makeHome } from './data-folder.ts';
import { lockFolder } from './home-lock.ts';
import { initialise, superuser } from './initialise.ts';
import { choosePort } from './port.ts';
import { endRemains } from './remains.ts';
import { ServerLog } from './server-log.ts';
import { ServerFailure, type ServerPlan, ServerProcess } from './server-process.ts';
import { socketFolderFor } from './settings.ts';
import type { Log } from './shutdown.ts';
import { cannotWrite, StartError } from './start-error.ts';
import { Supervisor } from './supervisor.ts';

export interface EmbeddedPostgres {
  /** `postgres://ninefold:<password>@127.0.0.1:<port>/postgres`, the superuser's. */
  readonly url: string;
  /** Folder of the Unix socket, which a driver takes as host; null where its path would be too long. */
  readonly socketFolder: string | null;
  /** `18.4` */
  readonly version: string;
  /** A clean stop: open transactions are ended, a checkpoint is written. Gives the home free. */
  stop(): Promise<void>;
  /** Calls the listener each time the server answers again after it ended by itself; all connections were lost. */
  onRestart(listener: () => void): void;
}

export interface EmbeddedOptions {
  /** Folder of everything durable; made when missing. The data folder is `<home>/postgres`, its log `<home>/logs/postgres.log`. */
  home: string;
  /** 0 chooses a free port once and keeps it as long as it is free. */
  port: number;
  /** Of the superuser `ninefold`; must stay the same for a home. */
  password: string;
  /** Default 400. */
  maxConnections?: number;
  /** Memory of each process of the server; default 1 GiB. Enforced on Linux. */
  processMemoryBytes?: number;
  /** Told what an operator should know. */
  log: Log;
}

const defaultMaxConnections = 400;
const defaultProcessMemoryBytes = 1024 * 1024 * 1024;
/** A chosen port can be taken by another program in the moment before PostgreSQL listens on it. */
const portAttempts = 5;

/**
 * Starts the embedded PostgreSQL of a home, making its data folder the first time, and resolves when it accepts connections.
 * Ends and removes the remains of earlier runs first: a server whose Ninefold was killed, processes whose server was
 * killed, a stale lock or pid file. A server that ends by itself later is started again.
 *
 * @throws StartError with one sentence for the user; then nothing was changed and nothing runs.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const home = await makeHome(resolve(options.home));
  const releases: (() => Promise<void> | void)[] = [await lockFolder(join(home, 'ninefold.lock'), home)];
  const release = async () => {
    for (const free of releases.splice(0).reverse()) await free();
  };
  try {
    const folder = await locateDataFolder(home);
    // Two homes can link to one data folder, when one is a copy of the other.
    if (folder.linked) releases.push(await lockFolder(`${folder.path}.lock`, folder.path));
    const binaries = await findBinaries(folder.runAs);
    const log = await openLog(home);
    releases.push(() => log.close());
    if (await initialise(folder, binaries, options.password)) {
      options.log('Made the data folder', { folder: folder.path, version: binaries.version });
    }
    if (await endRemains(folder.path, options.log)) {
      options.log('Ended a PostgreSQL that an earlier run had left', { folder: folder.path });
    }
    const { plan, server } = await startServer(home, options, { folder, binaries, log });
    const supervisor = new Supervisor(plan, server, options.log);
    return {
      url: `postgres://${superuser}:${encodeURIComponent(options.password)}@127.0.0.1:${plan.port}/postgres`,
      socketFolder: socketFolderFor(folder.path, plan.port),
      version: binaries.version,
      stop: async () => {
        await supervisor.stop();
        await release();
      },
      onRestart: (listener) => supervisor.onRestart(listener),
    };
  } catch (error) {
    await release();
    throw error;
  }
}

async function openLog(home: string): Promise<ServerLog> {
  const folder = join(home, 'logs');
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const log = new ServerLog(join(folder, 'postgres.log'));
    await log.rotate();
    return log;
  } catch (error) {
    throw cannotWrite(folder, error);
  }
}

async function startServer(
  home: string,
  options: EmbeddedOptions,
  parts: Pick<ServerPlan, 'folder' | 'binaries' | 'log'>,
): Promise<{ plan: ServerPlan; server: ServerProcess }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort(home, options.port);
    const plan = {
      ...parts,
      port,
      maxConnections: options.maxConnections ?? defaultMaxConnections,
      processMemoryBytes: options.processMemoryBytes ?? defaultProcessMemoryBytes,
    };
    try {
      return { plan, server: await ServerProcess.start(plan, new AbortController().signal) };
    } catch (error) {
      if (!(error instanceof ServerFailure)) throw error;
      if (error.portTaken && options.port === 0 && attempt < portAttempts) continue;
      throw new StartError(`PostgreSQL did not start: ${error.message} (its log is ${parts.log.path}).`, {
        cause: error,
      });
    }
  }
}
