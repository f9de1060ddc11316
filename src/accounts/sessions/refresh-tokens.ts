import type { AuthSettings } from '../../../contract/settings-auth.ts';
import type { AppKeys } from '../../apps/keys/app-keys.ts';
import { hs256 } from '../../apps/keys/sign-jwt.ts';
import type { Executor } from '../../database/database.ts';
import { auditInsert } from '../audit/audit.ts';
import { accountJson, runAsAuthAdmin } from '../run-as-auth-admin.ts';
import { userJson } from '../users/user.ts';
import {
  boundParams,
  clientParams,
  type Grant,
  type SessionBounds,
  type SessionClient,
  sessionClaims,
  sessionEnds,
} from './sessions.ts';
import { followingToken, nextRefreshToken, storedRefreshToken } from './stored-refresh-token.ts';

/** The result of an exchange. `reused`: the session was ended because another client may have its refresh token. */
export type Exchanged =
  | { readonly verdict: 'granted'; readonly grant: Grant }
  | { readonly verdict: 'unknown' | 'no-session' | 'wrong-client' | 'banned' | 'expired' | 'inactive' }
  | { readonly verdict: 'reused'; readonly userId: string };

/**
 * Locks the session in a separate statement. The next statement then sees the changes that a concurrent exchange of the
 * same session has committed.
 */
const LOCK = `select from auth.sessions s
where s.id = (select t.session_id from auth.refresh_tokens t where t.token in ($1, $2) limit 1) for update`;

/**
 * Statement that exchanges a refresh token. $1 and $2 are the presented token in plain and in stored form, $3 the
 * stored form of the new token, $4 and $5 the client, $6 the reuse interval in seconds, $7 and $8 the limits of
 * sessions, $9 the application that presents the token. An imported token is stored in plain form until it is used. The
 * statement looks up the active token of the session only if the presented token was exchanged before, because a
 * session may have thousands of tokens.
 */
const EXCHANGE = `with shown as (
  select t.id, t.token, t.revoked, t.updated_at, s.id as session_id, u.id as user_id, u.banned_until, s.oauth_client_id,
    ${sessionEnds('$7', '0')} as ends, ${sessionEnds('0', '$8')} as inactive_at,
    a.token as active, a.parent as active_parent
  from auth.refresh_tokens t
  left join auth.sessions s on s.id = t.session_id
  left join auth.users u on u.id = s.user_id and u.deleted_at is null
  left join lateral (
    select r.token, r.parent from auth.refresh_tokens r
    where t.revoked and r.session_id = s.id and r.revoked is not true order by r.id desc limit 1
  ) a on true
  where t.token in ($1, $2) limit 1
),
judged as (
  select shown.*, case
    when user_id is null then 'no-session'
    when oauth_client_id is distinct from $9::uuid then 'wrong-client'
    when banned_until > pg_catalog.now() then 'banned'
    when ends <= pg_catalog.now() then 'expired'
    when inactive_at <= pg_catalog.now() then 'inactive'
    when revoked is not true then 'rotate'
    when active_parent in ($1, $2) then 'repeat'
    when active is not null
      and pg_catalog.clock_timestamp() <= updated_at + pg_catalog.make_interval(secs => $6::float8) then 'repeat'
    else 'reused'
  end as verdict from shown
),
spent as (
  update auth.refresh_tokens t set token = $2, revoked = true, updated_at = pg_catalog.clock_timestamp()
  from judged j where t.id = j.id and j.verdict = 'rotate'
),
issued as (
  insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
  select '00000000-0000-0000-0000-000000000000', $3, j.user_id::text, false,
    pg_catalog.clock_timestamp(), pg_catalog.clock_timestamp(), $2, j.session_id
  from judged j where j.verdict = 'rotate'
),
touched as (
  update auth.sessions s set
    refreshed_at = pg_catalog.now() at time zone 'utc', updated_at = pg_catalog.now(), user_agent = $4, ip = $5::inet
  from judged j where s.id = j.session_id and j.verdict in ('rotate', 'repeat')
)
select pg_catalog.jsonb_build_object(
  'verdict', j.verdict,
  'active', j.active,
  'user', ${userJson},
  'session', ${sessionClaims}
)
from judged j left join auth.users u on u.id = j.user_id left join auth.sessions s on s.id = j.session_id`;

/**
 * Ends the session $1 whose older token the client at the address $2 has presented. It is a statement of its own,
 * because a DELETE within EXCHANGE would make every exchange slower, by its plan and by the triggers of sessions.
 */
const END_REUSED = `with ended as (delete from auth.sessions where id = $1::uuid returning id, user_id)
${auditInsert('token_revoked', {
  userId: 'ended.user_id',
  address: `coalesce(pg_catalog.host($2::inet), '')`,
  traits: `pg_catalog.jsonb_build_object('session_id', ended.id, 'reason', 'refresh_token_reused')`,
  from: 'ended',
})}`;

type Row = Omit<Grant, 'refreshToken'> & {
  readonly verdict: 'rotate' | 'repeat' | 'reused' | 'no-session' | 'wrong-client' | 'banned' | 'expired' | 'inactive';
  /** The active token of the session, in stored form. */
  readonly active: string | null;
};

/** The settings that decide about a refresh token. */
export type RefreshSettings = SessionBounds & Pick<AuthSettings, 'security_refresh_token_reuse_interval'>;

/**
 * Exchanges a refresh token for the next one of its session (GoTrue, `/token?grant_type=refresh_token`; RFC 9700,
 * section 4.14.2). If the token directly before the session's active token is presented once more, the response is the
 * active token, because the client may have lost the first response. For an older token, this is so only within
 * `security_refresh_token_reuse_interval` after its own exchange; later the session is ended. Exchanges of one session
 * run one after the other, in one round trip each.
 * @param key The secret that derives the next token from a token (`refreshKey`).
 * @param clientId The application that presents the token; null for the app itself.
 */
export async function exchangeRefreshToken(
  database: Executor,
  token: string,
  client: SessionClient,
  settings: RefreshSettings,
  key: string,
  clientId: string | null = null,
): Promise<Exchanged> {
  const shown = [token, storedRefreshToken(token)];
  const next = nextRefreshToken(token, key);
  const reuse = String(settings.security_refresh_token_reuse_interval);
  const [, exchanged] = await runAsAuthAdmin(database, [
    [LOCK, shown],
    [
      EXCHANGE,
      [...shown, storedRefreshToken(next), ...clientParams(client), reuse, ...boundParams(settings), clientId],
    ],
  ]);
  const row = accountJson<Row>(exchanged);
  if (!row) return { verdict: 'unknown' };
  const { verdict, active, ...grant } = row;
  if (verdict === 'reused') {
    await runAsAuthAdmin(database, [[END_REUSED, [grant.session.id, clientParams(client)[1]]]]);
    return { verdict, userId: grant.user.id };
  }
  if (verdict !== 'rotate' && verdict !== 'repeat') return { verdict };
  const refreshToken = verdict === 'rotate' ? next : followingToken(token, active ?? '', key);
  // The next token cannot be derived, because the database comes from a node with other keys.
  if (refreshToken === null) return { verdict: 'unknown' };
  return { verdict: 'granted', grant: { ...grant, refreshToken } };
}

/** Returns the app's secret for deriving a refresh token from the one before. It never leaves the node. */
export const refreshKey = ({ signingKey }: Pick<AppKeys, 'signingKey'>): string =>
  hs256('refresh tokens', signingKey.privateKeyPem);
