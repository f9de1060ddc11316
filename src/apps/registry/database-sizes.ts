import type { Executor } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { firstJson } from '../../database/statement.ts';

/** SQLSTATE undefined_object. pg_database_size() raises it for a database that was dropped. */
const GONE = '42704';

/**
 * Returns the sizes of databases by name, in bytes, with one query that opens none of them. Leaves out missing
 * databases.
 * @param database A connection of the superuser to the same server.
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
      // A database was dropped after its name was read and before its size was measured. So the query is repeated, each
      // time with one database less.
      if (!(error instanceof DatabaseError && error.sqlstate === GONE)) throw error;
    }
  }
}
