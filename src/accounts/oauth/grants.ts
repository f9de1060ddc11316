import type { Executor } from '../../database/database.ts';
import { jsonAsAuthAdmin } from '../run-as-auth-admin.ts';

/** The data of an application that the member sees. */
export interface ClientShown {
  readonly id: string;
  readonly name: string | null;
  readonly uri: string | null;
  readonly logo_uri: string | null;
}

/** SQL text: the client `c` in the form of `ClientShown`. */
export const clientShown = `pg_catalog.jsonb_build_object('id', c.id, 'name', nullif(c.client_name, ''), 'uri', nullif(c.client_uri, ''),
  'logo_uri', nullif(c.logo_uri, ''))`;

/** The consent of a member to an application. */
export interface OAuthGrant {
  readonly client: ClientShown;
  readonly scopes: readonly string[];
  readonly granted_at: string;
}

/** Returns the consents of a member to applications, newest first. */
export async function listOAuthGrants(database: Executor, userId: string): Promise<OAuthGrant[]> {
  const grants = await jsonAsAuthAdmin<OAuthGrant[]>(
    database,
    `select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('client', ${clientShown},
       'scopes', pg_catalog.string_to_array(k.scopes, ' '), 'granted_at', k.granted_at) order by k.granted_at desc), '[]')
     from auth.oauth_consents k join auth.oauth_clients c on c.id = k.client_id and c.deleted_at is null
     where k.user_id = $1::uuid and k.revoked_at is null`,
    [userId],
  );
  return grants ?? [];
}

/**
 * Revokes the consent of a member to an application and ends the application's sessions. Returns false if there was no
 * consent.
 */
export async function revokeOAuthGrant(database: Executor, userId: string, clientId: string): Promise<boolean> {
  const revoked = await jsonAsAuthAdmin<string>(
    database,
    `with revoked as (
       update auth.oauth_consents set revoked_at = pg_catalog.now()
       where user_id = $1::uuid and client_id = $2::uuid and revoked_at is null returning id
     ),
     void as (delete from auth.oauth_authorizations where user_id = $1::uuid and client_id = $2::uuid),
     ended as (
       delete from auth.sessions s using revoked where s.user_id = $1::uuid and s.oauth_client_id = $2::uuid
     )
     select pg_catalog.to_jsonb(id) from revoked`,
    [userId, clientId],
  );
  return revoked !== null;
}
