import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { pretendToMail, type Recipient } from '../../accounts/messages/one-time-tokens.ts';
import { type PhoneAccount, pretendToText } from '../../accounts/messages/texts.ts';
import type { CodeChallenge } from '../../accounts/providers/flow-states.ts';
import { runAsAuthAdmin, type SqlStatement } from '../../accounts/run-as-auth-admin.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { text } from '../body.ts';
import { authCall, formOf } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { makeText, requireText, sendText, storedText } from '../phone/send-text.ts';
import { json } from '../reply.ts';
import { normaliseEmail, normalisePhone } from '../sign-in/addresses.ts';
import { readCodeChallenge } from '../sign-in/code-challenge.ts';
import { ignoreMissing, mailedEmailChange, mailedLink, makeLink, requireMail } from './link-mails.ts';
import { linkTarget } from './redirects.ts';

const type = text(limits.authFieldCharacters.default);

const byEmail = {
  type: type.meta(required('signup or email_change.')),
  email: text(limits.emailCharacters.default * 2).meta(required('The address of the account.')),
};

const byPhone = {
  type: type.meta(required('sms or phone_change.')),
  phone: text(limits.authFieldCharacters.default).meta(required('The phone number.')),
};

const schema = z.object({
  ...byPhone,
  ...byEmail,
  code_challenge: text(limits.authTextCharacters.default),
  code_challenge_method: text(limits.authFieldCharacters.default),
});

const invalid = (message: string): NinefoldError => new NinefoldError('validation_failed', { message });

/** The response is `{}`, whether or not an account waits for a mail or a code. */
export const resend = authCall({
  id: 'auth.resend',
  route: 'POST /resend',
  caller: 'anyone',
  needsMemberPages: true,
  needs: { external_email_enabled: true },
  body: schema,
  shows: byEmail,
  errors: ['email_provider_disabled', 'over_email_send_rate_limit', 'phone_provider_disabled'],
  summary: 'Mails the link of a sign-up or of a change of address again.',
  query: { redirect_to: optional('Where the link leads; one of the addresses that the app allows.') },
  returns: '{}, for every address',
  example: { type: 'signup', email: 'ada@example.org' },
  supabaseJs: "supabase.auth.resend({ type: 'signup', email: 'ada@example.org' })",
  handle: async (context, request, { readBody }) => {
    const { settings, database } = context;
    const { type, ...body } = readBody();
    const byMail = type === 'signup' || type === 'email_change';
    if (!byMail && type !== 'sms' && type !== 'phone_change') {
      throw invalid('Missing one of these types: signup, email_change, sms, phone_change');
    }
    const challenge = byMail ? readCodeChallenge(body.code_challenge, body.code_challenge_method) : null;
    if (type === 'signup' && !body.email) throw invalid('Type provided requires an email address');
    if (type === 'sms' && !body.phone) throw invalid('Type provided requires a phone number');
    if (body.email && body.phone) throw invalid('Only an email address or phone number should be provided.');
    if (body.phone) return resendText(context, request, type, body.phone);
    if (!body.email) throw invalid('Missing email address or phone number');
    if (!settings.external_email_enabled) throw new NinefoldError('email_provider_disabled', { status: 400 });
    const email = normaliseEmail(body.email);
    if (!byMail) return json({});
    const purpose = type === 'signup' ? 'confirmation' : 'email_change';
    const { recipient } = await requireMail(context, request, purpose, email);
    const statements = recipient ? mailsOf(context, request, type, recipient, challenge) : [];
    if (statements.length > 0) await runAsAuthAdmin(database, statements).catch(ignoreMissing);
    else await pretendToMail(database, purpose, email);
    return json({});
  },
});

export const resendByPhone = formOf(
  resend,
  {
    id: 'auth.resend.phone',
    needs: { external_phone_enabled: true },
    errors: ['over_sms_send_rate_limit', 'phone_provider_disabled'],
    summary: 'Sends the code of a sign-up or of a change of number again.',
    shows: byPhone,
    returns: '{}, for every number',
    example: { type: 'sms', phone: '+15555550100' },
    supabaseJs: "supabase.auth.resend({ type: 'sms', phone: '+15555550100' })",
  },
  ({ email, phone }) => Boolean(phone) && !email,
);

/** Returns the statements that queue the pending mail of an account again; an empty list if no mail is pending. */
function mailsOf(
  context: AuthContext,
  request: CallRequest,
  type: 'signup' | 'email_change',
  recipient: Recipient,
  challenge: CodeChallenge | null,
): readonly SqlStatement[] {
  if (type === 'email_change') {
    if (recipient.newEmail === null) return [];
    return mailedEmailChange(context, request, recipient, recipient.newEmail, challenge);
  }
  if (recipient.isConfirmed) return [];
  const redirectTo = linkTarget(context, request);
  const address = recipient.email.toLowerCase();
  return mailedLink(recipient.id, makeLink(context, request, { type, address, redirectTo, challenge }));
}

async function resendText(context: AuthContext, request: CallRequest, type: string, number: string): Promise<Reply> {
  const { settings, database } = context;
  if (!settings.external_phone_enabled) throw new NinefoldError('phone_provider_disabled', { status: 400 });
  const phone = normalisePhone(number);
  // For these types, the body identifies the account by its e-mail address.
  if (type !== 'sms' && type !== 'phone_change') return json({});
  const { account } = await requireText(context, request, type, phone);
  const to = account && waitingNumber(type, account);
  if (account === null || to === null) {
    await pretendToText(database, type, phone);
    return json({});
  }
  const text = makeText(context, type === 'sms' ? 'sms_confirmation' : 'sms_phone_change', to);
  await runAsAuthAdmin(database, storedText(account.id, text)).catch(ignoreMissing);
  await sendText(context, request, text, { userId: account.id, waits: false });
  return json({});
}

/** Returns the phone number of an account that waits for a code; null if the account waits for none. */
const waitingNumber = (type: 'sms' | 'phone_change', { phone, newPhone, isConfirmed }: PhoneAccount): string | null => {
  if (type === 'phone_change') return newPhone;
  return isConfirmed ? null : phone;
};
