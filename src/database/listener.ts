import { limits } from '../../contract/limits.ts';
import { Connection } from './connection.ts';
import { ConnectionError, DatabaseError } from './database-error.ts';
import { quoteIdentifier, type Statement } from './statement.ts';
import type { Target } from './target.ts';

export interface ListenerHandlers {
  onNotification: (channel: string, payload: string) => void;
  /** Listening (again): whatever was remembered from before may be out of date. The listener is current once it resolves. */
  onConnected: () => void | Promise<void>;
  /** No longer listening: until onConnected, what is remembered cannot be trusted. */
  onLost: () => void;
}

const FIRST_RETRY_MILLISECONDS = 50;
const LAST_RETRY_MILLISECONDS = 2000;

/** Any statement serves: PostgreSQL sends the notifications that are due before it says that it is ready for the next one. */
const HEARTBEAT: Statement = { text: '', params: [], preparedFor: 'heartbeat' };

/**
 * Listens to channels of one database on a connection of its own, and comes back when the connection is lost.
 *
 * A connection can be silent because nothing happens, or because the server's process or the network is frozen. So the
 * listener asks for proofs: the response to a statement proves that every notification was received that was committed
 * before the statement was sent (src/backend/tcop/postgres.c calls ProcessNotifyInterrupt before ReadyForQuery). It asks
 * only when somebody wants to use what depends on the notifications; without calls it costs nothing.
 */
export class Listener {
  readonly #target: Target;
  readonly #channels: readonly string[];
  readonly #handlers: ListenerHandlers;
  #connection: Connection | null = null;
  #starting: Promise<void> | null = null;
  #proving: Promise<boolean> | null = null;
  /** All notifications that were committed before this time have been received. Milliseconds of performance.now(). */
  #provenAt = Number.NEGATIVE_INFINITY;
  #retry: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(target: Target, channels: readonly string[], handlers: ListenerHandlers) {
    this.#target = target;
    this.#channels = channels;
    this.#handlers = handlers;
  }

  /** True if no notification can be missing that is older than the limit listenerTrustMilliseconds. */
  get isCurrent(): boolean {
    return this.#connection !== null && performance.now() - this.#provenAt < limits.listenerTrustMilliseconds.default;
  }

  /** Resolves when listening. Throws what opening a connection throws; a later loss is repaired in the background. */
  start(): Promise<void> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /** Resolves to true once the listener is current, to false if it lost its connection. */
  async prove(): Promise<boolean> {
    while (!this.isCurrent) {
      this.#proving ??= this.#prove().finally(() => {
        this.#proving = null;
      });
      if (!(await this.#proving)) return false;
    }
    return true;
  }

  /** Resolves once the listener is current; reconnects if it must. Throws what `start` throws. */
  async ensureCurrent(): Promise<void> {
    while (!(await this.prove())) {
      if (this.#closed) throw new ConnectionError('the listener is closed');
      await this.start();
    }
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

  async #start(): Promise<void> {
    if (this.#connection) return;
    const connection = await Connection.open(this.#target, 5000, () => this.#lost(connection));
    connection.onNotification(this.#handlers.onNotification);
    const askedAt = performance.now();
    const listen = this.#channels.map((channel) => ({ text: `LISTEN ${quoteIdentifier(channel)}`, params: [] }));
    await answerInTime(connection, listen).catch((error) => {
      connection.close();
      throw error;
    });
    if (this.#closed) {
      connection.close();
      return;
    }
    this.#connection = connection;
    await this.#handlers.onConnected();
    this.#provenAt = askedAt;
    if (connection.isClosed) this.#lost(connection);
  }

  async #prove(): Promise<boolean> {
    const connection = this.#connection;
    if (!connection) return false;
    const askedAt = performance.now();
    try {
      await answerInTime(connection, [HEARTBEAT]);
    } catch (error) {
      // An error of the statement is a response too: the owner of the app may cancel it.
      if (!(error instanceof DatabaseError)) return false;
    }
    if (this.#connection !== connection) return false;
    this.#provenAt = Math.max(this.#provenAt, askedAt);
    return true;
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

/** Runs statements; gives the connection up if the server does not respond within the limit listenerAnswerMilliseconds. */
async function answerInTime(connection: Connection, statements: readonly Statement[]): Promise<void> {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    // If this process was busy, the response is here and was not read yet: sockets are read before the next immediate.
    immediate = setImmediate(() => connection.abandon('the server did not respond in time'));
  }, limits.listenerAnswerMilliseconds.default);
  try {
    await connection.run(statements);
  } finally {
    clearTimeout(timer);
    clearImmediate(immediate);
  }
}
