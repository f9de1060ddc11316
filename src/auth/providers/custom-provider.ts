import type { CustomProviderRow } from '../../accounts/providers/custom-providers.ts';
import { seal, unseal } from '../../apps/registry/seal.ts';
import { asObject, claimId, claimText, isTrue, oneEmail, type Profile, standardClaims } from './provider-profile.ts';
import type { Provider, ProviderEntry } from './provider-table.ts';

type Claims = Readonly<Record<string, unknown>>;

const contextOf = (identifier: string): string => `client secret of ${identifier}`;

/**
 * Encrypts a client secret for the table of providers. Only this node can decrypt it, and only for this app and this
 * provider.
 */
export const sealClientSecret = (secret: string, identifier: string, key: Buffer): string =>
  secret === '' ? '' : seal(secret, key, contextOf(identifier));

/**
 * Decrypts the client secret of a provider. Returns null if this node cannot decrypt it, because the provider is from a
 * copied app or an imported database.
 */
function openClientSecret({ client_secret, identifier }: CustomProviderRow, key: Buffer): string | null {
  if (client_secret === '') return null;
  try {
    return unseal<string>(client_secret, key, contextOf(identifier));
  } catch {
    return null;
  }
}

/** Returns the provider that a row describes. */
export function customProvider(row: CustomProviderRow, redirectUri: string, key: Buffer): Provider {
  return {
    name: row.identifier,
    title: row.name,
    entry: row.provider_type === 'oidc' ? openIdEntry(row) : oauth2Entry(row),
    url: null,
    clientIds: [row.client_id, ...row.acceptable_client_ids],
    secret: openClientSecret(row, key),
    redirectUri,
    isEmailOptional: row.email_optional,
    skipsNonce: row.skip_nonce_check,
    usesPkce: row.pkce_enabled,
    parameters: Object.fromEntries(
      Object.entries(row.authorization_params).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
    ),
  };
}

function openIdEntry(row: CustomProviderRow): ProviderEntry {
  const issuer = row.issuer ?? '';
  return {
    kind: 'oidc',
    scopes: withOpenId(row.scopes.length > 0 ? row.scopes : ['openid', 'email', 'profile']),
    issuer: () => issuer,
    ...(row.discovery_url && { discovery: row.discovery_url }),
    accepts: (other) => other === issuer,
    readsUserInfo: true,
    readClaims: (claims) => profileOf(claims, row),
  };
}

const withOpenId = (scopes: readonly string[]): readonly string[] =>
  scopes.includes('openid') ? scopes : ['openid', ...scopes];

function oauth2Entry(row: CustomProviderRow): ProviderEntry {
  return {
    kind: 'oauth2',
    scopes: row.scopes,
    base: row.authorization_url ?? '',
    issuer: (base) => (row.issuer ? row.issuer : new URL(base).origin),
    authorization: () => row.authorization_url ?? '',
    token: () => row.token_url ?? '',
    profile: () => [row.userinfo_url ?? ''],
    readAnswers: ([first]) => profileOf(asObject(first), row),
  };
}

/**
 * Returns the profile of a person. `attribute_mapping` says for each claim which field of the provider's data contains
 * it. Fields of `custom_claims_allowlist` are copied unchanged.
 */
function profileOf(raw: Claims, row: CustomProviderRow): Profile {
  const mapped: Record<string, unknown> = { ...raw };
  for (const [target, source] of Object.entries(row.attribute_mapping)) {
    if (typeof source === 'string' && Object.hasOwn(raw, source)) mapped[target] = raw[source];
  }
  const allowed = row.custom_claims_allowlist.filter((name) => Object.hasOwn(raw, name));
  return {
    subject: claimId(mapped.sub) || claimId(mapped.id),
    emails: oneEmail(mapped.email, isTrue(raw.email_verified)),
    claims: {
      iss: raw.iss ?? row.issuer ?? undefined,
      ...standardClaims(mapped),
      full_name: claimText(mapped.name),
      avatar_url: claimText(mapped.picture),
      ...(allowed.length > 0 && { custom_claims: Object.fromEntries(allowed.map((name) => [name, raw[name]])) }),
    },
  };
}
