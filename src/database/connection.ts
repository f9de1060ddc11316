import type { CancelSignal } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import { Batch, type BatchOptions, noFields } from './batch.ts';
import {
  ConnectionError,
  DatabaseError,
  type DatabaseErrorFields,
  isServerFull,
  ResultTooLargeError,
} from './database-error.ts';
import { type OpenedSocket, openSocket, requestCancel } from './handshake.ts';
import { type Prepared, PreparedStatements } from './prepared-statements.ts';
import { type LargeMessage, MessageReader, readErrorFields, readFields, readRowStart, readString } from './reader.ts';
import { makeRoom } from './room.ts';
import type { Result, Statement } from './statement.ts';
import { Tail } from './tail.ts';
import type { Target } from './target.ts';
import { MessageWriter } from './writer.ts';

/**
 * A statement that is ended within this time of its begin is retried. A person who ends a statement on purpose has seen it run, which
 * takes longer, and must not find it running again. A shorter time means that the idle connection was ended, as by a copy of a database.
 */
const JUST_BEGUN_MILLISECONDS = 1000;

/** How long the server may take to close an idle connection before this process destroys the socket. */
const END_MILLISECONDS = 2000;

/**
 * One connection, with several batches in flight: each batch is one implicit transaction, PostgreSQL answers them in
 * order, and no batch waits for the answer to the one before it.
 */
export class Connection {
  readonly #target: Target;
  readonly #opened: OpenedSocket;
  readonly #writer = new MessageWriter();
  readonly #inFlight: Batch[] = [];
  readonly #prepared = new PreparedStatements();
  #head = 0;
  #expected = 0;
  #flushScheduled = false;
  /** Writes to the socket that it took, at least in part. */
  #flushed = 0;
  #cancelling = false;
  #isSpent = false;
  #closedBy: Error | null = null;
  #isClosing = false;
  #listener: ((channel: string, payload: string) => void) | null = null;
  readonly #onClose: (connection: Connection) => void;
  readonly #onFree: () => void;
  /** When the oldest batch in flight began to run; 0 when idle. Milliseconds of performance.now(). */
  headSince = 0;
  lastUsed = performance.now();
  readonly #openedAt = performance.now();

  private constructor(
    target: Target,
    opened: OpenedSocket,
    onClose: (connection: Connection) => void,
    onFree: () => void,
  ) {
    this.#target = target;
    this.#opened = opened;
    this.#onClose = onClose;
    this.#onFree = onFree;
    const reader = new MessageReader((type, data, start, end) => this.#receive(type, data, start, end), {
      large: limits.tailBytes.default,
      onLarge: (type, start) => this.#receiveLarge(type, start),
      max: limits.resultBytes.default,
      onTooLarge: () => this.#refuseTooLarge(),
    });
    opened.socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (error) {
        this.#fail(new ConnectionError('the database sent what cannot be read', { cause: error }));
      }
    });
    opened.socket.on('error', (error: Error) => this.#fail(closedSilently(error.message, error)));
    opened.socket.on('close', () => this.#fail(closedSilently('the database closed the connection')));
    // Ended while it was handed over: nobody would hear of it any more.
    if (opened.socket.destroyed) this.#fail(closedSilently('the database closed the connection'));
  }

  /**
   * Opens a connection. If the server has no free slot, closes the idle connections of this process and retries once. Throws
   * ConnectionError, with a `sqlstate` if PostgreSQL refuses the login. `onFree` is called when a cancel request is over: the connection
   * may take more batches then.
   */
  static async open(
    target: Target,
    timeoutMilliseconds: number,
    onClose: (connection: Connection) => void = () => undefined,
    onFree: () => void = () => undefined,
  ): Promise<Connection> {
    const open = () => openSocket(target, timeoutMilliseconds);
    const opened = await open().catch(async (error: unknown) => {
      if (!isServerFull(error)) throw error;
      await makeRoom(timeoutMilliseconds);
      return open();
    });
    return new Connection(target, opened, onClose, onFree);
  }

  get isClosed(): boolean {
    return this.#closedBy !== null;
  }

  /** Batches that were sent and not answered yet. */
  get inFlight(): number {
    return this.#inFlight.length - this.#head;
  }

  /** For how long what is in flight is expected to run, in milliseconds. */
  get expectedMilliseconds(): number {
    return this.#expected;
  }

  /** False while a cancel request is on its way, as a batch sent now could be hit by it, and once the connection is spent. */
  get takesMore(): boolean {
    return !this.#cancelling && !this.#isSpent;
  }

  /**
   * True once a statement was cancelled while it was answering. PostgreSQL may then have been waiting for its answer to be read, and
   * forgets for the sake of the cancel what else it was asked for meanwhile: to let go of files, for which every DROP DATABASE of the
   * server waits (ProcessInterrupts() in postgres.c, WaitForProcSignalBarrier()). Only the end of the connection makes up for it.
   */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** Called for each NOTIFY on a channel that this connection listens to. */
  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#listener = listener;
  }

  /** Sends the statements before one Sync. Throws DatabaseError or ConnectionError; nothing of a failed batch is kept. */
  run(statements: readonly Statement[], options: BatchOptions = {}): Promise<Result[]> {
    return this.#send(options, (batch) => {
      for (const name of this.#prepared.takeEvicted()) this.#writer.closeStatement(name);
      for (const statement of statements) this.#writeStatement(statement, batch);
      this.#writer.sync();
    });
  }

  /** Sends a text of any number of statements by the simple query protocol. */
  script(
    sql: string,
    options: { maxRows?: number; copies?: readonly string[] | undefined; signal?: CancelSignal | undefined } = {},
  ): Promise<Result[]> {
    return this.#send(options, (batch) => {
      batch.isScript = true;
      this.#writer.query(sql);
    });
  }

  /** Asks the server to close the connection after the batches in flight. Destroys the socket if the server does not respond. */
  close(): void {
    if (this.#closedBy || this.#isClosing) return;
    this.#isClosing = true;
    this.#writer.terminate();
    this.#flush();
    this.#opened.socket.end();
    if (this.inFlight === 0) this.#abandonUnlessEnded();
  }

  /** Closes the connection as `close` does. Resolves once the socket is closed. */
  async end(): Promise<void> {
    if (this.#closedBy) return;
    const ended = new Promise((resolve) => this.#opened.socket.once('close', resolve));
    this.close();
    await ended;
  }

  /** Closes the connection at once, without a message to the server. Batches in flight fail with ConnectionError. */
  abandon(reason: string): void {
    this.#fail(new ConnectionError(reason));
  }

  /** A server process that is frozen, or a network that is silent, never closes its end. */
  #abandonUnlessEnded(): void {
    const timer = setTimeout(() => this.abandon('the server did not close the connection'), END_MILLISECONDS);
    this.#opened.socket.once('close', () => clearTimeout(timer));
  }

  #send(options: BatchOptions, write: (batch: Batch) => void): Promise<Result[]> {
    if (this.#closedBy) return Promise.reject(asNotKept(this.#closedBy));
    return new Promise((resolve, reject) => {
      const batch = new Batch(options, this.#flushed + 1, this.#cancelling, resolve, reject);
      const before = this.#writer.length;
      try {
        write(batch);
      } catch (error) {
        this.#writer.cutBackTo(before);
        for (const each of batch.prepared) if (each && !each.ready) this.#prepared.delete(each);
        reject(error);
        return;
      }
      if (this.inFlight === 0) this.headSince = performance.now();
      this.#inFlight.push(batch);
      this.#expected += options.expectedMilliseconds ?? 0;
      this.#scheduleFlush();
      if (options.signal) this.#cancelOnAbort(batch, options.signal);
    });
  }

  /** Returns true if the statement is sent without being parsed. */
  hasPrepared({ preparedFor, text }: Statement): boolean {
    return preparedFor !== undefined && this.#prepared.find(preparedFor, text)?.ready === true;
  }

  #writeStatement(statement: Statement, batch: Batch): void {
    const { text, params, preparedFor } = statement;
    if (preparedFor === undefined) {
      this.#writer.parse('', text);
      batch.prepared.push(null);
      this.#writer.bind('', params);
      this.#writer.describePortal();
      this.#writer.execute();
      return;
    }
    const known = this.#prepared.find(preparedFor, text);
    if (known?.ready && known.fields) {
      this.#writer.bind(known.name, params);
      this.#writer.execute();
      batch.prepared.push(known);
      return;
    }
    // While another batch prepares it, this one does without its name.
    const isBusy = known !== undefined && !known.ready;
    const prepared = isBusy ? null : (known ?? this.#prepared.add(preparedFor, text));
    if (!prepared?.ready) this.#writer.parse(prepared?.name ?? '', text);
    this.#writer.bind(prepared?.name ?? '', params);
    this.#writer.describePortal();
    this.#writer.execute();
    batch.prepared.push(prepared);
  }

  /** Once all that has just arrived was looked at: what it asks for goes out in one system call, and wakes the server once. */
  #scheduleFlush(): void {
    if (this.#flushScheduled) return;
    this.#flushScheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#flushScheduled = false;
    if (this.#writer.isEmpty || this.#closedBy) return;
    const { socket } = this.#opened;
    socket.write(this.#writer.take());
    // An error that is there by now (EPIPE) is of a socket that took nothing; a later one may follow on a part of it.
    if (socket.errored === null) this.#flushed++;
  }

  #receive(type: number, data: Buffer, start: number, end: number): void {
    if (type === 0x4e || type === 0x53) return; // notice, parameter status
    if (type === 0x41) {
      const channel = readString(data, start + 4);
      this.#listener?.(channel, readString(data, start + 4 + Buffer.byteLength(channel) + 1));
      return;
    }
    const batch = this.#inFlight[this.#head];
    if (!batch) {
      if (type === 0x45) this.#fail(startupOrShutdown(readErrorFields(data.subarray(start, end))));
      return;
    }
    if (type !== 0x45) batch.begun = true;
    switch (type) {
      case 0x44: // DataRow
        if (batch.addRow(data.subarray(start, end)) > limits.resultBytes.default) this.#refuseTooLarge();
        return;
      case 0x43: // CommandComplete
        batch.complete(data.toString('latin1', start, end - 1));
        return;
      case 0x49: // EmptyQueryResponse
        batch.complete('');
        return;
      case 0x31: // ParseComplete
        this.#markReady(batch);
        return;
      case 0x54: // RowDescription
        batch.fields = readFields(data, start);
        this.#describe(batch, batch.fields);
        return;
      case 0x6e: // NoData
        this.#describe(batch, noFields);
        return;
      case 0x32: // BindComplete
        batch.fields = this.#preparedOf(batch)?.fields ?? noFields;
        return;
      case 0x47: // CopyInResponse
        this.#sendCopyData(batch);
        return;
      case 0x45: // ErrorResponse
        this.#refuse(batch, readErrorFields(data.subarray(start, end)));
        return;
      case 0x5a: // ReadyForQuery
        this.#finish(batch);
        return;
      default: // CloseComplete, ParameterDescription, CopyOut data
        return;
    }
  }

  #sendCopyData(batch: Batch): void {
    const data = batch.options.copies?.[batch.copied++];
    if (data === undefined) this.#writer.copyFail('the data must follow the statement, from the next line on');
    else this.#writer.copyData(data);
    // The server ignores the Sync of the batch, which it has read while it waited for data.
    if (!batch.isScript) this.#writer.sync();
    this.#flush();
  }

  /** A message that is not there whole yet: the row whose last value the caller takes as it comes, or nothing special. */
  #receiveLarge(type: number, start: Buffer): LargeMessage {
    const batch = this.#inFlight[this.#head];
    if (type !== 0x44 || !batch?.takesTail) return 'whole';
    const row = readRowStart(start);
    if (row === null) return 'more';
    if (row.lastLength < limits.tailBytes.default) return 'whole';
    const { socket } = this.#opened;
    const tail = new Tail(row.lastLength, socket);
    batch.begun = true;
    batch.answerWithTail([...row.values, null], tail);
    return {
      skip: row.lastOffset,
      receive: (bytes) => tail.receive(bytes),
      end: () => tail.end(),
    };
  }

  /** Lets go of what has come of the answer, and stops the statement that gives it; its batch fails once it has ended. */
  #refuseTooLarge(): void {
    const batch = this.#inFlight[this.#head];
    if (!batch || batch.isTooLarge) return;
    batch.letGo();
    this.#cancel();
  }

  #preparedOf(batch: Batch): Prepared | null | undefined {
    return batch.prepared[batch.results.length];
  }

  #markReady(batch: Batch): void {
    const prepared = this.#preparedOf(batch);
    if (prepared) prepared.ready = true;
  }

  #describe(batch: Batch, fields: Result['fields']): void {
    const prepared = this.#preparedOf(batch);
    if (prepared) prepared.fields = fields;
  }

  #refuse(batch: Batch, fields: DatabaseErrorFields): void {
    batch.error = new DatabaseError(fields, batch.results.length);
    batch.error.strayCancel = fields.sqlstate === '57014' && batch.mayBeCancelled && !batch.options.signal?.aborted;
    // Statements that this batch failed to prepare, or whose plan is stale, must be prepared again.
    for (const prepared of batch.prepared.slice(batch.results.length)) {
      if (!prepared) continue;
      const stale = fields.sqlstate === '0A000' || fields.sqlstate === '26000';
      if (prepared.ready && stale) batch.error.stalePlan = true;
      if (!prepared.ready || stale) this.#prepared.delete(prepared);
    }
    if (fields.severity === 'FATAL' || fields.severity === 'PANIC') this.#fail(startupOrShutdown(fields));
  }

  #finish(batch: Batch): void {
    this.#inFlight[this.#head] = undefined as unknown as Batch;
    this.#head++;
    if (this.#head === this.#inFlight.length) {
      this.#inFlight.length = 0;
      this.#head = 0;
    } else if (this.#head > 256) {
      this.#inFlight.splice(0, this.#head);
      this.#head = 0;
    }
    const { onTimed, expectedMilliseconds } = batch.options;
    const now = performance.now();
    // A tail takes as long as the client does.
    if (batch.tail === null) onTimed?.(now - this.headSince);
    this.lastUsed = now;
    const left = this.inFlight;
    this.headSince = left > 0 ? now : 0;
    if (left === 0 && this.#isClosing) this.#abandonUnlessEnded();
    this.#expected = left > 0 ? this.#expected - (expectedMilliseconds ?? 0) : 0;
    if (batch.isTooLarge) batch.fail(new ResultTooLargeError());
    else if (batch.error) batch.fail(batch.error);
    else batch.succeed();
  }

  #cancel(): void {
    if (this.#cancelling) return;
    this.#cancelling = true;
    const given = this.#inFlight.slice(this.#head);
    for (const batch of given) batch.mayBeCancelled = true;
    if (given[0]?.begun) this.#isSpent = true;
    void requestCancel(this.#target, this.#opened.processId, this.#opened.secretKey).then(() => {
      this.#cancelling = false;
      this.#onFree();
    });
  }

  #cancelOnAbort(batch: Batch, signal: CancelSignal): void {
    const onAbort = () => {
      // Only what is running now can be cancelled: the server has no way to name a batch behind it.
      if (this.#inFlight[this.#head] === batch) this.#cancel();
    };
    if (signal.aborted) {
      onAbort();
      return;
    }
    batch.onAbort = onAbort;
    signal.addEventListener('abort', onAbort);
  }

  #fail(error: Error): void {
    if (this.#closedBy) return;
    this.#closedBy = error;
    if (error instanceof ConnectionError) {
      error.session = { processId: this.#opened.processId, openedAt: this.#openedAt };
    }
    this.#opened.socket.destroy();
    const lost = this.#inFlight.splice(0).slice(this.#head);
    this.#head = 0;
    const isUndone = isEnded(error) && performance.now() - this.headSince < JUST_BEGUN_MILLISECONDS;
    for (const batch of lost) {
      const isNeverBegun = batch.flush > this.#flushed || (isEnded(error) && !batch.begun);
      batch.fail(isNeverBegun || isUndone ? asNotKept(error) : error);
    }
    this.#onClose(this);
  }
}

/** A FATAL error ends the connection: for the caller the database went away, with this as the reason. */
function startupOrShutdown(fields: DatabaseErrorFields): ConnectionError {
  return new ConnectionError(fields.message, { cause: new DatabaseError(fields) });
}

function closedSilently(message: string, cause?: Error): ConnectionError {
  const error = new ConnectionError(message, { cause });
  error.closedSilently = true;
  return error;
}

/** SQLSTATEs of a connection that is ended from outside: by an administrator, or by an idle timeout of the database or role. */
const endings: readonly (string | null)[] = ['57P01', '57P05'];

/**
 * The server said that it ends the connection, before it said that the batch is done. A batch to which nothing was answered was then
 * never looked at, as the server flushes what it has done first. Any other was not committed: PostgreSQL takes no notice of the request
 * while it commits (HOLD_INTERRUPTS in xact.c), nor from there until it says ReadyForQuery.
 */
const isEnded = (error: Error): boolean => error instanceof ConnectionError && endings.includes(error.sqlstate);

function asNotKept(error: Error): ConnectionError {
  const notKept = new ConnectionError(error.message, { cause: error.cause });
  notKept.nothingKept = true;
  if (error instanceof ConnectionError) {
    notKept.closedSilently = error.closedSilently;
    notKept.session = error.session;
  }
  return notKept;
}
