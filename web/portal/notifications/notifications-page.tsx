import { IconChecks, IconSettings } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueries, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';
import type { PortalNotification } from '../../../contract/notifications.ts';
import { dateFormat, t, tNodes } from '../../language/messages.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { Binding } from '../../ui/shortcuts/bindings.ts';
import { useKeys } from '../../ui/shortcuts/keyboard.tsx';
import { usePortal } from '../queries/client.ts';
import { useMemberNames } from '../queries/member-names.ts';
import {
  countText,
  entityOfRow,
  type NotificationTab,
  notificationPages,
  notificationState,
  notifiedRows,
  readNotifications,
  rereadNotifications,
  rowsOfNotifications,
} from '../queries/notifications.ts';
import type { Row } from '../queries/rest.ts';
import { useScreens } from '../queries/screens.ts';
import pageStyles from '../screens/shared/page.module.css';
import { Trouble } from '../screens/shared/trouble.tsx';
import { Shell } from '../screens/shell/shell.tsx';
import { NotificationLine } from './notification-line.tsx';
import styles from './notifications.module.css';

/** Page with the notifications of the member, grouped by day. */
export function NotificationsPage({ userId }: { userId: string }) {
  const portal = usePortal();
  const { tab = 'all' } = useSearch({ from: '/account/notifications' });
  const { data: state } = useQuery(notificationState(portal, userId));
  const pages = useInfiniteQuery(notificationPages(portal, userId, tab));
  const reading = useMutation(readNotifications(portal));
  useRereadOf(state?.newest ?? null, state?.unread ?? 0);
  const list = useRef<HTMLDivElement>(null);
  const shown = pages.data?.pages.flatMap(({ notifications }) => notifications) ?? [];
  const kinds = pages.data?.pages[0]?.kinds ?? [];
  const unread = state?.unread ?? 0;
  const markRead = (id: string) => reading.mutate([id]);
  return (
    <Shell title={t('notifications')} back="/" isFollowed>
      <NotificationKeys list={list} onRead={markRead} />
      <div className={styles.page}>
        <div className={pageStyles.titlebar}>
          <div>
            <h1 className={pageStyles.title}>{t('notifications')}</h1>
            <p className={pageStyles.answer}>
              {unread > 0
                ? tNodes('notificationsNew', {
                    count: (
                      <Link to="/account/notifications" search={{ tab: 'unread' }}>
                        {t('notificationsNewCount', { count: unread })}
                      </Link>
                    ),
                  })
                : t('notificationsNoneNew')}
            </p>
          </div>
          <div className={pageStyles.actions}>
            {unread > 0 && (
              <Button icon={IconChecks} busy={reading.isPending && t('working')} onClick={() => reading.mutate('all')}>
                {t('notificationsAllRead')}
              </Button>
            )}
            <Link
              to="/account/notifications/choices"
              className={buttonClass({ square: true })}
              aria-label={t('notificationChoices')}
              title={t('notificationChoices')}
            >
              <Icon of={IconSettings} />
            </Link>
          </div>
        </div>
        <TabLinks tab={tab} unread={unread} kinds={kinds} />
        <Trouble error={pages.error ?? reading.error} />
        <div ref={list}>
          <Days shown={shown} onRead={markRead} />
        </div>
        {pages.isSuccess && shown.length === 0 && (
          <div className={pageStyles.blank}>
            <h2>{t(tab === 'all' ? 'notificationsNone' : 'notificationsNoneHere')}</h2>
            <p className={pageStyles.blankWords}>{t('notificationsNoneAbout')}</p>
          </div>
        )}
        {pages.hasNextPage && (
          <p className={styles.more}>
            <Button busy={pages.isFetchingNextPage && t('loading')} onClick={() => void pages.fetchNextPage()}>
              {t('notificationsMore')}
            </Button>
          </p>
        )}
      </div>
    </Shell>
  );
}

/** Reads the pages again after the state of the notifications has changed. */
function useRereadOf(newest: string | null, unread: number): void {
  const seen = useRef<string | null>(null);
  const state = `${newest} ${unread}`;
  useEffect(() => {
    if (seen.current !== null && seen.current !== state) rereadNotifications();
    seen.current = state;
  }, [state]);
}

/** Links to the parts of the notifications that have content. */
function TabLinks({ tab, unread, kinds }: { tab: NotificationTab; unread: number; kinds: readonly NotificationTab[] }) {
  const tabs: readonly { tab: NotificationTab; words: string; count?: number }[] = [
    { tab: 'all', words: t('notificationsAll') },
    ...(unread > 0 || tab === 'unread'
      ? [{ tab: 'unread' as const, words: t('notificationsUnread'), count: unread }]
      : []),
    ...(kinds.includes('mention') ? [{ tab: 'mention' as const, words: t('notificationsMentions') }] : []),
    ...(kinds.includes('assignment') ? [{ tab: 'assignment' as const, words: t('notificationsAssignments') }] : []),
  ];
  if (tabs.length < 2) return null;
  return (
    <nav className={styles.tabs} aria-label={t('notificationsParts')}>
      {tabs.map(({ tab: one, words, count }) => (
        <Link
          key={one}
          to="/account/notifications"
          search={one === 'all' ? {} : { tab: one }}
          aria-current={one === tab ? 'page' : undefined}
        >
          {words}
          {count !== undefined && <small>{countText(count)}</small>}
        </Link>
      ))}
    </nav>
  );
}

function Days({ shown, onRead }: { shown: readonly PortalNotification[]; onRead: (id: string) => void }) {
  const portal = usePortal();
  const all = useScreens();
  const groups = rowsOfNotifications(all, shown);
  const read = useQueries({ queries: groups.map((group) => notifiedRows(portal, all, group)) });
  const rows = new Map<string, Row>();
  for (const [i, { entity }] of groups.entries()) {
    for (const row of read[i]?.data?.rows ?? []) rows.set(rowId(entity.id, entity.key, row), row);
  }
  const names = useMemberNames(shown.flatMap(({ actor }) => actor ?? []));
  const days = new Map<string, PortalNotification[]>();
  for (const one of shown) {
    const day = new Date(one.at).toDateString();
    days.set(day, [...(days.get(day) ?? []), one]);
  }
  // The transitions of a row are offered once, beside the newest of its notifications.
  const offered = new Set<string>();
  const isFirstOf = ({ entity, key }: PortalNotification['row']) => {
    const id = `${entity} ${JSON.stringify(key)}`;
    return offered.size < offered.add(id).size;
  };
  const rowOf = (one: PortalNotification['row']) => {
    const entity = entityOfRow(all, one);
    const row = entity && rows.get(rowId(entity.id, entity.key, one.key));
    return entity && row ? { entity, row } : null;
  };
  return [...days].map(([day, notifications]) => (
    <section key={day} aria-label={dayText(new Date(day))}>
      <h2 className={styles.day}>{dayText(new Date(day))}</h2>
      <ul className={styles.lines}>
        {notifications.map((one) => (
          <NotificationLine
            key={one.id}
            notification={one}
            about={rowOf(one.row)}
            part={one.part && rowOf(one.part)}
            who={one.actor === null ? null : (names[one.actor] ?? null)}
            offersTransitions={!one.is_read && isFirstOf(one.row)}
            isPending={read.some(({ isPending }) => isPending)}
            onRead={onRead}
          />
        ))}
      </ul>
    </section>
  ));
}

const rowId = (entity: string, key: readonly string[], row: Row): string =>
  `${entity} ${JSON.stringify(key.map((name) => String(row[name])))}`;

const DAY_MILLISECONDS = 86_400_000;

/** Formats a day: "Today", "Yesterday", or the day of the week with the date. */
function dayText(day: Date, now = new Date()): string {
  const days = Math.round((new Date(now.toDateString()).getTime() - day.getTime()) / DAY_MILLISECONDS);
  if (days === 0) return t('notificationsToday');
  if (days === 1) return t('notificationsYesterday');
  return dateFormat({ weekday: 'long', day: 'numeric', month: 'long' }).format(day);
}

/** Binds J and K, which move between the notifications, and U, which marks the one with the focus as read. */
function NotificationKeys({
  list,
  onRead,
}: {
  list: React.RefObject<HTMLElement | null>;
  onRead: (id: string) => void;
}) {
  useKeys(
    useMemo((): Binding[] => {
      const links = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-notification] > div > p > a') ?? [])];
      const focused = () => document.activeElement?.closest<HTMLElement>('[data-notification]');
      const move = (step: 1 | -1) => {
        const all = links();
        const present = all.findIndex((link) => link.closest('[data-notification]') === focused());
        all[present < 0 ? 0 : present + step]?.focus();
      };
      const read = () => {
        const id = focused()?.dataset.notification;
        if (id !== undefined) onRead(id);
      };
      return [
        { keys: 'j', group: '', does: t('keyNextRow'), run: () => move(1) },
        { keys: 'k', group: '', does: t('keyPreviousRow'), run: () => move(-1) },
        { keys: 'u', group: '', does: t('keyMarksRead'), run: read },
      ];
    }, [list, onRead]),
  );
  return null;
}
