import { limits } from '../../contract/limits.ts';
import { type MailData, mailSecrets, type TextKind } from '../../contract/mails.ts';
import { becomeAuthAdmin, runAsServerRole } from '../apps/run-as-server-role.ts';
import { readSettings, type Settings, storedSettings } from '../apps/settings.ts';
import type { Executor } from '../database/database.ts';
import { firstJson, type Param } from '../database/statement.ts';
import { type MailToRender, mailLook } from '../mail/render.ts';

/** A mail that is reserved for one attempt. */
export interface ClaimedMail extends MailToRender {
  readonly id: string;
  readonly userId: string | null;
  /** Number of this attempt, counted from 1. */
  readonly attempt: number;
}

/** The state of an app's queue of mails and text messages. */
export interface QueueState {
  /** True if a mail is due. */
  readonly isDue: boolean;
  /** True if a text message (SMS) is due. */
  readonly isTextDue: boolean;
  /** True if a mail is old enough to be deleted. */
  readonly hasExpired: boolean;
  /** Next time at which a mail is due or expires, in milliseconds since 1970; null without one. */
  readonly next: number | null;
  /** Number of mails and text messages in the queue. */
  readonly waiting: number;
  /** Time at which the oldest of them was queued, in milliseconds since 1970; null for an empty queue. */
  readonly since: number | null;
}

const STATE = `with times as (
    select (select min(created_at) from ninefold.mails where state <> 'queued') + pg_catalog.make_interval(days => $1::int) as expires,
      pg_catalog.clock_timestamp() as now
  )
  select pg_catalog.json_build_object(
    'isDue', exists (
      select from ninefold.mails
      where state = 'queued' and channel = 'email' and next_attempt_at <= now and (claimed_until is null or claimed_until <= now)),
    'isTextDue', exists (
      select from ninefold.mails
      where state = 'queued' and channel = 'sms' and next_attempt_at <= now and (claimed_until is null or claimed_until <= now)),
    'hasExpired', coalesce(expires <= now, false),
    'next', (extract(epoch from least(
      (select min(greatest(next_attempt_at, claimed_until)) from ninefold.mails
        where state = 'queued' and greatest(next_attempt_at, claimed_until) > now),
      case when expires > now then expires end)) * 1000)::int8,
    'waiting', queue.waiting, 'since', queue.since) from times, lateral (
      select pg_catalog.count(*) as waiting, (extract(epoch from min(created_at)) * 1000)::int8 as since
      from ninefold.mails where state = 'queued') queue`;

const noQueue: QueueState = {
  ...{ isDue: false, isTextDue: false, hasExpired: false, next: null },
  ...{ waiting: 0, since: null },
};

/** Reads the state of the queue. */
export async function readQueueState(database: Executor): Promise<QueueState> {
  const [result] = await runAsServerRole(database, [{ text: STATE, params: [String(limits.mailDays.default)] }]);
  return (result && firstJson<QueueState>(result)) ?? noQueue;
}

/** Reads the app's settings. */
export async function readMailSettings(database: Executor): Promise<Settings> {
  const [result] = await runAsServerRole(database, [storedSettings]);
  return readSettings((result && firstJson<Record<string, unknown>>(result)) ?? {});
}

/**
 * Statement that reserves due mails. Mails that only inform are reserved last, because no member waits for them. The
 * statement reserves at most as many mails as the limit per hour still allows. Only one process reserves mails at a
 * time, so the limit is exact.
 */
const CLAIM = `with budget as (
    select $2::int - (select pg_catalog.count(*) from ninefold.mails
        where state = 'sent' and channel = $4 and sent_at > pg_catalog.clock_timestamp() - interval '1 hour')
      - (select pg_catalog.count(*) from ninefold.mails
        where state = 'queued' and channel = $4 and claimed_until > pg_catalog.clock_timestamp()) as free
  ), due as (
    select m.id from ninefold.mails m
    where m.state = 'queued' and m.channel = $4 and m.next_attempt_at <= pg_catalog.clock_timestamp()
      and (m.claimed_until is null or m.claimed_until <= pg_catalog.clock_timestamp())
    order by m.kind like '%notification', m.next_attempt_at, m.id
    limit (select greatest(0, least($1::int, free)) from budget) for update skip locked
  ), claimed as (
    update ninefold.mails m set attempts = m.attempts + 1,
      claimed_until = pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => $3::float8)
    from due where m.id = due.id returning m.*
  )
  select pg_catalog.json_build_object(
    'free', (select free from budget),
    'opens', (extract(epoch from (select min(sent_at) from ninefold.mails
      where state = 'sent' and channel = $4 and sent_at > pg_catalog.clock_timestamp() - interval '1 hour') + interval '1 hour') * 1000)::int8,
    'mails', coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
      'id', c.id, 'userId', c.user_id, 'kind', c.kind, 'recipient', c.recipient, 'data', ${mailLook} || c.data, 'attempt', c.attempts,
      'acceptLanguage', c.accept_language)
    ) filter (where c.id is not null), '[]'))
  from claimed c`;

const ACCOUNT = `select pg_catalog.json_build_object('userId', u.id, 'email', nullif(u.email, ''),
    'metadata', case when pg_catalog.jsonb_typeof(u.raw_user_meta_data) = 'object' then u.raw_user_meta_data else '{}' end)
  from auth.users u where u.id = $1::uuid`;

/** The part of a mail that is in the account of its user. */
type AccountOfMail = Pick<ClaimedMail, 'userId' | 'email' | 'metadata'>;

/**
 * Reads the account of a mail. Without an account, the result has no user.
 * @param accounts Connections as the app's authenticator, because policies on auth.users run code of the app.
 */
async function readAccount(accounts: Executor, userId: string | null): Promise<AccountOfMail> {
  const [, result] = userId === null ? [] : await accounts.run([becomeAuthAdmin, { text: ACCOUNT, params: [userId] }]);
  return (result && firstJson<AccountOfMail>(result)) ?? { userId: null, email: null, metadata: {} };
}

interface Claim<Row> {
  readonly mails: readonly Row[];
  /** Number of mails that the limit per hour allowed before this claim. */
  readonly free: number;
  /**
   * Time at which the limit per hour allows another mail, in milliseconds since 1970; null if none was sent in the last
   * hour.
   */
  readonly opens: number | null;
}

/** The channel of a row in the queue. */
type Channel = 'email' | 'sms';

async function claim<Row>(database: Executor, max: number, perHour: number, channel: Channel): Promise<Claim<Row>> {
  const params = [String(max), String(perHour), String(limits.mailClaimMilliseconds.default / 1000), channel];
  const [result] = await runAsServerRole(database, [{ text: CLAIM, params }]);
  return (result && firstJson<Claim<Row>>(result)) ?? { mails: [], free: 0, opens: null };
}

/**
 * Reserves due mails.
 * @param accounts Connections as the app's authenticator, because policies on auth.users run code of the app.
 */
export async function claimMails(
  database: Executor,
  accounts: Executor,
  max: number,
  perHour: number,
): Promise<Claim<ClaimedMail>> {
  const claimed = await claim<Omit<ClaimedMail, keyof AccountOfMail> & Pick<ClaimedMail, 'userId'>>(
    database,
    max,
    perHour,
    'email',
  );
  const mails = claimed.mails.map(async (mail) => ({ ...mail, ...(await readAccount(accounts, mail.userId)) }));
  return { ...claimed, mails: await Promise.all(mails) };
}

/** A text message (SMS) that is reserved for one attempt. */
export interface ClaimedText {
  readonly id: string;
  readonly kind: TextKind;
  readonly recipient: string;
  readonly data: MailData;
  readonly attempt: number;
}

/** Reserves the next due text message (SMS). */
export const claimText = (database: Executor, perHour: number): Promise<Claim<ClaimedText>> =>
  claim(database, 1, perHour, 'sms');

/**
 * Returns the statement that marks a mail as sent. The statement also removes the mail's codes and links, because they
 * are secrets that are no longer needed.
 */
export const sentMail = (id: string): { text: string; params: Param[] } => ({
  text: `update ninefold.mails set state = 'sent', sent_at = pg_catalog.clock_timestamp(), claimed_until = null, error = null,
      data = data - $2::text[] where id = $1::uuid`,
  params: [id, `{${mailSecrets.join(',')}}`],
});

/** Records that a mail was sent. */
export async function noteSent(database: Executor, id: string): Promise<void> {
  await runAsServerRole(database, [sentMail(id)]);
}

/**
 * Returns the statement that records a failed attempt.
 * @param pauseSeconds Seconds until the next attempt; null if there is none.
 */
export const failedMail = (
  id: string,
  error: string,
  pauseSeconds: number | null,
): { text: string; params: Param[] } => ({
  text: `update ninefold.mails set claimed_until = null, error = $2, state = case when $3::int is null then 'failed' else state end,
      next_attempt_at = pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => coalesce($3::int, 0))
    where id = $1::uuid and state = 'queued'`,
  params: [id, error, pauseSeconds === null ? null : String(pauseSeconds)],
});

/** Returns the statement that releases a claimed mail without an attempt. */
export const releasedMail = (id: string): { text: string; params: Param[] } => ({
  text: `update ninefold.mails set claimed_until = null, attempts = greatest(0, attempts - 1) where id = $1::uuid and state = 'queued'`,
  params: [id],
});

/** Records a failed attempt. */
export async function noteFailure(
  database: Executor,
  id: string,
  error: string,
  pauseSeconds: number | null,
): Promise<void> {
  await runAsServerRole(database, [failedMail(id, error, pauseSeconds)]);
}

/** Releases a claimed mail without an attempt. */
export async function releaseMail(database: Executor, id: string): Promise<void> {
  await runAsServerRole(database, [releasedMail(id)]);
}

/**
 * Sets the state of queued messages to `kept`: the app has no mail server or SMS provider, so they are stored and not
 * sent.
 */
export async function keepMails(database: Executor, reason: string | null, channel: Channel = 'email'): Promise<void> {
  await runAsServerRole(database, [
    {
      text: `update ninefold.mails set state = 'kept', claimed_until = null, error = $1 where state = 'queued' and channel = $2`,
      params: [reason, channel],
    },
  ]);
}

/** Marks text messages (SMS) as failed if their codes expired before the messages were sent. */
export async function failExpiredTexts(database: Executor): Promise<void> {
  await runAsServerRole(database, [
    {
      text: `update ninefold.mails set state = 'failed', claimed_until = null,
          error = coalesce(error || '. ', '') || 'The code expired before the text was sent'
        where state = 'queued' and channel = 'sms' and expires_at <= pg_catalog.clock_timestamp()
          and (claimed_until is null or claimed_until <= pg_catalog.clock_timestamp())`,
      params: [],
    },
  ]);
}

/**
 * Deletes mails that are too old or exceed their maximum number. If too many mails are queued, marks the newest of them
 * as failed.
 */
export async function tidyMails(database: Executor): Promise<void> {
  await runAsServerRole(database, [
    {
      text: `delete from ninefold.mails where state <> 'queued' and (
          created_at < pg_catalog.now() - pg_catalog.make_interval(days => $1::int) or id in (
            select id from ninefold.mails where state <> 'queued' order by created_at desc, id offset $2::int))`,
      params: [String(limits.mailDays.default), String(limits.mailsKept.default)],
    },
    {
      text: `update ninefold.mails set state = 'failed', error = 'Too many mails wait.' where state = 'queued' and id in (
          select id from ninefold.mails where state = 'queued' order by created_at, id offset $1::int)`,
      params: [String(limits.mailsWaiting.default)],
    },
  ]);
}
