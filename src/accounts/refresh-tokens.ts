import type { Executor } from '../database/database.ts';
import { accountJson, asAuthAdmin } from './as-auth-admin.ts';
import { clientParams, type Grant, makeRefreshToken, type SessionClient, sessionClaims } from './sessions.ts';
import { userJson } from './user.ts';

/** How an exchange ended. `reused`: the session was ended, as somebody else may hold its refresh token. */
export type Exchanged =
  | { readonly verdict: 'granted'; readonly grant: Grant }
  | { readonly verdict: 'unknown' | 'no-session' | 'banned' | 'expired' }
  | { readonly verdict: 'reused'; readonly userId: string };

/**
 * The session is locked first, by a statement of its own: the one after it then sees what a concurrent exchange of the same
 * session has committed.
 */
const LOCK = `select from auth.sessions s
where s.id = (select t.session_id from auth.refresh_tokens t where t.token = $1) for update`;

/** $1 the token shown, $2 the token to issue, $3 and $4 the client, $5 the reuse interval in seconds. */
const EXCHANGE = `with shown as (
  select t.id, t.token, t.revoked, t.updated_at, s.id as session_id, s.not_after, u.id as user_id, u.banned_until,
    a.token as active, a.parent as active_parent
  from auth.refresh_tokens t
  left join auth.sessions s on s.id = t.session_id
  left join auth.users u on u.id = s.user_id and u.deleted_at is null
  left join lateral (
    select r.token, r.parent from auth.refresh_tokens r
    where r.session_id = s.id and r.revoked is not true order by r.id desc limit 1
  ) a on true
  where t.token = $1
),
judged as (
  select shown.*, case
    when user_id is null then 'no-session'
    when banned_until > pg_catalog.now() then 'banned'
    when not_after <= pg_catalog.now() then 'expired'
    when revoked is not true then 'rotate'
    when active_parent = token then 'repeat'
    when active is not null
      and pg_catalog.clock_timestamp() <= updated_at + pg_catalog.make_interval(secs => $5::float8) then 'repeat'
    else 'reused'
  end as verdict from shown
),
spent as (
  update auth.refresh_tokens t set revoked = true, updated_at = pg_catalog.clock_timestamp()
  from judged j where t.id = j.id and j.verdict = 'rotate'
),
issued as (
  insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
  select '00000000-0000-0000-0000-000000000000', $2, j.user_id::text, false,
    pg_catalog.clock_timestamp(), pg_catalog.clock_timestamp(), j.token, j.session_id
  from judged j where j.verdict = 'rotate'
),
touched as (
  update auth.sessions s set
    refreshed_at = pg_catalog.now() at time zone 'utc', updated_at = pg_catalog.now(), user_agent = $3, ip = $4::inet
  from judged j where s.id = j.session_id and j.verdict in ('rotate', 'repeat')
),
ended as (
  delete from auth.sessions s using judged j where s.id = j.session_id and j.verdict = 'reused'
)
select pg_catalog.jsonb_build_object(
  'verdict', j.verdict,
  'refreshToken', case j.verdict when 'rotate' then $2 when 'repeat' then j.active end,
  'user', ${userJson},
  'session', ${sessionClaims}
)
from judged j left join auth.users u on u.id = j.user_id left join auth.sessions s on s.id = j.session_id`;

type Row = Grant & { readonly verdict: 'rotate' | 'repeat' | 'reused' | 'no-session' | 'banned' | 'expired' };

/**
 * Exchanges a refresh token for the next of its session (GoTrue, `/token?grant_type=refresh_token`; RFC 9700, section 4.14.2).
 * The parent of the session's active token gets the active token again: the client lost the answer. An older token gets it only
 * within `reuseSeconds` of its own exchange; later it ends the session. Exchanges of one session run one after the other, in one
 * round trip each.
 */
export async function exchangeRefreshToken(
  database: Executor,
  token: string,
  client: SessionClient,
  reuseSeconds: number,
): Promise<Exchanged> {
  const params = [token, makeRefreshToken(), ...clientParams(client), String(reuseSeconds)];
  const [, exchanged] = await asAuthAdmin(database, [
    [LOCK, [token]],
    [EXCHANGE, params],
  ]);
  const row = accountJson<Row>(exchanged);
  if (!row) return { verdict: 'unknown' };
  const { verdict, ...grant } = row;
  if (verdict === 'rotate' || verdict === 'repeat') return { verdict: 'granted', grant };
  return verdict === 'reused' ? { verdict, userId: grant.user.id } : { verdict };
}
