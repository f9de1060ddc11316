import { Connection } from './connection.ts';
import { quoteIdentifier } from './statement.ts';
import type { Target } from './target.ts';

export interface ListenerHandlers {
  onNotification: (channel: string, payload: string) => void;
  /** Listening (again): whatever was remembered from before may be out of date. */
  onConnected: () => void;
  /** No longer listening: until onConnected, what is remembered cannot be trusted. */
  onLost: () => void;
}

const FIRST_RETRY_MILLISECONDS = 50;
const LAST_RETRY_MILLISECONDS = 2000;

/** Listens to channels of one database on a connection of its own, and comes back when the connection is lost. */
export class Listener {
  readonly #target: Target;
  readonly #channels: readonly string[];
  readonly #handlers: ListenerHandlers;
  #connection: Connection | null = null;
  #retry: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(target: Target, channels: readonly string[], handlers: ListenerHandlers) {
    this.#target = target;
    this.#channels = channels;
    this.#handlers = handlers;
  }

  /** Resolves when listening. Throws what opening a connection throws; a later loss is mended in the background. */
  async start(): Promise<void> {
    const connection = await Connection.open(this.#target, 5000, () => this.#lost(connection));
    connection.onNotification(this.#handlers.onNotification);
    const listen = this.#channels.map((channel) => ({ text: `LISTEN ${quoteIdentifier(channel)}`, params: [] }));
    await connection.run(listen).catch((error) => {
      connection.close();
      throw error;
    });
    if (this.#closed) {
      connection.close();
      return;
    }
    this.#connection = connection;
    this.#handlers.onConnected();
    if (connection.isClosed) this.#lost(connection);
  }

  close(): void {
    void this.end();
  }

  /** Stops listening. Resolves once the server has ended the connection. */
  async end(): Promise<void> {
    this.#closed = true;
    if (this.#retry) clearTimeout(this.#retry);
    const connection = this.#connection;
    this.#connection = null;
    await connection?.end();
  }

  #lost(connection: Connection): void {
    if (this.#closed || this.#connection !== connection) return;
    this.#connection = null;
    this.#handlers.onLost();
    this.#restart(FIRST_RETRY_MILLISECONDS);
  }

  #restart(after: number): void {
    if (this.#closed) return;
    this.#retry = setTimeout(() => {
      this.start().catch(() => this.#restart(Math.min(after * 2, LAST_RETRY_MILLISECONDS)));
    }, after);
    this.#retry.unref();
  }
}
