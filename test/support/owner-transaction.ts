import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type FactOptions, type RawFacts, readFactsWithin } from '../../src/catalog/facts.ts';
import type { Transaction } from '../../src/database/database.ts';
import { plain } from '../../src/database/statement.ts';
import { type AppDatabase, startAppDatabase } from './app-database.ts';

/** The database of one test file, which the app's owner changes in one transaction. */
export interface OwnerTransaction {
  /** Runs SQL as the app's owner. An error undoes only this SQL. It is rolled back after the test. */
  script(sql: string): Promise<void>;
  /** Runs SQL as the superuser outside of the transaction, to change roles. The test must undo the change. */
  superuser(sql: string): Promise<unknown>;
  /** Reads the facts as they are in the transaction. */
  readFacts(options: FactOptions): Promise<RawFacts>;
}

/**
 * Starts a separate PostgreSQL for the tests of the calling file, and runs SQL in it as the app's owner. Each test
 * begins with this state, because rolling back takes less time than dropping and creating objects.
 */
export function ownerTransaction(name: string, initialSql: string): OwnerTransaction {
  let database: AppDatabase;
  let tx: Transaction;
  let end: () => void = () => undefined;
  /** The facts of the initial state by their options. Reading them takes longer than most of the other work. */
  const initialFacts = new Map<string, RawFacts>();
  let isInitial = true;
  beforeAll(async () => {
    database = await startAppDatabase(name);
    const owner = database.as('app_owner');
    await owner.script(initialSql);
    tx = await new Promise((resolve, reject) => {
      const untilEnd = (begun: Transaction): Promise<void> => {
        resolve(begun);
        return new Promise((finish) => {
          end = finish;
        });
      };
      owner.transaction(untilEnd).catch(reject);
    });
    await tx.run([plain('savepoint initial')]);
  });
  beforeEach(async () => {
    await tx.run([plain('rollback to savepoint initial')]);
    isInitial = true;
  });
  afterAll(async () => {
    end();
    await database?.stop();
  });
  return {
    script: async (sql) => {
      isInitial = false;
      await tx.run([plain('savepoint script')]);
      try {
        await tx.script(sql);
      } catch (error) {
        await tx.run([plain('rollback to savepoint script')]);
        throw error;
      }
      await tx.run([plain('release savepoint script')]);
    },
    superuser: (sql) => {
      isInitial = false;
      return database.pool.script(sql);
    },
    readFacts: async (options) => {
      const key = JSON.stringify(options);
      const known = isInitial ? initialFacts.get(key) : undefined;
      if (known) return known;
      await tx.run([plain('savepoint reading')]);
      const facts = await readFactsWithin(tx, options);
      // readFactsWithin changes the search path and other settings of the transaction. The rollback restores them.
      await tx.run([plain('rollback to savepoint reading')]);
      if (isInitial) initialFacts.set(key, facts);
      return facts;
    },
  };
}
