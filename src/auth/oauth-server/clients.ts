import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import {
  addOAuthClient,
  type ClientAuthMethod,
  changeOAuthClient,
  clientLimits,
  deleteOAuthClient,
  findOAuthClient,
  listOAuthClients,
  makeClientSecret,
  type OAuthClient,
  type OAuthClientValues,
} from '../../accounts/oauth/clients.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { readBody, text } from '../body.ts';
import { authCall, SOME_ID } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { takeFromLimit } from '../rate-limit.ts';
import { json, noContent } from '../reply.ts';
import { OAUTH_SCOPES } from './oauth-server.ts';

const addresses = z
  .array(z.string().min(1).max(limits.redirectCharacters.default))
  .max(limits.oauthRedirectAddresses.default)
  .nullish()
  .transform((value) => value ?? undefined);

const schema = z.object({
  redirect_uris: addresses.meta(required('Where members may go back to: exact addresses.', 'list of URLs')),
  grant_types: addresses,
  token_endpoint_auth_method: text(limits.authFieldCharacters.default),
  client_name: text(limits.oauthClientNameCharacters.default).meta(optional('The name that members see.')),
  client_type: text(limits.authFieldCharacters.default).meta(
    optional('public for applications that cannot keep a secret.', 'confidential or public'),
  ),
  client_uri: text(limits.redirectCharacters.default),
  logo_uri: text(limits.redirectCharacters.default),
  scope: text(limits.authTextCharacters.default).meta(
    optional('The scopes that the application may ask for, separated by blanks. Without a value, all.'),
  ),
});

type Body = z.output<typeof schema>;

const refusal = (message: string): NinefoldError => new NinefoldError('validation_failed', { message });

/** `grants` is the number of members who allow the application. */
export const listOAuthClientsCall = authCall({
  id: 'auth.admin.oauth.list',
  route: 'GET /admin/oauth/clients',
  caller: 'secret-key',
  needs: { oauth_server_enabled: true },
  errors: [],
  summary: 'Lists the applications that members may sign in to with this app.',
  returns: 'clients: a list, without secrets',
  supabaseJs: 'supabase.auth.admin.oauth.listClients()',
  handle: async (context) => {
    const clients = await listOAuthClients(context.database);
    return json({ clients: clients.map((client) => ({ ...shown(client), grants: client.grants })) });
  },
});

export const getOAuthClientCall = authCall({
  id: 'auth.admin.oauth.get',
  route: 'GET /admin/oauth/clients/{client_id}',
  caller: 'secret-key',
  needs: { oauth_server_enabled: true },
  errors: ['oauth_client_not_found'],
  summary: 'One application.',
  returns: 'the application, without its secret',
  supabaseJs: `supabase.auth.admin.oauth.getClient('${SOME_ID}')`,
  handle: async (context, _request, { path }) => {
    return json(shown(await existing(context, path.client_id)));
  },
});

export const addOAuthClientCall = authCall({
  id: 'auth.admin.oauth.create',
  route: 'POST /admin/oauth/clients',
  caller: 'secret-key',
  needs: { oauth_server_enabled: true },
  body: schema,
  errors: ['over_oauth_client_quota'],
  summary: 'Registers an application.',
  returns: 'the application, with its secret, which is shown once',
  supabaseJs:
    "supabase.auth.admin.oauth.createClient({ client_name: 'Photos', redirect_uris: ['https://photos.example.org/callback'] })",
  handle: async (context, request) => {
    return register(context, request, 'manual');
  },
});

export const registerOAuthClient = authCall({
  id: 'auth.oauth.register',
  route: 'POST /oauth/clients/register',
  caller: 'anyone',
  needs: { oauth_server_enabled: true, oauth_server_allow_dynamic_registration: true },
  body: schema,
  shows: { redirect_uris: addresses.meta(required('Where members may go back to.', 'list of URLs')) },
  errors: ['oauth_dynamic_client_registration_disabled', 'over_oauth_client_quota'],
  summary: 'An application registers itself (RFC 7591).',
  returns: 'the application, with its secret',
  handle: async (context, request) => {
    if (!context.settings.oauth_server_allow_dynamic_registration) {
      throw new NinefoldError('oauth_dynamic_client_registration_disabled');
    }
    await takeFromLimit(context, request, 'registration');
    return register(context, request, 'dynamic');
  },
});

export const changeOAuthClientCall = authCall({
  id: 'auth.admin.oauth.update',
  route: 'PUT /admin/oauth/clients/{client_id}',
  caller: 'secret-key',
  needs: { oauth_server_enabled: true },
  body: schema,
  shows: schema.pick({ client_name: true }).shape,
  errors: ['oauth_client_not_found'],
  summary: 'Changes an application.',
  returns: 'the application after the change',
  example: { client_name: 'Photos' },
  supabaseJs: `supabase.auth.admin.oauth.updateClient('${SOME_ID}', { client_name: 'Photos' })`,
  handle: async (context, _request, { path, readBody }) => {
    const client = await existing(context, path.client_id);
    const { client_type: _, ...body } = readBody();
    if (Object.values(body).every((value) => value === undefined)) throw refusal('No fields provided for update');
    const changed = await changeOAuthClient(context.database, client.id, checked(body, client));
    if (changed === null) throw new NinefoldError('oauth_client_not_found');
    return json(shown(changed));
  },
});

export const deleteOAuthClientCall = authCall({
  id: 'auth.admin.oauth.delete',
  route: 'DELETE /admin/oauth/clients/{client_id}',
  caller: 'secret-key',
  needs: { oauth_server_enabled: true },
  errors: ['oauth_client_not_found'],
  summary: 'Deletes an application, and ends the sessions that it holds.',
  returns: '204, no body',
  supabaseJs: `supabase.auth.admin.oauth.deleteClient('${SOME_ID}')`,
  handle: async (context, _request, { path }) => {
    const { id } = await existing(context, path.client_id);
    await deleteOAuthClient(context.database, id);
    return noContent;
  },
});

export const renewOAuthClientSecret = authCall({
  id: 'auth.admin.oauth.renew',
  route: 'POST /admin/oauth/clients/{client_id}/regenerate_secret',
  caller: 'secret-key',
  needs: { oauth_server_enabled: true },
  errors: ['oauth_client_not_found'],
  summary: 'Gives an application a new secret. The previous secret stops working.',
  returns: 'the application, with its secret',
  supabaseJs: `supabase.auth.admin.oauth.regenerateClientSecret('${SOME_ID}')`,
  handle: async (context, _request, { path }) => {
    const client = await existing(context, path.client_id);
    if (client.client_type === 'public') throw refusal('Cannot regenerate secret for public client');
    const { secret, hash } = makeClientSecret();
    const changed = await changeOAuthClient(context.database, client.id, { client_secret_hash: hash });
    if (changed === null) throw new NinefoldError('oauth_client_not_found');
    return json(shown(changed, secret));
  },
});

async function existing(context: AuthContext, segment: string): Promise<OAuthClient> {
  if (!UUID.test(segment)) throw refusal('invalid client_id format');
  const client = await findOAuthClient(context.database, segment);
  if (client === null) throw new NinefoldError('oauth_client_not_found');
  return client;
}

async function register(
  context: AuthContext,
  request: CallRequest,
  registration: OAuthClient['registration_type'],
): Promise<Reply> {
  const body = readBody(request, schema);
  if (!body.redirect_uris?.length) throw refusal('redirect_uris is required');
  const type = typeOf(body);
  const { secret, hash } = makeClientSecret();
  const values: OAuthClientValues = {
    registration_type: registration,
    client_type: type,
    token_endpoint_auth_method: type === 'public' ? 'none' : 'client_secret_basic',
    redirect_uris: '',
    grant_types: 'authorization_code,refresh_token',
    client_name: null,
    client_uri: null,
    logo_uri: null,
    scope: null,
    ...checked(body, { client_type: type }),
    client_secret_hash: type === 'public' ? null : hash,
  };
  const client = await addOAuthClient(context.database, values);
  if (client === null) throw overQuota(registration);
  return { ...json(shown(client, type === 'public' ? undefined : secret)), status: 201 };
}

function overQuota(registration: OAuthClient['registration_type']): NinefoldError {
  const limit = clientLimits[registration];
  const message = `The app has too many OAuth clients (${limit}: ${limits[limit].default})`;
  return new NinefoldError('over_oauth_client_quota', { message, limit });
}

/**
 * Returns the type of a client. Public clients do not authenticate; confidential clients authenticate with their
 * secret.
 */
function typeOf({ client_type: type, token_endpoint_auth_method: method }: Body): OAuthClient['client_type'] {
  if (type !== undefined && type !== 'public' && type !== 'confidential') {
    throw refusal("client_type must be 'public' or 'confidential'");
  }
  return type ?? (method === 'none' ? 'public' : 'confidential');
}

/**
 * Returns the valid values of the body.
 * @throws validation_failed
 */
function checked(
  body: Omit<Body, 'client_type'>,
  { client_type: type }: Pick<OAuthClient, 'client_type'>,
): Partial<OAuthClientValues> {
  const { redirect_uris: redirects, grant_types: grants, token_endpoint_auth_method: method } = body;
  if (redirects?.length === 0) throw refusal('redirect_uris cannot be empty');
  for (const address of redirects ?? []) checkRedirect(address);
  if (grants?.length === 0) throw refusal('grant_types cannot be empty');
  if (grants?.some((grant) => grant !== 'authorization_code' && grant !== 'refresh_token')) {
    throw refusal("grant_types must only contain 'authorization_code' and/or 'refresh_token'");
  }
  if (method !== undefined && !methodsOf[type].includes(method)) {
    throw refusal(`token_endpoint_auth_method of a ${type} client must be one of: ${methodsOf[type].join(', ')}`);
  }
  for (const name of ['client_uri', 'logo_uri'] as const) {
    if (body[name] !== undefined && !/^https?:\/\//i.test(body[name])) throw refusal(`${name} must be a valid URL`);
  }
  const scopes = [...new Set(body.scope?.split(' ').filter((scope) => scope !== ''))];
  // A client that registers itself may name scopes that only other servers have. They are left out (RFC 7591, section
  // 3.2.1).
  const supported = scopes.filter((scope) => OAUTH_SCOPES.includes(scope));
  if (scopes.length > 0 && supported.length === 0)
    throw refusal(`scope must contain one of: ${OAUTH_SCOPES.join(', ')}`);
  return {
    ...(redirects && { redirect_uris: redirects.join(',') }),
    ...(grants && { grant_types: grants.join(',') }),
    ...(method && { token_endpoint_auth_method: method as ClientAuthMethod }),
    ...(body.client_name && { client_name: body.client_name }),
    ...(body.client_uri && { client_uri: body.client_uri }),
    ...(body.logo_uri && { logo_uri: body.logo_uri }),
    ...(supported.length > 0 && { scope: supported.join(' ') }),
  };
}

const methodsOf: Readonly<Record<OAuthClient['client_type'], readonly string[]>> = {
  public: ['none'],
  confidential: ['client_secret_basic', 'client_secret_post'],
};

/** URL schemes whose addresses run code or read files when a browser opens them. */
const REFUSED = /^(?:about|blob|data|file|javascript|vbscript|view-source|wss?):/i;

/**
 * Throws validation_failed unless an address is absolute and without a fragment. http is allowed only on the member's
 * own device (RFC 6749, section 3.1.2; RFC 8252).
 */
function checkRedirect(address: string): void {
  const refuse = (reason: string) => refusal(`invalid redirect_uri '${address}': ${reason}`);
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#]/i.test(address) || !URL.canParse(address)) {
    throw refuse('must have scheme and host');
  }
  if (REFUSED.test(address)) throw refuse('this scheme is not allowed');
  if (/[,#\s\\]/.test(address)) throw refuse('must have no fragment, comma, blank or backslash');
  const { protocol, hostname, username, password } = new URL(address);
  if (username !== '' || password !== '') throw refuse('must have no user name');
  if (protocol === 'http:' && !/^(?:localhost|127\.0\.0\.1|\[::1\]|.+\.localhost)$/.test(hostname)) {
    throw refuse('HTTP scheme only allowed for localhost');
  }
}

/**
 * Returns a client as the API shows it (RFC 7591, section 3.2.1).
 * @param secret The secret, if it was just created. It is shown only then.
 */
const shown = (client: OAuthClient, secret?: string) => ({
  client_id: client.id,
  ...(secret !== undefined && { client_secret: secret }),
  client_type: client.client_type,
  redirect_uris: client.redirect_uris.split(','),
  token_endpoint_auth_method: client.token_endpoint_auth_method,
  grant_types: client.grant_types.split(','),
  response_types: ['code'],
  ...(client.client_name && { client_name: client.client_name }),
  ...(client.client_uri && { client_uri: client.client_uri }),
  ...(client.logo_uri && { logo_uri: client.logo_uri }),
  ...(client.scope && { scope: client.scope }),
  registration_type: client.registration_type,
  created_at: client.created_at,
  updated_at: client.updated_at,
});
