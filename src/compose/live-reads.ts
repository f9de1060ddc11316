import type { App } from '../apps/app.ts';
import { readNotificationState } from '../apps/notifications/notification-reads.ts';
import type { LiveReads as ChannelReads, LivePlan } from '../realtime/live/live-parts.ts';
import type { LiveQuery } from '../realtime/live/live-topic.ts';
import type { LiveReads } from '../rest/live-read.ts';

/** The topic `live:ninefold:/notifications`: the state of the caller's notifications as a list with one row. */
const isOfNotifications = ({ schema, path }: LiveQuery): boolean => schema === 'ninefold' && path === '/notifications';

const NOTIFICATIONS: Omit<LivePlan, 'query'> = {
  tables: [{ schema: 'ninefold', name: 'notifications' }],
  isComplete: true,
  key: ['id'],
  isOneRow: false,
};

/** Returns the reads of an app's live lists: its data calls, and the state of a member's notifications. */
export const liveReadsOf = (app: App, reads: LiveReads): ChannelReads => ({
  plan: async (identity, query) =>
    isOfNotifications(query) ? { ...NOTIFICATIONS, query } : reads.plan(app, identity, query),
  run: async (identity, query) =>
    isOfNotifications(query)
      ? JSON.stringify(identity.userId === null ? [] : await readNotificationState(app, identity))
      : reads.run(app, identity, query),
  faultOf: (error, identity) => reads.errorOf(error, app, identity),
});
