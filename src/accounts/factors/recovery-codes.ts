import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { type AuditCaller, auditAddress, auditInsert } from '../audit/audit.ts';
import { accountJson, jsonAsAuthAdmin, runAsAuthAdmin } from '../run-as-auth-admin.ts';
import { isWhole, LOCK_ACCOUNT } from '../sessions/assurance.ts';
import type { Proof } from './verify-factor.ts';

/** The characters of a code: letters and digits that are not easily confused (Crockford's Base32). */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Characters of a code, 120 random bits. */
const CODE_CHARACTERS = 24;

/** Returns a code of 120 random bits. For codes of 112 bits or more, a fast hash is secure enough (ASVS 5.0, 6.5.2). */
const makeCode = (): string =>
  Array.from(randomBytes(CODE_CHARACTERS), (byte) => ALPHABET[byte % ALPHABET.length]).join('');

/** Returns a code in the form in which it was issued: ignores letter case, blanks and hyphens. */
const normalised = (code: string): string => code.toLowerCase().replace(/[\s-]/g, '');

/** Returns the hash of a code. It includes the factor, so that equal codes of two accounts have different hashes. */
const hashOf = (factorId: string, code: string): string =>
  createHash('sha256')
    .update(`${factorId}:${normalised(code)}`)
    .digest('hex');

/** A new set of recovery codes. */
export interface RecoveryCodes {
  readonly id: string;
  readonly friendly_name?: string;
  readonly codes: readonly string[];
}

const makeCodes = (): string[] => Array.from({ length: limits.recoveryCodes.default }, makeCode);

const hashesParam = (factorId: string, codes: readonly string[]): string =>
  `{${codes.map((code) => hashOf(factorId, code)).join(',')}}`;

/** The reason why no codes were created. */
export type RecoveryCodesRefusal = 'first-factor-only' | 'exists' | 'sole' | 'name' | 'none';

/**
 * Statement that stores new codes. $1 is the account, $2 the session, $3 the factor, $4 its name, $5 the hashes in
 * hexadecimal digits.
 */
const MAKE = `with owned as (
  select f.friendly_name, f.factor_type::text as type, f.status from auth.mfa_factors f where f.user_id = $1::uuid
),
judged as (
  select case
    when not exists (select from owned where type <> 'recovery_code' and status = 'verified') then 'sole'
    when not ${isWhole('$2')} then 'first-factor-only'
    when exists (select from owned where type = 'recovery_code') then 'exists'
    when exists (select from owned where coalesce(friendly_name, '') = $4) then 'name'
    else 'ok'
  end as verdict
),
made as (
  insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at)
  select $3::uuid, $1::uuid, $4, 'recovery_code', 'verified', pg_catalog.now(), pg_catalog.now() from judged where verdict = 'ok'
  returning id
),
stored as (
  insert into ninefold.recovery_codes (factor_id, hash)
  select made.id, pg_catalog.decode(h, 'hex') from made, pg_catalog.unnest($5::text[]) h
),
audited as (${auditInsert('generate_recovery_codes', {
  userId: '$1::uuid',
  address: '$6',
  traits: `pg_catalog.jsonb_build_object('factor_id', made.id)`,
  from: 'made',
})})
select pg_catalog.to_jsonb(verdict) from judged`;

/** Creates the recovery codes of an account that has none. Stores only their hashes. */
export async function makeRecoveryCodes(
  database: Executor,
  { userId, sessionId }: { userId: string; sessionId: string },
  friendlyName: string,
  caller: AuditCaller,
): Promise<RecoveryCodes | RecoveryCodesRefusal> {
  const id = randomUUID();
  const codes = makeCodes();
  const [, judged] = await runAsAuthAdmin(database, [
    [LOCK_ACCOUNT, [userId]],
    [MAKE, [userId, sessionId, id, friendlyName, hashesParam(id, codes), auditAddress(caller)]],
  ]);
  const verdict = accountJson<'ok' | Exclude<RecoveryCodesRefusal, 'none'>>(judged);
  return verdict === 'ok' || verdict === null ? { id, friendly_name: friendlyName, codes } : verdict;
}

/** The set of recovery codes of an account. */
export interface RecoveryCodesStatus {
  readonly id: string;
  readonly friendly_name?: string;
  readonly total: number;
  /** The number of unused codes. */
  readonly remaining: number;
}

/** Returns the state of an account's recovery codes; null if it has none. */
export const recoveryCodesStatus = (database: Executor, userId: string): Promise<RecoveryCodesStatus | null> =>
  jsonAsAuthAdmin<RecoveryCodesStatus>(
    database,
    `select pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
       'id', f.id, 'friendly_name', nullif(f.friendly_name, ''), 'total', pg_catalog.count(c.hash),
       'remaining', pg_catalog.count(c.hash) filter (where c.used_at is null)))
     from auth.mfa_factors f left join ninefold.recovery_codes c on c.factor_id = f.id
     where f.user_id = $1::uuid and f.factor_type = 'recovery_code' group by f.id`,
    [userId],
  );

/** Replaces the recovery codes of an account and resets its count of wrong codes. The set keeps its id and name. */
export async function replaceRecoveryCodes(
  database: Executor,
  { userId, sessionId }: { userId: string; sessionId: string },
  caller: AuditCaller,
): Promise<RecoveryCodes | RecoveryCodesRefusal> {
  const status = await recoveryCodesStatus(database, userId);
  if (!status) return 'none';
  const codes = makeCodes();
  const [, , stored] = await runAsAuthAdmin(database, [
    [LOCK_ACCOUNT, [userId]],
    [`delete from ninefold.recovery_codes c where c.factor_id = $1::uuid and ${isWhole('$2')}`, [status.id, sessionId]],
    [
      `with made as (
         insert into ninefold.recovery_codes (factor_id, hash)
         select f.id, pg_catalog.decode(h, 'hex') from auth.mfa_factors f, pg_catalog.unnest($4::text[]) h
         where f.id = $1::uuid and f.user_id = $3::uuid and ${isWhole('$2')} returning factor_id
       ),
       forgotten as (
         delete from ninefold.second_factor_attempts a where a.user_id = $3::uuid and exists (select from made)
       ),
       audited as (${auditInsert('generate_recovery_codes', {
         userId: '$3::uuid',
         address: '$5',
         traits: `pg_catalog.jsonb_build_object('factor_id', $1::uuid)`,
         where: 'exists (select from made)',
       })})
       select pg_catalog.to_jsonb(pg_catalog.count(*)) from made`,
      [status.id, sessionId, userId, hashesParam(status.id, codes), auditAddress(caller)],
    ],
  ]);
  if (accountJson<number>(stored) === 0) return 'first-factor-only';
  return { id: status.id, ...(status.friendly_name && { friendly_name: status.friendly_name }), codes };
}

/** Returns the proof by a recovery code. It holds if the code belongs to the factor and was not used. */
export const recoveryCodeProof = (factorId: string, code: string, attempt: string): Proof => ({
  sql: `proven as (
  update ninefold.recovery_codes c set used_at = pg_catalog.now()
  where c.factor_id = $3::uuid and c.hash = pg_catalog.decode($6, 'hex') and c.used_at is null
  returning c.factor_id
)`,
  params: [hashOf(factorId, code)],
  attempt: { at: attempt, wasRight: false },
});
