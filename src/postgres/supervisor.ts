import { setTimeout as delay } from 'node:timers/promises';
import { stopLeftoverServer } from './leftover-server.ts';
import { becomesUnreachable } from './reachability.ts';
import { type Exit, type ServerPlan, ServerProcess } from './server-process.ts';
import type { Log } from './shutdown.ts';

const firstPauseMilliseconds = 250;
const longestPauseMilliseconds = 10_000;

/**
 * Keeps a server running: restarts it if it ends unexpectedly or accepts no connections, and repeats the restart until
 * it succeeds.
 */
export class Supervisor {
  readonly #plan: ServerPlan;
  readonly #log: Log;
  readonly #restartListeners = new Set<() => void>();
  readonly #stopping = new AbortController();
  #server: ServerProcess;
  readonly #supervision: Promise<void>;

  /** @param server A server that was started with this plan. */
  constructor(plan: ServerPlan, server: ServerProcess, log: Log) {
    this.#plan = plan;
    this.#server = server;
    this.#log = log;
    this.#supervision = this.#supervise();
  }

  onRestart(listener: () => void): void {
    this.#restartListeners.add(listener);
  }

  /** Stops the server and the supervision. Resolves when the server has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#server.stop(this.#log);
    await this.#supervision;
  }

  async #supervise(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const exit = await this.#ended();
      if (this.#stopping.signal.aborted) return;
      this.#log('PostgreSQL ended; starting it again', { ...exit });
      const started = performance.now();
      if (!(await this.#startAgain())) return;
      this.#log('PostgreSQL answers again', { milliseconds: Math.round(performance.now() - started) });
      for (const listener of this.#restartListeners) listener();
    }
  }

  /** Resolves when the server has ended. Stops a server that runs but accepts no connections. */
  async #ended(): Promise<Exit> {
    const server = this.#server;
    const watching = new AbortController();
    void server.exited.then(() => watching.abort());
    const reason = await becomesUnreachable(
      this.#plan,
      server,
      AbortSignal.any([watching.signal, this.#stopping.signal]),
    );
    if (reason !== null) {
      this.#log('PostgreSQL takes no connections; stopping it to start it again', { reason });
      await server.stop(this.#log);
    }
    return server.exited;
  }

  /** Restarts the server. Returns false if the supervision was stopped instead. */
  async #startAgain(): Promise<boolean> {
    const { signal } = this.#stopping;
    for (let pause = firstPauseMilliseconds; !signal.aborted; pause = Math.min(pause * 2, longestPauseMilliseconds)) {
      try {
        await stopLeftoverServer(this.#plan.folder.path, this.#log);
        const server = await ServerProcess.start(this.#plan, signal);
        this.#server = server;
        if (!signal.aborted) return true;
        await server.stop(this.#log);
      } catch (error) {
        if (signal.aborted) return false;
        this.#log('PostgreSQL could not be started again', { reason: String(error), nextTryMilliseconds: pause });
        await delay(pause, undefined, { signal }).catch(() => undefined);
      }
    }
    return false;
  }
}
