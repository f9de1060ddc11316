import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import type { Param } from '../../database/statement.ts';
import { type AuditCaller, auditAddress, auditInsert } from '../audit/audit.ts';
import { accountJson, runAsAuthAdmin, type SqlStatement } from '../run-as-auth-admin.ts';
import { LOCK_ACCOUNT, type RaisedSession, raiseParams, raiseSession, SELECT_SESSION } from '../sessions/assurance.ts';
import { type Grant, makeRefreshToken, type SessionClient } from '../sessions/sessions.ts';
import { forgetAttempt } from './second-factor-attempts.ts';

/** A session that was raised to aal2, with its new refresh token. */
export interface Raised {
  readonly grant: Grant;
}

/** An attempt that was counted before its code was compared. */
interface Attempt {
  readonly at: string;
  /**
   * True if the code is known to be right. Otherwise the attempt counts as wrong unless the code raises the session.
   */
  readonly wasRight: boolean;
}

/** The evidence for which a session is raised. */
export interface Proof {
  /**
   * Common table expressions. The last one is named `proven` and returns a row to exactly one of several concurrent
   * callers. Their parameters are $6 and later.
   */
  readonly sql: string;
  readonly params: readonly Param[];
  /** Statements that run before, after the account was locked. */
  readonly before?: readonly SqlStatement[];
  /** The attempt that was counted for the code; null if none was. */
  readonly attempt: Attempt | null;
}

/**
 * Statement that writes the audit event if this transaction raised the session $2 of the account $1 by the factor $3.
 */
const AUDIT = auditInsert('verification_attempted', {
  userId: '$1::uuid',
  address: '$4',
  traits: `pg_catalog.jsonb_build_object('factor_id', $3::uuid, 'session_id', $2::uuid)`,
  from: 'auth.sessions as raised',
  where: 'raised.id = $2::uuid and raised.factor_id = $3::uuid and raised.updated_at = pg_catalog.now()',
});

/**
 * Statement that queues the notice about the factor $1 of the account $2, if the factor was verified in this
 * transaction. $3 is the header Accept-Language. A factor is known to be verified in this transaction by its
 * updated_at, which only the verification and the renaming of a factor change.
 */
const TELL = `insert into ninefold.mails (kind, recipient, user_id, data, accept_language)
  select 'mfa_factor_enrolled_notification', u.email, u.id, pg_catalog.jsonb_build_object('FactorType', f.factor_type),
    pg_catalog.left($3, ${limits.acceptLanguageCharacters.default})
  from auth.mfa_factors f join auth.users u on u.id = f.user_id
  where f.id = $1::uuid and u.id = $2::uuid and f.status = 'verified' and f.updated_at = pg_catalog.now() and u.email <> ''`;

/**
 * Raises a session to aal2 if its proof is still valid, and uses up the proof in the same transaction. Returns null if
 * another request used the proof first, or if the session or the factor no longer exists.
 */
export async function raiseBySecondFactor(
  database: Executor,
  target: RaisedSession,
  { sql, params, before = [], attempt }: Proof,
  caller: AuditCaller & Pick<SessionClient, 'acceptLanguage'>,
): Promise<Raised | null> {
  const refreshToken = makeRefreshToken();
  const raise = raiseParams(target, refreshToken);
  const results = await runAsAuthAdmin(database, [
    [LOCK_ACCOUNT, [target.userId]],
    ...before,
    [raiseSession(sql), [...raise, ...params]],
    [SELECT_SESSION, [target.sessionId]],
    [AUDIT, [target.userId, target.sessionId, target.factorId, auditAddress(caller)]],
    [TELL, [target.factorId, target.userId, caller.acceptLanguage ?? null]],
    ...(attempt === null ? [] : [forgetAttempt(target.userId, attempt.at, attempt.wasRight ? null : target.sessionId)]),
  ]);
  const hasRaised = (results[1 + before.length]?.rows.length ?? 0) > 0;
  const granted = accountJson<Omit<Grant, 'refreshToken'>>(results[2 + before.length]);
  return hasRaised && granted ? { grant: { ...granted, refreshToken } } : null;
}

/** SQL text that uses up the challenge $6 of the factor $3 if it is not older than $7 seconds. */
const USED_CHALLENGE = `used as (
  update auth.mfa_challenges c set verified_at = pg_catalog.now()
  where c.id = $6::uuid and c.factor_id = $3::uuid and c.verified_at is null
    and c.created_at > pg_catalog.now() - pg_catalog.make_interval(secs => $7::float8)
  returning c.id
)`;

/**
 * Returns the proof by a TOTP code. It holds if the challenge was not used, and if no code of this or a later time step
 * was used.
 */
export const totpProof = (challenge: { id: string; seconds: number }, step: number, attempt: string): Proof => ({
  sql: `${USED_CHALLENGE},
proven as (
  insert into ninefold.totp_steps as t (factor_id, step) select $3::uuid, $8::bigint from used
  on conflict (factor_id) do update set step = excluded.step where t.step < excluded.step
  returning t.step
)`,
  params: [challenge.id, String(challenge.seconds), String(step)],
  attempt: { at: attempt, wasRight: true },
});

/** Returns the proof by the code in a text message (SMS). It holds if the challenge was not used. */
export const codeProof = (challenge: { id: string; seconds: number }, attempt: string): Proof => ({
  sql: `${USED_CHALLENGE},
proven as (select id from used)`,
  params: [challenge.id, String(challenge.seconds)],
  attempt: { at: attempt, wasRight: true },
});

/**
 * Returns the proof by a security key that is being added. It holds if the challenge was not used. The key is stored
 * before the session is raised, and only in a factor that is not verified yet.
 * @param credential A `StoredCredential` as JSON.
 */
export const addedKeyProof = (
  target: RaisedSession,
  challenge: { id: string; seconds: number },
  key: { credential: string; aaguid: string },
): Proof => ({
  before: [
    [
      `update auth.mfa_factors f set web_authn_credential = $3::jsonb, web_authn_aaguid = $4::uuid
       where f.id = $2::uuid and f.user_id = $1::uuid and f.status <> 'verified'
         and exists (select from auth.mfa_challenges c where c.id = $5::uuid and c.factor_id = f.id and c.verified_at is null)`,
      [target.userId, target.factorId, key.credential, key.aaguid, challenge.id],
    ],
  ],
  sql: `${USED_CHALLENGE},
proven as (
  select f.id from auth.mfa_factors f, used where f.id = $3::uuid and f.status <> 'verified'
)`,
  params: [challenge.id, String(challenge.seconds)],
  attempt: null,
});

/**
 * Returns the proof by a security key. It holds if the challenge was not used, and if the counter of the key has
 * increased or the key has no counter.
 */
export const keyProof = (challenge: { id: string; seconds: number }, counter: number): Proof => ({
  sql: `${USED_CHALLENGE},
proven as (
  update auth.mfa_factors f
  set web_authn_credential = pg_catalog.jsonb_set(f.web_authn_credential, '{authenticator,signCount}', pg_catalog.to_jsonb($8::bigint))
  from used where f.id = $3::uuid and f.status = 'verified' and (
    coalesce((f.web_authn_credential #>> '{authenticator,signCount}')::bigint, 0) < $8::bigint
    or coalesce((f.web_authn_credential #>> '{authenticator,signCount}')::bigint, 0) = 0 and $8::bigint = 0)
  returning f.id
)`,
  params: [challenge.id, String(challenge.seconds), String(counter)],
  attempt: null,
});
