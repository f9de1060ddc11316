import type { Reply } from '../../../contract/call-request.ts';
import {
  ConnectionError,
  DatabaseError,
  isOutOfConnections,
  loginFailureReason,
  PoolTimeoutError,
} from '../../database/database-error.ts';
import { NinefoldError, retryAfter } from '../../errors/ninefold-error.ts';
import { databaseErrorReply, type ErrorBody, type ErrorContext } from './database-error-reply.ts';

/** The code of a request that PostgreSQL may have committed. A client that repeats it could make its changes twice. */
const UNKNOWN = 'outcome_unknown';

/**
 * Renders an error as PostgREST does (https://docs.postgrest.org/en/stable/references/errors.html): the body is `{code,
 * details, hint, message}`. Returns null for an internal error, whose text clients must not see.
 */
export function restErrorReply(error: unknown, context: ErrorContext): Reply | null {
  if (error instanceof NinefoldError) {
    const { code, details, hint, message, status, headers } = error;
    return errorReply(status, { code, details, hint, message }, headers, context);
  }
  if (error instanceof DatabaseError) {
    const { status, body, headers } = databaseErrorReply(error, context);
    return errorReply(status, body, headers, context);
  }
  if (error instanceof ConnectionError) {
    if (error.mayHaveCommitted) return restErrorReply(new NinefoldError(UNKNOWN), context);
    return restErrorReply(
      isOutOfConnections(error) ? error.cause : new NinefoldError('PGRST000', { details: loginFailureReason(error) }),
      context,
    );
  }
  if (error instanceof PoolTimeoutError) return restErrorReply(new NinefoldError('PGRST003'), context);
  return null;
}

function errorReply(
  status: number,
  body: ErrorBody,
  headers: Readonly<Record<string, string>>,
  context: ErrorContext,
): Reply {
  const { code, message } = body;
  return {
    status,
    code,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'proxy-status': `PostgREST; error=${code.replaceAll(/[^\w.-]/g, '')}`,
      ...(status === 503 && code !== UNKNOWN && retryAfter(1)),
      ...headers,
    },
    body: JSON.stringify(context.verbosity === 'minimal' ? { code, message } : body),
  };
}
