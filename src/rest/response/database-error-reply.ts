import { statusOfSqlstate, validStatus } from '../../../contract/errors/sqlstate-status.ts';
import type { DatabaseError } from '../../database/database-error.ts';
import { adviceOnLibrary } from '../../errors/missing-library.ts';
import { overriddenHeaders } from './query-reply.ts';

/**
 * The response for an error of PostgreSQL (PostgREST docs, "HTTP Status Codes", "RAISE errors with HTTP Status Codes").
 */
export interface DatabaseErrorReply {
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Builds the response from the error's public fields and the HTTP status of its SQLSTATE. The response never contains
 * the failed query.
 */
export function databaseErrorReply(
  error: DatabaseError,
  { authenticated, ruleHint }: Pick<ErrorContext, 'authenticated' | 'ruleHint'>,
): DatabaseErrorReply {
  const { sqlstate: code, message, detail, hint } = error.fields;
  if (code === 'PGRST') return raisedReply(message, detail);
  const status = statusOfSqlstate(code, message, authenticated);
  return {
    status,
    body: { code, details: detail ?? null, hint: hint ?? ruleHint ?? adviceOnLibrary(code, message), message },
    headers: status === 401 ? { 'www-authenticate': 'Bearer' } : {},
  };
}

const asObject = (text: string): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
};

const optionalText = (value: unknown): value is string | null | undefined =>
  value === undefined || value === null || typeof value === 'string';

/**
 * Builds the response for `RAISE SQLSTATE 'PGRST'`: MESSAGE contains the body, DETAIL contains status and headers, as
 * JSON.
 */
function raisedReply(message: string, detail: string | undefined): DatabaseErrorReply {
  const body = asObject(message);
  if (
    typeof body?.code !== 'string' ||
    typeof body.message !== 'string' ||
    !optionalText(body.details) ||
    !optionalText(body.hint)
  ) {
    return unreadable(`Invalid JSON value for MESSAGE: '${message}'`, MESSAGE_HINT);
  }
  if (detail === undefined) return unreadable('DETAIL is missing in the RAISE statement', DETAIL_HINT);
  const response = asObject(detail);
  const status = validStatus(response?.status);
  const headers = headersOf(response?.headers);
  if (status === null || headers === null || !optionalText(response?.status_text)) {
    return unreadable(`Invalid JSON value for DETAIL: '${detail}'`, DETAIL_HINT);
  }
  const { code, details, hint } = body;
  return {
    status,
    body: { code, details: details ?? null, hint: hint ?? null, message: body.message },
    headers,
  };
}

const MESSAGE_HINT =
  "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.";
const DETAIL_HINT =
  "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.";

function headersOf(value: unknown): Readonly<Record<string, string>> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  try {
    return overriddenHeaders(JSON.stringify(Object.entries(value).map(([name, text]) => ({ [name]: text })))).headers;
  } catch {
    return null;
  }
}

const unreadable = (details: string, hint: string): DatabaseErrorReply => ({
  status: 500,
  body: {
    code: 'PGRST121',
    details,
    hint,
    message: 'Could not parse JSON in the "RAISE SQLSTATE \'PGRST\'" error',
  },
  headers: {},
});

/** Body of an error in PostgREST's format. */
export interface ErrorBody {
  readonly code: string;
  readonly details: unknown;
  readonly hint: string | null;
  readonly message: string;
}

/** Data for rendering an error. */
export interface ErrorContext {
  /** True if the caller has another role than the anonymous one: missing privileges then give 403 instead of 401. */
  readonly authenticated: boolean;
  /** The setting client_error_verbosity. */
  readonly verbosity: 'verbose' | 'minimal';
  /** Comment on the violated constraint, which the client gets as `hint`. */
  readonly ruleHint?: string | null;
}
