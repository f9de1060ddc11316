import { IconBell } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PortalNotification } from '../../../contract/notifications.ts';
import type { PortalEntity } from '../../../contract/portal.ts';
import { fullTime, initials } from '../../fields/format.ts';
import { dateFormat, inSentence, t, tNodes } from '../../language/messages.ts';
import { Icon } from '../../ui/icon.tsx';
import { rowName } from '../fields/value.tsx';
import type { Row } from '../queries/rest.ts';
import { labelOf, rowPath, useScreens } from '../queries/screens.ts';
import type { MovableEntity } from '../queries/waiting.ts';
import { useQuickTransitions } from '../screens/shared/quick-transitions.tsx';
import styles from './notifications.module.css';

/** A row with its entity, as the member may read it. */
interface ShownRow {
  readonly entity: PortalEntity;
  readonly row: Row;
}

/** Max number of characters of a quoted text. */
const QUOTED = 280;

/** A notification: who did what, with a link to the row, the quoted text, and the transitions that are open now. */
export function NotificationLine({
  notification,
  about,
  part,
  who,
  offersTransitions,
  isPending,
  onRead,
}: {
  notification: PortalNotification;
  /** The row that the notification is about; null if the member's screens do not show it. */
  about: ShownRow | null;
  /** The row with the text; null if there is none. */
  part: ShownRow | null;
  /** The name of the member who made the change; null if it is not known. */
  who: string | null;
  /** Shows the open transitions of the row as buttons. */
  offersTransitions: boolean;
  isPending: boolean;
  onRead: (id: string) => void;
}) {
  const all = useScreens();
  const { id, at, is_read: isRead } = notification;
  const text = part && labelOf(all, part.entity, part.row);
  const time = new Date(at);
  const title = about ? rowName(all, about.entity, about.row) : isPending ? '…' : t('notificationRow');
  const path = about && rowPath(all, about.entity, about.row);
  const open = () => {
    if (!isRead) onRead(id);
  };
  const link = path ? (
    <Link to={path} onClick={open}>
      <bdi>{title}</bdi>
    </Link>
  ) : (
    <b>
      <bdi>{title}</bdi>
    </b>
  );
  return (
    <li data-notification={id} data-unread={!isRead || undefined}>
      <i className={styles.dot} title={isRead ? undefined : t('notificationsUnread')} aria-hidden="true" />
      <span className={styles.face} aria-hidden="true">
        {who === null ? <Icon of={IconBell} /> : initials(who)}
      </span>
      <div>
        <p>
          {!isRead && <span className="sr">{t('notificationsUnread')}: </span>}
          {sentenceOf(notification, {
            who: (
              <b>{who === null ? t(notification.actor === null ? 'notificationApp' : 'aMember') : <bdi>{who}</bdi>}</b>
            ),
            row: link,
            about,
            part,
          })}
        </p>
        {text != null && (
          <p className={styles.quote}>
            <bdi>{tNodes('notificationQuote', { text: marked(shortened(text), notification.kind === 'mention') })}</bdi>
          </p>
        )}
        {about?.entity.machine && offersTransitions && (
          <Buttons entity={about.entity as MovableEntity} row={about.row} />
        )}
      </div>
      <time dateTime={at} title={fullTime(time)}>
        {dateFormat({ timeStyle: 'short' }).format(time)}
      </time>
    </li>
  );
}

function sentenceOf(
  { kind, to_state: to }: PortalNotification,
  { who, row, about, part }: { who: ReactNode; row: ReactNode; about: ShownRow | null; part: ShownRow | null },
): ReactNode {
  switch (kind) {
    case 'appointment':
      return tNodes('notificationAppointment', { who, row });
    case 'mention':
      return tNodes('notificationMention', { who, row });
    case 'assignment':
      return tNodes('notificationAssignment', { who, row });
    case 'reference':
      return part
        ? tNodes('notificationReference', { who, row, one: inSentence(part.entity.one) })
        : tNodes('notificationAddition', { who, row });
    case 'transition': {
      const state = about?.entity.machine?.states.find(({ value }) => value === to)?.label ?? to ?? '';
      return tNodes('notificationTransition', { who, row, state: <b>{state}</b> });
    }
  }
}

const shortened = (text: string): string => (text.length > QUOTED ? `${text.slice(0, QUOTED).trimEnd()}…` : text);

/** Sets the first word after each @ in bold. */
const marked = (text: string, isMention: boolean): ReactNode =>
  isMention
    ? text.split(/((?<![\p{L}\p{N}_.-])@[\p{L}\p{N}_-]+)/u).map((piece, i) =>
        // Pieces at odd places are the mentions. Their order never changes.
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces have no other identity
        i % 2 === 1 ? <b key={i}>{piece}</b> : piece,
      )
    : text;

function Buttons({ entity, row }: { entity: MovableEntity; row: Row }) {
  const { buttons, outcome } = useQuickTransitions(entity, row);
  return (
    <>
      {buttons.length > 0 && <div className={styles.buttons}>{buttons}</div>}
      {outcome}
    </>
  );
}
