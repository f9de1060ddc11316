import type { CancelSignal } from '../../contract/call-request.ts';
import type { DatabaseError } from './database-error.ts';
import { readRow } from './reader.ts';
import type { Prepared, Result } from './statement.ts';
import type { StreamedValue } from './streamed-value.ts';

/** Options of one batch that a connection sends. */
export interface BatchOptions {
  /** Cancels the batch in the database when it aborts while the batch runs. */
  signal?: CancelSignal | undefined;
  /** Expected duration in milliseconds; 0 by default. */
  expectedMilliseconds?: number;
  /**
   * Called with the time in milliseconds that the database spent on the batch. The time that the batch waited behind
   * other batches is not included.
   */
  onTimed?: (milliseconds: number) => void;
  /** Index of the statement whose last value may be streamed (`Result.stream`); by default none. */
  streamStatement?: number | null | undefined;
  /** Maximum number of rows that each result retains; all by default. */
  maxRows?: number;
  /** The data of each COPY … FROM STDIN, in order. */
  copies?: readonly string[] | undefined;
}

/** Messages that are sent with one Sync, together with the responses of the server to them. */
export class Batch {
  readonly options: BatchOptions;
  /** Number of the socket write that sends this batch to the server. */
  readonly flush: number;
  /** The prepared statement of each statement of this batch, in order; null for an unnamed statement. */
  readonly prepared: (Prepared | null)[] = [];
  readonly results: Result[] = [];
  fields: Result['fields'] = noFields;
  error: DatabaseError | null = null;
  /** The value that is being streamed to the caller. */
  stream: StreamedValue | null = null;
  /** Number of entries of `options.copies` that were sent to the server. */
  copied = 0;
  /** True for SQL text that is sent with the simple query protocol. */
  isScript = false;
  /** True after the server has sent the first message in response to this batch. */
  hasResponse = false;
  isTooLarge = false;
  /**
   * True if a cancel request was under way while the server had this batch. The request may cancel this batch instead
   * of the intended one.
   */
  mayBeCancelled: boolean;
  /** Listener on `options.signal`. */
  onAbort: (() => void) | null = null;
  #rows: Buffer[] = [];
  #rowCount = 0;
  #bytes = 0;
  readonly #resolve: (results: Result[]) => void;
  readonly #reject: (error: Error) => void;

  constructor(
    options: BatchOptions,
    flush: number,
    mayBeCancelled: boolean,
    resolve: (results: Result[]) => void,
    reject: (error: Error) => void,
  ) {
    this.options = options;
    this.flush = flush;
    this.mayBeCancelled = mayBeCancelled;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** True if the next row may be streamed before all of its bytes have arrived. */
  get canStream(): boolean {
    return this.options.streamStatement === this.results.length && this.#rowCount === 0 && this.error === null;
  }

  /**
   * Counts a row and stores it if the caller wants it.
   * @param body Body of the DataRow message.
   * @returns The number of bytes that the batch stores.
   */
  addRow(body: Buffer): number {
    this.#rowCount++;
    if (this.isTooLarge || this.#rowCount > (this.options.maxRows ?? Number.POSITIVE_INFINITY)) return this.#bytes;
    this.#bytes += body.length;
    this.#rows.push(body);
    return this.#bytes;
  }

  discardRows(): void {
    this.isTooLarge = true;
    this.#rows = [];
  }

  /**
   * Resolves the caller's promise while the last value of the row is still arriving. Does not wait for the results of
   * later statements.
   */
  respondWithStream(row: (Buffer | null)[], stream: StreamedValue): void {
    this.#rowCount = 1;
    this.stream = stream;
    const result: Result = {
      fields: this.fields,
      rows: [row],
      command: '',
      rowCount: 1,
      at: performance.now(),
      stream,
    };
    this.#stopListening();
    this.#resolve([...this.results, result]);
  }

  /** Stores the result of a statement that the server has completed. */
  complete(command: string): void {
    this.results.push(new CompleteResult(this.fields, this.#rows, command, this.#rowCount));
    this.fields = noFields;
    this.#rows = [];
    this.#rowCount = 0;
  }

  succeed(): void {
    this.#stopListening();
    this.#resolve(this.results);
    this.stream?.batchEnded();
  }

  fail(error: Error): void {
    this.#stopListening();
    this.stream?.destroy(error);
    this.#reject(error);
    this.stream?.batchEnded();
  }

  #stopListening(): void {
    if (this.onAbort) this.options.signal?.removeEventListener('abort', this.onAbort);
    this.onAbort = null;
  }
}

/** The complete result of a statement. Its rows are parsed when they are first read. */
class CompleteResult implements Result {
  readonly fields: Result['fields'];
  readonly command: string;
  readonly rowCount: number;
  readonly at = performance.now();
  readonly stream = null;
  readonly #bodies: readonly Buffer[];
  #rows: Result['rows'] | null = null;

  constructor(fields: Result['fields'], bodies: readonly Buffer[], command: string, rowCount: number) {
    this.fields = fields;
    this.#bodies = bodies;
    this.command = command;
    this.rowCount = rowCount;
  }

  get rows(): Result['rows'] {
    this.#rows ??= this.#bodies.map(readRow);
    return this.#rows;
  }
}

export const noFields: Result['fields'] = [];
