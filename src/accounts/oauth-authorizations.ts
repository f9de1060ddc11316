import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { limits } from '../../contract/limits.ts';
import type { Executor } from '../database/database.ts';
import { affectedRows } from '../database/statement.ts';
import { accountJson, asAuthAdmin, jsonAsAuthAdmin } from './as-auth-admin.ts';
import { type Grant, newSession, openSession, type SessionClient } from './sessions.ts';

/** The request of an application before the member has decided (RFC 6749, section 4.1.1). */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  /** Names separated by blanks. */
  readonly scope: string;
  readonly state: string | null;
  readonly nonce: string | null;
  /** With the method S256 (RFC 7636). */
  readonly codeChallenge: string;
}

const SWEPT_ROWS = '100';

/**
 * Stores a request of an application and returns its id, of 192 random bits. Returns null if too many requests wait for
 * a decision. Also deletes requests that are over.
 */
export async function beginAuthorization(database: Executor, request: AuthorizationRequest): Promise<string | null> {
  const authorizationId = randomBytes(24).toString('base64url');
  const [, , begun] = await asAuthAdmin(database, [
    [
      `delete from auth.oauth_authorizations where id in (
         select id from auth.oauth_authorizations where expires_at < pg_catalog.now() limit $1::bigint for update skip locked)`,
      [SWEPT_ROWS],
    ],
    [
      `delete from ninefold.used_oauth_codes where code_hash in (
         select code_hash from ninefold.used_oauth_codes where used_at < pg_catalog.now() - interval '1 day'
         limit $1::bigint for update skip locked)`,
      [SWEPT_ROWS],
    ],
    [
      `insert into auth.oauth_authorizations
         (id, authorization_id, client_id, redirect_uri, scope, state, nonce, code_challenge, code_challenge_method, expires_at)
       select $1::uuid, $2, $3::uuid, $4, $5, $6, $7, $8, 's256', pg_catalog.now() + pg_catalog.make_interval(secs => $9::float8)
       where (select pg_catalog.count(*) from (select from auth.oauth_authorizations limit $10::bigint) a) < $10::bigint`,
      [
        ...[randomUUID(), authorizationId, request.clientId, request.redirectUri, request.scope, request.state],
        ...[request.nonce, request.codeChallenge, String(limits.oauthAuthorizationSeconds.default)],
        String(limits.oauthAuthorizations.default),
      ],
    ],
  ]);
  return begun !== undefined && affectedRows(begun) > 0 ? authorizationId : null;
}

/** An application as the member sees it. */
export interface ClientShown {
  readonly id: string;
  readonly name: string | null;
  readonly uri: string | null;
  readonly logo_uri: string | null;
}

/** SQL text: the client `c` as `ClientShown`. */
const clientShown = `pg_catalog.jsonb_build_object('id', c.id, 'name', nullif(c.client_name, ''), 'uri', nullif(c.client_uri, ''),
  'logo_uri', nullif(c.logo_uri, ''))`;

/** The state of a request after a member has opened it or decided about it. */
export interface Authorization {
  /** `unknown`: the request does not exist, is over, or belongs to another member. */
  readonly verdict: 'waits' | 'approved' | 'denied' | 'settled' | 'unknown';
  readonly redirectUri: string;
  readonly state: string | null;
  readonly scope: string;
  readonly client: ClientShown;
  /** The code; only for an approved request. */
  readonly code?: string;
}

/** Returns SQL text that locks the request $1 and computes its verdict for the member $2. */
const judgedFor = (verdict: string): string => `with found as (
  select a.*, ${clientShown} as client, c.client_type
  from auth.oauth_authorizations a join auth.oauth_clients c on c.id = a.client_id and c.deleted_at is null
  where a.authorization_id = $1 for update of a
),
judged as (
  select f.*, case
    when f.expires_at <= pg_catalog.now() or f.user_id <> $2::uuid then 'unknown'
    when f.status <> 'pending' then 'settled'
    else ${verdict}
  end as verdict
  from found f
)`;

const ANSWER = `pg_catalog.jsonb_build_object('verdict', j.verdict, 'redirectUri', j.redirect_uri, 'state', j.state, 'scope', j.scope,
  'client', j.client) from judged j`;

/**
 * SQL text that gives an approved request its code. $3 is the stored form of the code, which is valid for $4 seconds.
 */
const SETTLE = `update auth.oauth_authorizations a set user_id = $2::uuid,
    status = case j.verdict when 'waits' then 'pending' else j.verdict end::auth.oauth_authorization_status,
    authorization_code = case j.verdict when 'approved' then $3 end,
    approved_at = case j.verdict when 'approved' then pg_catalog.now() end,
    expires_at = case j.verdict when 'approved' then pg_catalog.now() + pg_catalog.make_interval(secs => $4::float8) else a.expires_at end
  from judged j where a.id = j.id and j.verdict in ('waits', 'approved', 'denied')`;

/**
 * An earlier consent is enough if it includes all requested scopes. It does not count for a public client whose
 * redirect address is on the member's device, because any program could pretend to be that client; there the member is
 * always asked.
 */
const LOOK = `${judgedFor(`case when (f.client_type = 'confidential' or f.redirect_uri like 'https://%') and exists (
    select from auth.oauth_consents k where k.user_id = $2::uuid and k.client_id = f.client_id and k.revoked_at is null
      and pg_catalog.string_to_array(k.scopes, ' ') @> pg_catalog.string_to_array(f.scope, ' '))
  then 'approved' else 'waits' end`)},
settled as (${SETTLE})
select ${ANSWER}`;

/** $5 is the decision. Only the member who has opened the request can decide. */
const DECIDE = `${judgedFor(`case when f.user_id is null then 'unknown' else $5 end`)},
settled as (${SETTLE}),
consent as (
  insert into auth.oauth_consents (id, user_id, client_id, scopes)
  select pg_catalog.gen_random_uuid(), $2::uuid, j.client_id, j.scope from judged j where j.verdict = 'approved'
  on conflict (user_id, client_id) do update set scopes = excluded.scopes, granted_at = pg_catalog.now(), revoked_at = null
)
select ${ANSWER}`;

/**
 * Returns a request for the member who opens it. The request then belongs to this member; an earlier consent approves
 * it at once.
 */
export const lookAtAuthorization = (database: Executor, id: string, userId: string): Promise<Authorization | null> =>
  settle(database, LOOK, [id, userId]);

/** Approves or denies a request for its member. An approval is remembered as a consent. */
export const decideAuthorization = (
  database: Executor,
  id: string,
  userId: string,
  decision: 'approved' | 'denied',
): Promise<Authorization | null> => settle(database, DECIDE, [id, userId], decision);

async function settle(
  database: Executor,
  sql: string,
  [id, userId]: readonly [string, string],
  ...more: string[]
): Promise<Authorization | null> {
  const code = randomBytes(32).toString('base64url');
  const params = [id, userId, hashOf(code), String(limits.oauthCodeSeconds.default), ...more];
  const row = await jsonAsAuthAdmin<Authorization>(database, sql, params);
  if (row === null || row.verdict === 'unknown') return null;
  return { ...row, ...(row.verdict === 'approved' && { code }) };
}

const hashOf = (code: string): string => createHash('sha256').update(code).digest('base64url');

/** The data of a request that the exchange of its code needs. */
interface ApprovedRequest {
  readonly id: string;
  readonly userId: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
  readonly nonce: string | null;
  readonly codeChallenge: string;
  readonly isBanned: boolean;
}

/** The result of the exchange of a code. `replayed`: the session that the code had opened was ended. */
export type OAuthCodeExchanged =
  | { readonly verdict: 'granted'; readonly grant: Grant; readonly nonce: string | null }
  | { readonly verdict: 'unknown' | 'replayed' | 'wrong-client' | 'wrong-redirect' | 'wrong-verifier' | 'banned' };

const FIND = `select pg_catalog.jsonb_build_object('id', a.id, 'userId', u.id, 'clientId', a.client_id, 'redirectUri', a.redirect_uri,
  'scope', a.scope, 'nonce', a.nonce, 'codeChallenge', a.code_challenge,
  'isBanned', coalesce(u.banned_until > pg_catalog.now(), false))
from auth.oauth_authorizations a join auth.users u on u.id = a.user_id and u.deleted_at is null
where a.authorization_code = $1 and a.status = 'approved' and a.expires_at > pg_catalog.now()`;

/** $7 is the hash of the code. An earlier statement locks the row, as in `exchangeAuthCode`. */
const OPEN = openSession(`update auth.users u set last_sign_in_at = pg_catalog.now(), updated_at = pg_catalog.now()
  where u.id = $1::uuid and u.deleted_at is null and (u.banned_until is null or u.banned_until <= pg_catalog.now())
    and exists (select from auth.oauth_authorizations a where a.authorization_code = $7)
  returning u.*`);

/**
 * Exchanges the code of an application for a session of its own (RFC 6749, section 4.1.3). Only one of several
 * concurrent exchanges succeeds; each later one of the same application ends the session (section 4.1.2). A wrong
 * verifier does not use up the code.
 *
 * @param shown The data that the client sent. The redirect address is null if the client did not send one.
 */
export async function exchangeOAuthCode(
  database: Executor,
  shown: { code: string; clientId: string; redirectUri: string | null; verifier: string },
  client: SessionClient,
): Promise<OAuthCodeExchanged> {
  const hash = hashOf(shown.code);
  const request = await jsonAsAuthAdmin<ApprovedRequest>(database, FIND, [hash]);
  if (request === null) return { verdict: await endReplayed(database, hash, shown.clientId) };
  if (request.clientId !== shown.clientId) return { verdict: 'wrong-client' };
  if (shown.redirectUri !== null && shown.redirectUri !== request.redirectUri) return { verdict: 'wrong-redirect' };
  if (hashOf(shown.verifier) !== request.codeChallenge) return { verdict: 'wrong-verifier' };
  if (request.isBanned) return { verdict: 'banned' };
  const session = newSession(request.userId, client, 'oauth_provider/authorization_code');
  const [, opened] = await asAuthAdmin(database, [
    ['select from auth.oauth_authorizations where id = $1::uuid for update', [request.id]],
    [OPEN, [...session.params, hash]],
    [
      'update auth.sessions set oauth_client_id = $2::uuid, scopes = $3 where id = $1::uuid',
      [session.sessionId, request.clientId, request.scope],
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
  return { verdict: 'granted', grant, nonce: request.nonce };
}

async function endReplayed(database: Executor, hash: string, clientId: string): Promise<'replayed' | 'unknown'> {
  const [ended] = await asAuthAdmin(database, [
    [
      `delete from auth.sessions s using ninefold.used_oauth_codes c
       where c.code_hash = $1 and c.client_id = $2::uuid and s.id = c.session_id`,
      [hash, clientId],
    ],
  ]);
  return ended !== undefined && affectedRows(ended) > 0 ? 'replayed' : 'unknown';
}

/** A member's consent for an application. */
export interface OAuthGrant {
  readonly client: ClientShown;
  readonly scopes: readonly string[];
  readonly granted_at: string;
}

/** Returns the consents of a member, newest first. */
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
 * Revokes a member's consent for an application and ends the application's sessions. Returns false if there was no
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
