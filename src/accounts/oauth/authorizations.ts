import { randomBytes, randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { affectedRows } from '../../database/statement.ts';
import { jsonAsAuthAdmin, runAsAuthAdmin } from '../run-as-auth-admin.ts';
import { hashOf } from './codes.ts';
import { type ClientShown, clientShown } from './grants.ts';

/** The request of an application before the member has decided (RFC 6749, section 4.1.1). */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  /** The names of the requested scopes, separated by blanks. */
  readonly scope: string;
  readonly state: string | null;
  readonly nonce: string | null;
  /** The code challenge of the method S256 (RFC 7636). */
  readonly codeChallenge: string;
  /** The values of the parameter prompt, separated by blanks (OpenID Connect Core 1.0, section 3.1.2.1). */
  readonly prompt: string;
  /** The maximum age in seconds of the member's sign-in; null if it may have any age. */
  readonly maxAge: number | null;
}

const SWEPT_ROWS = '100';

/**
 * Stores a request of an application and returns its id, of 192 random bits. Returns null if too many requests wait for
 * a decision. Also deletes requests that were decided or have expired.
 */
export async function beginAuthorization(database: Executor, request: AuthorizationRequest): Promise<string | null> {
  const [rowId, authorizationId] = [randomUUID(), randomBytes(24).toString('base64url')];
  const lifetime = String(limits.oauthAuthorizationSeconds.default);
  const [, , , begun] = await runAsAuthAdmin(database, [
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
      `delete from ninefold.oauth_requests where id in (
         select id from ninefold.oauth_requests where expires_at < pg_catalog.now() limit $1::bigint for update skip locked)`,
      [SWEPT_ROWS],
    ],
    [
      `insert into auth.oauth_authorizations
         (id, authorization_id, client_id, redirect_uri, scope, state, nonce, code_challenge, code_challenge_method, expires_at)
       select $1::uuid, $2, $3::uuid, $4, $5, $6, $7, $8, 's256', pg_catalog.now() + pg_catalog.make_interval(secs => $9::float8)
       where (select pg_catalog.count(*) from (select from auth.oauth_authorizations limit $10::bigint) a) < $10::bigint`,
      [
        ...[rowId, authorizationId, request.clientId, request.redirectUri, request.scope, request.state],
        ...[request.nonce, request.codeChallenge, lifetime, String(limits.oauthAuthorizations.default)],
      ],
    ],
    [
      `insert into ninefold.oauth_requests (id, prompt, max_age, expires_at)
       select id, $2, $3::bigint, expires_at + pg_catalog.make_interval(secs => $4::float8)
       from auth.oauth_authorizations where id = $1::uuid`,
      [rowId, request.prompt, request.maxAge === null ? null : String(request.maxAge), lifetime],
    ],
  ]);
  return begun !== undefined && affectedRows(begun) > 0 ? authorizationId : null;
}

/** A request after a member has opened it or decided about it. */
export interface Authorization {
  /**
   * `sign-in`: the application requires a newer sign-in than that of the member's session. `login_required` and
   * `consent_required`: the request allowed no page and has ended (OpenID Connect Core 1.0, section 3.1.2.6).
   * `unknown`: no request with this id waits for a decision, or it belongs to another member.
   */
  readonly verdict:
    | 'waits'
    | 'sign-in'
    | 'approved'
    | 'denied'
    | 'login_required'
    | 'consent_required'
    | 'settled'
    | 'unknown';
  readonly redirectUri: string;
  readonly state: string | null;
  readonly scope: string;
  /** The values of the parameter prompt, separated by blanks. */
  readonly prompt: string;
  readonly client: ClientShown;
  /** The code that the application exchanges for a session; only for an approved request. */
  readonly code?: string;
}

/** Returns SQL text that is true if the parameter prompt of the request `f` contains this value. */
const prompts = (value: string): string => `'${value}' = any (pg_catalog.string_to_array(f.prompt, ' '))`;

/**
 * Returns SQL text that locks the request $1 and determines its verdict for the member $2 in the session $5.
 * `is_recent` is true if the member signed in after the request began, or, without the prompt `login`, at most max_age
 * seconds ago.
 */
const judgedFor = (verdict: string): string => `with asked as (
  select a.*, ${clientShown} as client, c.client_type, coalesce(r.prompt, '') as prompt, r.max_age
  from auth.oauth_authorizations a join auth.oauth_clients c on c.id = a.client_id and c.deleted_at is null
  left join ninefold.oauth_requests r on r.id = a.id
  where a.authorization_id = $1 for update of a
),
found as (
  select f.*, exists (select from auth.sessions s where s.id = $5::uuid and s.user_id = $2::uuid and (
    s.created_at >= f.created_at
    or (not ${prompts('login')} and coalesce(extract(epoch from pg_catalog.now() - s.created_at) <= f.max_age, true)))) as is_recent
  from asked f
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
  'prompt', j.prompt, 'client', j.client) from judged j`;

/**
 * SQL text that assigns a request to its member. An approved request also gets its code ($3, in the stored form), which
 * is valid for $4 seconds.
 */
const SETTLE = `settled as (
  update auth.oauth_authorizations a set user_id = $2::uuid,
    status = case j.verdict when 'waits' then 'pending' when 'approved' then 'approved' else 'denied' end::auth.oauth_authorization_status,
    authorization_code = case j.verdict when 'approved' then $3 end,
    approved_at = case j.verdict when 'approved' then pg_catalog.now() end,
    expires_at = case j.verdict when 'approved' then pg_catalog.now() + pg_catalog.make_interval(secs => $4::float8) else a.expires_at end
  from judged j where a.id = j.id and j.verdict in ('waits', 'approved', 'denied', 'login_required', 'consent_required')
),
approved_in as (
  insert into ninefold.oauth_requests as r (id, session_id, expires_at)
  select j.id, $5::uuid, j.expires_at from judged j where j.verdict = 'approved'
  on conflict (id) do update set session_id = excluded.session_id
)`;

/**
 * Query that opens a request. An earlier consent of the member approves the request if the consent includes all scopes
 * of the request. It does not if the client is public and its redirect address is on the member's device. Any program
 * can pretend to be such a client, so the member always decides.
 */
const LOOK = `${judgedFor(`case
    when not f.is_recent then case when ${prompts('none')} then 'login_required' else 'sign-in' end
    when not ${prompts('consent')} and not ${prompts('select_account')}
      and (f.client_type = 'confidential' or f.redirect_uri like 'https://%') and exists (
        select from auth.oauth_consents k where k.user_id = $2::uuid and k.client_id = f.client_id and k.revoked_at is null
          and pg_catalog.string_to_array(k.scopes, ' ') @> pg_catalog.string_to_array(f.scope, ' ')) then 'approved'
    when ${prompts('none')} then 'consent_required'
    else 'waits' end`)},
${SETTLE}
select ${ANSWER}`;

/** Statement that stores a decision ($6). Only the member who has opened the request can decide. */
const DECIDE = `${judgedFor(`case when f.user_id is null then 'unknown'
    when $6 = 'approved' and not f.is_recent then 'sign-in' else $6 end`)},
${SETTLE},
consent as (
  insert into auth.oauth_consents (id, user_id, client_id, scopes)
  select pg_catalog.gen_random_uuid(), $2::uuid, j.client_id, j.scope from judged j where j.verdict = 'approved'
  on conflict (user_id, client_id) do update set scopes = excluded.scopes, granted_at = pg_catalog.now(), revoked_at = null
)
select ${ANSWER}`;

/** A member and the session in which the member opens a request. */
interface Decider {
  readonly userId: string;
  readonly sessionId: string;
}

/**
 * Opens a request for a member, and assigns the request to this member. If the member has consented to all scopes
 * before, the request is approved at once.
 */
export const lookAtAuthorization = (database: Executor, id: string, decider: Decider): Promise<Authorization | null> =>
  settle(database, LOOK, id, decider);

/** Approves or denies a request for its member. An approval is stored as a consent. */
export const decideAuthorization = (
  database: Executor,
  id: string,
  decider: Decider,
  decision: 'approved' | 'denied',
): Promise<Authorization | null> => settle(database, DECIDE, id, decider, decision);

async function settle(
  database: Executor,
  sql: string,
  id: string,
  { userId, sessionId }: Decider,
  ...more: string[]
): Promise<Authorization | null> {
  const code = randomBytes(32).toString('base64url');
  const params = [id, userId, hashOf(code), String(limits.oauthCodeSeconds.default), sessionId, ...more];
  const row = await jsonAsAuthAdmin<Authorization>(database, sql, params);
  if (row === null || row.verdict === 'unknown') return null;
  return { ...row, ...(row.verdict === 'approved' && { code }) };
}

/**
 * Releases a pending request from the member who opened it, so that another account can decide. Returns false if there
 * is no such request.
 */
export async function releaseAuthorization(database: Executor, id: string, userId: string): Promise<boolean> {
  const [released] = await runAsAuthAdmin(database, [
    [
      `update auth.oauth_authorizations set user_id = null
       where authorization_id = $1 and (user_id = $2::uuid or user_id is null) and status = 'pending' and expires_at > pg_catalog.now()`,
      [id, userId],
    ],
  ]);
  return released !== undefined && affectedRows(released) > 0;
}

/** Ends a request with the prompt `none` for which no member is signed in. Returns null if no such request waits. */
export const declineSilentAuthorization = (
  database: Executor,
  id: string,
): Promise<Pick<Authorization, 'redirectUri' | 'state'> | null> =>
  jsonAsAuthAdmin(
    database,
    `update auth.oauth_authorizations a set status = 'denied'
     from ninefold.oauth_requests r
     where a.authorization_id = $1 and a.status = 'pending' and a.expires_at > pg_catalog.now() and r.id = a.id and r.prompt = 'none'
     returning pg_catalog.jsonb_build_object('redirectUri', a.redirect_uri, 'state', a.state)`,
    [id],
  );
