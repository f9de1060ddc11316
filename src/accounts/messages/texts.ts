import { createHash } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import type { Result } from '../../database/statement.ts';
import { failedMail, releasedMail, sentMail } from '../../jobs/mail-queue.ts';
import type { Text } from '../../jobs/text-provider.ts';
import { accountJson, runAsAuthAdmin, type SqlStatement } from '../run-as-auth-admin.ts';

/** The data of an account that a call needs to send a text message (SMS). */
export interface PhoneAccount {
  readonly id: string;
  /** The number, only its digits. */
  readonly phone: string;
  /** The new number of an unfinished change; null without a change. */
  readonly newPhone: string | null;
  readonly isConfirmed: boolean;
  /** The hash of the account's password; null if the account has none. */
  readonly passwordHash: string | null;
}

const ACCOUNT = `select pg_catalog.jsonb_build_object(
  'id', u.id, 'phone', coalesce(u.phone, ''), 'newPhone', nullif(u.phone_change, ''),
  'isConfirmed', u.phone_confirmed_at is not null, 'passwordHash', nullif(u.encrypted_password, ''))
from auth.users u`;

const BY_PHONE = `${ACCOUNT} where u.phone = $1 and u.is_sso_user = false and u.deleted_at is null`;

/** Finds the account with an unfinished change of number: by its current number, otherwise by the new one. */
const BY_CHANGE = `${ACCOUNT}
where (u.phone = $1 or u.phone_change = $1) and u.phone_change <> '' and u.is_sso_user = false and u.deleted_at is null
order by u.phone is not distinct from $1 desc, u.phone_change_sent_at desc nulls last limit 1`;

/** The purposes of text messages (SMS) whose frequency is limited separately. */
export type TextPurpose = 'sms' | 'phone_change' | 'reauthentication_sms' | 'mfa_sms';

const subjectOf = (purpose: TextPurpose, of: string): string =>
  createHash('sha256').update(`${purpose}:${of}`).digest('base64url');

/**
 * The account of a request for a text message (SMS), and the number of seconds until another message may be requested;
 * 0 if it may be requested at once.
 */
export interface TextRequested {
  readonly wait: number;
  readonly account: PhoneAccount | null;
}

/**
 * Finds the account with a number, and returns the remaining pause until the next text message (SMS). Does not start a
 * pause, because the call may still be refused by another limit, and must then not delay other calls.
 * @param of The number or the id to which the pause applies.
 * @param phone The number of the account.
 */
export async function findForText(
  database: Executor,
  purpose: TextPurpose,
  of: string,
  pauseSeconds: number,
  phone: string,
): Promise<TextRequested> {
  const [wait, found] = await runAsAuthAdmin(database, [
    [
      `select greatest(0, pg_catalog.ceil(extract(epoch from
         m.requested_at + pg_catalog.make_interval(secs => $2::float8) - pg_catalog.clock_timestamp())))
       from ninefold.mail_requests m where m.subject = $1`,
      [subjectOf(purpose, of), String(pauseSeconds)],
    ],
    [purpose === 'phone_change' ? BY_CHANGE : BY_PHONE, [phone]],
  ]);
  return { wait: secondsOf(wait), account: accountJson<PhoneAccount>(found) };
}

/**
 * Starts the pause until the next text message (SMS), whether or not an account has the number. Returns 0, or the
 * number of seconds to wait if another call has started the pause.
 */
export async function reserveText(
  database: Executor,
  purpose: TextPurpose,
  of: string,
  pauseSeconds: number,
): Promise<number> {
  const [wait] = await runAsAuthAdmin(database, [
    ['select ninefold.reserve_mail($1, $2::integer)', [subjectOf(purpose, of), String(pauseSeconds)]],
  ]);
  return secondsOf(wait);
}

const secondsOf = (result: Result | undefined): number => Number(result?.rows[0]?.[0]?.toString() ?? 0);

/**
 * Runs a transaction that writes, if no account has the number. It takes as long as storing a code and a text message,
 * so the time of the call does not reveal whether an account exists.
 */
export async function pretendToText(database: Executor, purpose: TextPurpose, phone: string): Promise<void> {
  await runAsAuthAdmin(database, [
    [
      'update ninefold.mail_requests set requested_at = requested_at where subject = $1 returning subject',
      [subjectOf(purpose, phone)],
    ],
  ]);
}

/**
 * Returns the statement that removes the password of an unconfirmed account, because another person may have set it.
 */
export const droppedPhonePassword = (id: string): SqlStatement => [
  `update auth.users set encrypted_password = null, updated_at = pg_catalog.now()
   where id = $1::uuid and phone_confirmed_at is null and email_confirmed_at is null and encrypted_password is not null`,
  [id],
];

/**
 * Returns the statement that queues a text message (SMS), for the transaction that stores its code.
 *
 * @param code The code, which the Mail page shows with the message.
 * @param options.isClaimed True if the caller makes the first attempt after the transaction.
 */
export const queuedText = (
  text: Text,
  userId: string,
  code: string,
  options: { validSeconds: number; isClaimed: boolean },
): SqlStatement => [
  `insert into ninefold.mails (id, channel, kind, recipient, user_id, data, expires_at, attempts, claimed_until)
   values ($1::uuid, 'sms', $2, $3, $4::uuid, $5::jsonb, pg_catalog.now() + pg_catalog.make_interval(secs => $6::float8),
     case when $7::boolean then 1 else 0 end,
     case when $7::boolean then pg_catalog.now() + pg_catalog.make_interval(secs => $8::float8) end)`,
  [
    text.id,
    text.kind,
    text.to,
    userId,
    JSON.stringify({ Token: code, Message: text.body }),
    String(options.validSeconds),
    String(options.isClaimed),
    String(limits.mailClaimMilliseconds.default / 1000),
  ],
];

/** Records that the provider has accepted a text message (SMS). */
export async function noteTextSent(database: Executor, id: string): Promise<void> {
  const { text, params } = sentMail(id);
  await runAsAuthAdmin(database, [[text, params]]);
}

/**
 * Records that an attempt failed.
 * @param pauseSeconds Time until the next attempt; null if there is none.
 */
export async function noteTextFailure(
  database: Executor,
  id: string,
  error: string,
  pauseSeconds: number | null,
): Promise<void> {
  const { text, params } = failedMail(id, error, pauseSeconds);
  await runAsAuthAdmin(database, [[text, params], TELL_QUEUE]);
}

/** Returns a claimed text message (SMS) to the queue. */
export async function releaseText(database: Executor, id: string): Promise<void> {
  const { text, params } = releasedMail(id);
  await runAsAuthAdmin(database, [[text, params], TELL_QUEUE]);
}

const TELL_QUEUE: SqlStatement = [`select pg_catalog.pg_notify('ninefold', '{"type":"mail"}')`, []];
