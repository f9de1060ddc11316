import { z } from 'zod';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import { type NotificationChoices, notificationKinds, notificationMails } from '../../contract/notifications.ts';
import type { App } from '../apps/app.ts';
import {
  readNotificationState,
  readNotifications,
  readNotificationsOfWeek,
} from '../apps/notifications/notification-reads.ts';
import {
  endNotificationMails,
  markNotificationsRead,
  readChoices,
  storeChoice,
} from '../apps/notifications/notification-store.ts';
import { DatabaseError } from '../database/database-error.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { UUID } from '../identity/uuid.ts';

/** Max digits of an id, which PostgreSQL stores as a bigint. */
const ID_DIGITS = 18;
/** Max characters of the name of a time zone, as the table of members has them. */
const ZONE_CHARACTERS = 64;

const id = z.string().regex(/^\d+$/).max(ID_DIGITS);
const read = z.strictObject({
  read: z.union([z.literal('all'), z.array(id).min(1).max(limits.notificationsPerPage.default)]),
});
const choice = z.strictObject({
  kind: z.enum(notificationKinds),
  in_app: z.boolean(),
  mail: z.enum(notificationMails),
  time_zone: z
    .string()
    .regex(/^[A-Za-z0-9_+/-]+$/)
    .max(ZONE_CHARACTERS),
});

/** Identity of a member who is signed in. */
type Member = Identity & { readonly userId: string };

/**
 * Handles `/portal/v1/notifications` and the paths below it. GET returns a page of the member's notifications, PUT marks
 * some or all of them as read. `/state` returns the number of unread notifications, `/choices` returns and stores how the
 * member hears of them, and `/unsubscribe` ends the mails without a sign-in.
 */
export async function notificationsReply(
  app: App,
  request: CallRequest,
  identify: () => Promise<Identity>,
): Promise<Reply> {
  if (request.path === '/notifications/unsubscribe') return unsubscribeReply(app, request);
  const member = await memberOf(identify);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const answer = handlers[`${method} ${request.path}`];
  if (!answer) {
    const allowed = ['GET', 'PUT'].filter((name) => handlers[`${name} ${request.path}`]);
    if (allowed.length === 0) throw new NinefoldError('not_found');
    throw new NinefoldError('method_not_allowed', { headers: { allow: allowed.join(', ') } });
  }
  const body = await answer(app, member, request);
  return json(body, request.method === 'HEAD');
}

const handlers: Readonly<
  Record<string, ((app: App, member: Member, request: CallRequest) => Promise<unknown>) | undefined>
> = {
  'GET /notifications': async (app, member, { query }) => {
    const asked = new URLSearchParams(query);
    const before = asked.get('before');
    const kind = notificationKinds.find((known) => known === asked.get('kind')) ?? null;
    const only = asked.get('id');
    if ([before, only].some((one) => one !== null && !id.safeParse(one).success))
      throw invalid('It is no id of a notification.');
    const isUnread = asked.get('unread') === 'true';
    return reading(readNotifications(app, member, { before, kind, only, isUnread }));
  },
  'PUT /notifications': async (app, member, { body }) => {
    const { read: ids } = parsed(read, body, 'read is a list of ids, or all.');
    await markNotificationsRead(app, member.userId, ids === 'all' ? null : ids);
    return reading(readNotificationState(app, member));
  },
  'GET /notifications/state': (app, member) => reading(readNotificationState(app, member)),
  'GET /notifications/choices': (app, member) => choicesOf(app, member),
  'PUT /notifications/choices': async (app, member, { body }) => {
    if (!(await storeChoice(app, member.userId, parsed(choice, body, NO_CHOICE)))) throw invalid(NO_CHOICE);
    return choicesOf(app, member);
  },
};

async function choicesOf(app: App, member: Member): Promise<NotificationChoices> {
  const [{ time_zone, choices }, ofWeek] = await Promise.all([
    readChoices(app, member.userId),
    reading(readNotificationsOfWeek(app, member)),
  ]);
  const { email } = member.claims;
  return {
    choices: choices.map((one) => ({ ...one, of_week: ofWeek[one.kind] ?? 0 })),
    time_zone,
    mail_hour: limits.notificationMailHour.default,
    has_address: typeof email === 'string' && email !== '',
  };
}

/** @throws NinefoldError notifications_unreadable if the app's policies fail or take too long */
async function reading<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DatabaseError) throw new NinefoldError('notifications_unreadable', { cause: error });
    throw error;
  }
}

async function memberOf(identify: () => Promise<Identity>): Promise<Member> {
  const identity = await identify();
  if (identity.source === 'none') throw new NinefoldError('key_missing');
  const { userId } = identity;
  // A token of another service can have any text as its subject.
  if (userId === null || !UUID.test(userId)) throw invalid('Only a member who is signed in has notifications.');
  return { ...identity, userId };
}

/**
 * Ends the mails to the member whose mail contains the address. A mail program sends a POST (RFC 8058); a person who opens
 * the address gets to the choices, because programs that check links must not change anything.
 */
async function unsubscribeReply(app: App, { method, query }: CallRequest): Promise<Reply> {
  if (method !== 'POST') {
    if (method !== 'GET' && method !== 'HEAD') {
      throw new NinefoldError('method_not_allowed', { headers: { allow: 'GET, POST' } });
    }
    return {
      status: 303,
      headers: { location: '../../../account/notifications/choices', 'cache-control': 'no-store' },
      body: null,
    };
  }
  const key = z.uuid().safeParse(new URLSearchParams(query).get('key'));
  if (!key.success || !(await endNotificationMails(app, key.data))) throw new NinefoldError('not_found');
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    body: 'Unsubscribed.\n',
  };
}

const NO_CHOICE = 'A choice has a kind, in_app, mail and a time zone that PostgreSQL knows.';

const invalid = (message: string): NinefoldError => new NinefoldError('validation_invalid', { message });

function parsed<T>(schema: z.ZodType<T>, body: Uint8Array | null, message: string): T {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body ?? []).toString('utf8'));
  } catch {
    throw new NinefoldError('body_malformed');
  }
  const found = schema.safeParse(value);
  if (!found.success) throw invalid(message);
  return found.data;
}

const json = (value: unknown, isHead: boolean): Reply => ({
  status: 200,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-store',
    vary: 'Authorization, apikey',
  },
  body: isHead ? null : JSON.stringify(value),
});
