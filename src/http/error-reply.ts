import type { Reply } from '../../contract/call-request.ts';
import { toAppDamaged } from '../apps/damaged-app.ts';
import {
  ConnectionError,
  DatabaseError,
  isDiskFull,
  isOutOfConnections,
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
  if (isDiskFull(caught)) return new NinefoldError('disk_full', { headers: { 'retry-after': '10' }, cause: caught });
  const error = toAppDamaged(caught);
  if (error instanceof NinefoldError) return error;
  if (error instanceof ResultTooLargeError) return new NinefoldError('result_too_large', { cause: error });
  if (error instanceof PoolTimeoutError) return new NinefoldError('database_busy', { cause: error });
  if (error instanceof ConnectionError) return noConnection(error);
  if (error instanceof DatabaseError && unavailable(error.sqlstate)) {
    return new NinefoldError('database_unavailable', { cause: error, headers });
  }
  const fastify = fromFastify(error);
  return fastify ?? new NinefoldError('internal', { cause: error });
}

const headers = { 'retry-after': '1' };

function noConnection(cause: ConnectionError): NinefoldError {
  if (isOutOfConnections(cause)) {
    return new NinefoldError('database_unavailable', {
      message: 'The database takes no more connections.',
      details: { reason: cause.message },
      headers,
      cause,
    });
  }
  const message = loginFailureReason(cause);
  if (message !== null) return new NinefoldError('database_unavailable', { message, cause });
  return new NinefoldError('database_unavailable', { headers, cause });
}

/** Converts errors of the framework by their codes; null for other errors. */
function fromFastify(error: unknown): NinefoldError | null {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new NinefoldError('body_too_large', { cause: error });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new NinefoldError('media_type_unsupported', { cause: error });
  }
  const refused = typeof code === 'string' && code.startsWith('FST_') && statusOf(error) < 500;
  return refused ? new NinefoldError('bad_request', { cause: error }) : null;
}

const statusOf = (error: unknown): number =>
  typeof error === 'object' && error !== null && 'statusCode' in error ? Number(error.statusCode) : 500;

/** Builds the response for an error of Ninefold. The body is an `ApiError` of contract/admin.ts. */
export function errorReply(error: NinefoldError, requestId: string): Reply {
  return {
    status: error.status,
    code: error.code,
    headers: { 'content-type': 'application/json; charset=utf-8', link: helpLink(error.code), ...error.headers },
    body: JSON.stringify({
      code: error.code,
      message: error.message,
      details: error.details,
      hint: error.hint,
      request_id: requestId,
    }),
  };
}
