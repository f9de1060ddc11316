import type { Executor } from '../../database/database.ts';
import { jsonAsAuthAdmin } from '../run-as-auth-admin.ts';
import { type User, userJson } from '../users/user.ts';
import { firstRefreshToken, type SignInMethod, sessionClaims } from './sessions.ts';
import { storedRefreshToken } from './stored-refresh-token.ts';

/** Types of second factors, as the column factor_type holds them. */
export type FactorType = 'totp' | 'phone' | 'webauthn' | 'recovery_code';

/** The method that each type of factor adds to a session. Each of them raises the session to aal2. */
const methodOfFactor = {
  totp: 'totp',
  phone: 'mfa/phone',
  webauthn: 'mfa/webauthn',
  recovery_code: 'mfa/recovery_code',
} as const satisfies Record<FactorType, SignInMethod>;

/** The sign-in methods that are second factors. */
export const secondFactorMethods: ReadonlySet<unknown> = new Set(Object.values(methodOfFactor));

/** A member and the session of the call. */
export interface MemberOfSession {
  readonly user: User;
  readonly aal: string;
}

/** Returns the account of a session with the session's assurance; null if the account has no such session. */
export const findMemberOfSession = (
  database: Executor,
  userId: string,
  sessionId: string,
): Promise<MemberOfSession | null> =>
  jsonAsAuthAdmin<MemberOfSession>(
    database,
    `select pg_catalog.jsonb_build_object('user', ${userJson}, 'aal', coalesce(s.aal, 'aal1'))
     from auth.sessions s join auth.users u on u.id = s.user_id where s.id = $2::uuid and s.user_id = $1::uuid`,
    [userId, sessionId],
  );

/**
 * SQL text that locks the account $1, so that changes of its factors and of the assurance of its sessions run one after
 * the other. Sign-ins and refreshes do not wait for this lock.
 */
export const LOCK_ACCOUNT = 'select from auth.users where id = $1::uuid for no key update';

/** Returns SQL text that is true if the session in `parameter` has the assurance that a second factor gives. */
export const isWhole = (parameter: string): string =>
  `exists (select from auth.sessions s where s.id = ${parameter}::uuid and s.aal >= 'aal2')`;

/** Values for `raiseSession`. */
export interface RaisedSession {
  readonly userId: string;
  readonly sessionId: string;
  readonly factorId: string;
  readonly type: FactorType;
}

/** $1 to $5 of `raiseSession`. */
export const raiseParams = ({ userId, sessionId, factorId, type }: RaisedSession, refreshToken: string): string[] => [
  userId,
  sessionId,
  factorId,
  methodOfFactor[type],
  storedRefreshToken(refreshToken),
];

/**
 * Returns SQL text that raises the session $2 of the account $1 to aal2 by its factor $3 and the method $4. It does so
 * only if `proven` returns a row; `proven` holds further common table expressions, the last of which is named `proven`.
 * The session's earlier refresh tokens are deleted and replaced by $5, so that no earlier token can continue the raised
 * session. If the account has a verified factor, a session that has shown only a first factor cannot verify another
 * factor, because that session may belong to a stranger who knows the password. The account's other sessions that have
 * shown only a first factor end (GoTrue, `InvalidateSessionsWithAALLessThan`), and unfinished enrolments of the same
 * type are deleted. `proven` may use $6 and later parameters.
 */
export const raiseSession = (proven: string): string => `with ${proven},
raised as (
  update auth.sessions s set aal = 'aal2', factor_id = $3::uuid, updated_at = pg_catalog.now()
  from proven where s.id = $2::uuid and s.user_id = $1::uuid and (
    s.aal >= 'aal2' or coalesce((
      select pg_catalog.bool_or(f.id = $3::uuid) from auth.mfa_factors f where f.user_id = $1::uuid and f.status = 'verified'
    ), true))
  returning s.id
),
verified as (
  update auth.mfa_factors f set status = 'verified', updated_at = pg_catalog.now()
  from raised where f.id = $3::uuid and f.user_id = $1::uuid and f.status <> 'verified'
),
claimed as (
  insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
  select pg_catalog.gen_random_uuid(), raised.id, pg_catalog.now(), pg_catalog.now(), $4 from raised
  on conflict (session_id, authentication_method) do update set updated_at = excluded.updated_at
),
spent as (
  delete from auth.refresh_tokens t using raised where t.session_id = raised.id
),
issued as (${firstRefreshToken('$5', '$1::uuid', 'raised.id', 'raised')}),
ended as (
  delete from auth.sessions s using raised
  where s.user_id = $1::uuid and s.id <> raised.id and coalesce(s.aal, 'aal1') < 'aal2'
),
unfinished as (
  delete from auth.mfa_factors f using raised
  where f.user_id = $1::uuid and f.id <> $3::uuid and f.status <> 'verified'
    and f.factor_type = (select o.factor_type from auth.mfa_factors o where o.id = $3::uuid)
)
select f.id from raised join auth.mfa_factors f on f.id = $3::uuid`;

/** SQL text: account and claims of the session $1. */
export const SELECT_SESSION = `select pg_catalog.jsonb_build_object('user', ${userJson}, 'session', ${sessionClaims})
  from auth.sessions s join auth.users u on u.id = s.user_id where s.id = $1::uuid`;
