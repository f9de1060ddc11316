import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query';
import type {
  NotificationChoice,
  NotificationChoices,
  NotificationKind,
  NotificationState,
  NotifiedRow,
  PortalNotification,
  PortalNotifications,
} from '../../../contract/notifications.ts';
import type { PortalEntity, PortalScreens } from '../../../contract/portal.ts';
import type { Portal } from './client.ts';
import { reach } from './connection.ts';
import { timeZoneHere } from './language.ts';
import { followedSeldom } from './live.ts';
import { keysParams, selectOf } from './query.ts';
import { callerHeaders, callRest, Refusal, type Row, type Rows } from './rest.ts';
import { rowsKey } from './rows.ts';
import { queryClient } from './session.ts';

const notificationsKey = ['notifications'] as const;
const pagesKey = [...notificationsKey, 'pages'] as const;
const stateKey = [...notificationsKey, 'state'] as const;

/** The part of the notifications that a page shows. */
export type NotificationTab = 'all' | 'unread' | NotificationKind;

/** Schema and address of the live list with the state of the notifications. */
const LIVE = 'ninefold /rest/v1/notifications';

async function call<T>(portal: Portal, path: string, body?: unknown): Promise<T> {
  const response = await reach(`/portal/v1/notifications${path}`, {
    method: body === undefined ? 'GET' : 'PUT',
    headers: { ...(await callerHeaders(portal)), ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const read = await response.json().catch(() => null);
  if (!response.ok) throw new Refusal(response.status, read);
  return read as T;
}

/** Reads the number of unread notifications and the newest one. A live list keeps the result up to date. */
export const notificationState = (portal: Portal, userId: string | null) =>
  queryOptions({
    queryKey: [...stateKey, userId],
    queryFn: async (): Promise<Rows> => ({ rows: await call<Row[]>(portal, '/state'), total: null, live: LIVE }),
    select: ({ rows }) => rows[0] as unknown as NotificationState | undefined,
    enabled: portal.app.notifies && userId !== null,
    ...followedSeldom,
  });

/** Reads the notifications of the member in pages, the newest first. */
export const notificationPages = (portal: Portal, userId: string, tab: NotificationTab) =>
  infiniteQueryOptions({
    queryKey: [...pagesKey, userId, tab],
    queryFn: ({ pageParam }) => {
      const asked = new URLSearchParams({
        ...(tab === 'unread' && { unread: 'true' }),
        ...(tab !== 'unread' && tab !== 'all' && { kind: tab }),
        ...(pageParam !== null && { before: pageParam }),
      });
      return call<PortalNotifications>(portal, asked.size === 0 ? '' : `?${asked}`);
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

/** Reads one notification; null if the member may not see it. */
export const notification = (portal: Portal, userId: string, id: string) =>
  queryOptions({
    queryKey: [...notificationsKey, 'one', userId, id],
    queryFn: async (): Promise<PortalNotification | null> => {
      if (!/^\d{1,18}$/.test(id)) return null;
      const { notifications } = await call<PortalNotifications>(portal, `?${new URLSearchParams({ id })}`);
      return notifications[0] ?? null;
    },
  });

/** Reads the shown pages again, because the state of the notifications has changed. */
export const rereadNotifications = (): void => void queryClient.invalidateQueries({ queryKey: pagesKey });

/** Marks notifications as read: those with the ids, or all. */
export const readNotifications = (portal: Portal) =>
  mutationOptions({
    mutationFn: (read: readonly string[] | 'all') => call<NotificationState[]>(portal, '', { read }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: notificationsKey }),
  });

const choicesKey = ['notification-choices'] as const;

/** Reads how the member hears of each kind of notifications. */
export const notificationChoices = (portal: Portal, userId: string) =>
  queryOptions({ queryKey: [...choicesKey, userId], queryFn: () => call<NotificationChoices>(portal, '/choices') });

/** Stores how the member hears of one kind. The daily mail comes in the time zone of this device. */
export const chooseNotification = (portal: Portal, userId: string) =>
  mutationOptions({
    mutationFn: ({ kind, in_app, mail }: Pick<NotificationChoice, 'kind' | 'in_app' | 'mail'>) =>
      call<NotificationChoices>(portal, '/choices', {
        ...{ kind, in_app, mail },
        time_zone: timeZoneHere(),
      }),
    onSuccess: (stored) => queryClient.setQueryData([...choicesKey, userId], stored),
  });

/** Returns the entity of a row; undefined if the member's screens do not contain it. */
export const entityOfRow = (
  { entities }: PortalScreens,
  { schema, entity }: Pick<NotifiedRow, 'schema' | 'entity'>,
): PortalEntity | undefined =>
  entities.find(({ id }) => id === `${schema}.${entity}`) ??
  entities.find((one) => one.name === entity && (one.schema === schema || one.schema === null));

/** Rows of one entity that notifications are about. */
export interface NotifiedRows {
  readonly entity: PortalEntity;
  readonly keys: readonly Row[];
}

/** Returns the rows that notifications are about, and the rows with their texts, by entity. */
export function rowsOfNotifications(all: PortalScreens, shown: readonly PortalNotification[]): NotifiedRows[] {
  const found = new Map<PortalEntity, Map<string, Row>>();
  for (const { row, part } of shown) {
    for (const one of part ? [row, part] : [row]) {
      const entity = entityOfRow(all, one);
      if (!entity || entity.key.length === 0 || !entity.key.every((name) => name in one.key)) continue;
      const keys = found.get(entity) ?? new Map<string, Row>();
      found.set(entity, keys.set(JSON.stringify(one.key), one.key));
    }
  }
  return [...found].map(([entity, keys]) => ({ entity, keys: [...keys.values()] }));
}

/** Reads rows that notifications are about, with the transitions that are open to the member. */
export const notifiedRows = (portal: Portal, all: PortalScreens, { entity, keys }: NotifiedRows) =>
  queryOptions({
    queryKey: [...rowsKey, entity.id, 'notified', keys],
    queryFn: (): Promise<Rows> => {
      const params = keysParams(entity, keys);
      const required =
        entity.machine?.transitions.flatMap(({ requires, presumes = [] }) => [...requires, ...presumes]) ?? [];
      const states = entity.machine?.undecided === null ? ',transitions' : '';
      params.set('select', `${selectOf(all, entity, required)}${states}`);
      params.set('limit', String(keys.length));
      return callRest(portal, entity, { params });
    },
    ...followedSeldom,
  });

/** Largest number of unread notifications that the pages show. The server counts one more. */
const MAX_SHOWN = 99;

/** Returns a number of unread notifications, at most 99+. */
export const countText = (count: number): string => (count > MAX_SHOWN ? `${MAX_SHOWN}+` : String(count));
