import { Connection } from './connection.ts';
import { quoteIdentifier } from './statement.ts';
import type { Target } from './target.ts';

export interface ListenerHandlers {
  onNotification: (payload: string) => void;
  /** Listening (again): whatever was remembered from before may be out of date. */
  onConnected: () => void;
}

const FIRST_RETRY_MILLISECONDS = 50;
const LAST_RETRY_MILLISECONDS = 2000;

/** Listens to one channel of one database on a connection of its own, and comes back when the connection is lost. */
export class Listener {
  readonly #target: Target;
  readonly #channel: string;
  readonly #handlers: ListenerHandlers;
  #connection: Connection | null = null;
  #retry: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(target: Target, channel: string, handlers: ListenerHandlers) {
    this.#target = target;
    this.#channel = channel;
    this.#handlers = handlers;
  }

  /** Resolves when listening. Throws what opening a connection throws; a later loss is mended in the background. */
  async start(): Promise<void> {
    const connection = await Connection.open(this.#target, 5000, () => this.#lost(connection));
    if (this.#closed) {
      connection.close();
      return;
    }
    this.#connection = connection;
    connection.onNotification((_, payload) => this.#handlers.onNotification(payload));
    await connection.run([{ text: `LISTEN ${quoteIdentifier(this.#channel)}`, params: [] }]);
    this.#handlers.onConnected();
  }

  close(): void {
    this.#closed = true;
    if (this.#retry) clearTimeout(this.#retry);
    this.#connection?.close();
    this.#connection = null;
  }

  #lost(connection: Connection): void {
    if (this.#closed || this.#connection !== connection) return;
    this.#connection = null;
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
