import { createHash } from 'node:crypto';
import { limits } from '../../contract/limits.ts';
import type { MailData, MailItem } from '../../contract/mails.ts';
import type { NotificationKind } from '../../contract/notifications.ts';
import { type ReadingMember, readAsMember } from '../apps/notifications/notification-reads.ts';
import { runAsServerRole } from '../apps/run-as-server-role.ts';
import type { Executor } from '../database/database.ts';
import { ConnectionError, DatabaseError } from '../database/database-error.ts';
import { firstJson } from '../database/statement.ts';
import { isCalendarTime } from '../mail/appointments.ts';
import { readMailSettings } from './mail-queue.ts';

/** Shortest time between two checks that find nothing due. A notification that is written meanwhile waits as long. */
const CHECK_MILLISECONDS = 30_000;
/** Interval at which notifications are deleted that are too old. */
const TIDY_MILLISECONDS = 3_600_000;
/** Max number of members whose mails one check prepares. The others follow at once. */
const MEMBERS = 50;

/**
 * Part of the app's mails per hour that these mails may be. Members who are mentioned often must not keep the mails with links and
 * codes of others waiting. Notifications that wait get into one mail.
 */
const PART = 0.5;

/** Digits of the identifier of an appointment. */
const UID_DIGITS = 32;
/** A calendar stores the number of a version with 32 bits (RFC 5545, section 3.3.8). */
const MAX_SEQUENCE = 2 ** 31;

/** A member who may get mails. */
export interface MailedMember extends ReadingMember {
  readonly address: string;
  /** The time zone that the account's metadata contain; null if they contain none. */
  readonly timeZone: string | null;
  /** The search path of the member's data calls. */
  readonly path: string;
}

interface Parts {
  /** Connections as the app's server role. */
  readonly server: Executor;
  /** Connections as the app's authenticator, which read the rows as the member. */
  readonly accounts: Executor;
  /** The URL of the app's pages for members. */
  readonly url: string;
  /** Returns null for an account that gets no mails: it is deleted or banned, or its address is not confirmed. */
  readonly memberOf: (userId: string) => Promise<MailedMember | null>;
  readonly onFault: (error: unknown) => void;
}

/**
 * Queues the mails about notifications of one app: one mail for all notifications of a member that are due. The member's
 * own policies decide which of them the mail contains, and their words are read for the mail only.
 */
export class NotificationMails {
  readonly #parts: Parts;
  #tidiedAt = 0;
  #running: Promise<void> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Starts to queue the mails that are due. Returns the time of the next check in milliseconds since 1970; null if
   * nothing is due, or until the started work has ended.
   * @param onDone Called with the time of the next check when started work has ended.
   */
  async start(onDone: (next: number) => void): Promise<number | null> {
    if (this.#running !== null) return null;
    const now = Date.now();
    if (this.#tidiedAt + TIDY_MILLISECONDS <= now) {
      this.#tidiedAt = now;
      await runAsServerRole(this.#parts.server, [{ text: TIDY, params: [String(limits.notificationDays.default)] }]);
    }
    const [found] = await runAsServerRole(this.#parts.server, [{ text: NEXT, params: [] }]);
    const next = (found && firstJson<number>(found)) ?? null;
    if (next === null || next > now) return next;
    this.#running = this.#queue()
      .then((members) => onDone(Date.now() + (members === 0 ? CHECK_MILLISECONDS : 0)))
      .catch((error: unknown) => {
        if (!(error instanceof ConnectionError)) this.#parts.onFault(error);
        onDone(Date.now() + CHECK_MILLISECONDS);
      })
      .finally(() => {
        this.#running = null;
      });
    return null;
  }

  /** Resolves when no work is running. */
  async stop(): Promise<void> {
    await this.#running;
  }

  /** Queues due mails. Returns the number of members with notifications that were due. */
  async #queue(): Promise<number> {
    const { auth } = await readMailSettings(this.#parts.server);
    const perHour = Math.max(1, Math.floor(auth.rate_limit_email_sent * PART));
    const params = [String(MEMBERS), String(perHour), String(limits.notificationMailsPerHour.default)];
    const [found] = await runAsServerRole(this.#parts.server, [{ text: DUE, params }]);
    const { until, members } = (found && firstJson<Due>(found)) ?? { until: '', members: [] };
    for (const userId of members) {
      const member = await this.#memberOf(userId);
      const lines = member === null ? [] : await this.#linesOf(member);
      const mail =
        member !== null && lines.length > 0 ? { recipient: member.address, data: this.#dataOf(lines) } : null;
      await runAsServerRole(this.#parts.server, [
        {
          text: QUEUE,
          params: [
            ...[userId, until, `{${lines.map(({ id }) => id).join(',')}}`],
            ...[mail?.recipient ?? null, mail && JSON.stringify(mail.data)],
            ...[`${this.#parts.url}/portal/v1/notifications/unsubscribe?key=`, member?.timeZone ?? null],
          ],
        },
      ]);
    }
    return members.length;
  }

  /** Returns a member; null also if a hook of the app fails, so that the mails of other members do not wait. */
  async #memberOf(userId: string): Promise<MailedMember | null> {
    try {
      return await this.#parts.memberOf(userId);
    } catch (error) {
      if (error instanceof ConnectionError) throw error;
      this.#parts.onFault(error);
      return null;
    }
  }

  /** Returns the due notifications that the member may see. If the app's policies fail, there are none. */
  async #linesOf(member: MailedMember): Promise<Line[]> {
    try {
      const lines = await readAsMember<Line[]>(this.#parts.accounts, member, member.path, {
        text: 'select ninefold.notifications_to_mail($1::pg_catalog.int4)',
        params: [String(limits.notificationsPerMail.default)],
      });
      return lines ?? [];
    } catch (error) {
      if (error instanceof DatabaseError && !(error instanceof ConnectionError)) return [];
      throw error;
    }
  }

  #dataOf(lines: readonly Line[]): MailData {
    const { url } = this.#parts;
    return {
      Items: lines.map(({ id, kind, who, title, quote, state, states, appointment, entity, key }): MailItem => {
        const heading = appointment?.place ?? title;
        const stateNow = appointment?.state ?? state;
        return {
          Kind: kind,
          ...(who !== null && { Who: cleanLine(who) }),
          ...(heading !== null && { Title: cleanLine(heading) }),
          ...(quote !== null && { Quote: quote.split('\n').map(cleanLine).join('\n') }),
          ...(stateNow !== null && { State: stateNow }),
          ...(states !== null && { States: states }),
          ...(appointment !== null && appointmentOf(appointment, id, `${url} ${entity} ${JSON.stringify(key)}`)),
          URL: `${url}/account/notifications/${id}`,
        };
      }),
      ChoicesURL: `${url}/account/notifications/choices`,
    };
  }
}

/**
 * Returns a text of a row without control characters and line separators, which a calendar file must not contain (RFC
 * 5545, section 3.1), and without marks that reverse the text after them.
 */
const cleanLine = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(/[\u202a-\u202e\u2066-\u2069]/g, '');

interface Due {
  /** The time of the read, up to which these members have due mails. */
  readonly until: string;
  readonly members: readonly string[];
}

/** A notification with the words of its row, as the member may read them. */
interface Line {
  readonly id: string;
  readonly kind: NotificationKind;
  readonly who: string | null;
  readonly title: string | null;
  readonly quote: string | null;
  readonly state: string | null;
  readonly states: Readonly<Record<string, string>> | null;
  /** The appointment that the row is; null for other kinds, and if the member may not read it. */
  readonly appointment: LineAppointment | null;
  /** The table and the primary key of the row. */
  readonly entity: string;
  readonly key: Readonly<Record<string, unknown>>;
}

interface LineAppointment {
  /** As PostgreSQL prints times in JSON; null if the member may not read them. */
  readonly begins: string | null;
  readonly ends: string | null;
  readonly state: string | null;
  /** The label of the row that the appointment refers to, such as a room. */
  readonly place: string | null;
  readonly cancelled: boolean;
}

/**
 * Returns the part of a mail about an appointment with a time; an empty object for another one.
 * @param id Id of the notification. Later changes have larger ids.
 * @param row Identifies the row among all apps.
 */
function appointmentOf(
  { begins, ends, cancelled }: LineAppointment,
  id: string,
  row: string,
): Pick<MailItem, 'Appointment'> {
  if (begins === null || !isCalendarTime(begins, ends)) return {};
  return {
    Appointment: {
      Uid: createHash('sha256').update(row).digest('hex').slice(0, UID_DIGITS),
      Sequence: Number(id) % MAX_SEQUENCE,
      Begins: begins,
      ...(ends !== null && { Ends: ends }),
      Cancelled: cancelled,
    },
  };
}

const NEXT = `select pg_catalog.to_json((extract(epoch from min(mail_at)) * 1000)::int8)
  from ninefold.notifications where mail_at is not null`;

const DUE = `with due as (
    select n.user_id, min(n.mail_at) as at from ninefold.notifications n where n.mail_at <= pg_catalog.now()
      and (select pg_catalog.count(*) from ninefold.mails m where m.user_id = n.user_id and m.kind = 'activity_notification'
        and m.created_at > pg_catalog.now() - interval '1 hour') < $3::int
    group by n.user_id order by 2, 1 limit (
      select greatest(0, least($1::int, $2::int - pg_catalog.count(*))) from ninefold.mails m
      where m.kind = 'activity_notification' and m.state <> 'kept' and m.created_at > pg_catalog.now() - interval '1 hour'))
  select pg_catalog.json_build_object('until', pg_catalog.now(),
    'members', (select coalesce(pg_catalog.json_agg(user_id order by at, user_id), '[]') from due))`;

/**
 * Removes the due times of a member, and adds the mail if it has a recipient. A mail whose notifications were read
 * meanwhile is sent all the same.
 */
const QUEUE = `with done as (
    update ninefold.notifications n set mail_at = null
    where n.user_id = $1::uuid and n.mail_at is not null and (n.mail_at <= $2::timestamptz or n.id = any ($3::bigint[])) returning n.id
  )
  insert into ninefold.mails (kind, recipient, user_id, data)
  select 'activity_notification', $4, $1::uuid, $5::jsonb
    || pg_catalog.jsonb_build_object('UnsubscribeURL', $6::text || m.unsubscribe_key,
      'TimeZone', case m.time_zone when 'UTC' then coalesce($7::text, 'UTC') else m.time_zone end)
  from ninefold.notified_members m
  where m.user_id = $1::uuid and $4::text is not null and exists (select from done)`;

const TIDY = `delete from ninefold.notifications n
  where n.at < pg_catalog.now() - pg_catalog.make_interval(days => $1::int)`;
