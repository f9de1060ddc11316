import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { affectedRows, type Param } from '../../database/statement.ts';
import { accountJson, jsonAsAuthAdmin, runAsAuthAdmin } from '../run-as-auth-admin.ts';

/**
 * A provider that an app has added by its URLs, in the form of GoTrue's API, together with its encrypted client secret.
 */
export interface CustomProviderRow {
  readonly id: string;
  readonly provider_type: 'oauth2' | 'oidc';
  /** The identifier of the provider: `custom:` followed by a name. */
  readonly identifier: string;
  readonly name: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly acceptable_client_ids: readonly string[];
  readonly scopes: readonly string[];
  readonly pkce_enabled: boolean;
  readonly attribute_mapping: Readonly<Record<string, unknown>>;
  readonly custom_claims_allowlist: readonly string[];
  readonly authorization_params: Readonly<Record<string, unknown>>;
  readonly enabled: boolean;
  readonly email_optional: boolean;
  readonly issuer: string | null;
  readonly discovery_url: string | null;
  readonly skip_nonce_check: boolean;
  readonly authorization_url: string | null;
  readonly token_url: string | null;
  readonly userinfo_url: string | null;
  readonly jwks_uri: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The columns that a builder sets. */
export type CustomProviderValues = Omit<CustomProviderRow, 'id' | 'created_at' | 'updated_at'>;

const COLUMNS = [
  ...['provider_type', 'identifier', 'name', 'client_id', 'client_secret', 'acceptable_client_ids', 'scopes'],
  ...['pkce_enabled', 'attribute_mapping', 'custom_claims_allowlist', 'authorization_params', 'enabled'],
  ...['email_optional', 'issuer', 'discovery_url', 'skip_nonce_check', 'authorization_url', 'token_url'],
  ...['userinfo_url', 'jwks_uri'],
];

const LIST = COLUMNS.join(', ');

const ROW = 'pg_catalog.to_jsonb(p)';

/** Returns a provider by its identifier; null if there is none. */
export const findCustomProvider = (database: Executor, identifier: string): Promise<CustomProviderRow | null> =>
  jsonAsAuthAdmin(database, `select ${ROW} from auth.custom_oauth_providers p where p.identifier = $1`, [identifier]);

/** Returns the providers of an app, oldest first. If `type` is null, returns both types. */
export async function listCustomProviders(database: Executor, type: string | null): Promise<CustomProviderRow[]> {
  const rows = await jsonAsAuthAdmin<CustomProviderRow[]>(
    database,
    `select coalesce(pg_catalog.jsonb_agg(${ROW} order by p.created_at, p.id), '[]')
     from auth.custom_oauth_providers p where $1::text is null or p.provider_type = $1`,
    [type],
  );
  return rows ?? [];
}

/**
 * Adds a provider. Returns null if another provider has the identifier, or if the app has reached the maximum number of
 * providers.
 */
export async function addCustomProvider(
  database: Executor,
  values: CustomProviderValues,
): Promise<CustomProviderRow | null> {
  const [, added] = await runAsAuthAdmin(database, [
    ['lock table auth.custom_oauth_providers in share row exclusive mode', []],
    [
      `insert into auth.custom_oauth_providers as p (${LIST})
       select ${LIST} from pg_catalog.jsonb_populate_record(null::auth.custom_oauth_providers, $1::jsonb)
       where (select pg_catalog.count(*) from auth.custom_oauth_providers) < $2::bigint
       on conflict (identifier) do nothing returning ${ROW}`,
      [JSON.stringify(values), String(limits.customProviders.default)],
    ],
  ]);
  return accountJson<CustomProviderRow>(added);
}

/** Changes a provider. Returns null if it does not exist. */
export const changeCustomProvider = (
  database: Executor,
  identifier: string,
  values: CustomProviderValues,
): Promise<CustomProviderRow | null> => {
  const params: Param[] = [identifier, JSON.stringify(values)];
  return jsonAsAuthAdmin(
    database,
    `update auth.custom_oauth_providers p set (${LIST}, updated_at) = (
       select ${LIST}, pg_catalog.now() from pg_catalog.jsonb_populate_record(null::auth.custom_oauth_providers, $2::jsonb))
     where p.identifier = $1 returning ${ROW}`,
    params,
  );
};

/** Deletes a provider. Returns false if it does not exist. */
export async function deleteCustomProvider(database: Executor, identifier: string): Promise<boolean> {
  const [result] = await runAsAuthAdmin(database, [
    ['delete from auth.custom_oauth_providers where identifier = $1', [identifier]],
  ]);
  return result !== undefined && affectedRows(result) > 0;
}
