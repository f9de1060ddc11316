import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { t } from '../../../language/messages.ts';
import { Icon } from '../../../ui/icon.tsx';
import { usePortal } from '../../queries/client.ts';
import { countText, notificationState } from '../../queries/notifications.ts';
import styles from './shell.module.css';

/** Link to the notifications of the member, with the number of unread ones. */
export function Bell({ userId }: { userId: string }) {
  const { data } = useQuery(notificationState(usePortal(), userId));
  const unread = data?.unread ?? 0;
  const words = t('notificationsBell', { count: unread });
  return (
    <Link to="/account/notifications" className={styles.bell} aria-label={words} title={words}>
      <Icon of={IconBell} />
      {unread > 0 && <i aria-hidden="true">{countText(unread)}</i>}
    </Link>
  );
}
