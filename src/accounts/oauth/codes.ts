import { createHash } from 'node:crypto';
import type { Executor } from '../../database/database.ts';
import { affectedRows } from '../../database/statement.ts';
import { ownWay } from '../passwords/sign-in-counts.ts';
import { accountJson, jsonAsAuthAdmin, runAsAuthAdmin } from '../run-as-auth-admin.ts';
import { type Grant, newSession, openSession, type SessionClient } from '../sessions/sessions.ts';

/**
 * The scope for an application that wants to stay signed in and therefore gets refresh tokens (OpenID Connect Core 1.0,
 * section 11).
 */
export const OFFLINE_ACCESS = 'offline_access';

/** Returns the SHA-256 of a code or of a PKCE verifier in base64url. */
export const hashOf = (code: string): string => createHash('sha256').update(code).digest('base64url');

/** The sign-in of the member who approved a request. */
export interface MemberSignIn {
  /** The time of the sign-in, in seconds since 1970. */
  readonly time: number;
  readonly aal: string;
  /** The sign-in methods, by the names that the claim amr of an access token uses. */
  readonly methods: readonly string[];
}

/** The data of an approved request that the exchange of its code needs. */
interface ApprovedRequest {
  readonly id: string;
  readonly userId: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
  readonly nonce: string | null;
  readonly codeChallenge: string;
  readonly isBanned: boolean;
  /** The sign-in of the member; null if the session in which the member approved the request has ended. */
  readonly signIn: MemberSignIn | null;
}

/**
 * The result of the exchange of a code. `replayed`: the code was used before, so the session that it had opened was
 * ended.
 */
export type OAuthCodeExchanged =
  | {
      readonly verdict: 'granted';
      readonly grant: Grant;
      readonly nonce: string | null;
      readonly signIn: MemberSignIn;
    }
  | { readonly verdict: 'unknown' | 'replayed' | 'wrong-client' | 'wrong-redirect' | 'wrong-verifier' | 'banned' };

const FIND = `select pg_catalog.jsonb_build_object('id', a.id, 'userId', u.id, 'clientId', a.client_id, 'redirectUri', a.redirect_uri,
  'scope', a.scope, 'nonce', a.nonce, 'codeChallenge', a.code_challenge,
  'isBanned', coalesce(u.banned_until > pg_catalog.now(), false),
  'signIn', (select pg_catalog.jsonb_build_object('time', extract(epoch from s.created_at)::bigint, 'aal', coalesce(s.aal, 'aal1'),
      'methods', coalesce((select pg_catalog.jsonb_agg(m.authentication_method) from auth.mfa_amr_claims m where m.session_id = s.id), '[]'))
    from ninefold.oauth_requests r join auth.sessions s on s.id = r.session_id and s.user_id = a.user_id where r.id = a.id))
from auth.oauth_authorizations a join auth.users u on u.id = a.user_id and u.deleted_at is null
where a.authorization_code = $1 and a.status = 'approved' and a.expires_at > pg_catalog.now()`;

/**
 * Statement that opens the session of a code. $7 is the hash of the code. A separate statement has locked the row
 * before, as in `exchangeAuthCode`.
 */
const OPEN = openSession(
  `update auth.users u set last_sign_in_at = pg_catalog.now(), updated_at = pg_catalog.now()
  where u.id = $1::uuid and u.deleted_at is null and (u.banned_until is null or u.banned_until <= pg_catalog.now())
    and exists (select from auth.oauth_authorizations a where a.authorization_code = $7)
  returning u.*`,
  ownWay('application'),
);

/**
 * Exchanges the code of an application for a session of the application (RFC 6749, section 4.1.3). Only the first
 * exchange succeeds; a later exchange by the same application ends the session (section 4.1.2). A wrong verifier does
 * not use up the code. Without the scope offline_access, the session has no refresh token and ends with its access
 * token.
 * @param shown The values that the client has sent. `redirectUri` is null if the client sent none; it must be the
 * redirect address of the authorization request.
 * @param lifetimeSeconds How long the access token is valid.
 */
export async function exchangeOAuthCode(
  database: Executor,
  shown: { code: string; clientId: string; redirectUri: string | null; verifier: string },
  client: SessionClient,
  lifetimeSeconds: number,
): Promise<OAuthCodeExchanged> {
  const hash = hashOf(shown.code);
  const request = await jsonAsAuthAdmin<ApprovedRequest>(database, FIND, [hash]);
  if (request === null) return { verdict: await endReplayed(database, hash, shown.clientId) };
  if (request.clientId !== shown.clientId) return { verdict: 'wrong-client' };
  if (shown.redirectUri !== request.redirectUri) return { verdict: 'wrong-redirect' };
  if (hashOf(shown.verifier) !== request.codeChallenge) return { verdict: 'wrong-verifier' };
  if (request.isBanned) return { verdict: 'banned' };
  if (request.signIn === null) return { verdict: 'unknown' };
  const isOffline = request.scope.split(' ').includes(OFFLINE_ACCESS);
  const session = newSession(request.userId, client, 'oauth_provider/authorization_code');
  const [, opened] = await runAsAuthAdmin(database, [
    ['select from auth.oauth_authorizations where id = $1::uuid for update', [request.id]],
    [OPEN, [...session.params, hash]],
    [
      `update auth.sessions set oauth_client_id = $2::uuid, scopes = $3,
         not_after = pg_catalog.now() + pg_catalog.make_interval(secs => $4::float8) where id = $1::uuid`,
      [session.sessionId, request.clientId, request.scope, isOffline ? null : String(lifetimeSeconds)],
    ],
    [
      'delete from auth.refresh_tokens where session_id = $1::uuid and $2::boolean',
      [session.sessionId, String(!isOffline)],
    ],
    [
      `with used as (delete from auth.oauth_authorizations where authorization_code = $1 returning client_id)
       insert into ninefold.used_oauth_codes (code_hash, client_id, session_id) select $1, client_id, $2::uuid from used`,
      [hash, session.sessionId],
    ],
  ]);
  const row = accountJson<Omit<Grant, 'refreshToken'>>(opened);
  if (row === null) return { verdict: await endReplayed(database, hash, shown.clientId) };
  const { scope, clientId } = request;
  const grant = { ...row, session: { ...row.session, clientId, scope }, refreshToken: session.refreshToken };
  return { verdict: 'granted', grant, nonce: request.nonce, signIn: request.signIn };
}

async function endReplayed(database: Executor, hash: string, clientId: string): Promise<'replayed' | 'unknown'> {
  const [ended] = await runAsAuthAdmin(database, [
    [
      `delete from auth.sessions s using ninefold.used_oauth_codes c
       where c.code_hash = $1 and c.client_id = $2::uuid and s.id = c.session_id`,
      [hash, clientId],
    ],
  ]);
  return ended !== undefined && affectedRows(ended) > 0 ? 'replayed' : 'unknown';
}
