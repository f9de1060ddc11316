import type { CancelSignal } from '../../contract/call-request.ts';
import type { Database, Transaction } from '../database/database.ts';
import { DatabaseError } from '../database/database-error.ts';
import { plain, type Result, type Statement } from '../database/statement.ts';

/** SQLSTATE query_canceled: the client disconnected, or statement_timeout has passed. */
export const QUERY_CANCELED = '57014';

/**
 * Runs work in a transaction, rolls the transaction back and returns the result.
 * @throws Errors of `work`, ConnectionError, PoolTimeoutError
 */
export async function rolledBack<T>(
  database: Pick<Database, 'transaction'>,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const results: T[] = [];
  const rollback = new Error('the transaction is rolled back');
  try {
    await database.transaction(async (tx) => {
      results.push(await work(tx));
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback) throw error;
  }
  return results[0] as T;
}

/** A transaction in which a statement may fail without aborting the transaction. */
export class SavepointRunner {
  readonly #tx: Transaction;
  readonly #signal: CancelSignal | null;

  /** @param signal Cancels the statements; null if no client waits for them. */
  constructor(tx: Transaction, signal: CancelSignal | null) {
    this.#tx = tx;
    this.#signal = signal;
  }

  /**
   * Runs statements after a savepoint. If one fails, rolls back to the savepoint and returns PostgreSQL's error.
   * @throws ConnectionError
   * @throws DatabaseError for a cancelled statement of a client
   */
  try(statements: readonly Statement[]): Promise<Result[] | DatabaseError> {
    return this.#run([savepoint, ...statements], statements.length);
  }

  /**
   * Runs statements after a savepoint, and rolls back to it also if they succeed.
   * @throws ConnectionError
   * @throws DatabaseError for a cancelled statement of a client
   */
  tryAndRollBack(statements: readonly Statement[]): Promise<Result[] | DatabaseError> {
    return this.#run([savepoint, ...statements, rollBack], statements.length);
  }

  async #run(statements: readonly Statement[], count: number): Promise<Result[] | DatabaseError> {
    try {
      const results = await this.#tx.run(statements, { signal: this.#signal ?? undefined });
      return results.slice(1, 1 + count);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      if (this.#signal !== null && error.sqlstate === QUERY_CANCELED) throw error;
      await this.#tx.run([rollBack]);
      return error;
    }
  }
}

const savepoint = plain('savepoint ninefold_attempt');
const rollBack = plain('rollback to savepoint ninefold_attempt');
