import type { NotificationChoice, NotificationKind, NotificationMail } from '../../../contract/notifications.ts';
import { notificationKinds } from '../../../contract/notifications.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { firstJson } from '../../database/statement.ts';
import type { App } from '../app.ts';
import { runAsServerRole } from '../run-as-server-role.ts';

type ServerApp = Pick<App, 'serverDatabase'>;

/**
 * Marks notifications of a member as read: those with these ids, or all if `ids` is null. They get no mail, except for
 * the calendar file of an appointment.
 */
export async function markNotificationsRead(
  app: ServerApp,
  userId: string,
  ids: readonly string[] | null,
): Promise<void> {
  await runAsServerRole(app.serverDatabase, [
    {
      text: `update ninefold.notifications set read_at = pg_catalog.now(), mail_at = case when kind = 'appointment' then mail_at end
        where user_id = $1::uuid and read_at is null and ($2::bigint[] is null or id = any ($2::bigint[]))`,
      params: [userId, ids && `{${ids.join(',')}}`],
    },
  ]);
}

const CHOICES = `select pg_catalog.json_build_object(
  'time_zone', coalesce((select m.time_zone from ninefold.notified_members m where m.user_id = $1::uuid), 'UTC'),
  'choices', (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('kind', r.kind, 'in_app', coalesce(c.in_app, true),
      'mail', coalesce(c.mail, ninefold.usual_mail(r.kind)), 'entities', r.entities)), '[]')
    from (
      select x.kind, pg_catalog.json_agg(distinct pg_catalog.jsonb_build_object('schema', s.nspname, 'entity', t.relname)) as entities
      from ninefold.notification_rules x join pg_catalog.pg_class t on t.oid = x.entity
      join pg_catalog.pg_namespace s on s.oid = t.relnamespace group by x.kind
    ) r left join ninefold.notification_choices c on c.user_id = $1::uuid and c.kind = r.kind))`;

/** Choices of a member, without the numbers of notifications. */
export interface StoredChoices {
  readonly time_zone: string;
  readonly choices: readonly Omit<NotificationChoice, 'of_week'>[];
}

/** Reads how a member hears of the kinds that the app's rules have. */
export async function readChoices(app: ServerApp, userId: string): Promise<StoredChoices> {
  const [found] = await runAsServerRole(app.serverDatabase, [{ text: CHOICES, params: [userId] }]);
  const { time_zone, choices } = (found && firstJson<StoredChoices>(found)) ?? { time_zone: 'UTC', choices: [] };
  const place = ({ kind }: { kind: NotificationKind }) => notificationKinds.indexOf(kind);
  return { time_zone, choices: choices.toSorted((a, b) => place(a) - place(b)) };
}

/**
 * Stores how a member hears of one kind, and the time zone of the daily mail. The daily mail that waits keeps its time.
 * @returns false if PostgreSQL does not know the time zone, or if the account does not exist
 */
export async function storeChoice(
  app: ServerApp,
  userId: string,
  choice: { kind: NotificationKind; in_app: boolean; mail: NotificationMail; time_zone: string },
): Promise<boolean> {
  try {
    await runAsServerRole(app.serverDatabase, [
      {
        text: `insert into ninefold.notified_members as m (user_id, time_zone)
          select $1::uuid, $2::text where (pg_catalog.now() at time zone $2::text) is not null
          on conflict (user_id) do update set time_zone = excluded.time_zone`,
        params: [userId, choice.time_zone],
      },
      {
        text: `insert into ninefold.notification_choices (user_id, kind, in_app, mail) values ($1::uuid, $2, $3::boolean, $4)
          on conflict on constraint notification_choices_pkey do update set in_app = excluded.in_app, mail = excluded.mail`,
        params: [userId, choice.kind, String(choice.in_app), choice.mail],
      },
      ...(choice.mail === 'never'
        ? [
            {
              text: 'update ninefold.notifications set mail_at = null where user_id = $1::uuid and kind = $2 and mail_at is not null',
              params: [userId, choice.kind],
            },
          ]
        : []),
    ]);
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && ['22023', '23503'].includes(error.sqlstate)) return false;
    throw error;
  }
}

/**
 * Ends all mails about notifications to the member whose mails contain the key.
 * @returns false if no member has the key
 */
export async function endNotificationMails(app: ServerApp, key: string): Promise<boolean> {
  const [found] = await runAsServerRole(app.serverDatabase, [
    {
      text: `with m as (select m.user_id from ninefold.notified_members m where m.unsubscribe_key = $1::uuid),
        ended as (update ninefold.notifications n set mail_at = null from m where n.user_id = m.user_id and n.mail_at is not null),
        chosen as (
          insert into ninefold.notification_choices (user_id, kind, in_app, mail)
          select m.user_id, k, true, 'never' from m, pg_catalog.unnest($2::text[]) k
          on conflict on constraint notification_choices_pkey do update set mail = 'never')
        select pg_catalog.to_json(exists (select from m))`,
      params: [key, `{${notificationKinds.join(',')}}`],
    },
  ]);
  return found !== undefined && firstJson<boolean>(found) === true;
}
