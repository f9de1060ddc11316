import { limits } from '../../../contract/limits.ts';
import {
  type NotificationChoices,
  type NotificationState,
  notificationKinds,
  type PortalNotifications,
} from '../../../contract/notifications.ts';
import type { Executor } from '../../database/database.ts';
import { firstJson, quoteIdentifier, type Statement } from '../../database/statement.ts';
import type { App } from '../app.ts';

/** The member on whose behalf rows are read. */
export interface ReadingMember {
  readonly role: string;
  /** The claims of the member's token as JSON. */
  readonly claimsJson: string;
}

/** Days for which the choices count notifications. */
const COUNTED_DAYS = 7;

/** Returns the search path of a data call, in which policies of the app look for their tables. */
export async function searchPathOf(app: Pick<App, 'settings'>): Promise<string> {
  const { rest } = await app.settings();
  return [...rest.db_schemas.slice(0, 1), ...rest.db_extra_search_path].map(quoteIdentifier).join(', ');
}

/**
 * Runs a statement as a member, whose policies decide which notifications it returns. It writes nothing, and it has a
 * time limit, because policies run code of the app.
 * @param database Connections as the app's authenticator.
 */
export async function readAsMember<T>(
  database: Executor,
  { role, claimsJson }: ReadingMember,
  path: string,
  statement: Omit<Statement, 'planKey'>,
): Promise<T | null> {
  const [, result] = await database.run([
    {
      text: `select pg_catalog.set_config('search_path', $1, true), pg_catalog.set_config('statement_timeout', $2, true),
        pg_catalog.set_config('role', $3, true), pg_catalog.set_config('request.jwt.claims', $4, true),
        pg_catalog.set_config('transaction_read_only', 'on', true)`,
      params: [path, String(limits.notificationMilliseconds.default), role, claimsJson],
      planKey: 'setup',
    },
    statement,
  ]);
  return (result && firstJson<T>(result)) ?? null;
}

/** The condition of the notifications of the caller that the pages show, as `n`. Policies leave out rows that the caller may not read. */
const SHOWN = 'n.user_id operator(pg_catalog.=) ninefold.caller() and n.in_app';

const STATE = `pg_catalog.json_build_object('id', 'notifications',
  'unread', (select pg_catalog.count(*) from (
    select from ninefold.notifications n where ${SHOWN} and n.read_at is null limit ${limits.notificationsCounted.default}) u),
  'newest', (select n.id::pg_catalog.text from ninefold.notifications n where ${SHOWN} order by n.id desc limit 1))`;

/** Returns the row of a table as JSON, by columns with its table and its key. */
const rowJson = (entity: string, key: string): string => `(
  select pg_catalog.json_build_object('schema', s.nspname, 'entity', c.relname, 'key', ${key})
  from pg_catalog.pg_class c join pg_catalog.pg_namespace s on s.oid operator(pg_catalog.=) c.relnamespace
  where c.oid operator(pg_catalog.=) ${entity}::pg_catalog.oid)`;

const PAGE = `select pg_catalog.json_build_object('state', ${STATE},
  'kinds', (select coalesce(pg_catalog.json_agg(k), '[]') from pg_catalog.unnest('{${notificationKinds.join(',')}}'::pg_catalog.text[]) k
    where exists (select from ninefold.notifications n where ${SHOWN} and n.kind operator(pg_catalog.=) k)),
  'notifications', (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('id', p.id::pg_catalog.text, 'kind', p.kind,
      'row', ${rowJson('p.entity', 'p.key')}, 'part', ${rowJson('p.part', 'p.part_key')}, 'field', p.field, 'transition', p.transition,
      'to_state', p.to_state, 'actor', p.actor, 'at', p.at, 'is_read', p.read_at is not null) order by p.id desc), '[]')
    from (
      select * from ninefold.notifications n
      where ${SHOWN} and ($1::pg_catalog.int8 is null or n.id operator(pg_catalog.<) $1::pg_catalog.int8)
        and ($2::pg_catalog.text is null or n.kind operator(pg_catalog.=) $2::pg_catalog.text)
        and ($3::pg_catalog.bool is not true or n.read_at is null)
        and ($4::pg_catalog.int8 is null or n.id operator(pg_catalog.=) $4::pg_catalog.int8)
      order by n.id desc limit ${limits.notificationsPerPage.default + 1}
    ) p))`;

/** Reads the number of unread notifications of a member, and the newest notification, as JSON of a list with one object. */
export async function readNotificationState(app: App, member: ReadingMember): Promise<NotificationState[]> {
  const text = `select pg_catalog.json_build_array(${STATE})`;
  const state = await readAsMember<NotificationState[]>(app.database, member, await searchPathOf(app), {
    text,
    params: [],
  });
  return state ?? [];
}

/**
 * Reads a page of a member's notifications, the newest first.
 * @param before Id of the last notification of the page before; null for the first page.
 * @param kind Leaves out all other kinds; null for all kinds.
 * @param only Leaves out all other notifications; null for all.
 */
export async function readNotifications(
  app: App,
  member: ReadingMember,
  {
    before,
    kind,
    only,
    isUnread,
  }: { before: string | null; kind: string | null; only: string | null; isUnread: boolean },
): Promise<PortalNotifications> {
  const read = await readAsMember<Omit<PortalNotifications, 'next'>>(app.database, member, await searchPathOf(app), {
    text: PAGE,
    params: [before, kind, String(isUnread), only],
  });
  if (!read) throw new Error('the statement returned no row');
  const page = read.notifications.slice(0, limits.notificationsPerPage.default);
  return {
    ...read,
    notifications: page,
    next: read.notifications.length > page.length ? (page.at(-1)?.id ?? null) : null,
  };
}

const OF_WEEK = `select pg_catalog.json_object_agg(w.kind, w.count) from (
  select n.kind, pg_catalog.count(*) as count from ninefold.notifications n
  where ${SHOWN} and n.at operator(pg_catalog.>) (pg_catalog.now() operator(pg_catalog.-) pg_catalog.make_interval(days => ${COUNTED_DAYS})) group by n.kind) w`;

/** Reads how many notifications of each kind a member got in the last seven days. */
export const readNotificationsOfWeek = async (
  app: App,
  member: ReadingMember,
): Promise<Partial<Record<NotificationChoices['choices'][number]['kind'], number>>> =>
  (await readAsMember(app.database, member, await searchPathOf(app), { text: OF_WEEK, params: [] })) ?? {};
