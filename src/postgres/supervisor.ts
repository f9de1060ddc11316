import { setTimeout as delay } from 'node:timers/promises';
import { endRemains } from './remains.ts';
import { type ServerPlan, ServerProcess } from './server-process.ts';

export type Log = (message: string, detail?: Record<string, unknown>) => void;

const firstPauseMilliseconds = 250;
const longestPauseMilliseconds = 10_000;

/** Keeps a server running: one that ends by itself is started again, for as long as it takes. */
export class Supervisor {
  readonly #plan: ServerPlan;
  readonly #log: Log;
  readonly #restartListeners = new Set<() => void>();
  readonly #stopping = new AbortController();
  #server: ServerProcess;
  readonly #supervision: Promise<void>;

  /** @param server Started with this plan. */
  constructor(plan: ServerPlan, server: ServerProcess, log: Log) {
    this.#plan = plan;
    this.#server = server;
    this.#log = log;
    this.#supervision = this.#supervise();
  }

  onRestart(listener: () => void): void {
    this.#restartListeners.add(listener);
  }

  /** Resolves when the server is gone, and none will be started any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#server.stop();
    await this.#supervision;
  }

  async #supervise(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const exit = await this.#server.exited;
      if (this.#stopping.signal.aborted) return;
      this.#log('PostgreSQL ended by itself; starting it again', { ...exit });
      const started = performance.now();
      if (!(await this.#startAgain())) return;
      this.#log('PostgreSQL answers again', { milliseconds: Math.round(performance.now() - started) });
      for (const listener of this.#restartListeners) listener();
    }
  }

  /** Returns false when it was stopped instead. */
  async #startAgain(): Promise<boolean> {
    const { signal } = this.#stopping;
    for (let pause = firstPauseMilliseconds; !signal.aborted; pause = Math.min(pause * 2, longestPauseMilliseconds)) {
      try {
        await endRemains(this.#plan.folder.path);
        const server = await ServerProcess.start(this.#plan, signal);
        this.#server = server;
        if (!signal.aborted) return true;
        await server.stop();
      } catch (error) {
        if (signal.aborted) return false;
        this.#log('PostgreSQL could not be started again', { reason: String(error), nextTryMilliseconds: pause });
        await delay(pause, undefined, { signal }).catch(() => undefined);
      }
    }
    return false;
  }
}
