import type { CallRequest } from '../../../contract/call-request.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';
import type { User } from '../../accounts/users/user.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AuthContext } from '../context.ts';
import { ignoreMissing } from '../links/link-mails.ts';
import { normalisePhone } from '../sign-in/addresses.ts';
import { checkChannel, makeText, requireText, sendText, storedText } from './send-text.ts';

/**
 * Returns the requested number of an account if it differs from the current one.
 * @throws phone_provider_disabled, validation_failed
 */
export function newPhoneOf(
  { settings }: AuthContext,
  user: User,
  body: { readonly phone?: string | undefined; readonly channel?: string | undefined },
): string | null {
  if (!body.phone) return null;
  if (!settings.external_phone_enabled) {
    throw new NinefoldError('phone_provider_disabled', { message: 'Phone numbers cannot be confirmed here' });
  }
  checkChannel(body.channel);
  const phone = normalisePhone(body.phone);
  return phone === user.phone ? null : phone;
}

/**
 * Counts a text message (SMS) for a change of the phone number. Counts the messages of the member's account, so that
 * other callers cannot use up the limit of this member.
 * @throws over_sms_send_rate_limit
 */
export const requirePhoneChange = async (
  context: AuthContext,
  request: CallRequest,
  user: User,
  phone: string,
): Promise<void> => void (await requireText(context, request, 'phone_change', phone, user.id));

/**
 * Stores the requested number of an account and sends a code to it. If another account has the number, this is revealed
 * only to a caller who sends the right code.
 * @throws sms_send_failed
 */
export async function beginPhoneChange(
  context: AuthContext,
  request: CallRequest,
  userId: string,
  phone: string,
): Promise<void> {
  const text = makeText(context, 'sms_phone_change', phone);
  await runAsAuthAdmin(context.database, storedText(userId, text)).catch(ignoreMissing);
  await sendText(context, request, text, { userId, waits: true });
}
