import type { CancelSignal } from '../../../contract/exchange.ts';
import type { Database } from '../../database/database.ts';
import { firstJson } from '../../database/statement.ts';
import type { Batch } from '../sql/build-statements.ts';
import type { Described } from '../sql/describe.ts';

/**
 * Reads the objects that the caller may use.
 * @throws DatabaseError
 * @throws ConnectionError
 * @throws PoolTimeoutError
 */
export async function runDescribe(database: Database, batch: Batch, signal: CancelSignal): Promise<Described> {
  const results = await database.run(batch.statements, { signal });
  const main = results[batch.main];
  return (main && firstJson<Described>(main)) ?? { relations: [], functions: [], comment: null };
}
