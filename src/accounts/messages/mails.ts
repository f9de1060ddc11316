import { limits } from '../../../contract/limits.ts';
import type { MailData, MailKind, MailPage, MailRow, MailState } from '../../../contract/mails.ts';
import type { Executor } from '../../database/database.ts';
import { affectedRows } from '../../database/statement.ts';
import { type MailToRender, mailLook } from '../../mail/render.ts';
import { jsonAsAuthAdmin, runAsAuthAdmin, type SqlStatement } from '../run-as-auth-admin.ts';

export type { MailKind };

export interface Mail {
  readonly kind: MailKind;
  /** The address to which the mail is sent. */
  readonly recipient: string;
  readonly userId: string | null;
  readonly data: MailData;
  /**
   * The header Accept-Language of the call. It decides the language of the mail if the member's metadata has no locale.
   */
  readonly acceptLanguage?: string | undefined;
}

/**
 * Returns the statement that queues a mail, for the transaction of the change that the mail is about. It queues nothing
 * if the recipient is empty, or if the app's settings turn this notification off.
 */
export const queuedMail = (mail: Mail): SqlStatement => [
  `insert into ninefold.mails (kind, recipient, user_id, data, accept_language)
   values ($1, $2, $3::uuid, $4::jsonb, pg_catalog.left($5, ${limits.acceptLanguageCharacters.default}))`,
  [mail.kind, mail.recipient, mail.userId, JSON.stringify(mail.data), mail.acceptLanguage ?? null],
];

/** Reads the look that the mails of an app have. */
export const readMailLook = async (database: Executor): Promise<Pick<MailData, 'App' | 'Accent'>> =>
  (await jsonAsAuthAdmin(database, `select ${mailLook}`, [])) ?? {};

const utc = (column: string): string =>
  `pg_catalog.to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** SQL text: the row `m` of ninefold.mails as a MailRow. */
const row = `pg_catalog.jsonb_build_object('id', m.id, 'channel', m.channel, 'kind', m.kind, 'recipient', m.recipient, 'user_id', m.user_id, 'state', m.state,
  'attempts', m.attempts, 'next_attempt_at', case when m.state = 'queued' then ${utc('m.next_attempt_at')} end,
  'sent_at', ${utc('m.sent_at')}, 'created_at', ${utc('m.created_at')}, 'error', m.error)`;

export interface MailFilter {
  /** A part of the recipient's address or of the kind of the mail. */
  readonly search: string | null;
  readonly state: MailState | null;
  /** The value `next` of the page before this one. */
  readonly after: { readonly createdAt: string; readonly id: string } | null;
}

const LIST = `select pg_catalog.jsonb_build_object(
  'mails', (select coalesce(pg_catalog.jsonb_agg(${row} order by m.created_at desc, m.id), '[]') from (
    select * from ninefold.mails m
    where ($1::text is null or m.recipient ilike $1 or m.kind ilike $1) and ($2::text is null or m.state = $2)
      and ($3::timestamptz is null or (m.created_at, $4::uuid) < ($3::timestamptz, m.id))
    order by m.created_at desc, m.id limit $5::int + 1) m),
  'counts', (select pg_catalog.jsonb_build_object(
      'queued', pg_catalog.count(*) filter (where state = 'queued'), 'sent', pg_catalog.count(*) filter (where state = 'sent'),
      'failed', pg_catalog.count(*) filter (where state = 'failed'), 'kept', pg_catalog.count(*) filter (where state = 'kept'))
    from ninefold.mails))`;

/** Returns a page of the mails, the newest first. */
export async function listMails(database: Executor, { search, state, after }: MailFilter): Promise<MailPage> {
  const max = limits.mailsPerPage.default;
  const pattern = search === null ? null : `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  const found = await jsonAsAuthAdmin<{ mails: MailRow[]; counts: MailPage['counts'] }>(database, LIST, [
    ...[pattern, state, after?.createdAt ?? null, after?.id ?? null],
    String(max),
  ]);
  const { mails = [], counts = { queued: 0, sent: 0, failed: 0, kept: 0 } } = found ?? {};
  const page = mails.slice(0, max);
  const last = page.at(-1);
  return { mails: page, next: mails.length > max && last ? `${last.created_at}_${last.id}` : null, counts };
}

/** Returns a mail or text message with the data needed to render it; null if it does not exist. */
export const findMail = (database: Executor, id: string): Promise<{ row: MailRow; mail: MailToRender } | null> =>
  jsonAsAuthAdmin(
    database,
    `select pg_catalog.jsonb_build_object('row', ${row}, 'mail', pg_catalog.jsonb_build_object(
       'kind', m.kind, 'recipient', m.recipient, 'data', ${mailLook} || m.data, 'acceptLanguage', m.accept_language, 'email', nullif(u.email, ''),
       'metadata', case when pg_catalog.jsonb_typeof(u.raw_user_meta_data) = 'object' then u.raw_user_meta_data else '{}' end))
     from ninefold.mails m left join auth.users u on u.id = m.user_id where m.id = $1::uuid`,
    [id],
  );

/** Queues an unsent mail again. Returns false if it does not exist, was sent, or is being sent. */
export async function requeueMail(database: Executor, id: string): Promise<boolean> {
  const [result] = await runAsAuthAdmin(database, [
    [
      `update ninefold.mails set state = 'queued', attempts = 0, next_attempt_at = pg_catalog.now(), claimed_until = null
       where id = $1::uuid and state <> 'sent' and (claimed_until is null or claimed_until <= pg_catalog.now())`,
      [id],
    ],
    [`select pg_catalog.pg_notify('ninefold', '{"type":"mail"}')`, []],
  ]);
  return result !== undefined && affectedRows(result) > 0;
}

/** Deletes a mail. Returns false if it does not exist. */
export async function deleteMail(database: Executor, id: string): Promise<boolean> {
  const [result] = await runAsAuthAdmin(database, [['delete from ninefold.mails where id = $1::uuid', [id]]]);
  return result !== undefined && affectedRows(result) > 0;
}
