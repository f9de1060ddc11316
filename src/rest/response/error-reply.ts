import type { Reply } from '../../../contract/exchange.ts';
import {
  ConnectionError,
  DatabaseError,
  isFull,
  PoolTimeoutError,
  refusedLogin,
} from '../../database/database-error.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { databaseErrorReply } from './database-error-reply.ts';

/** What an error says, in PostgREST's words. */
export interface ErrorBody {
  readonly code: string;
  readonly details: unknown;
  readonly hint: string | null;
  readonly message: string;
}

export interface ErrorContext {
  /** Whether the call came with another role than the anonymous one: then a lack of rights is 403, else 401. */
  readonly authenticated: boolean;
  /** The setting client_error_verbosity. */
  readonly verbosity: 'verbose' | 'minimal';
  /** The words of the rule that was broken, where it has any: what the client gets as `hint`. */
  readonly ruleHint?: string | null;
}

/**
 * Any error as PostgREST answers it (https://docs.postgrest.org/en/stable/references/errors.html): the body is
 * `{code, details, hint, message}`. Null for an error that is none of a client's business: it is a fault.
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
    return restErrorReply(
      isFull(error) ? error.cause : new NinefoldError('PGRST000', { details: refusedLogin(error) }),
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
      ...(status === 503 ? { 'retry-after': '1' } : {}),
      ...headers,
    },
    body: JSON.stringify(context.verbosity === 'minimal' ? { code, message } : body),
  };
}
