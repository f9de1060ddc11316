import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { accountJson, jsonAsAuthAdmin, runAsAuthAdmin } from '../run-as-auth-admin.ts';

/** An application to which members may sign in with their account of this app (RFC 6749, section 2). */
export interface OAuthClient {
  readonly id: string;
  /** The SHA-256 of the secret in base64url; null for a public client. */
  readonly client_secret_hash: string | null;
  readonly registration_type: 'manual' | 'dynamic';
  readonly client_type: 'public' | 'confidential';
  readonly token_endpoint_auth_method: ClientAuthMethod;
  /** The allowed redirect addresses, separated by commas, as GoTrue stores them. */
  readonly redirect_uris: string;
  readonly grant_types: string;
  readonly client_name: string | null;
  readonly client_uri: string | null;
  readonly logo_uri: string | null;
  /**
   * The scopes that the client may ask for, separated by blanks; null if it may ask for all scopes that the app
   * supports.
   */
  readonly scope: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** How a client authenticates at the token endpoint (RFC 7591, section 2). */
export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post';

/** The columns that the registration of a client sets. */
export type OAuthClientValues = Omit<OAuthClient, 'id' | 'created_at' | 'updated_at'>;

const COLUMNS = [
  ...['client_secret_hash', 'registration_type', 'client_type', 'token_endpoint_auth_method', 'redirect_uris'],
  ...['grant_types', 'client_name', 'client_uri', 'logo_uri', 'scope'],
].join(', ');

const ROW = `pg_catalog.to_jsonb(c) - 'deleted_at'`;

/** Returns a client by its id; null if there is none. */
export const findOAuthClient = (database: Executor, id: string): Promise<OAuthClient | null> =>
  jsonAsAuthAdmin(database, `select ${ROW} from auth.oauth_clients c where c.id = $1::uuid and c.deleted_at is null`, [
    id,
  ]);

/** A client with the number of members who allow it. */
type CountedOAuthClient = OAuthClient & { readonly grants: number };

/** Returns the clients of an app, newest first. */
export async function listOAuthClients(database: Executor): Promise<CountedOAuthClient[]> {
  const clients = await jsonAsAuthAdmin<CountedOAuthClient[]>(
    database,
    `select coalesce(pg_catalog.jsonb_agg(${ROW} || pg_catalog.jsonb_build_object('grants', (
         select pg_catalog.count(*) from auth.oauth_consents k where k.client_id = c.id and k.revoked_at is null)) order by c.created_at desc, c.id), '[]')
     from auth.oauth_clients c where c.deleted_at is null`,
    [],
  );
  return clients ?? [];
}

/**
 * The limit for the clients of each type. Clients that register themselves cannot use up the places that builders need.
 */
export const clientLimits = { manual: 'oauthClients', dynamic: 'oauthSelfRegisteredClients' } as const;

/**
 * Adds a client. Returns null if the app has the maximum number of clients, or for a client that registers itself the
 * maximum number of such clients.
 */
export async function addOAuthClient(database: Executor, values: OAuthClientValues): Promise<OAuthClient | null> {
  const [, added] = await runAsAuthAdmin(database, [
    ['lock table auth.oauth_clients in share row exclusive mode', []],
    [
      `insert into auth.oauth_clients as c (id, ${COLUMNS})
       select $1::uuid, ${COLUMNS} from pg_catalog.jsonb_populate_record(null::auth.oauth_clients, $2::jsonb)
       where (select pg_catalog.count(*) < $3::bigint and ($4 <> 'dynamic'
           or pg_catalog.count(*) filter (where o.registration_type = 'dynamic') < $5::bigint)
         from auth.oauth_clients o where o.deleted_at is null)
       returning ${ROW}`,
      [
        ...[randomUUID(), JSON.stringify(values), String(limits.oauthClients.default), values.registration_type],
        String(limits.oauthSelfRegisteredClients.default),
      ],
    ],
  ]);
  return accountJson<OAuthClient>(added);
}

/** Changes the given values of a client; returns null if the client does not exist. */
export const changeOAuthClient = (
  database: Executor,
  id: string,
  values: Partial<OAuthClientValues>,
): Promise<OAuthClient | null> =>
  jsonAsAuthAdmin(
    database,
    `update auth.oauth_clients c set (${COLUMNS}, updated_at) = (
       select ${COLUMNS}, pg_catalog.now()
       from pg_catalog.jsonb_populate_record(null::auth.oauth_clients, pg_catalog.to_jsonb(c) || $2::jsonb))
     where c.id = $1::uuid and c.deleted_at is null returning ${ROW}`,
    [id, JSON.stringify(values)],
  );

/** Deletes a client, ends its sessions and deletes the consents for it. Returns false if it does not exist. */
export async function deleteOAuthClient(database: Executor, id: string): Promise<boolean> {
  const deleted = await jsonAsAuthAdmin<string>(
    database,
    `with deleted as (
       update auth.oauth_clients set deleted_at = pg_catalog.now() where id = $1::uuid and deleted_at is null returning id
     ),
     ended as (delete from auth.sessions s using deleted d where s.oauth_client_id = d.id),
     forgotten as (delete from auth.oauth_consents k using deleted d where k.client_id = d.id),
     void as (delete from auth.oauth_authorizations a using deleted d where a.client_id = d.id)
     select pg_catalog.to_jsonb(id) from deleted`,
    [id],
  );
  return deleted !== null;
}

/** Returns a new client secret of 256 random bits, and the hash that is stored. */
export function makeClientSecret(): { secret: string; hash: string } {
  const secret = randomBytes(32).toString('base64url');
  return { secret, hash: sha256(secret).toString('base64url') };
}

/** Compares a secret that a client has sent with the stored hash, in constant time. */
export function isClientSecret(client: OAuthClient, shown: string): boolean {
  const stored = Buffer.from(client.client_secret_hash ?? '', 'base64url');
  const digest = sha256(shown);
  return stored.length === digest.length && timingSafeEqual(stored, digest);
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
