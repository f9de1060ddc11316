import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '../database/connection.ts';
import type { ConnectionConfig } from '../database/connection-config.ts';
import { plain, rowsAsText } from '../database/statement.ts';

/** Channel on which workers announce scheduled work to the leader. */
export const JOBS_CHANNEL = 'ninefold_jobs';

/** How long opening the connection of the leader may take. */
const OPEN_MILLISECONDS = 5000;
/** Pause between two attempts of a worker to become the leader. */
const RETRY_MILLISECONDS = 2000;

interface Handlers {
  onGained: () => void;
  onLost: () => void;
  /** Called for each notification on the channel, even while another worker leads. */
  onNotified: (payload: string) => void;
}

/**
 * Elects one worker of all nodes of a server as the leader: the one whose connection to the console's database holds an
 * advisory lock. PostgreSQL releases the lock when the connection ends, so another worker takes over after a crash.
 */
export class Leadership {
  readonly #target: ConnectionConfig;
  readonly #handlers: Handlers;
  readonly #stopping = new AbortController();
  #connection: Connection | null = null;
  #running: Promise<void> = Promise.resolve();

  /** @param target The console's database, with the superuser's login. */
  constructor(target: ConnectionConfig, handlers: Handlers) {
    this.#target = { ...target, applicationName: 'ninefold-jobs' };
    this.#handlers = handlers;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resigns from leadership. Resolves once the server has closed the connection and released the lock. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#connection?.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // While the server restarts, each attempt fails. The error is ignored, because requests to apps report it.
      await this.#lead().catch(() => undefined);
      await delay(RETRY_MILLISECONDS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Connects and waits for the lock. Resolves when the connection is lost. */
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
