import { setTimeout as wait } from 'node:timers/promises';
import type { CancelSignal } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import { exceedsRescans } from '../../contract/sql-rescans.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { Batch, type BatchOptions, noFields } from './batch.ts';
import type { ConnectionConfig } from './connection-config.ts';
import {
  asSafeToRetry,
  ConnectionError,
  DatabaseError,
  type DatabaseErrorFields,
  isServerFull,
  ResultTooLargeError,
} from './database-error.ts';
import { type OpenedSocket, openSocket, requestCancel } from './handshake.ts';
import { type LargeMessage, MessageReader, readErrorFields, readFields, readRowStart, readString } from './reader.ts';
import { type Prepared, PreparedStatements, type Result, type Statement } from './statement.ts';
import { StreamedValue } from './streamed-value.ts';
import { MessageWriter } from './writer.ts';

/** The status byte in a ReadyForQuery message outside of a transaction block. */
const IDLE = 0x49;

/**
 * A batch that an administrator ends within this time after its start is retried. If a person ends a statement on
 * purpose, it has run for longer than this, because the person has seen it run. Such a statement must not run a second
 * time. If less time has passed, the connection itself was ended while it was idle, for example to copy the database.
 */
const JUST_BEGUN_MILLISECONDS = 1000;

/**
 * Pauses in ms before the attempts to log in while the server has no free slot. A login that PostgreSQL will refuse, because
 * its role has too many connections, also occupies a slot until its password is checked.
 */
const FULL_PAUSES = [0, 100, 300, 600];

/** How long the server may take to close an idle connection before this process destroys the socket. */
const END_MILLISECONDS = 2000;

/**
 * A PostgreSQL connection that can have several batches in flight. Each batch is one implicit transaction. PostgreSQL
 * responds in order, and a batch is sent without waiting for the responses to previous batches.
 */
export class Connection {
  readonly #target: ConnectionConfig;
  readonly #opened: OpenedSocket;
  readonly #writer = new MessageWriter();
  readonly #inFlight: Batch[] = [];
  readonly #prepared = new PreparedStatements();
  #head = 0;
  #expected = 0;
  #flushScheduled = false;
  /** Number of socket writes that the socket accepted at least in part. */
  #flushed = 0;
  #cancelling = false;
  #isSpent = false;
  /** Names of the reported settings whose values differ from those after the login. */
  readonly #changedSettings = new Set<string>();
  #closedBy: Error | null = null;
  #isClosing = false;
  #listener: ((channel: string, payload: string) => void) | null = null;
  readonly #onClose: (connection: Connection) => void;
  readonly #onFree: () => void;
  /** Start of the oldest batch in flight, in milliseconds of performance.now(); 0 if the connection is idle. */
  oldestStartedAt = 0;
  lastUsed = performance.now();
  readonly #openedAt = performance.now();
  readonly #leaveServer: () => void;

  private constructor(
    target: ConnectionConfig,
    opened: OpenedSocket,
    onClose: (connection: Connection) => void,
    onFree: () => void,
  ) {
    this.#target = target;
    this.#opened = opened;
    this.#onClose = onClose;
    this.#onFree = onFree;
    this.#leaveServer = target.serverState.addConnection(opened.host, (reason) => this.abandon(reason));
    const reader = new MessageReader((type, data, start, end) => this.#receive(type, data, start, end), {
      large: limits.streamedBodyBytes.default,
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
    // The socket may have been destroyed before the listeners above were registered. No further event would report
    // this.
    if (opened.socket.destroyed) this.#fail(closedSilently('the database closed the connection'));
  }

  /**
   * Opens a connection. If the server has no free slot, closes the idle connections of this process and retries a few times.
   * @param onFree Called when a cancel request has completed, so that the connection accepts batches.
   * @throws ConnectionError with a `sqlstate` if PostgreSQL refuses the login.
   */
  static async open(
    target: ConnectionConfig,
    timeoutMilliseconds: number,
    onClose: (connection: Connection) => void = () => undefined,
    onFree: () => void = () => undefined,
  ): Promise<Connection> {
    const opened = await openOnceFree(target, timeoutMilliseconds);
    return new Connection(target, opened, onClose, onFree);
  }

  get isClosed(): boolean {
    return this.#closedBy !== null;
  }

  /** Number of batches that were sent and have no complete response. */
  get inFlight(): number {
    return this.#inFlight.length - this.#head;
  }

  /** Sum of the expected durations of the batches in flight, in milliseconds. */
  get expectedMilliseconds(): number {
    return this.#expected;
  }

  /**
   * False while a cancel request is under way, because the request could cancel a batch that is sent in the meantime.
   * Also false if `mustClose`.
   */
  get canAcceptBatch(): boolean {
    return !this.#cancelling && !this.#isSpent;
  }

  /**
   * True if the connection must be closed after its batches: a statement was cancelled while its result was being sent,
   * or a setting of the session changed. After such a cancel PostgreSQL may drop other pending interrupts, such as the
   * request to close files, and every DROP DATABASE of the server waits for that (ProcessInterrupts() in postgres.c,
   * WaitForProcSignalBarrier()). Only closing the connection resolves this.
   */
  get mustClose(): boolean {
    return this.#isSpent;
  }

  /** Sets the function that receives each NOTIFY on a channel that this connection listens to. */
  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#listener = listener;
  }

  /**
   * Sends statements before one Sync. If a statement fails, PostgreSQL rolls the whole batch back.
   * @throws DatabaseError
   * @throws ConnectionError
   * @throws ResultTooLargeError
   */
  run(statements: readonly Statement[], options: BatchOptions = {}): Promise<Result[]> {
    return this.#send(options, (batch) => {
      for (const name of this.#prepared.takeEvicted()) this.#writer.closeStatement(name);
      for (const statement of statements) this.#writeStatement(statement, batch);
      this.#writer.sync();
    });
  }

  /**
   * Sends SQL text with any number of statements with the simple query protocol.
   * @throws NinefoldError sql_too_complex
   */
  script(
    sql: string,
    options: { maxRows?: number; copies?: readonly string[] | undefined; signal?: CancelSignal | undefined } = {},
  ): Promise<Result[]> {
    if (exceedsRescans(sql)) return Promise.reject(new NinefoldError('sql_too_complex'));
    return this.#send(options, (batch) => {
      batch.isScript = true;
      this.#writer.query(sql);
    });
  }

  /**
   * Asks the server to close the connection after the batches in flight. Destroys the socket if the server does not
   * respond.
   */
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

  /**
   * Destroys the socket if the server does not close it in time, for example because its process is frozen or the
   * network is down.
   */
  #abandonUnlessEnded(): void {
    const timer = setTimeout(() => this.abandon('the server did not close the connection'), END_MILLISECONDS);
    this.#opened.socket.once('close', () => clearTimeout(timer));
  }

  #send(options: BatchOptions, write: (batch: Batch) => void): Promise<Result[]> {
    if (this.#closedBy) return Promise.reject(asSafeToRetry(this.#closedBy));
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
      if (this.inFlight === 0) this.oldestStartedAt = performance.now();
      this.#inFlight.push(batch);
      this.#expected += options.expectedMilliseconds ?? 0;
      this.#scheduleFlush();
      if (options.signal) this.#cancelOnAbort(batch, options.signal);
    });
  }

  /**
   * Returns true if the statement is already prepared on this connection, so that it is sent without a Parse message.
   */
  hasPrepared({ planKey, text }: Statement): boolean {
    return planKey !== undefined && this.#prepared.find(planKey, text)?.ready === true;
  }

  #writeStatement(statement: Statement, batch: Batch): void {
    const { text, params, planKey } = statement;
    if (planKey === undefined) {
      this.#writer.parse('', text);
      batch.prepared.push(null);
      this.#writer.bind('', params);
      this.#writer.describePortal();
      this.#writer.execute();
      return;
    }
    const known = this.#prepared.find(planKey, text);
    if (known?.ready && known.fields) {
      this.#writer.bind(known.name, params);
      this.#writer.execute();
      batch.prepared.push(known);
      return;
    }
    // If another batch is preparing the statement at the moment, this batch uses the unnamed statement.
    const isBusy = known !== undefined && !known.ready;
    const prepared = isBusy ? null : (known ?? this.#prepared.add(planKey, text));
    if (!prepared?.ready) this.#writer.parse(prepared?.name ?? '', text);
    this.#writer.bind(prepared?.name ?? '', params);
    this.#writer.describePortal();
    this.#writer.execute();
    batch.prepared.push(prepared);
  }

  /**
   * Flushes after all messages that just arrived were processed. The batches that callers send in response then go out
   * in one system call, and wake the server only once.
   */
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
    // If the socket already has an error (EPIPE), nothing was sent, so this write does not count. If the error comes
    // later, a part may have been sent, so the write counts.
    if (socket.errored === null) this.#flushed++;
  }

  #receive(type: number, data: Buffer, start: number, end: number): void {
    if (type === 0x4e) return; // NoticeResponse
    if (type === 0x53) {
      const name = readString(data, start);
      this.#onSettingReported(name, readString(data, start + Buffer.byteLength(name) + 1));
      return;
    }
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
    if (type !== 0x45) batch.hasResponse = true;
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
        if (this.#changedSettings.size > 0 && data[start] === IDLE) this.#isSpent = true;
        this.#finish(batch);
        return;
      default: // CloseComplete, ParameterDescription, CopyOut data
        return;
    }
  }

  /**
   * Handles ParameterStatus: a reported setting has changed (PostgreSQL manual, "Asynchronous Operations"). PostgreSQL
   * also reports the change back when the transaction ends. If the new value outlasts the transaction, the connection
   * is closed: with this setting, code of an app could prevent Ninefold's next statements from writing, or change what
   * they mean. Sessions of the app's owner may change their settings.
   */
  #onSettingReported(name: string, value: string): void {
    if (this.#target.obeysDatabase) return;
    if (this.#opened.reportedSettings.get(name) === value) this.#changedSettings.delete(name);
    else this.#changedSettings.add(name);
    if (this.inFlight > 0 || this.#changedSettings.size === 0) return;
    this.#isSpent = true;
    this.close();
  }

  #sendCopyData(batch: Batch): void {
    const data = batch.options.copies?.[batch.copied++];
    if (data === undefined) this.#writer.copyFail('the data must follow the statement, from the next line on');
    else this.#writer.copyData(data);
    // The server ignores the Sync that was sent with this batch, because it read the Sync while it waited for COPY data
    // (PostgreSQL manual, "COPY Operations"). So another Sync is sent.
    if (!batch.isScript) this.#writer.sync();
    this.#flush();
  }

  /**
   * Decides how to read a message that has not arrived completely: streams the last value of a row if the caller wants
   * that.
   */
  #receiveLarge(type: number, start: Buffer): LargeMessage {
    const batch = this.#inFlight[this.#head];
    if (type !== 0x44 || !batch?.canStream) return 'whole';
    const row = readRowStart(start);
    if (row === null) return 'more';
    if (row.lastLength < limits.streamedBodyBytes.default) return 'whole';
    const { socket } = this.#opened;
    const stream = new StreamedValue(row.lastLength, socket);
    batch.hasResponse = true;
    batch.options.onTimed?.(performance.now() - this.oldestStartedAt);
    batch.respondWithStream([...row.values, null], stream);
    return {
      skip: row.lastOffset,
      receive: (bytes) => stream.receive(bytes),
      end: () => stream.end(),
    };
  }

  /** Discards the rows that have arrived and cancels the statement. The batch fails when the statement has ended. */
  #refuseTooLarge(): void {
    const batch = this.#inFlight[this.#head];
    if (!batch || batch.isTooLarge) return;
    batch.discardRows();
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
    // The duration of a streamed value depends on the client, so only the time until its first bytes is recorded.
    if (batch.stream === null) onTimed?.(now - this.oldestStartedAt);
    this.lastUsed = now;
    const left = this.inFlight;
    this.oldestStartedAt = left > 0 ? now : 0;
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
    if (given[0]?.hasResponse) this.#isSpent = true;
    void requestCancel(this.#target.address, this.#opened).then(() => {
      this.#cancelling = false;
      this.#onFree();
    });
  }

  #cancelOnAbort(batch: Batch, signal: CancelSignal): void {
    const onAbort = () => {
      // A cancel request always affects the statement that is running, because the protocol cannot name a queued batch.
      // So it is sent only if this batch is running.
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
    this.#leaveServer();
    if (error instanceof ConnectionError) {
      error.session = { processId: this.#opened.processId, openedAt: this.#openedAt };
    }
    this.#opened.socket.destroy();
    const lost = this.#inFlight.splice(0).slice(this.#head);
    this.#head = 0;
    const isUndone = isEnded(error) && performance.now() - this.oldestStartedAt < JUST_BEGUN_MILLISECONDS;
    for (const batch of lost) {
      const isNeverBegun = batch.flush > this.#flushed || (isEnded(error) && !batch.hasResponse);
      batch.fail(isNeverBegun || isUndone ? asSafeToRetry(error) : error);
    }
    this.#onClose(this);
  }
}

/**
 * Returns the error for callers after a FATAL error of the server, which ends the connection. Its `cause` has the
 * server's fields.
 */
function startupOrShutdown(fields: DatabaseErrorFields): ConnectionError {
  return new ConnectionError(fields.message, { cause: new DatabaseError(fields) });
}

function closedSilently(message: string, cause?: Error): ConnectionError {
  const error = new ConnectionError(message, { cause });
  error.closedSilently = true;
  return error;
}

/** SQLSTATEs of a connection that an administrator or an idle timeout of the database or role ended. */
const endings: readonly (string | null)[] = ['57P01', '57P05'];

/**
 * Returns true if the server reported that it ends the connection. If the server sent nothing for a batch, it did not
 * run the batch, because it would have sent the completed results first. Any other batch in flight was not committed:
 * PostgreSQL defers the request from the start of a commit (HOLD_INTERRUPTS in xact.c) until it sends ReadyForQuery.
 */
const isEnded = (error: Error): boolean => error instanceof ConnectionError && endings.includes(error.sqlstate);

async function openOnceFree(target: ConnectionConfig, timeoutMilliseconds: number): Promise<OpenedSocket> {
  for (const pause of FULL_PAUSES) {
    try {
      return await openSocket(target, timeoutMilliseconds);
    } catch (error) {
      if (!isServerFull(error)) throw error;
    }
    await target.serverState.closeIdleConnections(timeoutMilliseconds);
    await wait(pause);
  }
  return openSocket(target, timeoutMilliseconds);
}
