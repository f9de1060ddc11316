import { limits } from '../../contract/limits.ts';
import { Connection } from './connection.ts';
import type { ConnectionConfig } from './connection-config.ts';
import { ConnectionError, DatabaseError, isLastingFailure } from './database-error.ts';
import { quoteIdentifier, type Statement } from './statement.ts';

/** Callbacks of a listener. */
export interface ListenerHandlers {
  onNotification: (channel: string, payload: string) => void;
  /**
   * Called after each successful LISTEN, also after a reconnect. Caches may be out of date then. The listener is
   * current once the returned promise resolves.
   */
  onConnected: () => void | Promise<void>;
  /** Called when the connection is lost. Caches must not be used until `onConnected`. */
  onLost: () => void;
}

/** Pause after the first failed attempt to connect, and the longest pause. */
const FIRST_RETRY_MILLISECONDS = 50;
const LAST_RETRY_MILLISECONDS = 2000;

/**
 * An empty statement. PostgreSQL delivers pending notifications before it reports that it is ready for the next
 * statement, so the response to this statement shows that no older notification is missing.
 */
const HEARTBEAT: Statement = { text: '', params: [], planKey: 'heartbeat' };

/**
 * Listens to channels of one database on a separate connection, and reconnects if the connection is lost. A connection
 * without data may mean that nothing happens, or that the server process or the network is frozen. The listener
 * therefore sends a heartbeat statement. The response proves that the listener has received every notification that was
 * committed before the heartbeat was sent (src/backend/tcop/postgres.c calls ProcessNotifyInterrupt before
 * ReadyForQuery). It sends heartbeats only when a caller wants to use a cache that depends on the notifications, so an
 * idle app causes none.
 */
export class Listener {
  readonly #target: ConnectionConfig;
  readonly #channels: readonly string[];
  readonly #handlers: ListenerHandlers;
  #connection: Connection | null = null;
  #starting: Promise<void> | null = null;
  #proving: Promise<boolean> | null = null;
  /**
   * The listener has received all notifications that were committed before this time, in milliseconds of
   * performance.now().
   */
  #provenAt = Number.NEGATIVE_INFINITY;
  #retry: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(target: ConnectionConfig, channels: readonly string[], handlers: ListenerHandlers) {
    this.#target = target;
    this.#channels = channels;
    this.#handlers = handlers;
  }

  /** True if the listener cannot have missed a notification that is older than the limit listenerTrustMilliseconds. */
  get isCurrent(): boolean {
    return this.#connection !== null && performance.now() - this.#provenAt < limits.listenerTrustMilliseconds.default;
  }

  /**
   * Resolves when the listener receives notifications. Later losses of the connection are repaired in the background.
   * @throws ConnectionError
   */
  start(): Promise<void> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /**
   * Sends a heartbeat if needed. Resolves to true once the listener is current, and to false if it lost its connection.
   */
  async prove(): Promise<boolean> {
    while (!this.isCurrent) {
      this.#proving ??= this.#prove().finally(() => {
        this.#proving = null;
      });
      if (!(await this.#proving)) return false;
    }
    return true;
  }

  /**
   * Waits until every notification that was committed before this call has been received. Resolves to false if the
   * connection is lost; after a reconnect, `onConnected` repairs the caches.
   */
  catchUp(): Promise<boolean> {
    return this.#prove();
  }

  /**
   * Resolves once the listener is current; reconnects if needed.
   * @throws ConnectionError
   */
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
      // An error of the heartbeat statement is also a response of the server. The owner of the app may have cancelled
      // the statement.
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

  /**
   * Reconnects after a pause, until it succeeds. If the database does not exist or the role may not log in, the listener
   * waits for the next call of `start`.
   */
  #restart(after: number): void {
    if (this.#closed) return;
    this.#retry = setTimeout(() => {
      this.start().catch((error: unknown) => {
        if (!isLastingFailure(error)) this.#restart(Math.min(after * 2, LAST_RETRY_MILLISECONDS));
      });
    }, after);
    this.#retry.unref();
  }
}

/**
 * Runs statements. Abandons the connection if the server does not respond within the limit listenerAnswerMilliseconds.
 */
async function answerInTime(connection: Connection, statements: readonly Statement[]): Promise<void> {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    // If this process was busy, the response may have arrived without being read. Node reads sockets before it runs the
    // next immediate, so the connection is abandoned only in an immediate.
    immediate = setImmediate(() => connection.abandon('the server did not respond in time'));
  }, limits.listenerAnswerMilliseconds.default);
  try {
    await connection.run(statements);
  } finally {
    clearTimeout(timer);
    clearImmediate(immediate);
  }
}
