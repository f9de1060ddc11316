import { asAuthAdmin } from '../accounts/as-auth-admin.ts';
import { queuedMail } from '../accounts/mails.ts';
import type { User } from '../accounts/user.ts';
import type { AuthContext } from './context.ts';

/** Queues the mail that tells a member of a second factor that was added or removed, if the app wants it and the member has an address. */
export async function tellOfFactor(
  { database, settings }: AuthContext,
  user: Pick<User, 'id' | 'email'>,
  factor: { readonly type: string; readonly what: 'enrolled' | 'unenrolled' },
): Promise<void> {
  const isWanted = settings[`mailer_notifications_mfa_factor_${factor.what}_enabled`];
  if (!isWanted || user.email === '') return;
  const mail = queuedMail({
    kind: `mfa_factor_${factor.what}_notification`,
    recipient: user.email,
    userId: user.id,
    data: { FactorType: factor.type },
  });
  await asAuthAdmin(database, [mail]);
}
