import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { oauthScopeNames } from '../../../contract/oauth-scopes.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AuthContext } from '../context.ts';

/** The scopes that an application may request (OpenID Connect Core 1.0, sections 5.4 and 11). */
export const OAUTH_SCOPES: readonly string[] = oauthScopeNames;

/** The scope of a request that names no scope, as in GoTrue. */
export const DEFAULT_SCOPE = 'email';

/** Returns the issuer of the app as a provider. It does not depend on the request. */
export const issuerOf = ({ app, origins }: Pick<AuthContext, 'app' | 'origins'>): string =>
  `${origins.appOrigin(app.ref) ?? origins.pathUrl(app.ref)}/auth/v1`;

/**
 * Returns the fields of a form or of a JSON object. A form may contain each field only once (RFC 6749, section 3.2).
 * @throws oauth_invalid_request
 */
export function readFields({ body, headers }: CallRequest): ReadonlyMap<string, string> {
  if (body !== null && body.length > limits.authBodyBytes.default) throw new NinefoldError('request_entity_too_large');
  const text = Buffer.from(body ?? []).toString('utf8');
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) {
    const form = new URLSearchParams(text);
    const fields = new Map(form);
    if (fields.size === form.size) return fields;
    throw new NinefoldError('oauth_invalid_request', { message: 'A parameter is repeated' });
  }
  try {
    const fields = Object.entries(JSON.parse(text) as object);
    return new Map(fields.filter((field): field is [string, string] => typeof field[1] === 'string'));
  } catch (error) {
    throw new NinefoldError('oauth_invalid_request', { message: 'Invalid JSON body', cause: error });
  }
}
