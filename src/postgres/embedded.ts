import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findBinaries, type ProgramFolders } from './binaries.ts';
import { locateDataFolder, makeHome } from './data-folder.ts';
import { lockFolder } from './home-lock.ts';
import { initialise, superuser } from './initialise.ts';
import { stopLeftoverServer } from './leftover-server.ts';
import { choosePort } from './port.ts';
import { ProxyError, ProxyThread, type ProxyThreadOptions } from './proxy-thread.ts';
import { ServerLog } from './server-log.ts';
import { ServerFailure, type ServerPlan, ServerProcess } from './server-process.ts';
import { socketFolderFor } from './settings.ts';
import type { Log } from './shutdown.ts';
import { cannotWrite, StartError } from './start-error.ts';
import { Supervisor } from './supervisor.ts';

/** A running embedded PostgreSQL server. */
export interface EmbeddedPostgres {
  /** URL of the superuser: `postgres://ninefold:<password>@127.0.0.1:<port>/postgres`. */
  readonly url: string;
  /** Folder of the Unix socket, which drivers accept as host; null if its path would be too long. */
  readonly socketFolder: string | null;
  /** PostgreSQL's version: `18.4`. */
  readonly version: string;
  /** Stops the server cleanly: ends open transactions, writes a checkpoint, and releases the home. */
  stop(): Promise<void>;
  /**
   * Adds a listener that is called each time the server accepts connections again after it ended unexpectedly. All
   * earlier connections are then lost.
   */
  onRestart(listener: () => void): void;
}

/** Options of the embedded PostgreSQL. */
export interface EmbeddedOptions {
  /**
   * Folder for all data; created if missing. The data folder is `<home>/postgres`, the log `<home>/logs/postgres.log`.
   */
  home: string;
  /** Port; 0 chooses a free port once and reuses it as long as it is free. */
  port: number;
  /** A port on which another part of the process will listen, so that PostgreSQL does not choose it. */
  reservedPort?: number;
  /** Folders of programs and extensions; by default those of the npm package. */
  programs?: ProgramFolders;
  /** Password of the superuser `ninefold`; must stay the same for a home. */
  password: string;
  /** Maximum number of connections; default 400. */
  maxConnections?: number;
  /** Maximum memory of each server process in bytes; default 1 GiB. Enforced on Linux. */
  processMemoryBytes?: number;
  /** Maximum WAL in bytes that the replication slot of the backups keeps; default 4 GiB. */
  retainedWalBytes?: number;
  /**
   * Accepts TCP connections in place of PostgreSQL, which then listens on its Unix socket only. Ignored where the path
   * of the socket would be too long.
   */
  proxy?: ProxyThreadOptions;
  /** Receives messages for the operator. */
  log: Log;
}

const defaultMaxConnections = 400;
const defaultProcessMemoryBytes = 1024 * 1024 * 1024;
const defaultRetainedWalBytes = 4 * 1024 * 1024 * 1024;
/**
 * Number of attempts to start the server. Several are needed, because another program can take the chosen port before
 * PostgreSQL listens on it.
 */
const portAttempts = 5;

/**
 * Starts the embedded PostgreSQL of a home. Creates its data folder the first time. Resolves when the server accepts
 * connections. First ends and removes what previous runs left: a server whose Ninefold was killed, processes whose
 * server was killed, and stale lock and pid files. Restarts a server that ends unexpectedly.
 * @throws StartError with one sentence for the user; then nothing was changed and no server runs.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const home = await makeHome(resolve(options.home));
  const releases: (() => Promise<void> | void)[] = [await lockFolder(join(home, 'ninefold.lock'), home)];
  const release = async () => {
    for (const free of releases.splice(0).reverse()) await free();
  };
  try {
    const folder = await locateDataFolder(home);
    // Two homes can link to the same data folder if one home is a copy of the other. So the data folder is locked too.
    if (folder.linked) releases.push(await lockFolder(`${folder.path}.lock`, folder.path));
    const binaries = await findBinaries(folder.runAs, options.programs);
    const log = await openLog(home);
    releases.push(() => log.close());
    if (await initialise(folder, binaries, options.password)) {
      options.log('Made the data folder', { folder: folder.path, version: binaries.version });
    }
    if (await stopLeftoverServer(folder.path, options.log)) {
      options.log('Ended a PostgreSQL that an earlier run had left', { folder: folder.path });
    }
    const { plan, server, proxy } = await startServer(home, options, { folder, binaries, log });
    releases.push(() => proxy?.close());
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
): Promise<{ plan: ServerPlan; server: ServerProcess; proxy: ProxyThread | null }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort(home, options.port, options.reservedPort ?? null);
    const isProxied = options.proxy !== undefined && socketFolderFor(parts.folder.path, port) !== null;
    const plan = {
      ...parts,
      port,
      isProxied,
      maxConnections: options.maxConnections ?? defaultMaxConnections,
      processMemoryBytes: options.processMemoryBytes ?? defaultProcessMemoryBytes,
      settings: {
        max_slot_wal_keep_size: `${Math.floor((options.retainedWalBytes ?? defaultRetainedWalBytes) / 2 ** 20)}MB`,
      },
    };
    let proxy: ProxyThread | null = null;
    try {
      const { path: dataFolder } = parts.folder;
      if (options.proxy && isProxied) {
        proxy = await ProxyThread.start(options.proxy, { ...plan, dataFolder }, options.log);
      }
      return { plan, server: await ServerProcess.start(plan, new AbortController().signal), proxy };
    } catch (error) {
      await proxy?.close();
      if (!(error instanceof ServerFailure || error instanceof ProxyError)) throw error;
      if (error.portTaken && options.port === 0 && attempt < portAttempts) continue;
      throw new StartError(`PostgreSQL did not start: ${error.message} (its log is ${parts.log.path}).`, {
        cause: error,
      });
    }
  }
}
