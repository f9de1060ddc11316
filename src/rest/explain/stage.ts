import type { CancelSignal } from '../../../contract/exchange.ts';
import type { Transaction } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { plain, type Result, type Statement } from '../../database/statement.ts';

/** A transaction in which statements may fail without ending it. */
export class Stage {
  readonly #tx: Transaction;
  readonly #signal: CancelSignal;

  constructor(tx: Transaction, signal: CancelSignal) {
    this.#tx = tx;
    this.#signal = signal;
  }

  /**
   * Runs the statements behind a savepoint. Answers PostgreSQL's error where one fails, and then nothing of them is
   * kept. Throws ConnectionError, and DatabaseError for a statement that was cancelled.
   */
  async try(statements: readonly Statement[]): Promise<Result[] | DatabaseError> {
    try {
      const [, ...results] = await this.#tx.run([plain('SAVEPOINT pgrst_try'), ...statements], {
        signal: this.#signal,
      });
      return results;
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.sqlstate === '57014') throw error;
      await this.#tx.run([takeBack]);
      return error;
    }
  }

  /** The same, and nothing of the statements is kept even when they succeed. */
  async tryAndTakeBack(statements: readonly Statement[]): Promise<Result[] | DatabaseError> {
    const results = await this.try(statements);
    if (!(results instanceof DatabaseError)) await this.#tx.run([takeBack]);
    return results;
  }
}

const takeBack = plain('ROLLBACK TO SAVEPOINT pgrst_try');
