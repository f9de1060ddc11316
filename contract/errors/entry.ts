/** One error that a client can get: what it means and what to do. */
export interface ErrorEntry {
  /** The protocol whose code it is: PostgREST's, GoTrue's, or our own. */
  readonly source: 'ninefold' | 'rest' | 'auth';
  readonly status: number;
  /** The sentence that is sent, unless the place that raises it has a more exact one. */
  readonly message: string;
  readonly meaning: string;
  /** What the caller should do. */
  readonly action: string;
}

/** Keeps the literal keys of a table of entries while checking each entry. */
export const entries = <const E extends Record<string, ErrorEntry>>(value: E): E => value;
