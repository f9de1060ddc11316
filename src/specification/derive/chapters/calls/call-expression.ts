import type { CallExample } from '../../../../../contract/call-detail.ts';

/**
 * A request that a call accepts, and the equivalent expression over `supabase`; null if supabase-js has no such call.
 */
export interface CallExpression extends CallExample {
  /** The path with example values; absent if the path of the call needs none. */
  path?: string;
  expression: string | null;
  /** The rest of a program for supabase-js after `supabase` exists; absent if `expression` is the program. */
  program?: string;
  /**
   * Notes on the values that the reader must replace, because they only have the right form: for example, references to
   * rows.
   */
  notes: readonly string[];
}
