import { useMutation, useQuery } from '@tanstack/react-query';
import {
  type NotificationChoice,
  type NotificationKind,
  type NotificationMail,
  notificationMails,
} from '../../../contract/notifications.ts';
import { dateFormat, type MessageKey, t } from '../../language/messages.ts';
import { usePortal } from '../queries/client.ts';
import { chooseNotification, entityOfRow, notificationChoices } from '../queries/notifications.ts';
import { useScreens } from '../queries/screens.ts';
import pageStyles from '../screens/shared/page.module.css';
import { Trouble } from '../screens/shared/trouble.tsx';
import { Shell } from '../screens/shell/shell.tsx';
import styles from './notifications.module.css';

const kindWords: Readonly<Record<NotificationKind, MessageKey>> = {
  appointment: 'notificationsOfAppointments',
  mention: 'notificationsOfMentions',
  assignment: 'notificationsOfAssignments',
  reference: 'notificationsOfReferences',
  transition: 'notificationsOfTransitions',
};

const mailWords: Readonly<Record<NotificationMail, MessageKey>> = {
  now: 'notifyAtOnce',
  daily: 'notifyDaily',
  never: 'notifyNever',
};

/** Page on which the member chooses how to hear of each kind of notifications. Each choice is stored at once. */
export function ChoicesPage({ userId }: { userId: string }) {
  const portal = usePortal();
  const { data, error } = useQuery(notificationChoices(portal, userId));
  const storing = useMutation(chooseNotification(portal, userId));
  return (
    <Shell
      title={t('notificationChoices')}
      crumbs={[{ title: t('notifications'), to: '/account/notifications' }]}
      back="/account/notifications"
    >
      <div className={pageStyles.titlebar}>
        <div>
          <h1 className={pageStyles.title}>{t('notificationsQuestion')}</h1>
          <p className={pageStyles.answer}>
            {data &&
              (data.has_address
                ? t('notificationsMailTime', { time: mailTime(data.mail_hour) })
                : t('notificationsNoAddress'))}
          </p>
        </div>
      </div>
      <Trouble error={error ?? storing.error} />
      {data && (
        <table className={styles.choices}>
          <thead>
            <tr>
              <th scope="col">{t('notificationsWhen')}</th>
              <th scope="col">{t('notificationsHere')}</th>
              <th scope="col">{t('notificationsByMail')}</th>
            </tr>
          </thead>
          <tbody>
            {data.choices.map((choice) => (
              <ChoiceLine
                key={choice.kind}
                choice={
                  storing.variables?.kind === choice.kind && storing.isPending
                    ? { ...choice, ...storing.variables }
                    : choice
                }
                hasAddress={data.has_address}
                onChoose={(changed) => storing.mutate({ ...choice, ...changed })}
              />
            ))}
          </tbody>
        </table>
      )}
      <p className={styles.saved} role="status">
        {storing.isPending ? t('saving') : storing.isSuccess ? t('saved') : data && t('notificationsSavedAtOnce')}
      </p>
    </Shell>
  );
}

function ChoiceLine({
  choice: { kind, in_app: inApp, mail, entities, of_week: ofWeek },
  hasAddress,
  onChoose,
}: {
  choice: NotificationChoice;
  hasAddress: boolean;
  onChoose: (changed: Partial<Pick<NotificationChoice, 'in_app' | 'mail'>>) => void;
}) {
  const all = useScreens();
  const words = t(kindWords[kind]);
  const labels = [...new Set(entities.flatMap((one) => entityOfRow(all, one)?.label ?? []))];
  return (
    <tr>
      <th scope="row">
        {words}
        <small>{[...labels, t('notificationsOfWeek', { count: ofWeek })].join(' · ')}</small>
      </th>
      <td>
        <label>
          <span>{t('notificationsHere')}</span>
          <select
            aria-label={`${words}: ${t('notificationsHere')}`}
            value={inApp ? 'now' : 'never'}
            onChange={({ currentTarget }) => onChoose({ in_app: currentTarget.value === 'now' })}
          >
            {(['now', 'never'] as const).map((one) => (
              <option key={one} value={one}>
                {t(mailWords[one])}
              </option>
            ))}
          </select>
        </label>
      </td>
      <td>
        <label>
          <span>{t('notificationsByMail')}</span>
          <select
            aria-label={`${words}: ${t('notificationsByMail')}`}
            value={mail}
            disabled={!hasAddress}
            onChange={({ currentTarget }) => onChoose({ mail: currentTarget.value as NotificationMail })}
          >
            {notificationMails.map((one) => (
              <option key={one} value={one}>
                {t(mailWords[one])}
              </option>
            ))}
          </select>
        </label>
      </td>
    </tr>
  );
}

/** Returns the time of the daily mail. */
const mailTime = (hour: number): string => dateFormat({ timeStyle: 'short' }).format(new Date(2000, 0, 1, hour));
