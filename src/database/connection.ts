import { limits } from '../../contract/limits.ts';
import { ConnectionError, DatabaseError, type DatabaseErrorFields, ResultTooLargeError } from './database-error.ts';
import { type OpenedSocket, openSocket, requestCancel } from './handshake.ts';
import { MessageReader, readErrorFields, readFields, readRow, readString } from './reader.ts';
import type { Result, Statement } from './statement.ts';
import type { Target } from './target.ts';
import { MessageWriter } from './writer.ts';

/** One write that ends in one Sync, and the answers that belong to it. */
interface Batch {
  /** Name of each statement that this batch prepares, by the order of its Parse; '' for unnamed ones. */
  readonly preparing: string[];
  readonly results: Result[];
  fields: Result['fields'];
  rows: (Buffer | null)[][];
  rowCount: number;
  /** Rows of each result that are kept. */
  readonly maxRows: number;
  /** Of the rows kept so far. */
  bytes: number;
  isTooLarge: boolean;
  error: DatabaseError | null;
  signal: AbortSignal | undefined;
  /** True once the server has answered anything to it. */
  begun: boolean;
  /** Told how long the batch ran in the database, waiting behind others not counted, in milliseconds. */
  onTimed: ((milliseconds: number) => void) | undefined;
  resolve: (results: Result[]) => void;
  reject: (error: Error) => void;
}

interface Prepared {
  readonly name: string;
  /** False until ParseComplete: a batch behind it must not rely on it, as the Parse may yet fail. */
  ready: boolean;
  /** From the first execution; a prepared statement is described once. */
  fields: Result['fields'] | null;
}

const MAX_PREPARED = 400;
const noFields: Result['fields'] = [];

/**
 * One connection, with several batches in flight: each batch is one implicit transaction, PostgreSQL answers them in
 * order, and no batch waits for the answer to the one before it.
 */
export class Connection {
  readonly #target: Target;
  readonly #opened: OpenedSocket;
  readonly #writer = new MessageWriter();
  readonly #inFlight: Batch[] = [];
  readonly #prepared = new Map<string, Prepared>();
  readonly #evicted: string[] = [];
  #head = 0;
  #nameCount = 0;
  #flushScheduled = false;
  #cancelling = false;
  #closedBy: Error | null = null;
  #listener: ((channel: string, payload: string) => void) | null = null;
  readonly #onClose: (connection: Connection) => void;
  /** When the oldest batch in flight began to run; 0 when idle. Milliseconds of performance.now(). */
  headSince = 0;
  lastUsed = performance.now();

  private constructor(target: Target, opened: OpenedSocket, onClose: (connection: Connection) => void) {
    this.#target = target;
    this.#opened = opened;
    this.#onClose = onClose;
    const reader = new MessageReader(
      (type, body) => this.#receive(type, body),
      limits.resultBytes.default,
      () => this.#refuseTooLarge(),
    );
    opened.socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (error) {
        this.#fail(new ConnectionError('the database sent what cannot be read', { cause: error }));
      }
    });
    opened.socket.on('error', (error: Error) => this.#fail(new ConnectionError(error.message, { cause: error })));
    opened.socket.on('close', () => this.#fail(new ConnectionError('the database closed the connection')));
  }

  /** Throws DatabaseError where PostgreSQL refuses the login, ConnectionError where it cannot be reached. */
  static async open(
    target: Target,
    timeoutMilliseconds: number,
    onClose: (connection: Connection) => void = () => undefined,
  ): Promise<Connection> {
    return new Connection(target, await openSocket(target, timeoutMilliseconds), onClose);
  }

  get isClosed(): boolean {
    return this.#closedBy !== null;
  }

  /** Batches that were sent and not answered yet. */
  get inFlight(): number {
    return this.#inFlight.length - this.#head;
  }

  /** True while a cancel request is on its way: a batch sent now could be hit by it. */
  get isCancelling(): boolean {
    return this.#cancelling;
  }

  /** Called for each NOTIFY on a channel that this connection listens to. */
  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#listener = listener;
  }

  /** Sends the statements before one Sync. Throws DatabaseError or ConnectionError; nothing of a failed batch is kept. */
  run(
    statements: readonly Statement[],
    signal?: AbortSignal,
    onTimed?: (milliseconds: number) => void,
  ): Promise<Result[]> {
    return this.#send(
      (batch) => {
        for (const name of this.#evicted.splice(0)) this.#writer.closeStatement(name);
        for (const statement of statements) this.#writeStatement(statement, batch);
        this.#writer.sync();
      },
      signal,
      onTimed,
    );
  }

  /** Sends a text of any number of statements by the simple query protocol. */
  script(sql: string, maxRows: number, signal?: AbortSignal): Promise<Result[]> {
    return this.#send(() => this.#writer.query(sql), signal, undefined, maxRows);
  }

  /** Ends the connection in order; what is in flight is answered first. */
  close(): void {
    if (this.#closedBy) return;
    this.#writer.terminate();
    this.#flush();
    this.#opened.socket.end();
  }

  #send(
    write: (batch: Batch) => void,
    signal?: AbortSignal,
    onTimed?: (milliseconds: number) => void,
    maxRows = Number.POSITIVE_INFINITY,
  ): Promise<Result[]> {
    if (this.#closedBy) return Promise.reject(neverSent(this.#closedBy));
    return new Promise((resolve, reject) => {
      const batch: Batch = {
        preparing: [],
        results: [],
        fields: noFields,
        rows: [],
        rowCount: 0,
        maxRows,
        bytes: 0,
        isTooLarge: false,
        error: null,
        signal,
        begun: false,
        onTimed,
        resolve,
        reject,
      };
      const before = this.#writer.length;
      try {
        write(batch);
      } catch (error) {
        this.#writer.cutBackTo(before);
        for (const key of batch.preparing) if (key && !this.#prepared.get(key)?.ready) this.#prepared.delete(key);
        reject(error);
        return;
      }
      if (this.inFlight === 0) this.headSince = performance.now();
      this.#inFlight.push(batch);
      this.#scheduleFlush();
      if (signal) this.#cancelOnAbort(batch, signal);
    });
  }

  #writeStatement(statement: Statement, batch: Batch): void {
    const { text, params, preparedFor } = statement;
    if (preparedFor === undefined) {
      this.#writer.parse('', text);
      batch.preparing.push('');
      this.#writer.bind('', params);
      this.#writer.describePortal();
      this.#writer.execute();
      return;
    }
    const key = `${preparedFor}\n${text}`;
    const known = this.#prepared.get(key);
    if (known?.ready && known.fields) {
      this.#writer.bind(known.name, params);
      this.#writer.execute();
      batch.preparing.push(key);
      return;
    }
    let name = '';
    if (!known) {
      name = `s${++this.#nameCount}`;
      this.#remember(key, { name, ready: false, fields: null });
    } else if (known.ready) {
      name = known.name;
    }
    if (!known?.ready) this.#writer.parse(name, text);
    this.#writer.bind(name, params);
    this.#writer.describePortal();
    this.#writer.execute();
    batch.preparing.push(name === '' ? '' : key);
  }

  #remember(key: string, prepared: Prepared): void {
    this.#prepared.set(key, prepared);
    if (this.#prepared.size <= MAX_PREPARED) return;
    for (const [oldest, statement] of this.#prepared) {
      if (!statement.ready || oldest === key) continue;
      this.#prepared.delete(oldest);
      this.#evicted.push(statement.name);
      return;
    }
  }

  #scheduleFlush(): void {
    if (this.#flushScheduled) return;
    this.#flushScheduled = true;
    process.nextTick(() => this.#flush());
  }

  #flush(): void {
    this.#flushScheduled = false;
    if (!this.#writer.isEmpty && !this.#closedBy) this.#opened.socket.write(this.#writer.take());
  }

  #receive(type: number, body: Buffer): void {
    if (type === 0x4e || type === 0x53) return; // notice, parameter status
    if (type === 0x41) {
      const channel = readString(body, 4);
      this.#listener?.(channel, readString(body, 4 + Buffer.byteLength(channel) + 1));
      return;
    }
    const batch = this.#inFlight[this.#head];
    if (!batch) {
      if (type === 0x45) this.#fail(startupOrShutdown(readErrorFields(body)));
      return;
    }
    if (type !== 0x45) batch.begun = true;
    switch (type) {
      case 0x44: // DataRow
        if (batch.rowCount++ < batch.maxRows) this.#keepRow(batch, body);
        return;
      case 0x43: // CommandComplete
        this.#complete(batch, readString(body));
        return;
      case 0x49: // EmptyQueryResponse
        this.#complete(batch, '');
        return;
      case 0x31: // ParseComplete
        this.#markReady(batch);
        return;
      case 0x54: // RowDescription
        batch.fields = readFields(body);
        this.#describe(batch, batch.fields);
        return;
      case 0x6e: // NoData
        this.#describe(batch, noFields);
        return;
      case 0x32: // BindComplete
        batch.fields = this.#preparedOf(batch)?.fields ?? noFields;
        return;
      case 0x47: // CopyInResponse: there is nothing to copy from
        this.#writer.copyFail('COPY FROM STDIN is not possible here');
        this.#flush();
        return;
      case 0x45: // ErrorResponse
        this.#refuse(batch, readErrorFields(body));
        return;
      case 0x5a: // ReadyForQuery
        this.#finish(batch);
        return;
      default: // CloseComplete, ParameterDescription, CopyOut data
        return;
    }
  }

  #keepRow(batch: Batch, body: Buffer): void {
    batch.bytes += body.length;
    if (batch.bytes > limits.resultBytes.default) this.#refuseTooLarge();
    else batch.rows.push(readRow(body));
  }

  /** Lets go of what has come of the answer, and stops the statement that gives it; its batch fails once it has ended. */
  #refuseTooLarge(): void {
    const batch = this.#inFlight[this.#head];
    if (!batch || batch.isTooLarge) return;
    batch.isTooLarge = true;
    batch.rows = [];
    this.#cancel();
  }

  #preparedOf(batch: Batch): Prepared | undefined {
    const key = batch.preparing[batch.results.length];
    return key ? this.#prepared.get(key) : undefined;
  }

  #markReady(batch: Batch): void {
    const prepared = this.#preparedOf(batch);
    if (prepared) prepared.ready = true;
  }

  #describe(batch: Batch, fields: Result['fields']): void {
    const prepared = this.#preparedOf(batch);
    if (prepared) prepared.fields = fields;
  }

  #complete(batch: Batch, command: string): void {
    const { fields, rows, rowCount } = batch;
    batch.results.push({ fields, rows, command, rowCount, at: performance.now() });
    batch.fields = noFields;
    batch.rows = [];
    batch.rowCount = 0;
  }

  #refuse(batch: Batch, fields: DatabaseErrorFields): void {
    batch.error = new DatabaseError(fields, batch.results.length);
    batch.error.strayCancel = fields.sqlstate === '57014' && this.#cancelling && !batch.signal?.aborted;
    // What this batch meant to prepare and did not, or can no longer be used, must be prepared anew.
    for (const key of batch.preparing.slice(batch.results.length)) {
      const prepared = key ? this.#prepared.get(key) : undefined;
      if (!prepared) continue;
      const stale = fields.sqlstate === '0A000' || fields.sqlstate === '26000';
      if (!prepared.ready || stale) {
        this.#prepared.delete(key);
        if (prepared.ready) {
          this.#evicted.push(prepared.name);
          batch.error.stalePlan = true;
        }
      }
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
    const now = performance.now();
    batch.onTimed?.(now - this.headSince);
    this.lastUsed = now;
    this.headSince = this.inFlight > 0 ? now : 0;
    if (batch.isTooLarge) batch.reject(new ResultTooLargeError());
    else if (batch.error) batch.reject(batch.error);
    else batch.resolve(batch.results);
  }

  #cancel(): void {
    if (this.#cancelling) return;
    this.#cancelling = true;
    void requestCancel(this.#target, this.#opened.processId, this.#opened.secretKey).then(() => {
      this.#cancelling = false;
    });
  }

  #cancelOnAbort(batch: Batch, signal: AbortSignal): void {
    const onAbort = () => {
      // Only what is running now can be cancelled: the server has no way to name a batch behind it.
      if (this.#inFlight[this.#head] === batch) this.#cancel();
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    const done = () => signal.removeEventListener('abort', onAbort);
    const { resolve, reject } = batch;
    batch.resolve = (results) => {
      done();
      resolve(results);
    };
    batch.reject = (error) => {
      done();
      reject(error);
    };
  }

  #fail(error: Error): void {
    if (this.#closedBy) return;
    this.#closedBy = error;
    this.#opened.socket.destroy();
    const lost = this.#inFlight.splice(0).slice(this.#head);
    this.#head = 0;
    for (const batch of lost) batch.reject(batch.begun ? error : asUnbegun(error));
    this.#onClose(this);
  }
}

/** A FATAL error ends the connection: for the caller the database went away, with this as the reason. */
function startupOrShutdown(fields: DatabaseErrorFields): ConnectionError {
  return new ConnectionError(fields.message, { cause: new DatabaseError(fields) });
}

/**
 * For a batch to which nothing was answered. Where an administrator ended the connection (SQLSTATE 57P01), it was never looked at:
 * the server flushes what it has done before it says so.
 */
function asUnbegun(error: Error): Error {
  const isEnded = error.cause instanceof DatabaseError && error.cause.sqlstate === '57P01';
  return isEnded ? neverSent(error) : error;
}

function neverSent(error: Error): ConnectionError {
  const unbegun = new ConnectionError(error.message, { cause: error.cause });
  unbegun.neverBegun = true;
  return unbegun;
}
