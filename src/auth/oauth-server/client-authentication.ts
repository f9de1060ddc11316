import type { CallRequest } from '../../../contract/call-request.ts';
import { findOAuthClient, isClientSecret, type OAuthClient } from '../../accounts/oauth/clients.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import type { AuthContext } from '../context.ts';

/**
 * Returns the application that calls after it has authenticated with its registered method (RFC 6749, section 2.3).
 *
 * @throws oauth_invalid_client, and oauth_invalid_request for a request that authenticates with two methods
 */
export async function requireClient(
  context: AuthContext,
  request: CallRequest,
  fields: ReadonlyMap<string, string>,
): Promise<OAuthClient> {
  const { id, secret, method } = credentialsOf(request, fields);
  const client = UUID.test(id) ? await findOAuthClient(context.database, id) : null;
  const isGood = client?.token_endpoint_auth_method === method && (method === 'none' || isClientSecret(client, secret));
  if (client !== null && isGood) return client;
  throw new NinefoldError('oauth_invalid_client', {
    ...(method === 'client_secret_basic' && { headers: { 'www-authenticate': 'Basic realm="oauth"' } }),
  });
}

/** Returns the id and the secret of the client. In HTTP Basic, both are form-encoded (RFC 6749, section 2.3.1). */
function credentialsOf({ headers }: CallRequest, fields: ReadonlyMap<string, string>) {
  const [, encoded] = /^basic +([\w+/=-]+)$/i.exec(headers.authorization ?? '') ?? [];
  if (encoded !== undefined) {
    const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
    const named = fields.get('client_id') || formDecoded(id);
    if (fields.get('client_secret') || named !== formDecoded(id)) {
      throw new NinefoldError('oauth_invalid_request', { message: 'The client authenticates in more than one way' });
    }
    return { id: named, secret: formDecoded(secret), method: 'client_secret_basic' } as const;
  }
  const secret = fields.get('client_secret') ?? '';
  const method = secret === '' ? 'none' : 'client_secret_post';
  return { id: fields.get('client_id') ?? '', secret, method } as const;
}

const formDecoded = (part: string): string => new URLSearchParams(`v=${part.replace(/&/g, '%26')}`).get('v') ?? '';
