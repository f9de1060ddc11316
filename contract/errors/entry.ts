import type { LimitName } from '../limits.ts';
import type { RestSettings } from '../settings.ts';
import type { AuthSettings } from '../settings-auth.ts';

/** One error that a client can get, with its meaning and action. */
export interface ErrorEntry {
  /** Where the code is defined: in PostgREST, GoTrue, Supabase Storage, Supabase Realtime, PostgreSQL or Ninefold itself. */
  readonly source: 'ninefold' | 'rest' | 'auth' | 'storage' | 'realtime' | 'functions' | 'postgres';
  readonly status: number;
  /**
   * Further HTTP statuses of this code, each with a sentence about its condition. A response with this code has
   * `status` or one of these.
   */
  readonly otherStatuses?: Readonly<Record<number, string>>;
  /**
   * True if the app's own code can choose the status of the response. `status` applies if it chooses none, and for all
   * other codes.
   */
  readonly appChoosesStatus?: true;
  /** The default message. The place that raises the error can send a more exact one. */
  readonly message: string;
  readonly meaning: string;
  /** The instruction to the developer, such as “Send a valid token.” */
  readonly action: string;
  /**
   * The sentence that the app should show to its member; null for an error of the management API, which members never
   * get.
   */
  readonly member: string | null;
  /** The limit that was exceeded, if the code always belongs to the same limit. */
  readonly limit?: LimitName;
  /** Settings of the app, with values. The error can occur only while these settings have these values. */
  readonly while?: Partial<RestSettings & AuthSettings>;
  /** Settings of the app. The error can occur only while at least one of them is true. */
  readonly whileAny?: readonly (keyof AuthSettings)[];
}

type Source = ErrorEntry['source'];

/** Returns entries of the source, unless an entry names another one. Keeps the codes as literal keys. */
export const entries = <const E extends Record<string, Omit<ErrorEntry, 'source'> & { readonly source?: Source }>>(
  source: Source,
  value: E,
) =>
  Object.fromEntries(Object.entries(value).map(([code, entry]) => [code, { source, ...entry }])) as {
    readonly [Code in keyof E]: E[Code] & { readonly source: Source };
  };

/** Sentences that an app can show to its members for errors that members cannot fix themselves. */
export const memberTexts = {
  fault: 'Something in this app is not right. Please tell the people who run it.',
  tryAgain: 'This is not possible at the moment. Please try again in a minute.',
  signInAgain: 'Please sign in again.',
} as const;
