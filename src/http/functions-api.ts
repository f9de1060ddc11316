import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { callFunction, type FunctionParts } from '../functions/call-function.ts';
import type { ClientSocket } from '../functions/join-sockets.ts';
import type { ApiHandler } from './api-handler.ts';
import { isPreflight, preflightReply } from './app-headers.ts';

/** The status of errors of tokens. */
const UNAUTHORIZED = 401;

/**
 * Creates the handler of an app's `/functions/v1`.
 * @param socket The connection of a request for a WebSocket; null for any other request.
 */
export const functionsApi = (parts: FunctionParts, socket: ClientSocket | null = null): ApiHandler => ({
  name: 'functions',
  takesStream: true,
  answersPreflight: true,
  handle: async (app, request, identify, trace) => {
    const { rest } = await app.settings();
    trace.slowMilliseconds = rest.logs_slow_milliseconds;
    return callFunction(parts, app, request, identify, trace, socket);
  },
  // A page can read the error only if its preflight request succeeds.
  renderError: async (error, _app, request) =>
    isPreflight(request) ? preflightReply(request) : functionsErrorReply(error, request),
});

/** Errors of tokens have PostgREST's codes, because the same code checks the tokens of data requests. */
const ofTokens: ReadonlySet<string> = new Set(['PGRST301', 'PGRST302', 'PGRST303']);

/** Returns an error in the form of Supabase's gateway: `{code, message}`. */
function functionsErrorReply(error: unknown, { requestId }: CallRequest): Reply | null {
  if (!(error instanceof NinefoldError)) return null;
  const { code, status, details, headers } = error;
  const message = ofTokens.has(code) ? `Invalid JWT: ${error.message}` : error.message;
  return {
    status: ofTokens.has(code) ? UNAUTHORIZED : status,
    code,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify({ code, message, ...(details !== null && { details }), request_id: requestId }),
  };
}
