import type { CancelSignal } from '../../contract/call-request.ts';
import { Connection } from './connection.ts';
import { type ConnectionBudget, PoolSlots } from './connection-budget.ts';
import type { ConnectionConfig } from './connection-config.ts';
import type { Database, RunOptions, Transaction } from './database.ts';
import { ConnectionError, DatabaseError, isTransient, PoolTimeoutError } from './database-error.ts';
import { IdleCloser } from './idle-closer.ts';
import { parameterBytes, type Result, type Statement, StatementTimes } from './statement.ts';
import type { StreamedValue } from './streamed-value.ts';

/** Options of a pool. */
export interface PoolOptions {
  /** Maximum number of connections. */
  max: number;
  /** Time without use after which a connection is closed. */
  idleMilliseconds: number;
  /** Maximum time that a call waits for a connection before PoolTimeoutError; a function if it can change. */
  waitMilliseconds: number | (() => number);
  /** Called when the last connection is closed because the pool was unused. Resolves once the companions are closed. */
  onIdle?: () => Promise<void>;
  /** Returns the error that rejects each further call, or null. */
  refusal?: () => Error | null;
  /** Limits the connections of all pools together; absent for the superuser's pools, which have a separate share. */
  budget?: ConnectionBudget;
  /**
   * Number of further connections outside the pool that stay open as long as the pool has a connection. Each takes a
   * slot of the budget; 0 by default.
   */
  companions?: number;
}

/**
 * How a batch uses a connection: together with other batches (`shared`), alone (`exclusive`), or alone until a client
 * has read a streamed value (`streaming`).
 */
type Lease = 'shared' | 'exclusive' | 'streaming';

interface Waiter {
  take: (connection: Connection) => void;
  reject: (error: Error) => void;
  use: Lease;
  /** The statement to be sent; a connection that has prepared it is preferred. */
  statement: Statement | undefined;
  /** True if the duration of the statement is unknown. */
  isFirstRun: boolean;
}

/**
 * Time in milliseconds that a call may wait behind other calls on a connection without anyone noticing. The limits
 * below are derived from this time. PostgreSQL reads one row by its key in 0.14 ms and a page of 1,000 rows in a few
 * milliseconds (docs/decisions/0009-what-a-fast-call-leaves-out.md), so calls of this kind share connections and longer
 * ones do not. A connection gets further batches as long as those in flight are expected to take less than this in
 * total, and none while its oldest batch has been running for longer. Few busy connections are faster than many idle
 * ones: messages that are sent and received together cost one system call, and the operating system switches between
 * fewer processes.
 */
const UNNOTICED_MILLISECONDS = 10;
/**
 * Assumed duration of a statement that never ran. The statement may block, so it shares a connection only if no other
 * is free.
 */
const FIRST_RUN_MILLISECONDS = UNNOTICED_MILLISECONDS;
/**
 * A statement whose average duration is higher gets exclusive use of a connection. The limit is above
 * UNNOTICED_MILLISECONDS, so that a statement whose average varies around that value does not switch between shared and
 * exclusive use.
 */
const SLOW_MILLISECONDS = 1.5 * UNNOTICED_MILLISECONDS;
/**
 * Maximum number of batches in flight on one connection. Sixteen of the shortest statements take a fifth of
 * UNNOTICED_MILLISECONDS. A higher number would not save system calls. It would make more calls wait behind a batch
 * that is unexpectedly slow.
 */
const DEPTH = 16;
/**
 * A statement with larger parameters gets exclusive use of a connection, because batches behind it would wait until the
 * server has received and parsed the parameters. Node.js reads a body in chunks of this size, so a body that arrives in
 * one part may still share a connection.
 */
const LARGE_BYTES = 64 * 1024;
/**
 * If the app of a pool was replaced, the pool closes its connections after this time without use, because no new
 * request uses the pool.
 */
const RETIRED_IDLE_MILLISECONDS = 1000;
/** Share of all connections that only shared batches may use; of the default eight connections, these are two. */
const SHARED_SHARE = 0.25;
/**
 * Share of all connections that may wait for clients that read a streamed value. The other half stays for other calls.
 */
const TAIL_SHARE = 0.5;

/**
 * The connections to one database as one role. Fast calls share connections, with several batches in flight on each. A
 * call that is known to be slow and every interactive transaction get exclusive use of a connection, so that nothing
 * waits behind them.
 */
export class Pool implements Database {
  readonly #target: ConnectionConfig;
  readonly #options: PoolOptions;
  readonly #shared = new Set<Connection>();
  readonly #exclusive = new Map<Connection, Lease>();
  /**
   * Connections that run a statement whose duration is unknown. No second such statement is queued on the same
   * connection.
   */
  readonly #firstRuns = new Set<Connection>();
  readonly #waiters: Waiter[] = [];
  readonly #averageMilliseconds = new StatementTimes();
  readonly #slots: PoolSlots;
  #opening = 0;
  #tails = 0;
  #sharedWaiting = 0;
  #closed = false;
  readonly #idle: IdleCloser;
  /** Number of calls of `admitted` that are running. */
  #admitting = 0;

  constructor(target: ConnectionConfig, options: PoolOptions) {
    this.#target = target;
    this.#options = options;
    this.#slots = new PoolSlots(options.budget, options.companions ?? 0);
    this.#idle = new IdleCloser(
      {
        shared: this.#shared,
        slots: this.#slots,
        server: target.serverState,
        isEmpty: () => this.size === 0,
        isHeld: () => this.#admitting > 0,
        onEmpty: async () => {
          this.#averageMilliseconds.clear();
          await options.onIdle?.();
        },
      },
      options.idleMilliseconds,
    );
  }

  /** Maximum time that a call waits for a connection. */
  get waitMilliseconds(): number {
    const { waitMilliseconds } = this.#options;
    return typeof waitMilliseconds === 'number' ? waitMilliseconds : waitMilliseconds();
  }

  /** Number of connections that are open or being opened, in use or not. */
  get size(): number {
    return this.#shared.size + this.#exclusive.size + this.#opening;
  }

  run(statements: readonly Statement[], options: RunOptions = {}): Promise<Result[]> {
    return this.#retryWhileSafe(
      () => this.#runOnce(statements, options),
      () => !options.signal?.aborted,
    );
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>, statement?: Statement): Promise<T> {
    return this.#begin(statement, async (connection) => {
      try {
        const result = await work({
          run: (statements, options) => connection.run(statements, options),
          script: (sql, copies) => connection.script(sql, { copies }),
        });
        await connection.run([{ text: 'COMMIT', params: [], planKey: '' }]);
        return result;
      } catch (error) {
        if (!connection.isClosed) await connection.run([{ text: 'ROLLBACK', params: [], planKey: '' }]);
        throw error;
      }
    });
  }

  async script(
    sql: string,
    {
      setup = [],
      ...options
    }: { setup?: readonly Statement[]; maxRows?: number; copies?: readonly string[]; signal?: CancelSignal } = {},
  ): Promise<Result[]> {
    const connection = await this.#acquire('exclusive', (acquired) => acquired);
    try {
      if (setup.length > 0) await connection.run(setup);
      return await connection.script(sql, options);
    } finally {
      // A script may leave settings, temporary tables or a transaction behind, so its connection is not reused.
      this.#release(connection);
      connection.close();
      this.#serveQueue();
    }
  }

  /**
   * Takes the slots of the first connection and of its companions, then runs `work`, which opens them. Two pools that
   * each have a part of their slots therefore cannot block each other. While `work` runs, no connection of this pool is
   * closed for another pool.
   * @throws PoolTimeoutError, and the errors of `work`.
   */
  async admitted<T>(work: () => Promise<T>): Promise<T> {
    this.#admitting++;
    try {
      await this.#slots.reserve(this.waitMilliseconds);
      return await work();
    } finally {
      this.#admitting--;
      if (this.#admitting === 0) this.#slots.cancelReserve();
      if (this.#admitting === 0 && this.size === 0) this.#slots.releaseCompanions()();
    }
  }

  /** Closes each connection soon after its last use. */
  retire(): void {
    this.#idle.shorten(RETIRED_IDLE_MILLISECONDS);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#idle.stop();
    this.#refuseWaiters(new ConnectionError('the pool is closed'));
    for (const connection of [...this.#shared, ...this.#exclusive.keys()]) connection.close();
    this.#shared.clear();
    this.#exclusive.clear();
    this.#slots.cancelReserve();
    this.#slots.releaseCompanions()();
  }

  async #runOnce(statements: readonly Statement[], options: RunOptions): Promise<Result[]> {
    const { signal, streamStatement, timing } = options;
    const last = statements[statements.length - 1];
    const key = last?.text ?? '';
    const known = this.#averageMilliseconds.get(key);
    const isFirstRun = known === undefined;
    const expectedMilliseconds = known ?? FIRST_RUN_MILLISECONDS;
    const work = (connection: Connection) => {
      if (signal?.aborted) return Promise.reject(cancelledBeforeStart());
      const running = connection.run(statements, {
        signal,
        streamStatement,
        expectedMilliseconds,
        onTimed: (milliseconds) => {
          if (timing) timing.databaseMilliseconds += milliseconds;
          this.#averageMilliseconds.add(key, milliseconds);
          if (connection.mustClose && this.#shared.delete(connection)) connection.close();
        },
      });
      return isFirstRun ? this.#try(connection, running) : running;
    };
    if (typeof streamStatement === 'number') return this.#runExclusive(work, 'streaming', streamIn);
    if (expectedMilliseconds > SLOW_MILLISECONDS || parameterBytes(last) > LARGE_BYTES)
      return this.#runExclusive(work, 'exclusive', noTail, last);
    const connection = this.#pickConnection(expectedMilliseconds, isFirstRun);
    try {
      return await (connection ? work(connection) : this.#acquire('shared', work, undefined, isFirstRun));
    } finally {
      if (this.#waiters.length > 0) this.#serveQueue();
      this.#slots.offerIdle();
    }
  }

  async #try<T>(connection: Connection, running: Promise<T>): Promise<T> {
    this.#firstRuns.add(connection);
    try {
      return await running;
    } finally {
      this.#firstRuns.delete(connection);
    }
  }

  /**
   * Makes an attempt. If the server did not run it or rolled it back, makes it again. The server may have ended all
   * connections at once, and each failed attempt detects only one ended connection. So the number of retries is the
   * maximum number of connections.
   */
  async #retryWhileSafe<T>(attempt: () => Promise<T>, isWanted: () => boolean): Promise<T> {
    for (let left = this.#options.max; ; left--) {
      const refusal = this.#options.refusal?.();
      if (refusal) throw refusal;
      try {
        return await attempt();
      } catch (error) {
        if (left === 0 || !canRetry(error) || !isWanted()) throw error;
      }
    }
  }

  /**
   * Begins a transaction with exclusive use of a connection. Uses another connection if the server has just ended the
   * first.
   */
  #begin<T>(statement: Statement | undefined, work: (connection: Connection) => Promise<T>): Promise<T> {
    let isOpen = false;
    const open = (connection: Connection) =>
      connection.run([{ text: 'BEGIN', params: [], planKey: '' }]).then(() => {
        isOpen = true;
        return work(connection);
      });
    return this.#retryWhileSafe(
      () => this.#runExclusive(open, 'exclusive', noTail, statement),
      () => !isOpen,
    );
  }

  /**
   * Runs `work` with exclusive use of a connection.
   * @param streamStatement Finds a value in the result that is still arriving; the connection is returned once it has
   * arrived.
   * @param statement The statement that `work` sends, if known.
   */
  async #runExclusive<T>(
    work: (connection: Connection) => Promise<T>,
    use: Lease = 'exclusive',
    streamStatement: (result: T) => StreamedValue | null = noTail,
    statement?: Statement,
  ): Promise<T> {
    const connection = await this.#acquire(use, (acquired) => acquired, statement);
    try {
      const result = await work(connection);
      const stream = streamStatement(result);
      if (stream) stream.onBatchEnd(() => this.#return(connection));
      else this.#return(connection);
      return result;
    } catch (error) {
      this.#return(connection);
      throw error;
    }
  }

  #return(connection: Connection): void {
    if (this.#release(connection) && !connection.isClosed) {
      if (this.#closed || connection.mustClose) connection.close();
      else this.#shared.add(connection);
    }
    this.#serveQueue();
    this.#slots.offerIdle();
  }

  /** Ends the exclusive use of a connection. Returns false if it was not in exclusive use. */
  #release(connection: Connection): boolean {
    if (this.#exclusive.get(connection) === 'streaming') this.#tails--;
    return this.#exclusive.delete(connection);
  }

  /**
   * Returns true if the pool may grant this lease. It may not if slow batches or slow clients would leave too few
   * connections to other calls.
   */
  #mayTake(use: Lease): boolean {
    if (use === 'shared') return true;
    const { max } = this.#options;
    if (use === 'streaming' && this.#tails >= Math.max(1, max * TAIL_SHARE)) return false;
    return this.#exclusive.size < max - Math.floor(max * SHARED_SHARE);
  }

  /**
   * Returns a connection that can take the batch immediately; null if the batch must wait or needs a further
   * connection.
   */
  #pickConnection(expected: number, isFirstRun: boolean): Connection | null {
    if (this.#sharedWaiting > 0) return null;
    let idle: Connection | null = null;
    for (const connection of this.#shared) {
      if (!this.#hasRoom(connection)) continue;
      if (connection.inFlight === 0) idle ??= connection;
      else if (connection.expectedMilliseconds + expected <= UNNOTICED_MILLISECONDS) return connection;
    }
    return idle ?? this.#leastLoadedWhenFull(isFirstRun);
  }

  #hasRoom(connection: Connection): boolean {
    if (!connection.canAcceptBatch || connection.inFlight >= DEPTH) return false;
    return connection.oldestStartedAt === 0 || performance.now() - connection.oldestStartedAt < UNNOTICED_MILLISECONDS;
  }

  /**
   * Waits for a connection. `start` is called as soon as a connection is found, so that the next waiting call sees this
   * connection in use.
   */
  #acquire<T>(
    use: Lease,
    start: (connection: Connection) => T | Promise<T>,
    statement?: Statement,
    isFirstRun = false,
  ): Promise<T> {
    if (this.#closed) return Promise.reject(new ConnectionError('the pool is closed'));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const index = this.#waiters.indexOf(waiter);
        if (index >= 0) this.#leaveQueue(index);
        reject(new PoolTimeoutError('no connection became free in time'));
      }, this.waitMilliseconds);
      const waiter: Waiter = {
        use,
        statement,
        isFirstRun,
        take: (connection) => {
          clearTimeout(timer);
          resolve(start(connection));
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      this.#waiters.push(waiter);
      if (use === 'shared') this.#sharedWaiting++;
      this.#serveQueue();
    });
  }

  #leaveQueue(index: number): void {
    const [waiter] = this.#waiters.splice(index, 1);
    if (waiter?.use === 'shared') this.#sharedWaiting--;
  }

  #serveQueue(): void {
    let wanted = 0;
    for (let i = 0; i < this.#waiters.length; ) {
      const waiter = this.#waiters[i] as Waiter;
      const { use, statement, isFirstRun } = waiter;
      const mayTake = this.#mayTake(use);
      const connection = mayTake
        ? (this.#idleFor(statement) ?? (use === 'shared' ? this.#leastLoadedWhenFull(isFirstRun) : null))
        : null;
      if (!connection) {
        if (mayTake) wanted++;
        i++;
        continue;
      }
      this.#leaveQueue(i);
      if (use !== 'shared') {
        this.#shared.delete(connection);
        this.#exclusive.set(connection, use);
        if (use === 'streaming') this.#tails++;
      }
      waiter.take(connection);
    }
    while (this.#opening < wanted && this.size < this.#options.max) void this.#open();
  }

  /**
   * Returns an idle connection, preferably one that has prepared the statement: its server process has also cached the
   * catalog entries that the statement needs.
   */
  #idleFor(statement: Statement | undefined): Connection | null {
    let first: Connection | null = null;
    for (const connection of this.#shared) {
      if (connection.inFlight > 0 || !connection.canAcceptBatch) continue;
      if (!statement || connection.hasPrepared(statement)) return connection;
      first ??= connection;
    }
    return first;
  }

  #leastLoadedWhenFull(isFirstRun: boolean): Connection | null {
    if (this.size < this.#options.max) return null;
    let min: Connection | null = null;
    for (const connection of this.#shared) {
      if (!this.#hasRoom(connection) || (isFirstRun && this.#firstRuns.has(connection))) continue;
      if (!min || connection.expectedMilliseconds < min.expectedMilliseconds) min = connection;
    }
    return min;
  }

  async #open(): Promise<void> {
    this.#opening++;
    let hasSlot = false;
    try {
      await this.#slots.take(this.waitMilliseconds);
      hasSlot = true;
      const onClose = (closed: Connection) => {
        this.#shared.delete(closed);
        this.#release(closed);
        this.#slots.give();
        this.#serveQueue();
      };
      const onFree = () => this.#serveQueue();
      const connection = await Connection.open(this.#target, this.waitMilliseconds, onClose, onFree);
      this.#opening--;
      if (this.#closed) {
        connection.close();
        return;
      }
      this.#shared.add(connection);
      this.#idle.start();
      this.#serveQueue();
    } catch (error) {
      this.#opening--;
      if (hasSlot) this.#slots.give();
      if (isTransient(error) || error instanceof PoolTimeoutError) {
        this.#serveWaitersLater();
        return;
      }
      // If no connection is open, waiting longer does not help, so the waiting calls fail. If some are open, these may
      // still serve the waiting calls.
      if (this.size === 0) this.#refuseWaiters(error as Error);
      else if (this.#shared.size > 0) this.#serveWaitersLater();
    }
  }

  #refuseWaiters(error: Error): void {
    this.#sharedWaiting = 0;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }

  #serveWaitersLater(): void {
    setTimeout(() => this.#serveQueue(), 50).unref();
  }
}

const noTail = (): null => null;

const streamIn = (results: readonly Result[]): StreamedValue | null => results.at(-1)?.stream ?? null;

/**
 * Returns true if the server did not run the batch or rolled it back: after a stale plan, a stray cancel request, or a
 * connection that was ended before.
 */
function canRetry(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.isSafeToRetry;
  return error instanceof DatabaseError && (error.stalePlan || error.strayCancel);
}

/**
 * Returns the error of a statement that is not sent, because the client has disconnected. It has the SQLSTATE with
 * which PostgreSQL reports a cancelled statement.
 */
const cancelledBeforeStart = () =>
  new DatabaseError({ sqlstate: '57014', severity: 'ERROR', message: 'canceled before it was started' });
