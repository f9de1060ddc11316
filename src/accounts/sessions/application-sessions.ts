import type { Executor } from '../../database/database.ts';
import { jsonAsAuthAdmin } from '../run-as-auth-admin.ts';
import { boundParams, type SessionBounds, sessionEnds } from './sessions.ts';
import { storedRefreshToken } from './stored-refresh-token.ts';

/** A live session of an application. */
export interface ApplicationSession {
  readonly id: string;
  readonly userId: string;
  readonly scope: string;
}

/** Identifies a session by its id or by one of its refresh tokens. */
export type SessionKey = { readonly sessionId: string } | { readonly refreshToken: string };

/**
 * Returns the two forms in which the database may store a refresh token, as a PostgreSQL array. An imported token is
 * stored in the form that the client sends.
 */
const tokenForms = (token: string): string => `{${token},${storedRefreshToken(token)}}`;

/**
 * Returns the session of a token of an application; null if the session has ended, the member cannot sign in, or the
 * token belongs to another application.
 *
 * @param options.takesUsed Accepts a refresh token that was exchanged for the next one.
 */
export function findApplicationSession(
  database: Executor,
  key: SessionKey,
  clientId: string,
  bounds: SessionBounds,
  options: { takesUsed?: boolean } = {},
): Promise<ApplicationSession | null> {
  const [sessionId, tokens] = 'sessionId' in key ? [key.sessionId, null] : [null, tokenForms(key.refreshToken)];
  return jsonAsAuthAdmin(
    database,
    `select pg_catalog.jsonb_build_object('id', s.id, 'userId', s.user_id, 'scope', coalesce(s.scopes, ''))
     from auth.sessions s
     join auth.users u on u.id = s.user_id and u.deleted_at is null and coalesce(u.banned_until <= pg_catalog.now(), true),
     lateral (select ${sessionEnds('$4', '$5')} as ends) e
     where s.oauth_client_id = $3::uuid and (e.ends is null or e.ends > pg_catalog.now())
       and s.id = coalesce($2::uuid, (
         select t.session_id from auth.refresh_tokens t
         where t.token = any ($1::text[]) and ($6::boolean or t.revoked is not true) limit 1))`,
    [tokens, sessionId, clientId, ...boundParams(bounds), String(options.takesUsed ?? false)],
  );
}

/** Returns the scope of the session of a refresh token; null if the application has no such token. */
export const scopeOfRefreshToken = (database: Executor, token: string, clientId: string): Promise<string | null> =>
  jsonAsAuthAdmin<string>(
    database,
    `select pg_catalog.to_jsonb(coalesce(s.scopes, '')) from auth.refresh_tokens t join auth.sessions s on s.id = t.session_id
     where t.token = any ($1::text[]) and s.oauth_client_id = $2::uuid limit 1`,
    [tokenForms(token), clientId],
  );
