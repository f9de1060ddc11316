import type { User } from '../accounts/users/user.ts';
import type { App } from '../apps/app.ts';
import { searchPathOf } from '../apps/notifications/notification-reads.ts';
import { impersonatedIdentity } from '../identity/impersonation.ts';
import { roleRules } from '../identity/resolve.ts';
import type { MailedMember } from '../jobs/notification-mails.ts';
import { isTimeZone } from '../mail/appointments.ts';

/** Returns a member with the claims of the member's tokens; null for an account that gets no mails. */
export type MemberOf = (ref: string, userId: string) => Promise<MailedMember | null>;

/**
 * Returns a member as the node reads rows for the member's mails. An account gets mails if its address is confirmed and
 * if it is neither deleted nor banned.
 * @param claimsOf Returns the claims of the account's tokens.
 */
export async function mailedMember(
  app: App,
  userId: string,
  claimsOf: (app: App, user: User) => Promise<Readonly<Record<string, unknown>>>,
): Promise<MailedMember | null> {
  const { rest } = await app.settings();
  let address = '';
  let timeZone: string | null = null;
  const { role, claimsJson } = await impersonatedIdentity(
    app.database,
    roleRules(app.record, rest),
    { userId },
    (user) => {
      const isBanned = user.banned_until !== undefined && Date.parse(user.banned_until) > Date.now();
      const isGone = user.deleted_at !== undefined || isBanned || user.email_confirmed_at === undefined;
      address = isGone ? '' : user.email;
      const { time_zone: reported } = user.user_metadata;
      timeZone = isTimeZone(reported) ? reported : null;
      return claimsOf(app, user);
    },
  );
  return address === '' ? null : { role, claimsJson, address, timeZone, path: await searchPathOf(app) };
}
