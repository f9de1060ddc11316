import type { CancelSignal } from '../../contract/exchange.ts';
import type { Result, Statement } from './statement.ts';

/** Is told how long the database was at it. */
export interface DatabaseTiming {
  /** In milliseconds; waiting for a connection, and behind others on it, is not counted. */
  databaseMilliseconds: number;
}

export interface RunOptions {
  signal?: CancelSignal | undefined;
  timing?: DatabaseTiming | undefined;
  /**
   * The last statement, by its place, where the last value of its only row may be long: it then comes as `Result.tail` while it
   * arrives. For what only reads: the answer is there before the transaction has ended.
   */
  tailOf?: number | null | undefined;
}

/** What a caller may ask of one database, logged in as one role. */
export interface Executor {
  /**
   * Sends all statements in one write before one Sync: one implicit transaction, one round trip.
   * Throws DatabaseError (nothing of the batch is kept), ConnectionError, PoolTimeoutError or ResultTooLargeError. When `signal`
   * aborts while the statement runs, it is cancelled in the database and this rejects with SQLSTATE 57014.
   */
  run(statements: readonly Statement[], options?: RunOptions): Promise<Result[]>;
}

/** An open transaction on a connection of its own. */
export interface Transaction extends Executor {
  /**
   * As `Executor.run`.
   *
   * @param options.copies The data of each COPY … FROM STDIN among the statements, in order. A COPY without data fails.
   */
  run(
    statements: readonly Statement[],
    options?: RunOptions & { copies?: readonly string[] | undefined },
  ): Promise<Result[]>;
  /**
   * Several statements in one text, as `Database.script`; a COMMIT in it ends the transaction early.
   *
   * @param copies The data of each COPY … FROM STDIN of the text, in order.
   */
  script(sql: string, copies?: readonly string[]): Promise<Result[]>;
}

export interface Database extends Executor {
  /**
   * An interactive transaction on a connection of its own: BEGIN, the work, COMMIT; ROLLBACK when the work throws.
   * For work that must look at a result before the next statement. `statement`: one that it will run, where it would rather have a
   * connection that knows it.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, statement?: Statement): Promise<T>;
  /**
   * Several statements in one text, by the simple protocol, without parameters, on a connection of its own: the
   * SQL page and migration files. `each` statement's result in order. Throws DatabaseError with the position
   * within the whole text.
   */
  script(
    sql: string,
    options?: {
      /** Runs first, on the same connection. */
      setup?: readonly Statement[];
      /** Rows of each result that are kept; all when missing. */
      maxRows?: number;
      /** The data of each COPY … FROM STDIN of the text, in order. */
      copies?: readonly string[];
      signal?: CancelSignal;
    },
  ): Promise<Result[]>;
  close(): Promise<void>;
}
