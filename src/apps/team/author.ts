import type { Executor } from '../../database/database.ts';
import { plain, rowsAsText, type Statement } from '../../database/statement.ts';
import { serverConnection } from '../app-connections.ts';
import type { AppRecord } from '../registry/app-record.ts';
import { type Server, withPool } from '../registry/server.ts';

/** The author of the changes of a connection, and the migration file. */
export interface Author {
  name: string;
  migration?: string;
  /** The SQL as the author sent it, if PostgreSQL gets a changed text. */
  statement?: string;
}

const REGISTER = `with ended as (
    delete from ninefold.authors a
    where ninefold.session_start(a.pid) is distinct from a.connected_at and a.pid <> $1::int
  )
  insert into ninefold.authors (pid, connected_at, made_by, migration, statement)
  select $1::int, ninefold.session_start($1::int), $2, $3, $4
  on conflict (pid) do update set connected_at = excluded.connected_at, made_by = excluded.made_by, migration = excluded.migration,
    statement = excluded.statement`;

/**
 * Records, as the server role, on whose behalf a connection of the owner runs SQL. The journal uses this author, and the
 * SQL cannot change it.
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
  await withPool(serverConnection(server.target, record), (database) =>
    database.run([{ text: REGISTER, params: [pid, author.name, author.migration ?? null, author.statement ?? null] }]),
  );
}

/** Returns a statement that sets the author of a transaction of the server role. */
export const authorOfTransaction = (name: string): Statement => ({
  text: `select pg_catalog.set_config('ninefold.made_by', $1, true)`,
  params: [name],
});
