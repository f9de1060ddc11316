import type { CancelSignal } from '../../contract/call-request.ts';
import type { Result, Statement } from './statement.ts';

/** Accumulates the time that the database spent on the statements of a caller. */
export interface DatabaseTiming {
  /** Milliseconds without the time spent waiting for a connection or behind other batches. */
  databaseMilliseconds: number;
}

/** Options of `Executor.run`. */
export interface RunOptions {
  signal?: CancelSignal | undefined;
  timing?: DatabaseTiming | undefined;
  /**
   * Index of the last statement, if the last value of its only row may be streamed as `Result.stream`. Use it only for
   * statements that read: the result is returned before the transaction has ended.
   */
  streamStatement?: number | null | undefined;
}

/** Runs statements in one database as one login role. */
export interface Executor {
  /**
   * Sends all statements in one write before one Sync: one implicit transaction and one round trip. If a statement
   * fails, PostgreSQL rolls the whole batch back. If `signal` aborts while a statement runs, the statement is cancelled
   * and the promise rejects with SQLSTATE 57014.
   * @throws DatabaseError
   * @throws ConnectionError
   * @throws PoolTimeoutError
   * @throws ResultTooLargeError
   */
  run(statements: readonly Statement[], options?: RunOptions): Promise<Result[]>;
}

/** An open transaction that has exclusive use of its connection. */
export interface Transaction extends Executor {
  /**
   * Sends all statements in one write before one Sync, inside the open transaction.
   * @param options.copies The data of each COPY … FROM STDIN among the statements, in order. A COPY without data fails.
   */
  run(
    statements: readonly Statement[],
    options?: RunOptions & { copies?: readonly string[] | undefined },
  ): Promise<Result[]>;
  /**
   * Runs SQL text with several statements, as `Database.script` does, inside the open transaction. A COMMIT in the text
   * ends the transaction early.
   * @param copies The data of each COPY … FROM STDIN of the text, in order.
   */
  script(sql: string, copies?: readonly string[]): Promise<Result[]>;
}

/** Connections to one database as one login role. */
export interface Database extends Executor {
  /**
   * Runs `work` in an interactive transaction with exclusive use of a connection: BEGIN, `work`, then COMMIT, or
   * ROLLBACK if `work` throws. Use it if the work needs a result before it can choose the next statement.
   * @param statement A statement that `work` will run. A connection that has prepared it is preferred.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, statement?: Statement): Promise<T>;
  /**
   * Runs SQL text with several statements and without parameters, with the simple query protocol on an exclusive
   * connection. The SQL page and migrations use it. Returns the results of all statements in order.
   * @throws DatabaseError with the position within the whole text.
   */
  script(
    sql: string,
    options?: {
      /** Statements that run first, on the same connection. */
      setup?: readonly Statement[];
      /** Maximum number of rows that each result retains; all by default. */
      maxRows?: number;
      /** The data of each COPY … FROM STDIN of the text, in order. */
      copies?: readonly string[];
      signal?: CancelSignal;
    },
  ): Promise<Result[]>;
  close(): Promise<void>;
}
