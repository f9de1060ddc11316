import type { Database, Executor, Transaction } from '../database/database.ts';
import { ConnectionError, DatabaseError, LOCK_NOT_AVAILABLE } from '../database/database-error.ts';
import { plannerSettings, storeServerValues } from '../database/startup-settings.ts';
import { plain, quoteLiteral, type Result, type Statement } from '../database/statement.ts';

/** How often a function that only reads runs before its last error is thrown. */
const ATTEMPTS = 4;
/**
 * For how long such a function is repeated while a schema change holds a lock. A migration can rewrite a large table, and
 * the page that waits for the catalog is better late than an error.
 */
const LOCKED_MILLISECONDS = 10_000;

/** Catalog queries by the name of their result. Each is a SELECT of one JSON value without parameters. */
export type CatalogQueries<Facts> = { readonly [Key in keyof Facts]: string };

/**
 * Reads the system catalog with all queries in one statement, so that they use one snapshot and one round trip. Needs
 * no privilege except CONNECT. The search path is empty in this transaction: PostgreSQL then prints names with their
 * schema, and no object of the app can replace one of the catalog. JIT is off, because compiling takes longer than the
 * query. `lockMilliseconds` should be lower than PostgreSQL's deadlock_timeout (1 s): if the read and a schema change
 * wait for each other, the read gives up before PostgreSQL ends one of them, and is retried. A read is also retried if
 * an object was dropped while it ran.
 * @throws DatabaseError; SQLSTATE 55P03 if a relation stays locked.
 */
export async function readCatalog<Facts>(
  executor: Executor,
  queries: CatalogQueries<Facts>,
  lockMilliseconds: number,
): Promise<Facts> {
  return parseCatalog(await readCatalogJson(executor, queries, lockMilliseconds));
}

/**
 * Reads the system catalog with one statement per query. The statements reuse the memory of the server process, while
 * one large statement would occupy twice as much for the lifetime of the connection. All statements use one snapshot,
 * so `executor` must not be an open transaction.
 * @throws DatabaseError; SQLSTATE 55P03 if a relation stays locked.
 */
export async function readCatalogInParts<Facts>(
  executor: Executor,
  queries: CatalogQueries<Facts>,
  lockMilliseconds: number,
): Promise<Facts> {
  const names = Object.keys(queries) as (keyof Facts & string)[];
  const parts = names.map((name) => plain(queries[name]));
  // A lock timeout is not retried, because a request waits for this read: the limit is the whole time that it waits.
  const results = await retryRead(
    () => executor.run([repeatableRead, settings(lockMilliseconds), ...parts]),
    passing.filter((sqlstate) => sqlstate !== LOCK_NOT_AVAILABLE),
  );
  const parseValue = (result: Result | undefined): unknown => {
    const value = result?.rows[0]?.[0];
    return value ? JSON.parse(value.toString('utf8')) : null;
  };
  const [, , ...values] = results;
  return Object.fromEntries(names.map((name, i) => [name, parseValue(values[i])])) as Facts;
}

/**
 * Reads the system catalog as `readCatalog` does, but returns PostgreSQL's JSON in a separate buffer that can be
 * transferred to another process.
 */
export function readCatalogJson<Facts>(
  executor: Executor,
  queries: CatalogQueries<Facts>,
  lockMilliseconds: number,
): Promise<CatalogJson<Facts>> {
  const statement = statementOf(queries);
  return retryOnLockTimeout(async () => jsonOf(await executor.run([settings(lockMilliseconds), statement])));
}

/**
 * Reads the system catalog as `readCatalogJson` does, and runs a further statement with one value on the same snapshot.
 * So `executor` must not be an open transaction.
 */
export function readCatalogBeside<Facts>(
  executor: Executor,
  queries: CatalogQueries<Facts>,
  beside: Statement,
  lockMilliseconds: number,
): Promise<{ json: CatalogJson<Facts>; value: string }> {
  const statements = [repeatableRead, settings(lockMilliseconds), statementOf(queries), beside];
  return retryOnLockTimeout(async () => {
    const results = await executor.run(statements);
    return { json: jsonOf(results.slice(0, -1)), value: lastValue(results).toString('utf8') };
  });
}

/**
 * Reads the system catalog with two parallel connections on one snapshot, because most of the time is processor time of
 * the server. If no second connection becomes free before the first query is done, the first connection runs both
 * queries. A pool with one connection therefore cannot deadlock.
 */
export function readCatalogParallel<One, Other>(
  database: Database,
  queries: readonly [CatalogQueries<One>, CatalogQueries<Other>],
  lockMilliseconds: number,
): Promise<[CatalogJson<One>, CatalogJson<Other>]> {
  const [one, other] = [statementOf(queries[0]), statementOf(queries[1])];
  const set = settings(lockMilliseconds);
  const read = async (tx: Transaction): Promise<[CatalogJson<One>, CatalogJson<Other>]> => {
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
  return retryOnLockTimeout(() => database.transaction(read, one));
}

/** Parses the result of `readCatalogJson`. */
export const parseCatalog = <Facts>(json: CatalogJson<Facts>): Facts =>
  JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8'));

/** Facts as JSON in UTF-8. `holds` exists only for the type checker. */
export type CatalogJson<Facts> = Uint8Array<ArrayBuffer> & { readonly holds?: Facts };

const repeatableRead = plain('set transaction isolation level repeatable read');

const settings = (lockMilliseconds: number): Statement => ({
  text: `select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
    ${storeServerValues}, pg_catalog.set_config('lock_timeout', $1, true), ${plannerSettings}`,
  params: [String(lockMilliseconds)],
});

function statementOf<Facts>(queries: CatalogQueries<Facts>): Statement {
  const names = Object.keys(queries) as (keyof Facts & string)[];
  const members = names.map((name) => `'"${name}":' || coalesce((${queries[name]})::text, 'null')`).join(',\n');
  // The statement is prepared, because planning takes a sixth of the time of its execution. The separator between the
  // results is the one that `parseRows` expects.
  return { text: `select '{' || concat_ws(E',\\r\\n', ${members}) || '}'`, params: [], planKey: 'catalog' };
}

function lastValue(results: readonly Result[]): Buffer {
  const value = results.at(-1)?.rows[0]?.[0];
  if (!value) throw new Error('the catalog query gave no row');
  return value;
}

const jsonOf = <Facts>(results: readonly Result[]): CatalogJson<Facts> => new Uint8Array(lastValue(results));

/**
 * SQLSTATEs that a retry may avoid: a locked relation; a session that was ended, as when the database is copied; an
 * internal error that functions such as pg_get_viewdef() raise for an object that was dropped meanwhile ("could not
 * open relation with OID 16400").
 */
const passing: readonly (string | null)[] = [LOCK_NOT_AVAILABLE, '57P01', 'XX000'];

/** Runs a function that only reads, and retries it after a lock timeout, a dropped object or the end of its session. */
export const retryOnLockTimeout = <T>(read: () => Promise<T>): Promise<T> => retryRead(read, passing);

/** Runs a function that only reads, and retries it after an error with one of the SQLSTATEs. */
async function retryRead<T>(read: () => Promise<T>, sqlstates: readonly (string | null)[]): Promise<T> {
  const began = performance.now();
  let met: unknown = null;
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      // If `read` runs in a transaction of the caller, the first error aborts this transaction, so the retry fails with
      // 25P02. Then the first error is thrown.
      if (met && error instanceof DatabaseError && error.sqlstate === '25P02') throw met;
      const isOfDatabase = error instanceof DatabaseError || error instanceof ConnectionError;
      if (!isOfDatabase || !sqlstates.includes(error.sqlstate)) throw error;
      const isLocked = error.sqlstate === LOCK_NOT_AVAILABLE;
      if (isLocked ? performance.now() - began > LOCKED_MILLISECONDS : attempt === ATTEMPTS) throw error;
      met = error;
    }
  }
}
