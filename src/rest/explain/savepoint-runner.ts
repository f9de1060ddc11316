import type { CancelSignal } from '../../../contract/call-request.ts';
import type { Transaction } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { plain, type Result, type Statement } from '../../database/statement.ts';

/** A transaction in which a statement may fail without aborting the transaction. */
export class SavepointRunner {
  readonly #tx: Transaction;
  readonly #signal: CancelSignal;

  constructor(tx: Transaction, signal: CancelSignal) {
    this.#tx = tx;
    this.#signal = signal;
  }

  /**
   * Runs statements after a savepoint. If one fails, rolls back to the savepoint and returns PostgreSQL's error.
   * @throws ConnectionError
   * @throws DatabaseError for a cancelled statement
   */
  async try(statements: readonly Statement[]): Promise<Result[] | DatabaseError> {
    try {
      const [, ...results] = await this.#tx.run([plain('SAVEPOINT pgrst_try'), ...statements], {
        signal: this.#signal,
      });
      return results;
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.sqlstate === '57014') throw error;
      await this.#tx.run([rollBack]);
      return error;
    }
  }

  /**
   * Runs statements after a savepoint, and rolls back to it also if they succeed.
   * @throws ConnectionError
   * @throws DatabaseError for a cancelled statement
   */
  async tryAndRollBack(statements: readonly Statement[]): Promise<Result[] | DatabaseError> {
    const results = await this.try(statements);
    if (!(results instanceof DatabaseError)) await this.#tx.run([rollBack]);
    return results;
  }
}

const rollBack = plain('ROLLBACK TO SAVEPOINT pgrst_try');
