import type { LimitName } from '../limits.ts';
import type { RestSettings } from '../settings.ts';
import type { AuthSettings } from '../settings-auth.ts';

/** One error that a client can get: what it means and what to do. */
export interface ErrorEntry {
  /** The protocol whose code it is: PostgREST's, GoTrue's, PostgreSQL's, or our own. */
  readonly source: 'ninefold' | 'rest' | 'auth' | 'postgres';
  readonly status: number;
  /** Further HTTP statuses that this code has, each with a sentence that says when. Only these may replace `status`. */
  readonly otherStatuses?: Readonly<Record<number, string>>;
  /** The app's own code chooses the status: `status` is the one without such a choice. */
  readonly appChoosesStatus?: true;
  /** The sentence that is sent, unless the place that raises it has a more exact one. */
  readonly message: string;
  readonly meaning: string;
  /** The remedy, as an imperative. */
  readonly action: string;
  /** The sentence that the app should show to its member; null for an error of the management API, which no member can meet. */
  readonly member: string | null;
  /** The limit that was hit, where the code always means the same one. */
  readonly limit?: LimitName;
  /** It can be met only while these settings of the app have these values. */
  readonly while?: Partial<RestSettings & AuthSettings>;
  /** It can be met only while one of these settings of the app is true. */
  readonly whileAny?: readonly (keyof AuthSettings)[];
}

/** Keeps the literal keys of a table of entries while checking each entry. */
export const entries = <const E extends Record<string, ErrorEntry>>(value: E): E => value;

/** Sentences for members about errors that they cannot fix. */
export const told = {
  fault: 'Something in this app is not right. Please tell the people who run it.',
  tryAgain: 'This is not possible at the moment. Please try again in a minute.',
  signInAgain: 'Please sign in again.',
} as const;
