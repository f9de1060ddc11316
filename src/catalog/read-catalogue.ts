import type { Database, Executor, Transaction } from '../database/database.ts';
import { ConnectionError, DatabaseError } from '../database/database-error.ts';
import { plannerSettings } from '../database/startup-settings.ts';
import { plain, quoteLiteral, type Result, type Statement } from '../database/statement.ts';

/**
 * Catalogue queries under the names that their answers shall have. Each is a SELECT of one JSON value without
 * parameters.
 */
export type CatalogueQueries<Facts> = { readonly [Key in keyof Facts]: string };

/**
 * Reads the system catalogue: all queries as one statement, so that they see one snapshot in one round trip. Needs
 * no privilege beyond CONNECT. The search path is emptied for this transaction: PostgreSQL then prints every name
 * that is not its own with its schema, for every role, and no object of the app can stand in for one of the catalogue. To
 * compile the statement would take longer than to run it.
 * Waits for a lock no longer than `lockMilliseconds`, less than after what PostgreSQL looks for a deadlock (1 s): where the reading and
 * a schema change wait for each other, it is the reading that gives way, and is tried again.
 * Reads again if an object is dropped meanwhile.
 * Throws DatabaseError; SQLSTATE 55P03 when a relation stays locked.
 */
export async function readCatalogue<Facts>(
  executor: Executor,
  queries: CatalogueQueries<Facts>,
  lockMilliseconds: number,
): Promise<Facts> {
  return parseCatalogue(await readCatalogueJson(executor, queries, lockMilliseconds));
}

/**
 * Reads the same in one statement for each query, which take turns in the same memory of the server's process: as one statement they keep
 * twice as much for as long as the connection lives. They see one snapshot, so `executor` must not be a transaction that has begun.
 * Throws what `readCatalogue` throws.
 */
export async function readCatalogueInParts<Facts>(
  executor: Executor,
  queries: CatalogueQueries<Facts>,
  lockMilliseconds: number,
): Promise<Facts> {
  const names = Object.keys(queries) as (keyof Facts & string)[];
  const parts = names.map((name) => plain(queries[name]));
  const results = await patiently(() => executor.run([repeatableRead, settings(lockMilliseconds), ...parts]));
  const parseValue = (result: Result | undefined): unknown => {
    const value = result?.rows[0]?.[0];
    return value ? JSON.parse(value.toString('utf8')) : null;
  };
  const [, , ...values] = results;
  return Object.fromEntries(names.map((name, i) => [name, parseValue(values[i])])) as Facts;
}

/** The same as the JSON that PostgreSQL made of it, in memory of its own: for whom another process parses it. */
export function readCatalogueJson<Facts>(
  executor: Executor,
  queries: CatalogueQueries<Facts>,
  lockMilliseconds: number,
): Promise<CatalogueJson<Facts>> {
  const statement = statementOf(queries);
  return patiently(async () => jsonOf(await executor.run([settings(lockMilliseconds), statement])));
}

/**
 * Reads the system catalogue by two connections at once that see one snapshot, as the server's processor takes the time. If no second
 * connection is free until the first one is done, the first one reads the rest: a caller with one connection never waits for another.
 */
export function readCatalogueInTwo<One, Other>(
  database: Database,
  queries: readonly [CatalogueQueries<One>, CatalogueQueries<Other>],
  lockMilliseconds: number,
): Promise<[CatalogueJson<One>, CatalogueJson<Other>]> {
  const [one, other] = [statementOf(queries[0]), statementOf(queries[1])];
  const set = settings(lockMilliseconds);
  const read = async (tx: Transaction): Promise<[CatalogueJson<One>, CatalogueJson<Other>]> => {
    const snapshot = lastValue(await tx.run([repeatableRead, set, plain('select pg_catalog.pg_export_snapshot()')]));
    let left: Statement | null = other;
    const take = (): Statement[] => {
      const taken = left ? [left] : [];
      left = null;
      return taken;
    };
    const beside = database.transaction(async (second) => {
      const taken = take();
      const seen = plain(`set transaction snapshot ${quoteLiteral(snapshot.toString())}`);
      return taken.length > 0 ? second.run([repeatableRead, seen, set, ...taken]) : [];
    }, other);
    beside.catch(() => undefined);
    const first = await tx.run([one]);
    const taken = take();
    return [jsonOf(first), jsonOf(taken.length > 0 ? await tx.run(taken) : await beside)];
  };
  return patiently(() => database.transaction(read, one));
}

/** The result of `readCatalogueJson`. */
export const parseCatalogue = <Facts>(json: CatalogueJson<Facts>): Facts =>
  JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8'));

/** Facts as JSON in UTF-8. */
export type CatalogueJson<Facts> = Uint8Array<ArrayBuffer> & { readonly holds?: Facts };

const repeatableRead = plain('set transaction isolation level repeatable read');

const settings = (lockMilliseconds: number): Statement => ({
  text: `select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
    pg_catalog.set_config('lock_timeout', $1, true), ${plannerSettings}`,
  params: [String(lockMilliseconds)],
});

function statementOf<Facts>(queries: CatalogueQueries<Facts>): Statement {
  const names = Object.keys(queries) as (keyof Facts & string)[];
  const members = names.map((name) => `'${name}', (${queries[name]})`).join(',\n');
  // Planning it takes a sixth of the time that running it does.
  return { text: `select json_build_object(${members})`, params: [], preparedFor: 'catalogue' };
}

function lastValue(results: readonly Result[]): Buffer {
  const value = results.at(-1)?.rows[0]?.[0];
  if (!value) throw new Error('the catalogue query gave no row');
  return value;
}

const jsonOf = <Facts>(results: readonly Result[]): CatalogueJson<Facts> => new Uint8Array(lastValue(results));

const ATTEMPTS = 4;

/**
 * SQLSTATEs that the next attempt may not meet: a relation is locked; a session was ended, as by a copy of the database; an internal
 * error, which functions such as pg_get_viewdef() raise for an object that was dropped after the statement began ("could not open
 * relation with OID 16400").
 */
const passing: readonly (string | null)[] = ['55P03', '57P01', 'XX000'];

/** Runs `read`, which only reads, and repeats it after a lock, a drop or the end of its session. */
export async function patiently<T>(read: () => Promise<T>): Promise<T> {
  let met: unknown = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return await read();
    } catch (error) {
      // Within a transaction of its own caller nothing can be tried again: 25P02 says that the first error ended it.
      if (met && error instanceof DatabaseError && error.sqlstate === '25P02') break;
      const isOfDatabase = error instanceof DatabaseError || error instanceof ConnectionError;
      if (!isOfDatabase || !passing.includes(error.sqlstate)) throw error;
      met = error;
    }
  }
  throw met;
}
