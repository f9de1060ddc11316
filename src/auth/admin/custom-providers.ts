import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import {
  addCustomProvider,
  type CustomProviderRow,
  type CustomProviderValues,
  changeCustomProvider,
  deleteCustomProvider,
  findCustomProvider,
  listCustomProviders,
} from '../../accounts/providers/custom-providers.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { flag, metadata, text } from '../body.ts';
import { authCall } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { PAGES } from '../providers/authorize.ts';
import { customProvider, sealClientSecret } from '../providers/custom-provider.ts';
import { callbackUrl } from '../providers/find-provider.ts';
import { isProviderUrl, ProviderFailure } from '../providers/provider-fetch.ts';
import { json, noContent } from '../reply.ts';

const texts = z
  .array(z.string().min(1).max(limits.claimCharacters.default))
  .max(limits.customProviderEntries.default)
  .nullish()
  .transform((value) => value ?? undefined);

const schema = z.object({
  provider_type: text(limits.authFieldCharacters.default).meta(required('The protocol.', 'oidc or oauth2')),
  identifier: text(limits.authFieldCharacters.default).meta(required('custom: and a name of your choice.')),
  name: text(limits.providerNameCharacters.default).meta(required('How people call the provider.')),
  client_id: text(limits.providerTextCharacters.default).meta(
    required('The id that the provider has given to the app.'),
  ),
  client_secret: text(limits.providerTextCharacters.default).meta(
    required('The secret that came with it; it is stored sealed and never shown.'),
  ),
  acceptable_client_ids: texts,
  scopes: texts,
  pkce_enabled: flag,
  attribute_mapping: metadata,
  custom_claims_allowlist: texts,
  authorization_params: metadata,
  enabled: flag,
  email_optional: flag,
  issuer: text(limits.providerTextCharacters.default).meta(
    optional('The address whose discovery document names all others; needed for oidc.'),
  ),
  discovery_url: text(limits.providerTextCharacters.default),
  skip_nonce_check: flag,
  authorization_url: text(limits.providerTextCharacters.default),
  token_url: text(limits.providerTextCharacters.default),
  userinfo_url: text(limits.providerTextCharacters.default),
  jwks_uri: text(limits.providerTextCharacters.default),
});

type Body = z.output<typeof schema>;

const refusal = (message: string, cause?: unknown): NinefoldError =>
  new NinefoldError('validation_failed', { message, cause });

export const listCustomProvidersCall = authCall({
  id: 'auth.admin.providers.list',
  route: 'GET /admin/custom-providers',
  caller: 'secret-key',
  errors: [],
  summary: 'Lists the providers that the app has added by their addresses.',
  query: { type: optional('Only the providers of this type.', 'oidc or oauth2') },
  returns: 'providers: a list, without secrets',
  supabaseJs: 'supabase.auth.admin.customProviders.listProviders()',
  handle: async (context, request) => {
    const type = new URLSearchParams(request.query).get('type');
    if (type && type !== 'oauth2' && type !== 'oidc') throw refusal("type must be either 'oauth2' or 'oidc'");
    const rows = await listCustomProviders(context.database, type || null);
    return json({ providers: rows.map(shown) });
  },
});

export const getCustomProviderCall = authCall({
  id: 'auth.admin.providers.get',
  route: 'GET /admin/custom-providers/{identifier}',
  caller: 'secret-key',
  errors: ['custom_provider_not_found'],
  summary: 'One provider that the app has added.',
  returns: 'the provider, without its secret',
  supabaseJs: "supabase.auth.admin.customProviders.getProvider('custom:northwind')",
  handle: async (context, _request, { path }) => {
    return json(shown(await existing(context, identifierOf(path.identifier))));
  },
});

/** First reads the discovery document of an OpenID Connect provider. */
export const addCustomProviderCall = authCall({
  id: 'auth.admin.providers.create',
  route: 'POST /admin/custom-providers',
  caller: 'secret-key',
  body: schema,
  errors: ['conflict', 'over_custom_provider_quota'],
  summary: 'Adds a provider of OpenID Connect by its issuer, or one of OAuth 2.0 by its addresses.',
  returns: 'the provider, without its secret',
  example: {
    provider_type: 'oidc',
    identifier: 'custom:northwind',
    name: 'Northwind',
    client_id: 'helpdesk',
    client_secret: 'a secret of the provider',
    issuer: 'https://login.northwind.example',
  },
  handle: async (context, _request, { readBody }) => {
    const body = readBody();
    const identifier = body.identifier ?? '';
    if (!/^custom:[a-z0-9:-]{0,41}[a-z0-9]$/.test(identifier)) {
      throw refusal(
        "identifier must start with 'custom:' and have lower-case letters, digits, hyphens and colons after it",
      );
    }
    if (identifier === PAGES) throw refusal(`${PAGES} is the name of the app's own pages`);
    const values = valuesOf(context, identifier, body, null);
    checkValues(values);
    if (await findCustomProvider(context.database, identifier)) {
      throw new NinefoldError('conflict', { message: 'A custom OAuth provider with this identifier already exists' });
    }
    await checkDiscovery(context, values);
    const added = await addCustomProvider(context.database, values);
    if (added === null) throw new NinefoldError('over_custom_provider_quota');
    return { ...json(shown(added)), status: 201 };
  },
});

export const changeCustomProviderCall = authCall({
  id: 'auth.admin.providers.update',
  route: 'PUT /admin/custom-providers/{identifier}',
  caller: 'secret-key',
  body: schema,
  shows: { enabled: flag.meta(optional('Whether members can sign in with it.')) },
  errors: ['custom_provider_not_found'],
  summary: 'Changes a provider that the app has added, or switches it off.',
  returns: 'the provider after the change',
  example: { enabled: false },
  supabaseJs: "supabase.auth.admin.customProviders.updateProvider('custom:northwind', { enabled: false })",
  handle: async (context, _request, { path, readBody }) => {
    const body = readBody();
    const row = await existing(context, identifierOf(path.identifier));
    const values = valuesOf(context, row.identifier, body, row);
    checkValues(values);
    if (body.issuer || body.discovery_url) await checkDiscovery(context, values);
    const changed = await changeCustomProvider(context.database, row.identifier, values);
    if (changed === null) throw new NinefoldError('custom_provider_not_found');
    return json(shown(changed));
  },
});

export const deleteCustomProviderCall = authCall({
  id: 'auth.admin.providers.delete',
  route: 'DELETE /admin/custom-providers/{identifier}',
  caller: 'secret-key',
  errors: ['custom_provider_not_found'],
  summary: 'Deletes a provider that the app has added. Accounts keep their identities of it.',
  returns: '204, no body',
  supabaseJs: "supabase.auth.admin.customProviders.deleteProvider('custom:northwind')",
  handle: async (context, _request, { path }) => {
    const isDeleted = await deleteCustomProvider(context.database, identifierOf(path.identifier));
    if (!isDeleted) throw new NinefoldError('custom_provider_not_found');
    return noContent;
  },
});

function identifierOf(segment: string): string {
  const identifier = /%3a/i.test(segment) ? segment.replace(/%3a/gi, ':') : segment;
  if (!/^custom:[\w:-]+$/.test(identifier)) {
    throw refusal(`identifier must start with 'custom:' prefix, e.g. 'custom:northwind'`);
  }
  return identifier;
}

async function existing(context: AuthContext, identifier: string): Promise<CustomProviderRow> {
  const row = await findCustomProvider(context.database, identifier);
  if (row === null) throw new NinefoldError('custom_provider_not_found');
  return row;
}

/** Returns the values after a change. Values that the body does not name stay unchanged. */
function valuesOf(
  context: AuthContext,
  identifier: string,
  body: Body,
  row: CustomProviderRow | null,
): CustomProviderValues {
  return {
    provider_type: row?.provider_type ?? typeOf(body.provider_type),
    identifier,
    name: body.name ?? row?.name ?? '',
    client_id: body.client_id ?? row?.client_id ?? '',
    client_secret: body.client_secret
      ? sealClientSecret(body.client_secret, identifier, context.nodeKey())
      : (row?.client_secret ?? ''),
    acceptable_client_ids: body.acceptable_client_ids ?? row?.acceptable_client_ids ?? [],
    scopes: body.scopes ?? row?.scopes ?? [],
    pkce_enabled: body.pkce_enabled ?? row?.pkce_enabled ?? true,
    attribute_mapping: body.attribute_mapping ?? row?.attribute_mapping ?? {},
    custom_claims_allowlist: body.custom_claims_allowlist ?? row?.custom_claims_allowlist ?? [],
    authorization_params: body.authorization_params ?? row?.authorization_params ?? {},
    enabled: body.enabled ?? row?.enabled ?? true,
    email_optional: body.email_optional ?? row?.email_optional ?? false,
    issuer: body.issuer ?? row?.issuer ?? null,
    discovery_url: body.discovery_url ?? row?.discovery_url ?? null,
    skip_nonce_check: body.skip_nonce_check ?? row?.skip_nonce_check ?? false,
    authorization_url: body.authorization_url ?? row?.authorization_url ?? null,
    token_url: body.token_url ?? row?.token_url ?? null,
    userinfo_url: body.userinfo_url ?? row?.userinfo_url ?? null,
    jwks_uri: body.jwks_uri ?? row?.jwks_uri ?? null,
  };
}

function typeOf(type: string | undefined): CustomProviderValues['provider_type'] {
  if (type === 'oauth2' || type === 'oidc') return type;
  throw refusal("provider_type must be either 'oauth2' or 'oidc'");
}

/** Claims that a provider's data must not overwrite. */
const PROTECTED: readonly string[] = [
  ...['id', 'aud', 'role', 'app_metadata', 'created_at', 'updated_at', 'confirmed_at', 'email_confirmed_at'],
  ...['phone_confirmed_at', 'email_verified', 'phone_verified', 'banned_until', 'is_super_admin'],
];

/** Protocol parameters that only Ninefold sets. */
const RESERVED: readonly string[] = [
  ...['client_id', 'client_secret', 'redirect_uri', 'response_type', 'state', 'code_challenge'],
  ...['code_challenge_method', 'code_verifier', 'nonce', 'request', 'request_uri', 'response_mode', 'scope'],
];

function checkValues(values: CustomProviderValues): void {
  if (values.name === '') throw refusal('name is required');
  if (values.client_id === '') throw refusal('client_id is required');
  if (values.client_secret === '' && !values.pkce_enabled) throw refusal('client_secret is required without PKCE');
  const needed =
    values.provider_type === 'oidc'
      ? (['issuer'] as const)
      : (['authorization_url', 'token_url', 'userinfo_url'] as const);
  for (const name of needed)
    if (!values[name]) throw refusal(`${name} is required for ${values.provider_type} providers`);
  for (const name of [
    'issuer',
    'discovery_url',
    'authorization_url',
    'token_url',
    'userinfo_url',
    'jwks_uri',
  ] as const) {
    if (values[name] !== null && !isProviderUrl(values[name])) throw refusal(`${name} must be an https address`);
  }
  if (values.discovery_url !== null && !values.discovery_url.includes('/.well-known/')) {
    throw refusal('discovery_url must lead to a document below /.well-known/');
  }
  for (const target of Object.keys(values.attribute_mapping)) {
    if (PROTECTED.includes(target)) throw refusal(`Cannot map to protected system field: ${target}`);
  }
  for (const [name, value] of Object.entries(values.authorization_params)) {
    if (RESERVED.includes(name.toLowerCase())) throw refusal(`Cannot override reserved OAuth parameter: ${name}`);
    if (typeof value !== 'string') throw refusal(`Authorization parameter "${name}" must be a string`);
  }
}

/** Reads the discovery document, so that a wrong address fails when it is entered and not when a member signs in. */
async function checkDiscovery(context: AuthContext, values: CustomProviderValues): Promise<void> {
  if (values.provider_type !== 'oidc') return;
  const row = { ...values, id: '', created_at: '', updated_at: '' };
  const provider = customProvider(row, callbackUrl(context), context.nodeKey());
  await context.providerClients.open(context, provider).catch((error: unknown) => {
    if (!(error instanceof ProviderFailure)) throw error;
    const address = values.discovery_url ?? values.issuer;
    throw refusal(`OIDC discovery from "${address}" failed: ${error.message}`, error);
  });
}

/** Returns a provider without its client secret, which the API never shows. */
function shown(row: CustomProviderRow): Omit<CustomProviderRow, 'client_secret'> {
  return {
    id: row.id,
    provider_type: row.provider_type,
    identifier: row.identifier,
    name: row.name,
    client_id: row.client_id,
    acceptable_client_ids: row.acceptable_client_ids,
    scopes: row.scopes,
    pkce_enabled: row.pkce_enabled,
    attribute_mapping: row.attribute_mapping,
    custom_claims_allowlist: row.custom_claims_allowlist,
    authorization_params: row.authorization_params,
    enabled: row.enabled,
    email_optional: row.email_optional,
    issuer: row.issuer,
    discovery_url: row.discovery_url,
    skip_nonce_check: row.skip_nonce_check,
    authorization_url: row.authorization_url,
    token_url: row.token_url,
    userinfo_url: row.userinfo_url,
    jwks_uri: row.jwks_uri,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
