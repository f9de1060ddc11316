import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { limits } from '../../contract/limits.ts';
import type { ProxyOptions } from './database-proxy.ts';
import { socketFolderFor } from './settings.ts';
import type { Log } from './shutdown.ts';

/** The thread of the proxy, and its limits. */
export interface ProxyThreadOptions {
  /** URL of the built file of `database-proxy-thread.ts`. */
  readonly entry: URL;
  /** Maximum number of logins per second of one role. */
  readonly loginsPerSecond: number;
  /** Maximum number of connections that the file descriptors of this process allow. */
  readonly maxConnections: number;
}

/** Share of `max_connections` that unauthenticated connections may take. Requests have a separate share. */
const UNAUTHENTICATED_SHARE = 0.15;
/** Share of `max_connections` that all TCP connections together may take. */
const TCP_SHARE = 0.9;
/** Number of logins per second that all roles together may make, as a multiple of the number for one role. */
const ALL_ROLES = 4;
const RESTART_MILLISECONDS = 1000;

/** Error of a proxy that cannot listen. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';

  get portTaken(): boolean {
    return this.message === 'EADDRINUSE';
  }
}

/** Runs the proxy of the database in a thread, and starts it again if it ends. */
export class ProxyThread {
  readonly #entry: URL;
  readonly #workerData: ProxyOptions;
  readonly #log: Log;
  #thread: Worker | null = null;
  #isClosed = false;

  private constructor(entry: URL, workerData: ProxyOptions, log: Log) {
    this.#entry = entry;
    this.#workerData = workerData;
    this.#log = log;
  }

  /**
   * Starts the proxy for a server with a Unix socket.
   * @throws ProxyError if it cannot listen on the port.
   */
  static async start(
    { entry, loginsPerSecond, maxConnections }: ProxyThreadOptions,
    server: { readonly dataFolder: string; readonly port: number; readonly maxConnections: number },
    log: Log,
  ): Promise<ProxyThread> {
    const maxUnauthenticated = Math.floor(server.maxConnections * UNAUTHENTICATED_SHARE);
    const proxy = new ProxyThread(
      entry,
      {
        port: server.port,
        socketPath: `${socketFolderFor(server.dataFolder, server.port)}/.s.PGSQL.${server.port}`,
        maxConnections: Math.min(maxConnections, Math.floor(server.maxConnections * TCP_SHARE)),
        maxUnauthenticated,
        maxUnauthenticatedOfRole: Math.ceil(maxUnauthenticated / ALL_ROLES),
        loginMilliseconds: limits.loginSeconds.default * 1000,
        rates: {
          rolePerSecond: loginsPerSecond,
          allPerSecond: loginsPerSecond * ALL_ROLES,
          waitMilliseconds: limits.loginWaitSeconds.default * 1000,
        },
      },
      log,
    );
    await proxy.#begin();
    return proxy;
  }

  /** Closes the port and all TCP connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.terminate();
  }

  async #begin(): Promise<void> {
    const thread = new Worker(this.#entry, { workerData: this.#workerData });
    this.#thread = thread;
    thread.unref();
    const [{ code }] = (await once(thread, 'message')) as [{ code: string | null }];
    if (code !== null) {
      await thread.terminate();
      throw new ProxyError(code);
    }
    thread.on('error', (error) => this.#log('The proxy of the database failed', { reason: String(error) }));
    thread.once('exit', () => this.#beginAgain());
  }

  #beginAgain(): void {
    if (this.#isClosed) return;
    setTimeout(() => {
      if (!this.#isClosed) this.#begin().catch(() => this.#beginAgain());
    }, RESTART_MILLISECONDS).unref();
  }
}
