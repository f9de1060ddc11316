import { type ErrorCode, type ErrorEntry, errors, type OtherStatus } from '../../contract/errors.ts';
import type { LimitName } from '../../contract/limits.ts';

/** The parts of an error beside its code. Everything here is sent to the client, except `cause` and `limit`. */
export interface ErrorParts<Code extends ErrorCode = ErrorCode> {
  /** Replaces the entry's own sentence. */
  message?: string;
  details?: unknown;
  hint?: string | null;
  /** Replaces the entry's HTTP status by another one that the entry declares. */
  status?: OtherStatus<Code>;
  headers?: Record<string, string>;
  /** The limit that was hit, where the code does not say it: counted, never sent. */
  limit?: LimitName;
  /** The internal reason: logged, never sent. */
  cause?: unknown;
}

/** An error that a client is told about. Its code is one of `contract/errors.ts`. */
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
    this.headers = parts.headers ?? {};
    this.limit = parts.limit ?? entry.limit ?? null;
  }
}
