import type { Executor } from '../database/database.ts';
import { DatabaseError } from '../database/database-error.ts';
import { plain, rowsAsText, type Statement } from '../database/statement.ts';
import type { AppRecord } from './app-record.ts';
import { type Server, superuserIn, withPool } from './server.ts';

/** The author of the changes of a connection, and the migration file. */
export interface Author {
  name: string;
  migration?: string;
  /** The SQL as the author sent it, if PostgreSQL gets a changed text. */
  statement?: string;
}

/**
 * SQLSTATEs undefined_table and undefined_column. They mean that Ninefold's schema in the app's database is out of
 * date.
 */
const older: readonly string[] = ['42P01', '42703'];

const REGISTER = `with ended as (
    delete from ninefold.authors a where not exists (
      select from pg_catalog.pg_stat_get_activity(a.pid) s where s.backend_start = a.connected_at) and a.pid <> $1::int
  )
  insert into ninefold.authors (pid, connected_at, made_by, migration, statement)
  select s.pid, s.backend_start, $2, $3, $4 from pg_catalog.pg_stat_get_activity($1::int) s
  on conflict (pid) do update set connected_at = excluded.connected_at, made_by = excluded.made_by, migration = excluded.migration,
    statement = excluded.statement`;

/**
 * Records, as the superuser, on whose behalf a connection of the owner runs SQL. The journal uses this author, and the
 * SQL cannot change it. Does nothing if the app's schema is out of date.
 * @param connection The owner's connection that will run the SQL.
 */
export async function registerAuthor(
  server: Server,
  record: AppRecord,
  connection: Executor,
  author: Author,
): Promise<void> {
  const [asked] = await connection.run([plain('select pg_catalog.pg_backend_pid() as pid')]);
  const pid = (asked && rowsAsText(asked)[0]?.pid) ?? null;
  try {
    await withPool(superuserIn(server, record.database), (superuser) =>
      superuser.run([
        { text: REGISTER, params: [pid, author.name, author.migration ?? null, author.statement ?? null] },
      ]),
    );
  } catch (error) {
    if (!(error instanceof DatabaseError) || !older.includes(error.sqlstate)) throw error;
  }
}

/** Returns a statement that sets the author of a transaction of the superuser. */
export const authorOfTransaction = (name: string): Statement => ({
  text: `select pg_catalog.set_config('ninefold.made_by', $1, true)`,
  params: [name],
});
