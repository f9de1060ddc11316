import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { errors } from '../../contract/errors.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { UNSIGNED_TOKEN } from '../identity/verify-jwt.ts';
import { replyHeaders } from './reply.ts';

/** The version of the API from which on GoTrue's errors have a code as text. */
const VERSION = '2024-01-01';

/**
 * Returns an error in GoTrue's format: `{code, message}` for clients that send `X-Supabase-Api-Version: 2024-01-01` or
 * later, else `{code: <HTTP status>, error_code, msg}`. Returns null for an error that is not a NinefoldError.
 */
export function authErrorReply(error: unknown, exchange: Pick<CallRequest, 'headers' | 'requestId'>): Reply | null {
  if (!(error instanceof NinefoldError)) return null;
  const { code, status, message } = inGoTruesWords(error);
  const [, oauthError] = OAUTH_ERROR.exec(code) ?? [];
  if (oauthError !== undefined) {
    const body = JSON.stringify({ error: oauthError, error_description: message });
    return { status, code, headers: { ...replyHeaders, ...error.headers }, body };
  }
  const isNew = sendsVersion(exchange.headers['x-supabase-api-version']);
  const reasons = code === 'weak_password' ? { weak_password: error.details } : {};
  const id = status >= 500 ? { error_id: exchange.requestId } : {};
  return {
    status,
    code,
    headers: {
      ...replyHeaders,
      'x-sb-error-code': code,
      ...(isNew && { 'x-supabase-api-version': VERSION }),
      ...error.headers,
    },
    body: JSON.stringify(
      isNew ? { code, message, ...reasons } : { code: status, error_code: code, msg: message, ...reasons, ...id },
    ),
  };
}

/** Returns the code of an error in the response. */
export const codeInReply = (error: NinefoldError): string => inGoTruesWords(error).code;

/**
 * Translates an error with PostgREST's message into GoTrue's words. Such errors come from code that data calls use too.
 */
function inGoTruesWords(error: NinefoldError): { code: string; status: number; message: string } {
  switch (error.code) {
    case 'PGRST301':
    case 'PGRST303':
      return {
        code: 'bad_jwt',
        status: errors.bad_jwt.status,
        message: `invalid JWT: unable to parse or verify signature, ${goTruesWords.get(error.message) ?? error.message}`,
      };
    case 'session_revoked':
      return {
        code: 'session_not_found',
        status: errors.session_not_found.status,
        message: 'Session from session_id claim in JWT does not exist',
      };
    default:
      return { code: error.code, status: error.status, message: error.message };
  }
}

export const TOKEN_EXPIRED = 'token has invalid claims: token is expired';

/** GoTrue's messages by PostgREST's messages, of an expired token and of a token with `alg: none`. */
const goTruesWords: ReadonlyMap<string, string> = new Map([
  ['JWT expired', TOKEN_EXPIRED],
  [UNSIGNED_TOKEN, 'token signature is invalid: signing method none is invalid'],
]);

/** Errors of the token endpoint have their own format (RFC 6749, section 5.2). */
const OAUTH_ERROR = /^oauth_(invalid_request|invalid_client|invalid_grant|invalid_scope|unsupported_grant_type)$/;

/** Returns true if the header names this version or a later one. Dates in ISO 8601 have the same order as texts. */
const sendsVersion = (header: string | undefined): boolean =>
  header !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(header) && header >= VERSION;
