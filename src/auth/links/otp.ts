import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { pretendToMail, type Recipient } from '../../accounts/messages/one-time-tokens.ts';
import type { CodeChallenge } from '../../accounts/providers/flow-states.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';
import { checkMetadata, createUser, droppedPassword } from '../../accounts/users/users.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { flag, metadata, text } from '../body.ts';
import { authCall, formOf } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { beforeUserCreated, waitAsBeforeUserCreated } from '../hooks/before-user-created-hook.ts';
import { textSignInCode } from '../phone/otp-by-text.ts';
import { json } from '../reply.ts';
import { normaliseEmail } from '../sign-in/addresses.ts';
import { readCodeChallenge } from '../sign-in/code-challenge.ts';
import { ignoreMissing, mailedLink, makeLink, requireMail } from './link-mails.ts';
import { linkTarget } from './redirects.ts';

const data = metadata.meta(optional('User metadata of a new account.'));

const byEmail = {
  email: text(limits.emailCharacters.default * 2).meta(required('The e-mail address.')),
  create_user: flag.meta(optional('False: an address without an account gets none, and no mail.')),
  data,
  code_challenge: text(limits.authTextCharacters.default).meta(
    optional('For the flow with PKCE (RFC 7636), with code_challenge_method.'),
  ),
  code_challenge_method: text(limits.authFieldCharacters.default).meta(optional('s256 or plain.')),
};

const byPhone = {
  phone: text(limits.authFieldCharacters.default).meta(required('The phone number (E.164).')),
  create_user: flag.meta(optional('False: a number without an account gets none, and no text.')),
  data,
  channel: text(limits.authFieldCharacters.default).meta(optional('sms.')),
};

const schema = z.object({ ...byPhone, ...byEmail });

/** The response is always `{}`, so that it does not reveal whether an account has the address. */
export const otp = authCall({
  id: 'auth.otp',
  route: 'POST /otp',
  caller: 'anyone',
  needsMemberPages: true,
  needs: { external_email_enabled: true },
  body: schema,
  shows: byEmail,
  errors: ['email_provider_disabled', 'over_email_send_rate_limit', 'phone_provider_disabled'],
  runsHooks: true,
  summary: 'Mails a link and a code that sign in. An address without an account gets one where sign-up is open.',
  query: { redirect_to: optional('Where the link leads; one of the addresses that the app allows.') },
  returns: '{}, for every address',
  example: { email: 'ada@example.org' },
  supabaseJs: "supabase.auth.signInWithOtp({ email: 'ada@example.org' })",
  handle: async (context, request, { readBody }) => {
    const body = readBody();
    if (body.email && body.phone) {
      throw invalid('Only an email address or phone number should be provided');
    }
    if (body.email && body.channel) throw invalid('Channel should only be specified with Phone OTP');
    const challenge = readCodeChallenge(body.code_challenge, body.code_challenge_method);
    if (body.phone) {
      return textSignInCode(context, request, {
        ...{ phone: body.phone, channel: body.channel },
        userMetadata: body.data ?? {},
        createsUser: body.create_user ?? true,
      });
    }
    if (!body.email) throw invalid('One of email or phone must be set');
    return mailSignInLink(context, request, {
      email: body.email,
      challenge,
      userMetadata: body.data ?? {},
      createsUser: body.create_user ?? true,
    });
  },
});

export const otpByPhone = formOf(
  otp,
  {
    id: 'auth.otp.phone',
    needs: { external_phone_enabled: true },
    errors: ['over_sms_send_rate_limit', 'phone_provider_disabled', 'sms_send_failed'],
    runsHooks: true,
    summary: 'Sends a code by text that signs in. A number without an account gets one where sign-up is open.',
    shows: byPhone,
    returns: '{}, or message_id where the provider gives one',
    example: { phone: '+15555550100' },
    supabaseJs: "supabase.auth.signInWithOtp({ phone: '+15555550100' })",
  },
  ({ email, phone }) => Boolean(phone) && !email,
);

export const magicLink = authCall({
  id: 'auth.magiclink',
  route: 'POST /magiclink',
  caller: 'anyone',
  needsMemberPages: true,
  needs: { external_email_enabled: true },
  body: schema,
  shows: { email: byEmail.email },
  errors: ['email_provider_disabled', 'over_email_send_rate_limit', 'phone_provider_disabled'],
  runsHooks: true,
  summary: 'The older form of POST /otp.',
  query: { redirect_to: optional('Where the link leads; one of the addresses that the app allows.') },
  returns: '{}, for every address',
  example: { email: 'ada@example.org' },
  handle: async (context, request, { readBody }) => {
    const body = readBody();
    if (!body.email) {
      throw new NinefoldError('validation_failed', { status: 422, message: 'Password recovery requires an email' });
    }
    return mailSignInLink(context, request, {
      email: body.email,
      challenge: readCodeChallenge(body.code_challenge, body.code_challenge_method),
      userMetadata: body.data ?? {},
      createsUser: true,
    });
  },
});

const invalid = (message: string): NinefoldError => new NinefoldError('validation_failed', { message });

interface SignInLink {
  readonly email: string;
  readonly challenge: CodeChallenge | null;
  readonly userMetadata: Readonly<Record<string, unknown>>;
  readonly createsUser: boolean;
}

async function mailSignInLink(context: AuthContext, request: CallRequest, asked: SignInLink): Promise<Reply> {
  const { settings, database } = context;
  if (!settings.external_email_enabled) throw new NinefoldError('email_provider_disabled');
  const email = normaliseEmail(asked.email);
  checkMetadata(asked.userMetadata);
  const { recipient } = await requireMail(context, request, 'recovery', email);
  const link = makeLink(context, request, {
    type: recipient?.isConfirmed || settings.mailer_autoconfirm ? 'magiclink' : 'signup',
    address: email,
    redirectTo: linkTarget(context, request),
    challenge: asked.challenge,
  });
  const statements = (id: string) => mailedLink(id, link);
  const creates = recipient === null && asked.createsUser && !settings.disable_signup;
  const planned = { id: randomUUID(), email, userMetadata: asked.userMetadata };
  if (creates) await beforeUserCreated(context, request.address, { ...planned, provider: 'email' });
  else await waitAsBeforeUserCreated(context);
  if (recipient)
    await runAsAuthAdmin(database, [...claimed(recipient), ...statements(recipient.id)]).catch(ignoreMissing);
  else if (!creates) await pretendToMail(database, 'recovery', email);
  else await createUser(database, planned, statements).catch(ignoreTaken);
  return json({});
}

/**
 * Returns the statement that removes the password of an account that was never confirmed, because another person may
 * have set it.
 */
const claimed = ({ id, isConfirmed }: Recipient) => (isConfirmed ? [] : [droppedPassword(id)]);

/**
 * Ignores the error that another call has taken the address in the meantime. The account gets the mail of that call.
 */
function ignoreTaken(error: unknown): void {
  if (!(error instanceof NinefoldError) || error.code !== 'email_exists') throw error;
}
