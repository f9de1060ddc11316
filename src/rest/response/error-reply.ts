import type { Reply } from '../../../contract/exchange.ts';
import { defaultRestSettings, type RestSettings } from '../../../contract/settings.ts';
import { ConnectionError, DatabaseError, PoolTimeoutError } from '../../database/database-error.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Identity } from '../../identity/identity.ts';
import { databaseErrorReply } from './database-error-reply.ts';

/** What an error says, in PostgREST's words. */
export interface ErrorBody {
  readonly code: string;
  readonly details: unknown;
  readonly hint: string | null;
  readonly message: string;
}

/**
 * Any error as PostgREST answers it (https://docs.postgrest.org/en/stable/references/errors.html): the body is
 * `{code, details, hint, message}`. A lack of rights is 401 for the anonymous role, which may sign in, and 403 for any
 * other. Null for an error that is none of a client's business: it is a fault.
 * @param identity who called; null when that could not be told
 */
export function restErrorReply(
  error: unknown,
  identity: Identity | null,
  settings: Pick<RestSettings, 'db_anon_role' | 'client_error_verbosity'> = defaultRestSettings,
): Reply | null {
  const minimal = settings.client_error_verbosity === 'minimal';
  if (error instanceof NinefoldError) {
    const { code, details, hint, message, status, headers } = error;
    return errorReply(status, { code, details, hint, message }, headers, minimal);
  }
  if (error instanceof DatabaseError) {
    const authenticated = identity !== null && identity.role !== settings.db_anon_role;
    const { status, body, headers } = databaseErrorReply(error, authenticated);
    return errorReply(status, body, headers, minimal);
  }
  if (error instanceof ConnectionError) {
    return restErrorReply(new NinefoldError('PGRST000', retrySoon), identity, settings);
  }
  if (error instanceof PoolTimeoutError) return restErrorReply(new NinefoldError('PGRST003'), identity, settings);
  return null;
}

const retrySoon = { headers: { 'retry-after': '1' } };

function errorReply(status: number, body: ErrorBody, headers: Record<string, string>, minimal: boolean): Reply {
  const { code, message } = body;
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'proxy-status': `PostgREST; error=${code.replaceAll(/[^\w.-]/g, '')}`,
      ...headers,
    },
    body: JSON.stringify(minimal ? { code, message } : body),
  };
}
