import type { CancelSignal } from '../../contract/exchange.ts';
import type { DatabaseError } from './database-error.ts';
import type { Prepared } from './prepared-statements.ts';
import { readRow } from './reader.ts';
import type { Result } from './statement.ts';
import type { Tail } from './tail.ts';

export interface BatchOptions {
  /** Cancels the batch in the database when it aborts while the batch runs. */
  signal?: CancelSignal | undefined;
  /** How long the batch is expected to run, in milliseconds; 0 when absent. */
  expectedMilliseconds?: number;
  /** Told how long the batch ran in the database, waiting behind others not counted, in milliseconds. */
  onTimed?: (milliseconds: number) => void;
  /** The statement that may answer with a tail (`Result.tail`), by its place; none when absent. */
  tailOf?: number | null | undefined;
  /** Rows of each result that are kept; all when absent. */
  maxRows?: number;
  /** The data of each COPY … FROM STDIN, in order. */
  copies?: readonly string[] | undefined;
}

/** One write that ends in one Sync, and the answers that belong to it. */
export class Batch {
  readonly options: BatchOptions;
  /** Which of the connection's writes to its socket brings it to the server. */
  readonly flush: number;
  /** Each statement that this batch executes, in order; null for what is not prepared by name. */
  readonly prepared: (Prepared | null)[] = [];
  readonly results: Result[] = [];
  fields: Result['fields'] = noFields;
  error: DatabaseError | null = null;
  /** Of the row that is being handed on. */
  tail: Tail | null = null;
  /** How many of `options.copies` were sent. */
  copied = 0;
  /** True for a text of statements that the simple query protocol carries. */
  isScript = false;
  /** True once the server has answered anything to it. */
  begun = false;
  isTooLarge = false;
  /** True where a cancel request was on its way while the server had this batch: it may be hit by what was meant for another. */
  mayBeCancelled: boolean;
  /** What listens to `options.signal`. */
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

  /** True where the next row may be handed on before it is there whole. */
  get takesTail(): boolean {
    return this.options.tailOf === this.results.length && this.#rowCount === 0 && this.error === null;
  }

  /** Counts a row, given as the body of its DataRow, and keeps it where it is wanted. Answers how many bytes are kept by now. */
  addRow(body: Buffer): number {
    this.#rowCount++;
    if (this.isTooLarge || this.#rowCount > (this.options.maxRows ?? Number.POSITIVE_INFINITY)) return this.#bytes;
    this.#bytes += body.length;
    this.#rows.push(body);
    return this.#bytes;
  }

  letGo(): void {
    this.isTooLarge = true;
    this.#rows = [];
  }

  /** Answers the caller now, while the last value of the row is still on its way; what comes behind it is not waited for. */
  answerWithTail(row: (Buffer | null)[], tail: Tail): void {
    this.#rowCount = 1;
    this.tail = tail;
    const result: Result = { fields: this.fields, rows: [row], command: '', rowCount: 1, at: performance.now(), tail };
    this.#stopListening();
    this.#resolve([...this.results, result]);
  }

  /** One statement has answered all it had to say. */
  complete(command: string): void {
    this.results.push(new WholeResult(this.fields, this.#rows, command, this.#rowCount));
    this.fields = noFields;
    this.#rows = [];
    this.#rowCount = 0;
  }

  succeed(): void {
    this.#stopListening();
    this.#resolve(this.results);
    this.tail?.batchEnded();
  }

  fail(error: Error): void {
    this.#stopListening();
    this.tail?.destroy(error);
    this.#reject(error);
    this.tail?.batchEnded();
  }

  #stopListening(): void {
    if (this.onAbort) this.options.signal?.removeEventListener('abort', this.onAbort);
    this.onAbort = null;
  }
}

/** A result that has come to its end; its rows are taken apart only where somebody looks at them. */
class WholeResult implements Result {
  readonly fields: Result['fields'];
  readonly command: string;
  readonly rowCount: number;
  readonly at = performance.now();
  readonly tail = null;
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
