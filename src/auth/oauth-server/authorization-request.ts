import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { OFFLINE_ACCESS } from '../../accounts/oauth/codes.ts';
import { DEFAULT_SCOPE, OAUTH_SCOPES } from './oauth-server.ts';

/** The values of the parameter prompt (OpenID Connect Core 1.0, section 3.1.2.1). */
export const PROMPTS: readonly string[] = ['none', 'login', 'consent', 'select_account'];

/**
 * The parameters that determine the app's response. The client and the redirect address are not among them, because
 * they are checked first.
 */
export interface AuthorizationParameters {
  readonly scopes: readonly string[];
  readonly state: string | null;
  readonly nonce: string | null;
  readonly codeChallenge: string;
  readonly prompts: readonly string[];
  /** The maximum age of the member's sign-in in seconds; null if it may have any age. */
  readonly maxAge: number | null;
  readonly loginHint: string | null;
}

/** An error that the application receives at its redirect address. */
export interface AuthorizationFault {
  readonly error:
    | 'invalid_request'
    | 'invalid_scope'
    | 'unsupported_response_type'
    | 'request_not_supported'
    | 'request_uri_not_supported'
    | 'registration_not_supported'
    | 'interaction_required'
    | 'server_error'
    | 'temporarily_unavailable';
  readonly description: string;
}

const fault = (error: AuthorizationFault['error'], description: string): AuthorizationFault => ({ error, description });
const invalid = (description: string): AuthorizationFault => fault('invalid_request', description);

/**
 * Returns the parameters of an authorization request: the query of GET, the form of POST (OpenID Connect Core 1.0,
 * section 3.1.2.1).
 */
export const parametersOf = ({ method, query, body }: CallRequest): URLSearchParams =>
  new URLSearchParams(method === 'POST' ? Buffer.from(body ?? []).toString('utf8') : query);

/** Returns a parameter that a request contains twice (RFC 6749, section 3.1); null if there is none. */
const repeated = (parameters: URLSearchParams): string | null =>
  [...new Set(parameters.keys())].find((name) => parameters.getAll(name).length > 1) ?? null;

/**
 * Parameters that the server does not support, each with the error for a request that contains it (OpenID Connect Core
 * 1.0, section 3.1.2.6).
 */
const UNSUPPORTED = [
  ['request', 'request_not_supported'],
  ['request_uri', 'request_uri_not_supported'],
  ['registration', 'registration_not_supported'],
] as const;

/**
 * Reads the parameters of an authorization request and ignores unknown ones, such as ui_locales. Returns the first
 * fault of an invalid request.
 * @param takesRefreshTokens True if the client is registered for refresh tokens. The scope offline_access is ignored
 * for other clients.
 * @param registered The scopes that the client is registered for, separated by blanks; null if it may ask for all.
 */
export function readAuthorization(
  parameters: URLSearchParams,
  takesRefreshTokens: boolean,
  registered: string | null = null,
): AuthorizationParameters | AuthorizationFault {
  const wrong = protocolFault(parameters) ?? challengeFault(parameters);
  if (wrong) return wrong;
  const allowed = registered === null ? OAUTH_SCOPES : wordsOf(registered);
  const asked = parameters.get('scope');
  const scopes = asked
    ? [...new Set(wordsOf(asked))]
    : wordsOf(DEFAULT_SCOPE).filter((scope) => allowed.includes(scope));
  if (scopes.length === 0) return fault('invalid_scope', 'scope parameter cannot be empty');
  const unknown = scopes.find((scope) => !OAUTH_SCOPES.includes(scope));
  if (unknown !== undefined) return fault('invalid_scope', `unsupported scope: ${shortened(unknown)}`);
  const refused = scopes.find((scope) => !allowed.includes(scope));
  if (refused !== undefined) return fault('invalid_scope', `the client is not registered for the scope ${refused}`);
  const prompts = [...new Set(wordsOf(parameters.get('prompt') ?? ''))];
  const strange = prompts.find((prompt) => !PROMPTS.includes(prompt));
  if (strange !== undefined) return invalid(`unsupported prompt: ${shortened(strange)}`);
  if (prompts.includes('none') && prompts.length > 1)
    return invalid('prompt none cannot be combined with other values');
  const maxAge = parameters.get('max_age') || null;
  if (maxAge !== null && !(/^\d+$/.test(maxAge) && Number.isSafeInteger(Number(maxAge)))) {
    return invalid('max_age must be a number of seconds');
  }
  const long = ['state', 'nonce', 'login_hint'].find(
    (name) => (parameters.get(name) ?? '').length > limits.oauthStateCharacters.default,
  );
  if (long !== undefined) return invalid(`${long} is too long`);
  return {
    scopes: scopes.filter((scope) => takesRefreshTokens || scope !== OFFLINE_ACCESS),
    state: parameters.get('state'),
    nonce: parameters.get('nonce'),
    codeChallenge: parameters.get('code_challenge') ?? '',
    prompts,
    maxAge: maxAge === null ? null : Number(maxAge),
    loginHint: parameters.get('login_hint') || null,
  };
}

function protocolFault(parameters: URLSearchParams): AuthorizationFault | null {
  const twice = repeated(parameters);
  if (twice !== null) return invalid(`the parameter ${shortened(twice)} is repeated`);
  const unsupported = UNSUPPORTED.find(([name]) => parameters.has(name));
  if (unsupported) return fault(unsupported[1], `the parameter ${unsupported[0]} is not supported`);
  if ((parameters.get('response_type') ?? 'code') !== 'code') {
    return fault('unsupported_response_type', 'only response_type=code is supported');
  }
  const isQuery = (parameters.get('response_mode') || 'query') === 'query';
  return isQuery ? null : invalid('only response_mode=query is supported');
}

/**
 * Returns the fault of the code challenge. PKCE with S256 is required (RFC 7636, section 4.3; RFC 9700, section 2.1.1).
 */
function challengeFault(parameters: URLSearchParams): AuthorizationFault | null {
  const [challenge, method] = [parameters.get('code_challenge'), parameters.get('code_challenge_method')];
  if (!challenge || !method) return invalid('PKCE flow requires both code_challenge and code_challenge_method');
  if (method.toLowerCase() !== 's256') return invalid('code_challenge_method must be S256');
  // A SHA-256 in base64url has 43 characters (RFC 7636, section 4.2).
  return /^[\w-]{43}$/.test(challenge) ? null : invalid('code_challenge must be a SHA-256 in base64url');
}

const wordsOf = (text: string): string[] => text.split(' ').filter((word) => word !== '');

const shortened = (text: string): string => text.slice(0, limits.authFieldCharacters.default);
