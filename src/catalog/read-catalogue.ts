import type { Executor } from '../database/database.ts';
import { DatabaseError } from '../database/database-error.ts';
import type { Result, Statement } from '../database/statement.ts';

/**
 * Catalogue queries under the names that their answers shall have. Each is a SELECT of one JSON value without
 * parameters.
 */
export type CatalogueQueries<Facts> = { readonly [Key in keyof Facts]: string };

/**
 * Reads the system catalogue: all queries as one statement, so that they see one snapshot in one round trip. Needs
 * no privilege beyond CONNECT. The search path is emptied for this transaction: PostgreSQL then prints every name
 * that is not its own with its schema, whoever asks, and no object of the app can stand in for one of the catalogue. To
 * compile the statement would take longer than to run it.
 * Waits for a lock no longer than `lockMilliseconds`, less than after what PostgreSQL looks for a deadlock (1 s): where the reading and
 * a schema change wait for each other, it is the reading that gives way, and is tried again.
 * What is dropped while it is read makes it read again.
 * Throws DatabaseError; SQLSTATE 55P03 when a relation stays locked.
 */
export async function readCatalogue<Facts>(
  executor: Executor,
  queries: CatalogueQueries<Facts>,
  lockMilliseconds: number,
): Promise<Facts> {
  return parseCatalogue(await readCatalogueJson(executor, queries, lockMilliseconds));
}

/** The same as the JSON that PostgreSQL made of it, in memory of its own: for whom another process parses it. */
export async function readCatalogueJson<Facts>(
  executor: Executor,
  queries: CatalogueQueries<Facts>,
  lockMilliseconds: number,
): Promise<CatalogueJson<Facts>> {
  const names = Object.keys(queries) as (keyof Facts & string)[];
  const members = names.map((name) => `'${name}', (${queries[name]})`).join(',\n');
  const statements: Statement[] = [
    {
      text: `select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
        pg_catalog.set_config('lock_timeout', $1, true), pg_catalog.set_config('jit', 'off', true)`,
      params: [String(lockMilliseconds)],
    },
    // Planning it takes a sixth of the time that running it does.
    { text: `select json_build_object(${members})`, params: [], preparedFor: 'catalogue' },
  ];
  const results = await runPatiently(executor, statements);
  const json = results[1]?.rows[0]?.[0];
  if (!json) throw new Error('the catalogue query gave no row');
  return new Uint8Array(json) as CatalogueJson<Facts>;
}

/** What `readCatalogueJson` read. */
export const parseCatalogue = <Facts>(json: CatalogueJson<Facts>): Facts =>
  JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8'));

/** Facts as JSON in UTF-8. */
export type CatalogueJson<Facts> = Uint8Array<ArrayBuffer> & { readonly holds?: Facts };

const ATTEMPTS = 4;

/**
 * SQLSTATEs of what another attempt may not meet: a relation that is locked; and an internal error, which is what functions such as
 * pg_get_viewdef() say of an object that was dropped after the statement began ("could not open relation with OID 16400").
 */
const passing: readonly string[] = ['55P03', 'XX000'];

async function runPatiently(executor: Executor, statements: readonly Statement[]): Promise<Result[]> {
  let met: unknown = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return await executor.run(statements);
    } catch (error) {
      // Within a transaction of its own caller nothing can be tried again: 25P02 says that the first error ended it.
      if (met && error instanceof DatabaseError && error.sqlstate === '25P02') break;
      if (!(error instanceof DatabaseError) || !passing.includes(error.sqlstate)) throw error;
      met = error;
    }
  }
  throw met;
}

/**
 * A join that gives the comment of an object, of its part where `part` numbers one, as `description` of `alias`. PostgreSQL's own functions for this
 * are queries of their own for every row: for thousands of rows they take longer than all the rest.
 */
export const commentOf = (catalogue: string, oid: string, part = '0', alias = 'm'): string =>
  `left join pg_catalog.pg_description ${alias}
    on ${alias}.classoid = 'pg_catalog.${catalogue}'::regclass and ${alias}.objoid = ${oid} and ${alias}.objsubid = ${part}`;

/** Whether the constraint `k` is a key over periods: pg_constraint.conperiod, a column of PostgreSQL 18. */
export const ofPeriod = `coalesce((to_jsonb(k) ->> 'conperiod')::bool, false)`;

/** True of the schemas that belong to the app: neither PostgreSQL's own nor temporary ones. */
export const isOwnSchema = (alias: string): string =>
  `${alias}.nspname !~ '^pg_' and ${alias}.nspname <> 'information_schema'`;
