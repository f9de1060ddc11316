import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { affectedRows, type Param } from '../../database/statement.ts';
import { type AuditAction, type AuditCaller, auditAddress, auditInsert, callerParams } from '../audit/audit.ts';
import { accountJson, jsonAsAuthAdmin, runAsAuthAdmin } from '../run-as-auth-admin.ts';
import { type FactorType, isWhole, LOCK_ACCOUNT } from '../sessions/assurance.ts';
import type { SessionClient } from '../sessions/sessions.ts';
import { type Factor, factorJson } from '../users/user.ts';

/** Limits for the factors of an account and for the time that an unfinished enrolment is kept. */
export interface EnrolmentBounds {
  readonly maxEnrolled: number;
  readonly maxVerified: number;
  readonly unfinishedSeconds: number;
}

/** A factor to be enrolled. It is not verified until a first code has been accepted. */
export interface NewFactor {
  readonly type: FactorType;
  readonly friendlyName: string;
  /** The secret in base32 (RFC 4648); null for a factor of another type than TOTP. */
  readonly secret: string | null;
  /** The phone number, only its digits; absent for a factor of another type than phone. */
  readonly phone?: string;
}

export type EnrolmentVerdict = 'exists' | 'name' | 'many' | 'first-factor-only' | 'no-session' | 'ok';

/**
 * Deletes enrolments that were not completed and that no challenge refers to. $1 is the account, $2 their minimum age
 * in seconds.
 */
const DELETE_UNFINISHED = `delete from auth.mfa_factors f
  where f.user_id = $1::uuid and f.status <> 'verified'
    and f.created_at < pg_catalog.now() - pg_catalog.make_interval(secs => $2::float8)
    and not exists (select from auth.mfa_challenges c where c.factor_id = f.id)`;

/** Deletes earlier unfinished enrolments of the phone number $2, because each number may belong to one factor only. */
const DELETE_SAME_PHONE = `delete from auth.mfa_factors f
  where f.user_id = $1::uuid and f.phone = $2 and f.status <> 'verified'`;

/**
 * Statement that enrols a factor. $1 is the account, $2 the session, $3 the factor, $4 its name, $5 its type, $6 its
 * secret, $7 and $8 the limits, $9 whether the caller has a second factor, $10 the phone number.
 */
const ENROL = `with owned as (
  select f.friendly_name, f.status from auth.mfa_factors f where f.user_id = $1::uuid and f.factor_type::text <> 'recovery_code'
),
judged as (
  select case
    when not exists (select from auth.sessions s where s.id = $2::uuid and s.user_id = $1::uuid) then 'no-session'
    when exists (select from auth.mfa_factors f where f.user_id = $1::uuid and f.phone = $10) then 'exists'
    when exists (select from auth.mfa_factors f where f.user_id = $1::uuid and coalesce(f.friendly_name, '') = $4) then 'name'
    when (select pg_catalog.count(*) from owned) >= $7::integer then 'many'
    when (select pg_catalog.count(*) from owned where status = 'verified') >= $8::integer then 'many'
    when exists (select from owned where status = 'verified') and not ($9::boolean and ${isWhole('$2')}) then 'first-factor-only'
    else 'ok'
  end as verdict
),
made as (
  insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone)
  select $3::uuid, $1::uuid, $4, $5::auth.factor_type, 'unverified', pg_catalog.now(), pg_catalog.now(), $6, $10
  from judged where verdict = 'ok'
  returning id
),
audited as (${auditInsert('factor_in_progress', {
  userId: '$1::uuid',
  address: '$11',
  traits: `pg_catalog.jsonb_build_object('factor_id', made.id, 'factor_type', $5::text)`,
  from: 'made',
})})
select pg_catalog.to_jsonb(verdict) from judged`;

/**
 * Starts the enrolment of a factor. Enrolments of one account run one after the other, so the limits also hold for
 * concurrent calls.
 */
export async function enrolFactor(
  database: Executor,
  member: { userId: string; sessionId: string; isWhole: boolean },
  factor: NewFactor,
  bounds: EnrolmentBounds,
  caller: AuditCaller,
): Promise<{ verdict: EnrolmentVerdict; id: string }> {
  const { userId, sessionId, isWhole: hasSecond } = member;
  const id = randomUUID();
  const phone = factor.phone ?? null;
  const results = await runAsAuthAdmin(database, [
    [LOCK_ACCOUNT, [userId]],
    [DELETE_UNFINISHED, [userId, String(bounds.unfinishedSeconds)]],
    ...(phone === null ? [] : ([[DELETE_SAME_PHONE, [userId, phone]]] as const)),
    [
      ENROL,
      [
        userId,
        sessionId,
        id,
        factor.friendlyName,
        factor.type,
        factor.secret,
        String(bounds.maxEnrolled),
        String(bounds.maxVerified),
        String(hasSecond),
        phone,
        auditAddress(caller),
      ],
    ],
  ]);
  return { verdict: accountJson<EnrolmentVerdict>(results.at(-1)) ?? 'no-session', id };
}

/**
 * A factor as a builder sees it. A set of recovery codes includes the total number of codes and the number of unused
 * ones.
 */
export interface ListedFactor extends Factor {
  readonly total?: number;
  readonly remaining?: number;
}

/** Returns the factors of an account, the oldest first; null if there is no such account. */
export const listFactors = (database: Executor, userId: string): Promise<ListedFactor[] | null> =>
  jsonAsAuthAdmin<ListedFactor[]>(
    database,
    `select coalesce((
       select pg_catalog.jsonb_agg(${factorJson} || case when f.factor_type = 'recovery_code' then (
         select pg_catalog.jsonb_build_object(
           'total', pg_catalog.count(*), 'remaining', pg_catalog.count(*) filter (where c.used_at is null))
         from ninefold.recovery_codes c where c.factor_id = f.id
       ) else '{}' end order by f.created_at, f.id)
       from auth.mfa_factors f where f.user_id = u.id
     ), '[]') from auth.users u where u.id = $1::uuid`,
    [userId],
  );

/** Returns a factor of an account; null if the account has no such factor. */
export const findFactor = (database: Executor, userId: string, factorId: string): Promise<Factor | null> =>
  jsonAsAuthAdmin<Factor>(
    database,
    `select ${factorJson} from auth.mfa_factors f where f.id = $2::uuid and f.user_id = $1::uuid`,
    [userId, factorId],
  );

/**
 * Deletes a factor of an account. A trigger lowers the sessions that the factor raised. With `by.session`, a verified
 * factor is deleted only if that session has a second factor. The notice to the member is queued in the same
 * transaction. Returns the factor, or null if it was not deleted.
 */
export async function deleteFactor(
  database: Executor,
  target: { userId: string; factorId: string },
  by: { readonly caller: FactorCaller; readonly session?: string; readonly action: DeletionAction },
): Promise<Factor | null> {
  const { userId, factorId } = target;
  const [, deleted] = await runAsAuthAdmin(database, [
    [LOCK_ACCOUNT, [userId]],
    [
      `with gone as (
         delete from auth.mfa_factors f where f.id = $2::uuid and f.user_id = $1::uuid
           and ($3::uuid is null or f.status <> 'verified' or ${isWhole('$3')}) returning f.*
       ),
       audited as (${auditInsert(by.action, auditedFactor('gone', '$4', '$5'))}),
       notified as (
         insert into ninefold.mails (kind, recipient, user_id, data, accept_language)
         select 'mfa_factor_unenrolled_notification', u.email, u.id, pg_catalog.jsonb_build_object('FactorType', gone.factor_type),
           pg_catalog.left($6, ${limits.acceptLanguageCharacters.default})
         from gone join auth.users u on u.id = gone.user_id
         where gone.status = 'verified' and u.email <> '' and $7::boolean
       )
       select ${factorJson} from gone f`,
      [
        userId,
        factorId,
        by.session ?? null,
        ...callerParams(by.caller),
        by.caller.acceptLanguage ?? null,
        String(by.action !== 'recovery_codes_deleted'),
      ],
    ],
  ]);
  return accountJson<Factor>(deleted);
}

/** The caller that deletes a factor; the header Accept-Language decides the language of the notice. */
type FactorCaller = AuditCaller & Pick<SessionClient, 'acceptLanguage'>;

/** The audit actions for the deletion of a factor. */
type DeletionAction = Extract<AuditAction, 'factor_unenrolled' | 'factor_deleted' | 'recovery_codes_deleted'>;

/** Returns SQL that writes the audit event of a factor of the account $1. `from` returns the row of the factor. */
const auditedFactor = (from: string, address: string, isAdmin: string) => ({
  userId: '$1::uuid',
  address,
  isAdmin: `${isAdmin}::boolean`,
  traits: `pg_catalog.jsonb_build_object('factor_id', ${from}.id, 'factor_type', ${from}.factor_type)`,
  from,
});

/** Renames a factor of an account; null if the account has no such factor. */
export const renameFactor = (
  database: Executor,
  target: { userId: string; factorId: string },
  friendlyName: string,
  caller: AuditCaller,
): Promise<Factor | null> =>
  jsonAsAuthAdmin<Factor>(
    database,
    `with renamed as (
       update auth.mfa_factors f set friendly_name = $3, updated_at = pg_catalog.now()
       where f.id = $2::uuid and f.user_id = $1::uuid returning f.*
     ),
     audited as (${auditInsert('factor_updated', auditedFactor('renamed', '$4', '$5'))})
     select ${factorJson} from renamed f`,
    [target.userId, target.factorId, friendlyName, ...callerParams(caller)],
  );

/** A challenge to a factor. */
export interface NewChallenge {
  readonly factorId: string;
  readonly userId: string;
  /** The address of the client. An answer is accepted only from this address. */
  readonly address: string;
  /** Server-side data of a WebAuthn ceremony, as JSON. */
  readonly data: object | null;
  /** The code that answers the challenge; only for a phone factor. */
  readonly code?: string;
}

/** Returns the hash of a code in the form that its challenge stores. */
const challengeCodeHash = (challengeId: string, code: string): string =>
  createHash('sha256').update(`${challengeId}:${code}`).digest('hex');

/** Returns true if the code answers the challenge. */
export function isChallengeCode(
  challenge: { readonly id: string; readonly codeHash: string | null },
  code: string,
): boolean {
  const [stored, shown] = [challenge.codeHash, challengeCodeHash(challenge.id, code)];
  return stored?.length === shown.length && timingSafeEqual(Buffer.from(stored), Buffer.from(shown));
}

/**
 * Opens a challenge. Deletes the factor's challenges that have expired or are not among the newest `most`. Returns the
 * id and the time of the challenge in milliseconds since 1970; null if the factor no longer exists.
 */
export async function openChallenge(
  database: Executor,
  challenge: NewChallenge,
  bounds: { seconds: number; most: number },
): Promise<{ id: string; createdAt: number } | null> {
  const id = randomUUID();
  const params: Param[] = [challenge.factorId, String(bounds.seconds), String(bounds.most)];
  const [, made] = await runAsAuthAdmin(database, [
    [
      `delete from auth.mfa_challenges c where c.factor_id = $1::uuid and (
         c.created_at < pg_catalog.now() - pg_catalog.make_interval(secs => $2::float8)
         or c.id in (select o.id from auth.mfa_challenges o where o.factor_id = $1::uuid
           order by o.created_at desc, o.id offset $3::integer - 1))`,
      params,
    ],
    [
      `with made as (
         insert into auth.mfa_challenges (id, factor_id, created_at, ip_address, web_authn_session_data, otp_code)
         select $2::uuid, f.id, pg_catalog.now(), $4::inet, $5::jsonb, $6 from auth.mfa_factors f
         where f.id = $1::uuid and f.user_id = $3::uuid
         returning id, factor_id, created_at
       ),
       audited as (${auditInsert('challenge_created', {
         userId: '$3::uuid',
         address: `coalesce(pg_catalog.host($4::inet), '')`,
         traits: `pg_catalog.jsonb_build_object('factor_id', made.factor_id)`,
         from: 'made',
       })})
       select pg_catalog.jsonb_build_object('id', id, 'createdAt', extract(epoch from created_at) * 1000) from made`,
      [
        challenge.factorId,
        id,
        challenge.userId,
        challenge.address,
        challenge.data === null ? null : JSON.stringify(challenge.data),
        challenge.code === undefined ? null : challengeCodeHash(id, challenge.code),
      ],
    ],
  ]);
  return accountJson<{ id: string; createdAt: number }>(made);
}

/** Deletes a challenge that has expired. */
export async function deleteChallenge(database: Executor, id: string): Promise<boolean> {
  const [result] = await runAsAuthAdmin(database, [['delete from auth.mfa_challenges where id = $1::uuid', [id]]]);
  return result !== undefined && affectedRows(result) > 0;
}

/** A challenge with the fields that are checked before its answer is checked. */
export interface OpenChallenge {
  /**
   * True if the challenge can still be answered: it was not answered before, and the call comes from the address that
   * opened the challenge.
   */
  readonly mayAnswer: boolean;
  readonly hasExpired: boolean;
  readonly secret: string | null;
  /** The hash of the code that was sent by text message (SMS). */
  readonly codeHash: string | null;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly credential: StoredCredential | null;
}

/** Returns a challenge to a factor with the data that its answer is checked against; null if it does not exist. */
export const findChallenge = (
  database: Executor,
  wanted: { userId: string; factorId: string; challengeId: string; address: string; seconds: number },
): Promise<OpenChallenge | null> =>
  jsonAsAuthAdmin<OpenChallenge>(
    database,
    `select pg_catalog.jsonb_build_object(
       'mayAnswer', c.verified_at is null and c.ip_address = $4::inet,
       'hasExpired', c.created_at + pg_catalog.make_interval(secs => $5::float8) <= pg_catalog.now(),
       'secret', f.secret, 'codeHash', c.otp_code, 'data', c.web_authn_session_data, 'credential', f.web_authn_credential)
     from auth.mfa_challenges c join auth.mfa_factors f on f.id = c.factor_id
     where c.id = $3::uuid and f.id = $2::uuid and f.user_id = $1::uuid`,
    [wanted.userId, wanted.factorId, wanted.challengeId, wanted.address, String(wanted.seconds)],
  );

/**
 * A security key as a second factor, in the form in which GoTrue stores it (github.com/go-webauthn/webauthn,
 * `Credential`).
 */
export interface StoredCredential {
  /** The id of the credential in base64. */
  readonly id: string;
  /** The public key in base64. */
  readonly publicKey: string;
  readonly transport?: readonly string[] | null;
  readonly authenticator?: { readonly signCount?: number; readonly AAGUID?: string; readonly cloneWarning?: boolean };
}

/** The security keys that are verified second factors of an account. */
export const verifiedCredentials = async (
  database: Executor,
  userId: string,
): Promise<{ factorId: string; credential: StoredCredential }[]> =>
  (await jsonAsAuthAdmin<{ factorId: string; credential: StoredCredential }[]>(
    database,
    `select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('factorId', f.id, 'credential', f.web_authn_credential)), '[]')
     from auth.mfa_factors f
     where f.user_id = $1::uuid and f.factor_type = 'webauthn' and f.status = 'verified' and f.web_authn_credential is not null`,
    [userId],
  )) ?? [];
