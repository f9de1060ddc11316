import type { Executor } from '../../src/database/database.ts';
import type { Pool } from '../../src/database/pool.ts';
import { plain } from '../../src/database/statement.ts';

/**
 * Runs statements like `pool`, but runs an action once the first batch has begun. The first batch sees the state before
 * the action, all later batches see the state after it.
 */
export class Meanwhile implements Executor {
  readonly #pool: Pool;
  readonly #happens: () => Promise<unknown>;
  /** Number of calls of `run`. */
  asked = 0;

  constructor(pool: Pool, happens: () => Promise<unknown>) {
    this.#pool = pool;
    this.#happens = happens;
  }

  run: Executor['run'] = (statements) => {
    if (++this.asked > 1) return this.#pool.run(statements);
    return this.#pool.transaction(async (tx) => {
      await tx.run([plain('set transaction isolation level repeatable read'), plain('select 1')]);
      await this.#happens();
      return tx.run(statements);
    });
  };
}
