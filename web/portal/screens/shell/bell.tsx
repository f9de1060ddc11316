import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { t } from '../../../language/messages.ts';
import { Icon } from '../../../ui/icon.tsx';
import { usePortal } from '../../queries/client.ts';
import { countText, notificationState } from '../../queries/notifications.ts';
import { useCaller } from './gate.tsx';
import styles from './shell.module.css';
import { useIsQuiet } from './use-is-quiet.ts';

/** Link to the notifications of the member, with the number of unread ones. */
export function Bell() {
  const userId = useCaller()?.user.id ?? null;
  const portal = usePortal();
  const isQuiet = useIsQuiet();
  const state = notificationState(portal, userId);
  const { data } = useQuery({ ...state, enabled: state.enabled === true && isQuiet });
  if (userId === null) return null;
  const unread = data?.unread ?? 0;
  const words = t('notificationsBell', { count: unread });
  return (
    <Link to="/account/notifications" className={styles.bell} aria-label={words} title={words}>
      <Icon of={IconBell} />
      {unread > 0 && <i aria-hidden="true">{countText(unread)}</i>}
    </Link>
  );
}
