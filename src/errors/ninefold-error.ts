import { type ErrorCode, type ErrorEntry, errors, type OtherStatus } from '../../contract/errors.ts';
import { type Limit, type LimitName, limits } from '../../contract/limits.ts';

/** The number of calls that a limit allows, for the headers RateLimit-Policy and RateLimit. */
interface Quota {
  readonly count: number;
  /** Length of the time window in seconds; absent if the limit counts calls that run at the same time. */
  readonly seconds?: number;
}

/** Parts of an error in addition to its code. All are sent to the client, except `cause` and `limit`. */
export interface ErrorParts<Code extends ErrorCode = ErrorCode> {
  /** Replaces the message of the contract. */
  message?: string;
  details?: unknown;
  hint?: string | null;
  /** Replaces the usual HTTP status of the code with another one that the code's entry in `contract/errors` lists. */
  status?: OtherStatus<Code>;
  headers?: Record<string, string>;
  /** Seconds after which the client may try again, for the header Retry-After (RFC 9110, section 10.2.3). */
  retryAfter?: number;
  /** The limit that was exceeded, if the code does not determine it. Used for statistics, never sent. */
  limit?: LimitName;
  /** The number of calls that the exceeded limit allows. Set if the client may repeat the call after `retryAfter`. */
  quota?: Quota;
  /** Internal cause. Logged, never sent. */
  cause?: unknown;
}

/** An error that is reported to a client. Its code is one of `contract/errors.ts`. */
export class NinefoldError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'NinefoldError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: unknown;
  readonly hint: string | null;
  readonly headers: Record<string, string>;
  readonly limit: LimitName | null;

  constructor(code: Code, parts: ErrorParts<Code> = {}) {
    const entry: ErrorEntry = errors[code];
    super(parts.message ?? entry.message, { cause: parts.cause });
    this.code = code;
    this.status = parts.status ?? entry.status;
    this.details = parts.details ?? null;
    this.hint = parts.hint ?? null;
    this.limit = parts.limit ?? entry.limit ?? null;
    const { quota, retryAfter: wait } = parts;
    this.headers = {
      ...parts.headers,
      ...(wait !== undefined && retryAfter(wait)),
      ...(wait !== undefined && quota && this.limit !== null && rateLimitHeaders(this.limit, quota, wait)),
    };
  }
}

/** Returns the header Retry-After with the number of seconds. */
export const retryAfter = (seconds: number): Record<string, string> => ({ 'retry-after': String(seconds) });

/**
 * Returns the headers of a limit that is used up for `wait` seconds (draft-ietf-httpapi-ratelimit-headers-10). They name
 * the setting that changes the limit.
 */
function rateLimitHeaders(name: LimitName, { count, seconds }: Quota, wait: number): Record<string, string> {
  const { setting = name }: Limit = limits[name];
  const window = seconds === undefined ? 'qu="concurrent-requests"' : `w=${seconds}`;
  return {
    'ratelimit-policy': `"${setting}";q=${count};${window}`,
    ratelimit: `"${setting}";r=0;t=${wait}`,
  };
}
