import type { DatabaseError } from '../../database/database-error.ts';
import type { ErrorBody } from './error-reply.ts';
import { overriddenHeaders } from './override.ts';

/** An error of PostgreSQL as a reply (PostgREST docs, "HTTP Status Codes", "RAISE errors with HTTP Status Codes"). */
export interface DatabaseErrorReply {
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The fields of the error that are meant for its reader, under the HTTP status of its SQLSTATE. The query that failed
 * is never among them.
 */
export function databaseErrorReply(error: DatabaseError, authenticated: boolean): DatabaseErrorReply {
  const { sqlstate: code, message, detail, hint } = error.fields;
  if (code === 'PGRST') return raisedReply(message, detail);
  const status = statusOf(code, message, authenticated);
  return {
    status,
    body: { code, details: detail ?? null, hint: hint ?? null, message },
    headers: status === 401 ? { 'www-authenticate': 'Bearer' } : {},
  };
}

/** By SQLSTATE; see `byClass` for the rest. */
const byCode: Readonly<Record<string, number>> = {
  '23503': 409, // foreign_key_violation
  '23505': 409, // unique_violation
  '25006': 405, // read_only_sql_transaction: a GET that writes
  '53400': 500, // configuration_limit_exceeded
  '57P01': 503, // admin_shutdown
  P0001: 400, // raise_exception
  '42P01': 404, // undefined_table
  '42P17': 500, // invalid_object_definition: infinite recursion
};

/** By the first two characters of the SQLSTATE. Everything else is 400. */
const byClass: Readonly<Record<string, number>> = {
  '08': 503,
  '09': 500,
  '0L': 403,
  '0P': 403,
  '25': 500,
  '28': 403,
  '2D': 500,
  '38': 500,
  '39': 500,
  '3B': 500,
  '40': 500,
  '53': 503,
  '54': 400, // program_limit_exceeded: the request is too deep or a value too long, for PostgREST 500
  '55': 500,
  '57': 500,
  '58': 500,
  F0: 500,
  HV: 500,
  P0: 500,
  XX: 500,
};

function statusOf(code: string, message: string, authenticated: boolean): number {
  switch (code) {
    case '42501': // insufficient_privilege
      return authenticated ? 403 : 401;
    case '21000': // cardinality_violation, which pg-safeupdate raises too
      return message.endsWith('requires a WHERE clause') ? 400 : 500;
    case '22023': // invalid_parameter_value, which a token for an unknown role leads to
      return message.startsWith('role') && message.endsWith('does not exist') ? 401 : 400;
    case '42883': // undefined_function
      return message.startsWith('function xmlagg(') ? 406 : 404;
  }
  if (code.startsWith('PT')) return validStatus(Number(code.slice(2))) ?? 500;
  return byCode[code] ?? byClass[code.slice(0, 2)] ?? 400;
}

const validStatus = (status: unknown): number | null =>
  typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599 ? status : null;

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

/** `RAISE SQLSTATE 'PGRST'`: MESSAGE holds the body and DETAIL the status and headers, as JSON. */
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
