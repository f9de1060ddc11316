import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { findRecipient } from '../../accounts/messages/one-time-tokens.ts';
import { checkMetadata, signUp } from '../../accounts/users/users.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { metadata, password, text } from '../body.ts';
import { authCall, formOf, SESSION } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { beforeUserCreated } from '../hooks/before-user-created-hook.ts';
import { checkChannel } from '../phone/send-text.ts';
import { signUpWithPhone } from '../phone/sign-up-with-phone.ts';
import { takeFromLimit } from '../rate-limit.ts';
import { json } from '../reply.ts';
import { normaliseEmail, normalisePhone } from './addresses.ts';
import { checkNewPassword, refuseLeakedPassword, wordsOf } from './check-password.ts';
import { readCodeChallenge } from './code-challenge.ts';
import { noteSignUp, signUpToConfirm } from './sign-up-to-confirm.ts';
import { clientOf, tokenReply } from './token-reply.ts';

const data = metadata.meta(optional('User metadata, which the member may change later.'));

const byEmail = {
  email: text(limits.authTextCharacters.default).meta(required('The e-mail address.')),
  password: password.meta(required('The password.')),
  data,
};

const byPhone = {
  phone: text(limits.authFieldCharacters.default).meta(required('The phone number (E.164).')),
  password: byEmail.password,
  data,
  channel: text(limits.authFieldCharacters.default).meta(optional('sms.')),
};

const schema = z.object({
  ...byPhone,
  ...byEmail,
  code_challenge: text(limits.authTextCharacters.default),
  code_challenge_method: text(limits.authFieldCharacters.default),
});

/**
 * Returns a session if the address counts as confirmed at once (mailer_autoconfirm), else the account
 * (`signUpToConfirm`). Only the first reveals that an account has the address, by user_already_exists.
 */
export const signUpCall = authCall({
  id: 'auth.signup',
  route: 'POST /signup',
  caller: 'anyone',
  needs: { disable_signup: false, external_email_enabled: true },
  body: schema,
  shows: byEmail,
  errors: [
    'email_provider_disabled',
    'phone_provider_disabled',
    'signup_disabled',
    'user_already_exists',
    'weak_password',
  ],
  runsHooks: true,
  summary:
    'Makes an account with an e-mail address and a password, and signs in unless the address must be confirmed first.',
  returns: `a session: ${SESSION}; or the user alone while the address awaits confirmation`,
  example: { email: 'ada@example.org', password: 'a long password' },
  supabaseJs: "supabase.auth.signUp({ email: 'ada@example.org', password: 'a long password' })",
  handle: async (context, request, { readBody }) => {
    const { settings, database } = context;
    const body = readBody();
    if (!body.email && !body.phone) {
      return signUpAnonymously(context, request, body.data ?? {});
    }
    if (settings.disable_signup) throw new NinefoldError('signup_disabled');
    if (!body.password) {
      throw new NinefoldError('validation_failed', { message: 'Signup requires a valid password' });
    }
    checkNewPassword(body.password, settings, wordsOf(context.app.ref, body.email, body.phone));
    await refuseLeakedPassword(context, body.password, request.requestId);
    if (body.email && body.phone) {
      throw new NinefoldError('validation_failed', {
        message: 'Only an email address or phone number should be provided on signup.',
      });
    }
    if (body.phone) {
      const { phone, channel, code_challenge: challenge, data: userMetadata = {} } = body;
      return signUpByPhone(context, request, { phone, channel, challenge, userMetadata, password: body.password });
    }
    const challenge = readCodeChallenge(body.code_challenge, body.code_challenge_method);
    if (!settings.external_email_enabled) {
      throw new NinefoldError('email_provider_disabled', { status: 400, message: 'Email signups are disabled' });
    }
    const email = normaliseEmail(body.email ?? '');
    const userMetadata = body.data ?? {};
    checkMetadata(userMetadata);
    await takeFromLimit(context, request, 'sign_up');
    if (!settings.mailer_autoconfirm) {
      return signUpToConfirm(context, request, { email, password: body.password, userMetadata, challenge });
    }
    const planned = { id: randomUUID(), email, userMetadata };
    if (settings.hook_before_user_created_enabled && (await findRecipient(database, email)) === null) {
      await beforeUserCreated(context, request.address, { ...planned, provider: 'email' });
    }
    const { user, grant } = await signUp(
      database,
      { ...planned, passwordHash: await context.passwords.hash(body.password), confirmed: true },
      clientOf(request),
    ).catch(asTaken);
    noteSignUp(context, request, user.id);
    return grant ? tokenReply(context, request, grant) : json(user);
  },
});

export const signUpAnonymouslyCall = formOf(
  signUpCall,
  {
    id: 'auth.signup.anonymous',
    needs: { disable_signup: false, external_anonymous_users_enabled: true },
    errors: ['anonymous_provider_disabled', 'signup_disabled'],
    runsHooks: true,
    summary: 'Makes an account without an address or a password, and signs in.',
    shows: { data },
    returns: `a session: ${SESSION}`,
    example: {},
    supabaseJs: 'supabase.auth.signInAnonymously()',
  },
  ({ email, phone }) => !email && !phone,
);

export const signUpWithPhoneCall = formOf(
  signUpCall,
  {
    id: 'auth.signup.phone',
    needs: { disable_signup: false, external_phone_enabled: true },
    errors: [
      'over_sms_send_rate_limit',
      'phone_provider_disabled',
      'signup_disabled',
      'user_already_exists',
      'weak_password',
    ],
    runsHooks: true,
    summary:
      'Makes an account with a phone number and a password, and signs in unless the number must be confirmed first.',
    shows: byPhone,
    returns: `a session: ${SESSION}; or the user alone while the number awaits confirmation`,
    example: { phone: '+15555550100', password: 'a long password' },
    supabaseJs: "supabase.auth.signUp({ phone: '+15555550100', password: 'a long password' })",
  },
  ({ email, phone }) => Boolean(phone) && !email,
);

interface AskedByPhone {
  readonly phone: string;
  readonly password: string;
  readonly userMetadata: Readonly<Record<string, unknown>>;
  readonly channel: string | undefined;
  readonly challenge: string | undefined;
}

async function signUpByPhone(
  context: AuthContext,
  request: CallRequest,
  { channel, challenge, ...asked }: AskedByPhone,
): Promise<Reply> {
  checkChannel(channel);
  if (challenge) {
    throw new NinefoldError('validation_failed', { message: 'PKCE not supported for phone signups' });
  }
  if (!context.settings.external_phone_enabled) {
    throw new NinefoldError('phone_provider_disabled', { status: 400, message: 'Phone signups are disabled' });
  }
  const phone = normalisePhone(asked.phone);
  checkMetadata(asked.userMetadata);
  await takeFromLimit(context, request, 'sign_up');
  return signUpWithPhone(context, request, { ...asked, phone });
}

function asTaken(error: unknown): never {
  if (error instanceof NinefoldError && error.code === 'email_exists') throw new NinefoldError('user_already_exists');
  throw error;
}

/**
 * Handles POST /signup without an address: creates an account that only its session can use, until an address is added.
 */
async function signUpAnonymously(
  context: AuthContext,
  request: CallRequest,
  userMetadata: Readonly<Record<string, unknown>>,
): Promise<Reply> {
  if (!context.settings.external_anonymous_users_enabled) throw new NinefoldError('anonymous_provider_disabled');
  if (context.settings.disable_signup) throw new NinefoldError('signup_disabled');
  checkMetadata(userMetadata);
  await takeFromLimit(context, request, 'anonymous');
  const planned = { id: randomUUID(), userMetadata, isAnonymous: true };
  await beforeUserCreated(context, request.address, { ...planned, provider: null });
  const { user, grant } = await signUp(context.database, planned, clientOf(request));
  if (!grant) throw new Error('an anonymous account has no session');
  noteSignUp(context, request, user.id);
  return tokenReply(context, request, grant);
}
