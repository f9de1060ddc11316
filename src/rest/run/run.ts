import type { BodyStream, CancelSignal } from '../../../contract/call-request.ts';
import { storageFull } from '../../apps/exceeded-bounds.ts';
import type { Database, DatabaseTiming } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { firstJson, type Result } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type Batch, GUARD, type QueryPlan } from '../sql/build-statements.ts';
import type { Described } from '../sql/describe.ts';

/** The oid of the type bytea. */
const BYTEA = 17;

/**
 * Sends the transaction in one write and reads the result of its query.
 * @throws DatabaseError
 * @throws ConnectionError
 * @throws PoolTimeoutError
 * @throws NinefoldError PGRST115, 116 or 124 if the write was rolled back because of its number of rows;
 * app_storage_full if the database is full and the function writes.
 */
export async function runBatch(
  database: Database,
  batch: Batch,
  plan: QueryPlan,
  signal: CancelSignal,
  timing?: DatabaseTiming,
): Promise<ResultSet> {
  let results: Result[];
  try {
    results = await database.run(batch.statements, {
      signal,
      timing,
      streamStatement: batch.streams ? batch.main : null,
    });
  } catch (error) {
    throw refusedByGuard(error, plan) ?? refusedByFullDatabase(error, plan) ?? error;
  }
  const main = results[batch.main];
  if (!main) throw new Error('the query gave no result');
  if (plan.mediaType.kind === 'plan') return planResult(main);
  return readResult(main, batch.estimate === null ? null : results[batch.estimate]);
}

const empty = Buffer.alloc(0);
const lineFeed = Buffer.from('\n');

/** Joins the lines of an execution plan, which EXPLAIN returns as one row for each line. */
function planResult(result: Result): ResultSet {
  const lines = result.rows.flatMap((row) => [row[0] ?? empty, lineFeed]);
  return { ...noResult, body: Buffer.concat(lines) };
}

const noResult: ResultSet = {
  page: 0,
  total: null,
  estimate: null,
  body: empty,
  headers: null,
  status: null,
  location: null,
  inserted: null,
};

function readResult(result: Result, estimate: Result | null | undefined): ResultSet {
  const row = result.rows[0];
  // The called function returned no row, although the plan expects one. This counts as an empty result.
  if (!row) return noResult;
  let page = 0;
  let total: number | null = null;
  let body: Buffer | null = null;
  let headers: string | null = null;
  let status: string | null = null;
  let location: string | null = null;
  let inserted: number | null = null;
  for (let i = 0; i < row.length; i++) {
    const field = result.fields[i];
    const value = row[i];
    if (!value || !field) continue;
    switch (field.name) {
      case 'page':
        page = Number(value.toString('latin1'));
        break;
      case 'body':
        body = field.typeOid === BYTEA ? fromHexadecimal(value) : value;
        break;
      case 'headers':
        headers = value.toString('utf8');
        break;
      case 'status':
        status = value.toString('utf8');
        break;
      case 'total':
        total = Number(value.toString('latin1'));
        break;
      case 'location':
        location = value.toString('utf8');
        break;
      case 'inserted':
        inserted = Number(value.toString('latin1'));
        break;
    }
  }
  return {
    page,
    total,
    estimate: estimate ? estimatedRows(estimate) : null,
    body: result.stream ?? body ?? empty,
    headers,
    status,
    location,
    inserted,
  };
}

/** Parses bytes in PostgreSQL's text format `\x…`. */
const fromHexadecimal = (printed: Buffer): Buffer => Buffer.from(printed.toString('latin1', 2), 'hex');

function estimatedRows(result: Result): number | null {
  const printed = result.rows[0]?.[0]?.toString('utf8');
  if (printed === undefined) return null;
  const plans = JSON.parse(printed) as { Plan?: { 'Plan Rows'?: number } }[];
  return plans[0]?.Plan?.['Plan Rows'] ?? null;
}

function refusedByGuard(error: unknown, plan: QueryPlan): NinefoldError | null {
  if (!(error instanceof DatabaseError) || error.sqlstate !== '22P02') return null;
  const at = error.message.indexOf(GUARD);
  if (at === -1) return null;
  const rows = Number.parseInt(error.message.slice(at + GUARD.length), 10);
  if (plan.kind === 'mutate' && plan.mutation === 'upsert-one') return new NinefoldError('PGRST115');
  if (plan.mediaType.kind === 'object' && rows !== 1) return singularityError(rows);
  return tooManyAffected(rows);
}

/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = '25006';

const refusedByFullDatabase = (error: unknown, plan: QueryPlan): NinefoldError | null =>
  plan.kind === 'call' && plan.isHeld && error instanceof DatabaseError && error.sqlstate === READ_ONLY
    ? storageFull(error)
    : null;

/** Returns the error for a write of more rows than max-affected. */
export const tooManyAffected = (rows: number): NinefoldError =>
  new NinefoldError('PGRST124', { details: `The query affects ${rows} rows` });

/** Returns the error for a result that is not exactly one row. */
export const singularityError = (rows: number): NinefoldError =>
  new NinefoldError('PGRST116', { details: `The result contains ${rows} rows` });

/**
 * Reads the objects that the caller may use.
 * @throws DatabaseError
 * @throws ConnectionError
 * @throws PoolTimeoutError
 */
export async function runDescribe(database: Database, batch: Batch, signal: CancelSignal): Promise<Described> {
  const results = await database.run(batch.statements, { signal });
  const main = results[batch.main];
  return (main && firstJson<Described>(main)) ?? { relations: [], hidden: {}, functions: [], types: {}, comment: null };
}

/** Result of the query of a request. */
export interface ResultSet {
  /** Number of rows in the response, or number of written rows. */
  readonly page: number;
  /** Number of rows without limit and offset; null if it was not requested. */
  readonly total: number | null;
  /** The planner's estimate of `total`; null if it was not requested. */
  readonly estimate: number | null;
  readonly body: Buffer | BodyStream;
  /** The setting response.headers after a function of the app has set it. */
  readonly headers: string | null;
  readonly status: string | null;
  /** Primary key of the inserted row as a JSON object of strings, if it is a single row. */
  readonly location: string | null;
  /** For an upsert: number of inserted rows. */
  readonly inserted: number | null;
}
