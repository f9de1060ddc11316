import type { Reply } from '../../contract/call-request.ts';
import { toAppDamaged } from '../apps/provisioning/damaged-app.ts';
import {
  ConnectionError,
  DatabaseError,
  isDiskFull,
  isOutOfConnections,
  LOCK_NOT_AVAILABLE,
  loginFailureReason,
  PoolTimeoutError,
  ResultTooLargeError,
} from '../database/database-error.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { helpLink } from './help-link.ts';

/** Returns true for SQLSTATEs of a server that is starting or stopping (classes 08, 57P). */
const unavailable = (sqlstate: string) => sqlstate.startsWith('08') || sqlstate.startsWith('57P');

/** Converts an error to one that a client may see. An unknown error becomes `internal`, with its cause for the log. */
export function asNinefoldError(caught: unknown): NinefoldError {
  if (isDiskFull(caught)) return new NinefoldError('disk_full', { retryAfter: 10, cause: caught });
  const error = toAppDamaged(caught);
  if (error instanceof NinefoldError) return error;
  if (error instanceof ResultTooLargeError) return new NinefoldError('result_too_large', { cause: error });
  if (error instanceof PoolTimeoutError) return new NinefoldError('database_busy', { cause: error });
  if (error instanceof ConnectionError) return noConnection(error);
  if (error instanceof DatabaseError && unavailable(error.sqlstate)) {
    return new NinefoldError('database_unavailable', { cause: error, retryAfter: 1 });
  }
  if (error instanceof DatabaseError && error.sqlstate === LOCK_NOT_AVAILABLE) {
    const message = 'A change of the schema holds a lock that this call waits for.';
    return new NinefoldError('database_unavailable', { message, cause: error, retryAfter: 1 });
  }
  return new NinefoldError('internal', { cause: error });
}

function noConnection(cause: ConnectionError): NinefoldError {
  if (cause.mayHaveCommitted) return new NinefoldError('outcome_unknown', { cause });
  if (isOutOfConnections(cause)) {
    return new NinefoldError('database_unavailable', {
      message: 'The database accepts no further connections.',
      details: { reason: cause.message },
      retryAfter: 1,
      cause,
    });
  }
  const message = loginFailureReason(cause);
  if (message !== null) return new NinefoldError('database_unavailable', { message, cause });
  return new NinefoldError('database_unavailable', { retryAfter: 1, cause });
}

/** Builds the response for an error of Ninefold. The body is an `ApiError` of contract/admin.ts. */
export function errorReply(error: NinefoldError, requestId: string): Reply {
  return {
    status: error.status,
    code: error.code,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      link: helpLink(error.code),
      ...error.headers,
    },
    body: JSON.stringify({
      code: error.code,
      message: error.message,
      details: error.details,
      hint: error.hint,
      request_id: requestId,
    }),
  };
}
