import { useMutation, useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { t } from '../../language/messages.ts';
import { usePortal } from '../queries/client.ts';
import { entityOfRow, notification, readNotifications } from '../queries/notifications.ts';
import { rowPath, useScreens } from '../queries/screens.ts';
import { Message } from '../screens/shared/message.tsx';
import { Trouble } from '../screens/shared/trouble.tsx';
import { Shell } from '../screens/shell/shell.tsx';

/** Opens the row of a notification, for the links of mails, and marks the notification as read. */
export function OpenPage({ userId, id }: { userId: string; id: string }) {
  const portal = usePortal();
  const all = useScreens();
  const { data, error, isPending } = useQuery(notification(portal, userId, id));
  const { mutate } = useMutation(readNotifications(portal));
  const isThere = data != null;
  useEffect(() => {
    if (isThere) mutate([id]);
  }, [isThere, id, mutate]);
  if (error) {
    return (
      <Shell title={t('notifications')} back="/account/notifications">
        <Trouble error={error} />
      </Shell>
    );
  }
  if (isPending) return <Shell title={t('notifications')}>{null}</Shell>;
  const entity = data && entityOfRow(all, data.row);
  const path = data && entity ? rowPath(all, entity, data.row.key) : null;
  if (path) return <Navigate to={path} replace />;
  if (isThere) return <Navigate to="/account/notifications" replace />;
  return <Message title={t('notificationGone')}>{t('notificationGoneAbout')}</Message>;
}
