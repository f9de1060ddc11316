import type { BodyStream } from '../../../contract/exchange.ts';

/** What the query of a request answered. */
export interface ResultSet {
  /** Rows of this answer, or rows written. */
  readonly page: number;
  /** Rows there are without limit and offset; null when it was not asked for. */
  readonly total: number | null;
  /** What the planner expects `total` to be; null when it was not asked for. */
  readonly estimate: number | null;
  readonly body: Buffer | BodyStream;
  /** The setting response.headers, as a function of the app left it. */
  readonly headers: string | null;
  readonly status: string | null;
  /** The primary key of the one row inserted, as a JSON object of texts. */
  readonly location: string | null;
  /** Of an upsert: how many rows were new. */
  readonly inserted: number | null;
}
