import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '../database/connection.ts';
import { plain, rowsAsText } from '../database/statement.ts';
import type { Target } from '../database/target.ts';

export const JOBS_CHANNEL = 'ninefold_jobs';

const OPEN_MILLISECONDS = 5000;
/** The pause between two attempts of a worker that does not lead. */
const RETRY_MILLISECONDS = 2000;

interface Handlers {
  onGained: () => void;
  onLost: () => void;
  /** Called for each notification on the channel, also while another worker leads. */
  onNotified: (payload: string) => void;
}

/**
 * Makes one worker of all nodes of a server the leader: the one whose connection to the console's database holds an advisory lock.
 * PostgreSQL frees the lock when the connection ends, so another worker takes over after a crash.
 */
export class Leadership {
  readonly #target: Target;
  readonly #handlers: Handlers;
  readonly #stopping = new AbortController();
  #connection: Connection | null = null;
  #running: Promise<void> = Promise.resolve();

  /** @param target The console's database, as the superuser. */
  constructor(target: Target, handlers: Handlers) {
    this.#target = { ...target, applicationName: 'ninefold-jobs' };
    this.#handlers = handlers;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resolves once the server has ended the connection, and with it the lock. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#connection?.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // While the server restarts, each attempt fails. The calls of the apps report that.
      await this.#lead().catch(() => undefined);
      await delay(RETRY_MILLISECONDS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Connects, waits for the lock, and resolves when the connection is lost. */
  async #lead(): Promise<void> {
    const closed = new AbortController();
    const connection = await Connection.open(this.#target, OPEN_MILLISECONDS, () => closed.abort());
    this.#connection = connection;
    connection.onNotification((_, payload) => this.#handlers.onNotified(payload));
    try {
      await connection.run([plain(`listen ${JOBS_CHANNEL}`)]);
      while (!this.#stopping.signal.aborted && !(await takeLock(connection))) {
        await delay(RETRY_MILLISECONDS, undefined, { signal: this.#stopping.signal, ref: false });
      }
      if (this.#stopping.signal.aborted || connection.isClosed) return;
      this.#handlers.onGained();
      await new Promise((resolve) => {
        closed.signal.addEventListener('abort', resolve);
        if (connection.isClosed) resolve(undefined);
      });
      this.#handlers.onLost();
    } finally {
      this.#connection = null;
      connection.close();
    }
  }
}

async function takeLock(connection: Connection): Promise<boolean> {
  const [result] = await connection.run([plain('select pg_catalog.pg_try_advisory_lock(9009, 2) as gained')]);
  return (result && rowsAsText(result)[0]?.gained) === 't';
}
