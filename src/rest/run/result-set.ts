import type { BodyStream } from '../../../contract/call-request.ts';

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
