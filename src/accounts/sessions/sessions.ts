import { randomBytes, randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { SessionRow } from '../../../contract/admin.ts';
import { limits } from '../../../contract/limits.ts';
import type { AuthSettings } from '../../../contract/settings-auth.ts';
import type { Executor } from '../../database/database.ts';
import type { Param } from '../../database/statement.ts';
import { type AuditAction, type AuditCaller, auditInsert, callerParams } from '../audit/audit.ts';
import { countSignIn } from '../passwords/sign-in-counts.ts';
import { jsonAsAuthAdmin } from '../run-as-auth-admin.ts';
import { type User, userJson } from '../users/user.ts';
import { deviceWords } from './device-words.ts';
import { storedRefreshToken } from './stored-refresh-token.ts';

/** The client that holds a session, as far as its requests identify it. */
export interface SessionClient {
  readonly address: string;
  readonly userAgent: string | undefined;
  /** The header Accept-Language. It decides the language of mails if the member's metadata has no locale. */
  readonly acceptLanguage?: string | undefined;
}

/** The claims of an access token about its session. */
export interface SessionClaims {
  readonly id: string;
  readonly aal: string;
  /** The sign-in methods of the session, the most recent first; `timestamp` in seconds since 1970. */
  readonly amr: readonly { readonly method: string; readonly timestamp: number }[];
  /** The application that holds the session, and its scopes; absent for the app's own sessions. */
  readonly clientId?: string | null;
  readonly scope?: string | null;
}

/** A member with a session, and the session's refresh token. */
export interface Grant {
  readonly user: User;
  readonly session: SessionClaims;
  readonly refreshToken: string;
}

/** Returns a new refresh token of 192 random bits. */
export const makeRefreshToken = (): string => randomBytes(24).toString('base64url');

/** Returns the client in the form of the columns user_agent and ip. */
export const clientParams = (client: SessionClient): [userAgent: Param, ip: Param] => {
  const ip = client.address.replace(/%.*$/, '');
  return [client.userAgent?.slice(0, limits.userAgentCharacters.default) || null, isIP(ip) ? ip : null];
};

export interface NewSession {
  readonly sessionId: string;
  readonly refreshToken: string;
  /** The values of $1 to $6 in the statement of `openSession`. */
  readonly params: readonly Param[];
}

/** The sign-in methods, named as in the claim `amr` (GoTrue, `AuthenticationMethod`; RFC 8176). */
export type SignInMethod =
  | 'password'
  | 'anonymous'
  | 'otp'
  | 'magiclink'
  | 'email/signup'
  | 'email_change'
  | 'recovery'
  | 'invite'
  | 'oauth'
  | 'oauth_provider/authorization_code'
  | 'web3'
  | 'passkey'
  | 'totp'
  | 'mfa/phone'
  | 'mfa/webauthn'
  | 'mfa/recovery_code'
  | 'token_refresh';

/**
 * SQL text for the account whose one-time token was used in the same transaction (`ninefold.use_one_time_token`); NULL
 * if none was used.
 */
export const tokenOwner = `nullif(pg_catalog.current_setting('ninefold.verified', true), '')::uuid`;

/**
 * Returns the ids of a session that is about to be opened.
 * @param userId Null if the statement that opens the session finds the account.
 */
export function newSession(userId: string | null, client: SessionClient, method: SignInMethod): NewSession {
  const sessionId = randomUUID();
  const refreshToken = makeRefreshToken();
  return {
    sessionId,
    refreshToken,
    params: [userId, sessionId, storedRefreshToken(refreshToken), ...clientParams(client), method],
  };
}

/**
 * Returns SQL text that stores the first refresh token of a session. The arguments are SQL expressions.
 * @param from The relation whose row the session is opened for.
 */
export const firstRefreshToken = (token: string, userId: string, sessionId: string, from: string): string =>
  `insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, session_id)
  select '00000000-0000-0000-0000-000000000000', ${token}, ${userId}::text, false, pg_catalog.now(), pg_catalog.now(), ${sessionId}::uuid
  from ${from}`;

/**
 * Returns SQL text that opens a session for the row that `account` returns; without a row it opens none. `account` is
 * an UPDATE … RETURNING of auth.users for the account $1. $2 to $6 are the other values of `NewSession.params`;
 * `account` may use $7 and later parameters.
 * @param way SQL expression for the sign-in method under which the sign-in is counted.
 */
export const openSession = (account: string, way: string): string => `with account as (${account}),
opened as (
  insert into auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip)
  select $2::uuid, id, pg_catalog.now(), pg_catalog.now(), 'aal1', $4, $5::inet from account
),
proven as (
  insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
  select pg_catalog.gen_random_uuid(), $2::uuid, pg_catalog.now(), pg_catalog.now(), $6 from account
),
issued as (${firstRefreshToken('$3', 'id', '$2', 'account')}),
audited as (${auditInsert('login', {
  userId: 'opened_for.id',
  address: `coalesce(pg_catalog.host($5::inet), '')`,
  traits: `pg_catalog.jsonb_build_object('provider', $6::text, 'session_id', $2::uuid)`,
  from: 'account as opened_for',
})}),
counted as (${countSignIn(way, 'account')})
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
), '[]'), 'clientId', s.oauth_client_id, 'scope', s.scopes)`;

/** The settings that end sessions. */
export type SessionBounds = Pick<AuthSettings, 'sessions_timebox' | 'sessions_inactivity_timeout'>;

/** Returns the SQL parameters for `sessionEnds`. */
export const boundParams = (bounds: SessionBounds): [timebox: string, inactivity: string] => [
  String(bounds.sessions_timebox),
  String(bounds.sessions_inactivity_timeout),
];

/**
 * Returns SQL text for the time at which the row `s` of auth.sessions ends; NULL if it does not end. The arguments are
 * parameters of `boundParams`.
 */
export const sessionEnds = (timebox: string, inactivity: string): string => `least(
  s.not_after,
  s.created_at + pg_catalog.make_interval(secs => nullif(${timebox}::float8, 0)),
  coalesce(s.refreshed_at at time zone 'utc', s.created_at) + pg_catalog.make_interval(secs => nullif(${inactivity}::float8, 0)))`;

export interface SessionState {
  /** The time at which the session ends, in milliseconds since 1970; Infinity if it does not end. */
  readonly end: number;
  readonly aal: string;
}

/** Returns the state of an account's session; null if there is none or it has ended. */
export async function sessionState(
  database: Executor,
  sessionId: string,
  userId: string,
  bounds: SessionBounds,
): Promise<SessionState | null> {
  const found = await jsonAsAuthAdmin<{ end: number | null; aal: string }>(
    database,
    `select pg_catalog.jsonb_build_object(
       'end', extract(epoch from nullif(e.ends, 'infinity')) * 1000, 'aal', coalesce(s.aal, 'aal1'))
     from auth.sessions s, lateral (select ${sessionEnds('$3', '$4')} as ends) e
     where s.id = $1::uuid and s.user_id = $2::uuid and (e.ends is null or e.ends > pg_catalog.now())`,
    [sessionId, userId, ...boundParams(bounds)],
  );
  return found && { aal: found.aal, end: found.end ?? Number.POSITIVE_INFINITY };
}

/** Returns the time since a session was opened, in seconds; null if there is no such session. */
export const sessionAgeSeconds = (database: Executor, sessionId: string): Promise<number | null> =>
  jsonAsAuthAdmin<number>(
    database,
    'select pg_catalog.to_jsonb(extract(epoch from pg_catalog.now() - s.created_at)) from auth.sessions s where s.id = $1::uuid',
    [sessionId],
  );

const UTC = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

/** Returns the sessions of an app, or of one account, newest first; at most `limit`. */
export async function listSessions(
  database: Executor,
  bounds: SessionBounds,
  options: { userId?: string; limit?: number } = {},
): Promise<SessionRow[]> {
  const rows = await jsonAsAuthAdmin<Omit<SessionRow, 'device'>[]>(
    database,
    `select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
       'id', s.id, 'user_id', s.user_id, 'email', nullif(u.email, ''),
       'created_at', pg_catalog.to_char(s.created_at at time zone 'utc', ${UTC}),
       'refreshed_at', pg_catalog.to_char(s.refreshed_at, ${UTC}),
       'ends_at', pg_catalog.to_char(s.ends at time zone 'utc', ${UTC}),
       'ip', pg_catalog.host(s.ip), 'user_agent', s.user_agent, 'aal', coalesce(s.aal, 'aal1'),
       'amr', ${sessionClaims} -> 'amr'
     ) order by s.created_at desc, s.id), '[]')
     from (
       select s.*, nullif(e.ends, 'infinity') as ends
       from auth.sessions s, lateral (select ${sessionEnds('$3', '$4')} as ends) e
       where ($1::uuid is null or s.user_id = $1::uuid) and (e.ends is null or e.ends > pg_catalog.now())
       order by s.created_at desc, s.id limit $2::bigint
     ) s join auth.users u on u.id = s.user_id`,
    [options.userId ?? null, String(options.limit ?? limits.sessionsPerPage.default), ...boundParams(bounds)],
  );
  return (rows ?? []).map((row) => ({ ...row, device: deviceWords(row.user_agent) }));
}

/** The event that the audit log records for ended sessions. Without it, no entry is written. */
export interface SessionsEnd {
  readonly action: Extract<AuditAction, 'logout' | 'session_ended'>;
  readonly caller: AuditCaller;
}

/**
 * Returns the statement that ends sessions. $1 is the session, $2 its account or null, $3 the session that stays or
 * null; $4 and $5 are the caller. The audit log gets one entry for each account.
 */
const endSessions = (action: SessionsEnd['action'] | null): string => `with ended as (
  delete from auth.sessions where ($1::uuid is null or id = $1::uuid) and ($2::uuid is null or user_id = $2::uuid)
    and ($3::uuid is null or id <> $3::uuid)
  returning id, user_id
)${
  action === null
    ? ''
    : `, audited as (${auditInsert(action, {
        userId: 'ended_of.user_id',
        address: '$4',
        isAdmin: '$5::boolean',
        traits: `pg_catalog.jsonb_build_object('sessions', ended_of.number) || ended_of.session`,
        from: `(select user_id, pg_catalog.count(*) as number, case when pg_catalog.count(*) = 1
          then pg_catalog.jsonb_build_object('session_id', min(id::text)) else '{}'::jsonb end as session
          from ended group by user_id) as ended_of`,
      })})`
}
select pg_catalog.to_jsonb(pg_catalog.count(*)) from ended`;

/** Ends one session; with `userId` only if it belongs to this account. Returns false if there is none. */
export const revokeSession = async (
  database: Executor,
  id: string,
  userId?: string,
  end?: SessionsEnd,
): Promise<boolean> => (await revoke(database, { id, ...(userId !== undefined && { userId }) }, end)) > 0;

/**
 * Ends all sessions of an app, or all sessions of one account, optionally except one. Returns the number of ended
 * sessions.
 */
export const revokeSessions = (
  database: Executor,
  options: { userId?: string; except?: string } = {},
  end?: SessionsEnd,
): Promise<number> => revoke(database, options, end);

async function revoke(
  database: Executor,
  { id, userId, except }: { id?: string; userId?: string; except?: string },
  end?: SessionsEnd,
): Promise<number> {
  const ended = await jsonAsAuthAdmin<number>(database, endSessions(end?.action ?? null), [
    id ?? null,
    userId ?? null,
    except ?? null,
    ...(end ? callerParams(end.caller) : []),
  ]);
  return ended ?? 0;
}

/** Returns the number of sessions of an app. */
export const countSessions = async (database: Executor, bounds: SessionBounds): Promise<number> =>
  (await jsonAsAuthAdmin<number>(
    database,
    `select pg_catalog.count(*) from auth.sessions s, lateral (select ${sessionEnds('$1', '$2')} as ends) e
     where e.ends is null or e.ends > pg_catalog.now()`,
    boundParams(bounds),
  )) ?? 0;
