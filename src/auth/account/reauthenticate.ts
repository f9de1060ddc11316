import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { auditEntry } from '../../accounts/audit/audit.ts';
import { queuedMail } from '../../accounts/messages/mails.ts';
import { issuedToken, makeOneTimeToken } from '../../accounts/messages/one-time-tokens.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';
import type { User } from '../../accounts/users/user.ts';
import { findUser } from '../../accounts/users/users.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { authCall } from '../call.ts';
import { type AuthContext, timeOf } from '../context.ts';
import { ignoreMissing, requireMail } from '../links/link-mails.ts';
import { makeText, requireText, sendText, storedText } from '../phone/send-text.ts';
import { json } from '../reply.ts';
import { usable } from './get-user.ts';

/**
 * The code is sent by text message (SMS) if the account has no e-mail address. PUT /user accepts the code as `nonce`.
 */
export const reauthenticate = authCall({
  id: 'auth.reauthenticate',
  route: 'GET /reauthenticate',
  caller: 'member',
  needsMemberPages: true,
  errors: [
    'email_not_confirmed',
    'over_email_send_rate_limit',
    'over_sms_send_rate_limit',
    'phone_not_confirmed',
    'phone_provider_disabled',
    'sms_send_failed',
  ],
  runsHooks: true,
  summary:
    'Sends a code to the member who calls, by mail or else by text, which a change of password, address or number can ask for.',
  returns: '{}',
  supabaseJs: 'supabase.auth.reauthenticate()',
  handle: async (context, request, { member }) => {
    const { userId } = member;
    const user = usable(await findUser(context.database, userId), timeOf(context));
    if (!user.email && !user.phone) {
      throw new NinefoldError('validation_failed', {
        message: 'Reauthentication requires the user to have an email or a phone number',
      });
    }
    if (!user.email) return reauthenticateByText(context, request, user);
    if (!user.email_confirmed_at) {
      throw new NinefoldError('email_not_confirmed', { status: 422, message: 'Please verify your email first.' });
    }
    const email = user.email.toLowerCase();
    await requireMail(context, request, 'reauthentication', email);
    const digits = context.settings.mailer_otp_length;
    const token = makeOneTimeToken('reauthentication_token', email, { digits, isPkce: false });
    const data = { Token: token.code };
    const acceptLanguage = request.headers['accept-language'];
    const mail = queuedMail({ kind: 'reauthentication', recipient: email, userId, data, acceptLanguage });
    await runAsAuthAdmin(context.database, [
      issuedToken(userId, token),
      mail,
      auditEntry('user_reauthenticate_requested', userId, { address: request.address }),
    ]).catch(ignoreMissing);
    return json({});
  },
});

async function reauthenticateByText(
  context: AuthContext,
  request: CallRequest,
  { id, phone, ...user }: User,
): Promise<Reply> {
  if (!context.settings.external_phone_enabled) throw new NinefoldError('phone_provider_disabled', { status: 400 });
  if (!user.phone_confirmed_at) {
    throw new NinefoldError('phone_not_confirmed', { status: 422, message: 'Please verify your phone first.' });
  }
  await requireText(context, request, 'reauthentication_sms', phone, id);
  const text = makeText(context, 'sms_reauthentication', phone);
  await runAsAuthAdmin(context.database, storedText(id, text)).catch(ignoreMissing);
  const messageId = await sendText(context, request, text, { userId: id, waits: true });
  return json(messageId === null ? {} : { message_id: messageId });
}
