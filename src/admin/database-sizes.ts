import type { Executor } from '../database/database.ts';
import { DatabaseError } from '../database/database-error.ts';
import { firstJson } from '../database/statement.ts';

/** SQLSTATE undefined_object: what pg_database_size() says of a database that is gone. */
const GONE = '42704';

/**
 * The sizes of databases by name, in bytes, in one query that opens none of them; what is not there is left out. `database` is one of
 * the same server, logged in as the superuser.
 */
export async function databaseSizes(database: Executor, names: readonly string[]): Promise<Map<string, number>> {
  for (;;) {
    try {
      const [result] = await database.run([
        {
          text: `select json_object_agg(datname, pg_catalog.pg_database_size(oid)) from pg_catalog.pg_database
                 where datname in (select json_array_elements_text($1::json))`,
          params: [JSON.stringify(names)],
        },
      ]);
      return new Map(Object.entries((result && firstJson<Record<string, number>>(result)) ?? {}));
    } catch (error) {
      // Dropped after it was found and before it was measured: the others are asked for again, each time one fewer.
      if (!(error instanceof DatabaseError && error.sqlstate === GONE)) throw error;
    }
  }
}
