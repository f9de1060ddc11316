import type { CancelSignal } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import { Connection } from './connection.ts';
import { type ConnectionBudget, PoolSlots } from './connection-budget.ts';
import type { ConnectionConfig } from './connection-config.ts';
import type { Database, RunOptions, Transaction } from './database.ts';
import { asSafeToRetry, ConnectionError, DatabaseError, isTransient, PoolTimeoutError } from './database-error.ts';
import { IdleCloser } from './idle-closer.ts';
import { parameterBytes, type Result, type Statement, StatementTimes } from './statement.ts';
import type { StreamedValue } from './streamed-value.ts';

/** Pause before waiting batches are tried again. */
const SERVE_MILLISECONDS = 50;

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

/** How long a batch is expected to run; `unknown` if its statement never ran. */
type Duration = 'short' | 'unknown' | 'slow';

/** The parts of a batch that decide how it waits for a connection. */
interface WaitingBatch {
  readonly statement?: Statement | undefined;
  readonly key?: string;
  readonly expectedMilliseconds?: number;
}

interface Waiter {
  take: (connection: Connection) => void;
  reject: (error: Error) => void;
  use: Lease;
  /** The statement to be sent; a connection that has prepared it is preferred. */
  statement: Statement | undefined;
  /** Key of the average duration of the batch; undefined for a transaction and for a batch that is known to be slow. */
  key: string | undefined;
  /** True if the batch is known to be short and shares a connection. */
  isShort: boolean;
  /** Time of arrival, in milliseconds of performance.now(). */
  arrivedAt: number;
  /** Time by which the waiting batches are ordered: the time of arrival, and PATIENCE times the expected duration. */
  rank: number;
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
/**
 * Share of all connections that only batches of a known short duration may use; of the default eight connections, these
 * are two.
 */
const SHARED_SHARE = 0.25;
/**
 * Share of all connections that may wait for clients that read a streamed value. The other half stays for other calls.
 */
const TAIL_SHARE = 0.5;
/**
 * Share of all connections that may run the same statement while its duration is unknown. If many clients send a slow
 * statement for the first time, the other half stays for other calls.
 */
const TRIAL_SHARE = 0.5;
/**
 * A waiting batch may be overtaken by shorter ones that arrive later, for this multiple of its expected duration. While
 * many slow calls wait, short ones then do not wait behind all of them.
 */
const PATIENCE = 10;
/**
 * Time without progress after which a value that is too large for memory is given up if another call waits for its
 * connection.
 */
const STALLED_MILLISECONDS = 1000;

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
  /** Number of running batches whose duration is unknown, by key. */
  readonly #trials = new Map<string, number>();
  readonly #waiters: Waiter[] = [];
  readonly #averageMilliseconds = new StatementTimes();
  readonly #slots: PoolSlots;
  /** The streamed values that are still arriving, the oldest first. */
  readonly #streams = new Map<Connection, StreamedValue>();
  #relieving: NodeJS.Timeout | null = null;
  #opening = 0;
  #tails = 0;
  /** Number of waiting batches that are known to be short. */
  #sharedWaiting = 0;
  #closed = false;
  readonly #idle: IdleCloser;
  /** Number of calls of `admitted` that are running. */
  #admitting = 0;
  #companionUses = 0;

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
        keepsCompanions: () => this.#companionUses > 0,
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
      // SQL text of an owner may contain a COMMIT.
      let mayHaveCommitted = false;
      try {
        const result = await work({
          run: (statements, options) => connection.run(statements, options),
          script: (sql, copies) => {
            mayHaveCommitted = true;
            return connection.script(sql, { copies });
          },
        });
        mayHaveCommitted = true;
        await connection.run([{ text: 'COMMIT', params: [], planKey: '' }]);
        return result;
      } catch (error) {
        if (!connection.isClosed) await connection.run([{ text: 'ROLLBACK', params: [], planKey: '' }]);
        throw error instanceof ConnectionError && !mayHaveCommitted ? asSafeToRetry(error) : error;
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

  /** Keeps the companions open while the pool is idle. Returns a function that ends this. */
  keepCompanions(): () => void {
    this.#companionUses++;
    let isKept = true;
    return () => {
      if (isKept) this.#companionUses--;
      isKept = false;
    };
  }

  /** Closes each connection soon after its last use. */
  retire(): void {
    this.#idle.shorten(RETIRED_IDLE_MILLISECONDS);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#relieving) clearTimeout(this.#relieving);
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
    const duration = this.#durationOf(key);
    const expectedMilliseconds = this.#averageMilliseconds.get(key) ?? FIRST_RUN_MILLISECONDS;
    const work = (connection: Connection) => {
      if (signal?.aborted) return Promise.reject(cancelledBeforeStart());
      return connection.run(statements, {
        signal,
        streamStatement,
        expectedMilliseconds,
        onTimed: (milliseconds) => {
          if (timing) timing.databaseMilliseconds += milliseconds;
          const isKnown = this.#averageMilliseconds.get(key) !== undefined;
          this.#averageMilliseconds.add(key, milliseconds);
          if (!isKnown) this.#rankAgain(key, milliseconds);
          if (connection.mustClose && this.#shared.delete(connection)) connection.close();
        },
      });
    };
    const start =
      duration === 'unknown' ? (connection: Connection) => this.#try(key, connection, work(connection)) : work;
    if (typeof streamStatement === 'number')
      return this.#runExclusive(start, 'streaming', streamIn, { key, expectedMilliseconds });
    if (duration === 'slow' || parameterBytes(last) > LARGE_BYTES)
      return this.#runExclusive(work, 'exclusive', noTail, { statement: last, expectedMilliseconds });
    const connection = this.#pickConnection(expectedMilliseconds, key);
    try {
      return await (connection ? start(connection) : this.#acquire('shared', start, { key, expectedMilliseconds }));
    } finally {
      if (this.#waiters.length > 0) this.#serveQueue();
      this.#slots.offerIdle();
    }
  }

  /** Returns the expected duration of a batch with this key; without a key, that of a transaction or a slow batch. */
  #durationOf(key: string | undefined): Duration {
    if (key === undefined) return 'slow';
    const known = this.#averageMilliseconds.get(key);
    if (known === undefined) return 'unknown';
    return known > SLOW_MILLISECONDS ? 'slow' : 'short';
  }

  /** Counts a batch whose duration is unknown while it runs. */
  async #try<T>(key: string, connection: Connection, running: Promise<T>): Promise<T> {
    const isShared = this.#shared.has(connection);
    this.#trials.set(key, (this.#trials.get(key) ?? 0) + 1);
    if (isShared) this.#firstRuns.add(connection);
    try {
      return await running;
    } finally {
      if (isShared) this.#firstRuns.delete(connection);
      const left = (this.#trials.get(key) ?? 1) - 1;
      if (left > 0) this.#trials.set(key, left);
      else this.#trials.delete(key);
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
      () => this.#runExclusive(open, 'exclusive', noTail, { statement }),
      () => !isOpen,
    );
  }

  /**
   * Runs `work` with exclusive use of a connection.
   * @param streamStatement Finds a value in the result that is still arriving; the connection is returned once it has
   * arrived.
   * @param batch The statement that `work` sends, if known, and the key of its average duration.
   */
  async #runExclusive<T>(
    work: (connection: Connection) => Promise<T>,
    use: Lease = 'exclusive',
    streamStatement: (result: T) => StreamedValue | null = noTail,
    batch: WaitingBatch = {},
  ): Promise<T> {
    const connection = await this.#acquire(use, (acquired) => acquired, batch);
    try {
      const result = await work(connection);
      const stream = streamStatement(result);
      if (stream) this.#returnAfter(stream, connection);
      else this.#return(connection);
      return result;
    } catch (error) {
      this.#return(connection);
      throw error;
    }
  }

  #returnAfter(stream: StreamedValue, connection: Connection): void {
    this.#streams.set(connection, stream);
    stream.onBatchEnd(() => {
      this.#streams.delete(connection);
      this.#return(connection);
    });
    this.#relieve();
  }

  /**
   * Frees the connections of streamed values while other calls wait for a connection, so that clients that do not read
   * cannot delay the other calls of their app. The oldest values are read into memory, where the server limits what all
   * clients together leave unread. A value that is too large for that is given up once its client has stopped reading.
   */
  #relieve(): void {
    if (this.#relieving) clearTimeout(this.#relieving);
    this.#relieving = null;
    let wanted = this.#waiters.length - this.#opening;
    if (wanted <= 0 || this.#streams.size === 0) return;
    for (const stream of [...this.#streams.values()].slice(0, wanted)) {
      if (stream.remaining <= limits.resultBytes.default) stream.readAhead();
      else if (stream.stalledMilliseconds >= STALLED_MILLISECONDS) stream.destroy();
      else continue;
      wanted--;
    }
    if (wanted > 0) this.#relieving = setTimeout(() => this.#relieve(), STALLED_MILLISECONDS).unref();
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
   * connections to other calls. A batch of unknown duration may be slow, so it leaves one connection to short batches.
   */
  #mayTake(use: Lease, duration: Duration, key: string | undefined): boolean {
    if (duration === 'short') return true;
    const { max } = this.#options;
    const trials = (duration === 'unknown' && this.#trials.get(key ?? '')) || 0;
    if (trials >= Math.max(1, max * TRIAL_SHARE)) return false;
    if (use === 'streaming' && this.#tails >= Math.max(1, max * TAIL_SHARE)) return false;
    const reserved = Math.floor(max * SHARED_SHARE);
    const left = max - this.#exclusive.size - this.#firstRuns.size;
    return left > (duration === 'unknown' ? Math.min(1, reserved) : reserved);
  }

  /**
   * Returns a connection that can take the batch immediately; null if the batch must wait or needs a further
   * connection.
   */
  #pickConnection(expected: number, key: string): Connection | null {
    const duration = this.#durationOf(key);
    if (this.#sharedWaiting > 0 || !this.#mayTake('shared', duration, key)) return null;
    let idle: Connection | null = null;
    for (const connection of this.#shared) {
      if (!this.#hasRoom(connection)) continue;
      if (connection.inFlight === 0) idle ??= connection;
      else if (connection.expectedMilliseconds + expected <= UNNOTICED_MILLISECONDS) return connection;
    }
    return idle ?? this.#leastLoadedWhenFull(duration);
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
    { statement, key, expectedMilliseconds = SLOW_MILLISECONDS }: WaitingBatch = {},
  ): Promise<T> {
    if (this.#closed) return Promise.reject(new ConnectionError('the pool is closed'));
    const arrivedAt = performance.now();
    const endWait = this.#options.budget?.waits.begin();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const index = this.#waiters.indexOf(waiter);
        if (index >= 0) this.#leaveQueue(index);
        endWait?.();
        reject(new PoolTimeoutError('no connection became free in time'));
      }, this.waitMilliseconds);
      const waiter: Waiter = {
        use,
        statement,
        key,
        isShort: use === 'shared' && this.#durationOf(key) === 'short',
        arrivedAt,
        rank: arrivedAt + PATIENCE * expectedMilliseconds,
        take: (connection) => {
          clearTimeout(timer);
          endWait?.();
          resolve(start(connection));
        },
        reject: (error) => {
          clearTimeout(timer);
          endWait?.();
          reject(error);
        },
      };
      const before = this.#waiters.findLastIndex(({ rank }) => rank <= waiter.rank);
      this.#waiters.splice(before + 1, 0, waiter);
      if (waiter.isShort) this.#sharedWaiting++;
      this.#serveQueue();
    });
  }

  /** Moves the waiting batches with this key, because their duration has become known. */
  #rankAgain(key: string, milliseconds: number): void {
    for (const waiter of this.#waiters) {
      if (waiter.key === key) waiter.rank = waiter.arrivedAt + PATIENCE * milliseconds;
    }
    this.#waiters.sort((a, b) => a.rank - b.rank);
  }

  #leaveQueue(index: number): void {
    const [waiter] = this.#waiters.splice(index, 1);
    if (waiter?.isShort) this.#sharedWaiting--;
  }

  #serveQueue(): void {
    let wanted = 0;
    for (let i = 0; i < this.#waiters.length; ) {
      const waiter = this.#waiters[i] as Waiter;
      const { use, statement, key } = waiter;
      // The duration may have become known while the batch waits.
      const duration = this.#durationOf(key);
      const mayTake = this.#mayTake(use, duration, key);
      const connection = mayTake
        ? (this.#idleFor(statement) ?? (use === 'shared' ? this.#leastLoadedWhenFull(duration) : null))
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
    if (this.#waiters.length > 0) this.#relieve();
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

  #leastLoadedWhenFull(duration: Duration): Connection | null {
    if (this.size < this.#options.max) return null;
    let min: Connection | null = null;
    for (const connection of this.#shared) {
      if (!this.#hasRoom(connection) || (duration === 'unknown' && this.#firstRuns.has(connection))) continue;
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
    setTimeout(() => this.#serveQueue(), SERVE_MILLISECONDS).unref();
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
