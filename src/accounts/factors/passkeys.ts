import { randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { type AuditAction, type AuditCaller, auditInsert, callerParams } from '../audit/audit.ts';
import { ownWay } from '../passwords/sign-in-counts.ts';
import { accountJson, jsonAsAuthAdmin, runAsAuthAdmin } from '../run-as-auth-admin.ts';
import { LOCK_ACCOUNT } from '../sessions/assurance.ts';
import { signedInFrom } from '../sessions/new-device.ts';
import { type Grant, newSession, openSession, type SessionClient } from '../sessions/sessions.ts';

/** Expired rows that one call deletes. */
const SWEPT_ROWS = 20;

/** A passkey as GoTrue's API shows it. */
export interface Passkey {
  readonly id: string;
  readonly friendly_name?: string;
  readonly created_at: string;
  readonly last_used_at?: string;
}

const TIME = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

/** SQL text: the row `w` of auth.webauthn_credentials as a Passkey, jsonb. */
const passkeyJson = `pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
  'id', w.id, 'friendly_name', nullif(w.friendly_name, ''),
  'created_at', pg_catalog.to_char(w.created_at at time zone 'utc', ${TIME}),
  'last_used_at', pg_catalog.to_char(w.last_used_at at time zone 'utc', ${TIME})))`;

/** SQL text: bytes as base64url without padding. */
const base64url = (column: string): string =>
  `pg_catalog.rtrim(pg_catalog.translate(pg_catalog.encode(${column}, 'base64'), E'+/\\n', '-_'), '=')`;

/** The passkeys of an account, the oldest first. */
export const listPasskeys = async (database: Executor, userId: string): Promise<Passkey[]> =>
  (await jsonAsAuthAdmin<Passkey[]>(
    database,
    `select coalesce(pg_catalog.jsonb_agg(${passkeyJson} order by w.created_at, w.id), '[]')
     from auth.webauthn_credentials w where w.user_id = $1::uuid`,
    [userId],
  )) ?? [];

/** Returns the credential ids of an account's passkeys, in base64url. */
export const passkeyCredentialIds = async (database: Executor, userId: string): Promise<string[]> =>
  (await jsonAsAuthAdmin<string[]>(
    database,
    `select coalesce(pg_catalog.jsonb_agg(${base64url('w.credential_id')}), '[]')
     from auth.webauthn_credentials w where w.user_id = $1::uuid`,
    [userId],
  )) ?? [];

/**
 * Opens a challenge for the registration of a passkey and returns its id. Deletes challenges of the account that have
 * expired and all but the newest `max`. Also deletes some expired challenges of other accounts.
 */
export async function openRegistration(
  database: Executor,
  userId: string,
  challenge: string,
  bounds: { seconds: number; most: number },
): Promise<string> {
  const id = randomUUID();
  await runAsAuthAdmin(database, [
    [
      `delete from auth.webauthn_challenges c where c.id in (
         select o.id from auth.webauthn_challenges o where o.user_id = $1::uuid and o.challenge_type = 'registration'
         order by o.created_at desc, o.id offset $2::integer - 1)`,
      [userId, String(bounds.most)],
    ],
    SWEEP,
    [
      `insert into auth.webauthn_challenges (id, user_id, challenge_type, session_data, expires_at)
       values ($1::uuid, $2::uuid, 'registration', pg_catalog.jsonb_build_object('challenge', $3::text),
         pg_catalog.now() + pg_catalog.make_interval(secs => $4::float8))`,
      [id, userId, challenge, String(bounds.seconds)],
    ],
  ]);
  return id;
}

/** Statement that deletes some expired challenges of any account. */
const SWEEP: readonly [text: string, params: string[]] = [
  `delete from auth.webauthn_challenges c using (
     select o.id from auth.webauthn_challenges o where o.expires_at < pg_catalog.now()
     order by o.expires_at limit ${SWEPT_ROWS} for update skip locked
   ) as old where c.id = old.id`,
  [],
];

/** Uses up a challenge for a registration and returns it; null if the account has no such challenge. */
export const useRegistration = (
  database: Executor,
  userId: string,
  id: string,
): Promise<{ challenge: string; hasExpired: boolean } | null> =>
  jsonAsAuthAdmin<{ challenge: string; hasExpired: boolean }>(
    database,
    `delete from auth.webauthn_challenges c
     where c.id = $2::uuid and c.user_id = $1::uuid and c.challenge_type = 'registration'
     returning pg_catalog.jsonb_build_object(
       'challenge', c.session_data ->> 'challenge', 'hasExpired', c.expires_at <= pg_catalog.now())`,
    [userId, id],
  );

/**
 * Returns SQL text that queues a mail about the rows `changed` to the account $1. `language` is the parameter with the
 * header Accept-Language, or null.
 */
const notice = (kind: 'passkey_added_notification' | 'passkey_removed_notification', language: string): string =>
  `noticed as (
  insert into ninefold.mails (kind, recipient, user_id, data, accept_language)
  select '${kind}', u.email, u.id, pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('Passkey', nullif(changed.friendly_name, ''))),
    pg_catalog.left(${language}, ${limits.acceptLanguageCharacters.default})
  from changed join auth.users u on u.id = $1::uuid where u.email <> ''
),`;

/**
 * Returns SQL text that makes a change of passkeys of the account $1. The change is a common table expression named
 * `w`. The SQL also writes the audit event of the change, and queues the notice to the member.
 */
const auditedPasskey = (
  action: Extract<AuditAction, `passkey_${string}`>,
  change: string,
  address: string,
  isAdmin: string,
  noticed = '',
): string => `with changed as (${change} returning w.*),
${noticed}
audited as (${auditInsert(action, {
  userId: '$1::uuid',
  address,
  isAdmin: `${isAdmin}::boolean`,
  traits: `pg_catalog.jsonb_build_object('passkey_id', changed.id)`,
  from: 'changed',
})})
select ${passkeyJson} from changed w`;

/** A passkey that is to be stored. Bytes are in base64url. */
export interface NewPasskey {
  readonly id: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly aaguid: string;
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
  readonly friendlyName: string;
}

const hex = (base64: string): string => Buffer.from(base64, 'base64url').toString('hex');

/** The caller that changes passkeys; the header Accept-Language decides the language of the notice. */
type PasskeyCaller = AuditCaller & Pick<SessionClient, 'acceptLanguage'>;

/**
 * Stores a passkey of an account that has fewer than `max`. Each credential can belong to only one account of the app.
 */
export async function storePasskey(
  database: Executor,
  userId: string,
  passkey: NewPasskey,
  max: number,
  caller: PasskeyCaller,
): Promise<Passkey | 'exists' | 'many'> {
  const values = [
    userId,
    hex(passkey.id),
    hex(passkey.publicKey),
    passkey.aaguid,
    String(passkey.counter),
    JSON.stringify(passkey.transports),
    String(passkey.isBackupEligible),
    String(passkey.isBackedUp),
    passkey.friendlyName,
    String(max),
    ...callerParams(caller),
    caller.acceptLanguage ?? null,
  ];
  try {
    const [, stored] = await runAsAuthAdmin(database, [
      [LOCK_ACCOUNT, [userId]],
      [
        auditedPasskey(
          'passkey_created',
          `insert into auth.webauthn_credentials as w (user_id, credential_id, public_key, attestation_type, aaguid, sign_count,
           transports, backup_eligible, backed_up, friendly_name)
         select $1::uuid, pg_catalog.decode($2, 'hex'), pg_catalog.decode($3, 'hex'), 'none', $4::uuid, $5::bigint,
           $6::jsonb, $7::boolean, $8::boolean, $9
         where (select pg_catalog.count(*) from auth.webauthn_credentials o where o.user_id = $1::uuid) < $10::integer`,
          '$11',
          '$12',
          notice('passkey_added_notification', '$13'),
        ),
        values,
      ],
    ]);
    return accountJson<Passkey>(stored) ?? 'many';
  } catch (error) {
    const isKnown =
      error instanceof DatabaseError && error.fields.constraint === 'webauthn_credentials_credential_id_key';
    if (isKnown) return 'exists';
    throw error;
  }
}

/** Renames a passkey of an account; null if the account has no such passkey. */
export const renamePasskey = (
  database: Executor,
  userId: string,
  id: string,
  friendlyName: string,
  caller: AuditCaller,
): Promise<Passkey | null> =>
  jsonAsAuthAdmin<Passkey>(
    database,
    auditedPasskey(
      'passkey_updated',
      `update auth.webauthn_credentials w set friendly_name = $3, updated_at = pg_catalog.now()
       where w.id = $2::uuid and w.user_id = $1::uuid`,
      '$4',
      '$5',
    ),
    [userId, id, friendlyName, ...callerParams(caller)],
  );

/** Deletes a passkey of an account. Returns false if the account has no such passkey. */
export async function deletePasskey(
  database: Executor,
  userId: string,
  id: string,
  caller: PasskeyCaller,
): Promise<boolean> {
  const deletion = 'delete from auth.webauthn_credentials w where w.id = $2::uuid and w.user_id = $1::uuid';
  const sql = auditedPasskey('passkey_deleted', deletion, '$3', '$4', notice('passkey_removed_notification', '$5'));
  const params = [userId, id, ...callerParams(caller), caller.acceptLanguage ?? null];
  return (await jsonAsAuthAdmin(database, sql, params)) !== null;
}

/** A passkey and the facts about its account that a sign-in needs. */
export interface KnownPasskey {
  readonly id: string;
  readonly userId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly isBanned: boolean;
  readonly isConfirmed: boolean;
}

/** Returns the passkey with a credential id (base64url); null if no account has it. */
export const findPasskey = (database: Executor, credentialId: string): Promise<KnownPasskey | null> =>
  jsonAsAuthAdmin<KnownPasskey>(
    database,
    `select pg_catalog.jsonb_build_object(
       'id', w.id, 'userId', w.user_id, 'publicKey', ${base64url('w.public_key')}, 'counter', w.sign_count,
       'isBanned', coalesce(u.banned_until > pg_catalog.now(), false),
       'isConfirmed', (coalesce(u.email, '') = '' or u.email_confirmed_at is not null)
         and (coalesce(u.phone, '') = '' or u.phone_confirmed_at is not null))
     from auth.webauthn_credentials w join auth.users u on u.id = w.user_id
     where w.credential_id = pg_catalog.decode($1, 'hex') and u.deleted_at is null`,
    [hex(credentialId)],
  );

/** Returns true if the challenge of a sign-in was used before. */
export const isChallengeUsed = async (database: Executor, challengeId: string): Promise<boolean> =>
  (await jsonAsAuthAdmin<boolean>(
    database,
    `select pg_catalog.to_jsonb(exists (
       select from auth.webauthn_challenges c where c.id = $1::uuid and c.challenge_type = 'authentication'))`,
    [challengeId],
  )) ?? false;

/**
 * Statement that uses up the challenge $1 for the session $2, if the stored counter of the passkey $3 of the account $4
 * is still lower than $5. So a replay fails: its challenge is used, or its counter is not higher than the stored one.
 * Devices without a counter always send 0. $6 is the time at which the challenge expires.
 */
const USE = `with counted as (
  update auth.webauthn_credentials w set sign_count = $5::bigint, last_used_at = pg_catalog.now(), updated_at = pg_catalog.now()
  where w.id = $3::uuid and w.user_id = $4::uuid and (w.sign_count < $5::bigint or (w.sign_count = 0 and $5::bigint = 0))
  returning w.id
)
insert into auth.webauthn_challenges (id, user_id, challenge_type, session_data, expires_at)
select $1::uuid, $4::uuid, 'authentication', pg_catalog.jsonb_build_object('session', $2::text), pg_catalog.to_timestamp($6::float8)
from counted on conflict (id) do nothing`;

/** Statement that opens the session. $7 is the challenge. */
const OPEN = openSession(
  `update auth.users u set last_sign_in_at = pg_catalog.now(), updated_at = pg_catalog.now()
  where u.id = $1::uuid and u.deleted_at is null and (u.banned_until is null or u.banned_until <= pg_catalog.now())
    and exists (select from auth.webauthn_challenges c where c.id = $7::uuid and c.session_data ->> 'session' = $2::uuid::text)
  returning u.*`,
  ownWay('passkey'),
);

/**
 * Opens a session for the account of a passkey whose assertion was verified. Returns null if the challenge was used or
 * the counter has not increased. So if several requests contain the same assertion, only one of them opens a session.
 */
export async function openPasskeySession(
  database: Executor,
  passkey: Pick<KnownPasskey, 'id' | 'userId'>,
  assertion: { challengeId: string; expiresAt: number; counter: number },
  client: SessionClient,
): Promise<Grant | null> {
  const session = newSession(passkey.userId, client, 'passkey');
  const [, , opened] = await runAsAuthAdmin(database, [
    SWEEP,
    [
      USE,
      [
        assertion.challengeId,
        session.sessionId,
        passkey.id,
        passkey.userId,
        String(assertion.counter),
        String(assertion.expiresAt / 1000),
      ],
    ],
    [OPEN, [...session.params, assertion.challengeId]],
    signedInFrom(session.sessionId, client),
  ]);
  const row = accountJson<Omit<Grant, 'refreshToken'>>(opened);
  return row ? { ...row, refreshToken: session.refreshToken } : null;
}
