import { randomBytes, randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { SessionRow } from '../../contract/admin.ts';
import { limits } from '../../contract/limits.ts';
import type { Executor } from '../database/database.ts';
import { affectedRows, type Param } from '../database/statement.ts';
import { asAuthAdmin, jsonAsAuthAdmin } from './as-auth-admin.ts';
import { type User, userJson } from './user.ts';

/** The client that holds a session, as far as it shows itself. */
export interface SessionClient {
  readonly address: string;
  readonly userAgent: string | undefined;
}

/** What an access token says of its session. */
export interface SessionClaims {
  readonly id: string;
  readonly aal: string;
  /** Most recent first; `timestamp` in seconds since 1970. */
  readonly amr: readonly { readonly method: string; readonly timestamp: number }[];
}

/** A member with a session, and the refresh token that goes with it. */
export interface Grant {
  readonly user: User;
  readonly session: SessionClaims;
  readonly refreshToken: string;
}

/** 192 random bits. */
export const makeRefreshToken = (): string => randomBytes(24).toString('base64url');

/** The client as the columns user_agent and ip hold it. */
export const clientParams = (client: SessionClient): [userAgent: Param, ip: Param] => {
  const ip = client.address.replace(/%.*$/, '');
  return [client.userAgent?.slice(0, limits.userAgentCharacters.default) || null, isIP(ip) ? ip : null];
};

export interface NewSession {
  readonly sessionId: string;
  readonly refreshToken: string;
  /** $1 to $6 of the statement of `openSession`. */
  readonly params: readonly Param[];
}

/** What identifies a session that is about to be opened for an account. `method` is the `amr` value, GoTrue's names. */
export function newSession(userId: string, client: SessionClient, method: 'password' | 'anonymous'): NewSession {
  const sessionId = randomUUID();
  const refreshToken = makeRefreshToken();
  return { sessionId, refreshToken, params: [userId, sessionId, refreshToken, ...clientParams(client), method] };
}

/**
 * SQL text that opens a session for the one row that `account` answers: an UPDATE … RETURNING of auth.users whose account
 * is $1. $2 to $6 are the rest of `NewSession.params`; `account` may use $7 and up. Opens nothing when there is no row.
 */
export const openSession = (account: string): string => `with account as (${account}),
opened as (
  insert into auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip)
  select $2::uuid, id, pg_catalog.now(), pg_catalog.now(), 'aal1', $4, $5::inet from account
),
proven as (
  insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
  select pg_catalog.gen_random_uuid(), $2::uuid, pg_catalog.now(), pg_catalog.now(), $6 from account
),
issued as (
  insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, session_id)
  select '00000000-0000-0000-0000-000000000000', $3, id::text, false, pg_catalog.now(), pg_catalog.now(), $2::uuid from account
)
select pg_catalog.jsonb_build_object(
  'user', ${userJson},
  'session', pg_catalog.jsonb_build_object('id', $2::uuid, 'aal', 'aal1', 'amr', pg_catalog.jsonb_build_array(
    pg_catalog.jsonb_build_object('method', $6::text, 'timestamp', extract(epoch from pg_catalog.now())::bigint)))
) from account u`;

/** SQL text: the claims of the row `s` of auth.sessions. */
export const sessionClaims = `pg_catalog.jsonb_build_object('id', s.id, 'aal', coalesce(s.aal, 'aal1'), 'amr', coalesce((
  select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
    'method', m.authentication_method, 'timestamp', extract(epoch from m.updated_at)::bigint) order by m.updated_at desc)
  from auth.mfa_amr_claims m where m.session_id = s.id
), '[]'))`;

/**
 * Until when the session of an access token lasts, in milliseconds since 1970 (infinite without an end); null when there is
 * no such session of this account.
 */
export async function sessionEnd(database: Executor, sessionId: string, userId: string): Promise<number | null> {
  const end = await jsonAsAuthAdmin<{ not_after: number | null }>(
    database,
    `select pg_catalog.jsonb_build_object('not_after', extract(epoch from s.not_after) * 1000) from auth.sessions s
     where s.id = $1::uuid and s.user_id = $2::uuid and (s.not_after is null or s.not_after > pg_catalog.now())`,
    [sessionId, userId],
  );
  return end && (end.not_after ?? Number.POSITIVE_INFINITY);
}

const UTC = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

/** The sessions of an app, or of one account, newest first; at most `limit`. */
export async function listSessions(
  database: Executor,
  options: { userId?: string; limit?: number } = {},
): Promise<SessionRow[]> {
  const rows = await jsonAsAuthAdmin<SessionRow[]>(
    database,
    `select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
       'id', s.id, 'user_id', s.user_id, 'email', nullif(u.email, ''),
       'created_at', pg_catalog.to_char(s.created_at at time zone 'utc', ${UTC}),
       'refreshed_at', pg_catalog.to_char(s.refreshed_at, ${UTC}),
       'ip', pg_catalog.host(s.ip), 'user_agent', s.user_agent, 'aal', coalesce(s.aal, 'aal1')
     ) order by s.created_at desc, s.id), '[]')
     from (
       select * from auth.sessions
       where ($1::uuid is null or user_id = $1::uuid) and (not_after is null or not_after > pg_catalog.now())
       order by created_at desc, id limit $2::bigint
     ) s join auth.users u on u.id = s.user_id`,
    [options.userId ?? null, String(options.limit ?? limits.sessionsPerPage.default)],
  );
  return rows ?? [];
}

/** Ends one session. Answers whether there was one. */
export async function revokeSession(database: Executor, id: string): Promise<boolean> {
  const [result] = await asAuthAdmin(database, [['delete from auth.sessions where id = $1::uuid', [id]]]);
  return result !== undefined && affectedRows(result) > 0;
}

/** Ends all sessions of an app, or those of one account, or those but one. Answers how many there were. */
export async function revokeSessions(
  database: Executor,
  options: { userId?: string; except?: string } = {},
): Promise<number> {
  const [result] = await asAuthAdmin(database, [
    [
      'delete from auth.sessions where ($1::uuid is null or user_id = $1::uuid) and ($2::uuid is null or id <> $2::uuid)',
      [options.userId ?? null, options.except ?? null],
    ],
  ]);
  return result ? affectedRows(result) : 0;
}

/** How many sessions there are. */
export const countSessions = async (database: Executor): Promise<number> =>
  (await jsonAsAuthAdmin<number>(
    database,
    'select pg_catalog.count(*) from auth.sessions where not_after is null or not_after > pg_catalog.now()',
    [],
  )) ?? 0;
