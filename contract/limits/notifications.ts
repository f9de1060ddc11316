import { limitsOf } from './limit.ts';

/** Limits of notifications of members. */
export const notificationLimits = limitsOf('notifications', {
  notificationsPerMember: {
    unit: 'count',
    default: 500,
    meaning: 'Notifications of one member that are stored. Older ones are deleted.',
  },
  notificationDays: {
    unit: 'days',
    default: 90,
    meaning: 'How long a notification is stored.',
  },
  notificationsPerTransaction: {
    unit: 'count',
    default: 1000,
    meaning: 'Notifications that one transaction writes. Nobody is told of its further changes.',
  },
  notificationMentions: {
    unit: 'count',
    default: 10,
    meaning: 'Names that are looked for in one text, and members who are told of it. Further ones are ignored.',
  },
  notificationsPerPage: {
    unit: 'count',
    default: 50,
    meaning: 'Notifications on one page.',
  },
  notificationsCounted: {
    unit: 'count',
    default: 100,
    meaning: 'Unread notifications up to which the pages of members count. They show a larger number as 99+.',
  },
  notificationMailSeconds: {
    unit: 'seconds',
    default: 60,
    meaning: 'How long a mail about a notification waits. A member who reads the notification meanwhile gets no mail.',
  },
  notificationMailHour: {
    unit: 'hours',
    default: 18,
    meaning: 'The hour of the daily mail with notifications, in the time zone of the member.',
  },
  notificationsPerMail: {
    unit: 'count',
    default: 20,
    meaning: 'Notifications in one mail. Further ones are only in the app.',
  },
  notificationMailsPerHour: {
    unit: 'count',
    noun: 'mails',
    default: 10,
    meaning: 'Mails about notifications to one member within an hour. What follows waits, and comes in one mail.',
  },
  notificationMilliseconds: {
    unit: 'milliseconds',
    default: 3000,
    meaning: 'How long PostgreSQL may take to decide which notifications a member may see. Then the call fails.',
  },
});
