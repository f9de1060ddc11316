import { z } from 'zod';
import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { type Login, signInByPassword } from '../../accounts/passwords/password-sign-in.ts';
import type { Grant } from '../../accounts/sessions/sessions.ts';
import { required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { signInSubjects } from '../../limits/sign-in-attempts.ts';
import { password, readBody, text } from '../body.ts';
import { authCall, formOf, SESSION } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { notePasswordAttempt } from '../hooks/attempt-hooks.ts';
import { phoneDigits } from './addresses.ts';
import { checkPasswordLength, weaknessOf } from './check-password.ts';
import { clientOf, tokenReply } from './token-reply.ts';

/** The dependencies of a sign-in, which needs no identity. */
type SignInContext = Pick<
  AuthContext,
  'app' | 'database' | 'settings' | 'events' | 'trace' | 'passwords' | 'commonHashes'
> & {
  /**
   * Called with the result of the password check; with null for an address without an account. Throws to refuse the
   * sign-in.
   */
  readonly afterCheck?: (account: { id: string; isRight: boolean } | null) => Promise<void>;
};

const byEmail = {
  email: text(limits.authTextCharacters.default).meta(required('The e-mail address.')),
  password: password.meta(required('The password.')),
};

const byPhone = {
  phone: text(limits.authFieldCharacters.default).meta(required('The phone number.')),
  password: byEmail.password,
};

const schema = z.object({ ...byEmail, ...byPhone });

/**
 * A wrong password and an address without an account get the same response after the same time. Only a caller who knows
 * the password learns whether the account is banned or unconfirmed. Too many failures in the client's network or for
 * the account end in over_request_rate_limit.
 */
export const signInWithPassword = authCall({
  id: 'auth.token.password',
  route: 'POST /token?grant_type=password',
  caller: 'anyone',
  needs: { external_email_enabled: true },
  body: schema,
  shows: byEmail,
  errors: [
    'email_not_confirmed',
    'email_provider_disabled',
    'invalid_credentials',
    'phone_provider_disabled',
    'user_banned',
  ],
  runsHooks: true,
  summary: 'Signs in with an e-mail address and a password.',
  returns: `a session: ${SESSION}`,
  example: { email: 'ada@example.org', password: 'a long password' },
  supabaseJs: "supabase.auth.signInWithPassword({ email: 'ada@example.org', password: 'a long password' })",
  handle: async (context, request, { readBody }) => {
    const afterCheck = (account: { id: string; isRight: boolean } | null) =>
      notePasswordAttempt(context, request.address, account);
    const proven = await grantForPassword({ ...context, afterCheck }, request, readBody());
    return tokenReply(context, request, proven.grant, {
      weakPassword: weaknessOf(proven.password, context.settings),
    });
  },
});

export const signInWithPhoneAndPassword = formOf(
  signInWithPassword,
  {
    id: 'auth.token.password.phone',
    needs: { external_phone_enabled: true },
    errors: [
      'email_provider_disabled',
      'invalid_credentials',
      'phone_not_confirmed',
      'phone_provider_disabled',
      'user_banned',
    ],
    runsHooks: true,
    summary: 'Signs in with a phone number and a password.',
    shows: byPhone,
    returns: `a session: ${SESSION}`,
    example: { phone: '+15555550100', password: 'a long password' },
    supabaseJs: "supabase.auth.signInWithPassword({ phone: '+15555550100', password: 'a long password' })",
  },
  ({ phone }) => Boolean(phone),
);

/**
 * Opens a session for the account whose address and password are in the body.
 * @throws what `signInWithPassword` throws
 */
export async function grantForPassword(
  context: SignInContext,
  request: CallRequest,
  body = readBody(request, schema),
): Promise<{ grant: Grant; password: string }> {
  if (body.email && body.phone) {
    throw new NinefoldError('validation_failed', {
      message: 'Only an email address or phone number should be provided on login.',
    });
  }
  if (!body.email && !body.phone) throw new NinefoldError('validation_failed', { message: 'missing email or phone' });
  const { external_email_enabled: byMail, external_phone_enabled: byPhone } = context.settings;
  if (body.email && !byMail) throw new NinefoldError('email_provider_disabled');
  if (body.phone && !byPhone) throw new NinefoldError('phone_provider_disabled');
  if (!body.password) throw new NinefoldError('invalid_credentials');
  checkPasswordLength(body.password);

  const login: Login = body.phone
    ? { by: 'phone', name: phoneDigits(body.phone) }
    : { by: 'email', name: (body.email ?? '').trim().toLowerCase() };
  const grant = await authenticate(context, request, login, body.password);
  context.events.emit({
    type: 'auth',
    what: 'signed-in',
    app: context.app.ref,
    userId: grant.user.id,
    address: request.address,
  });
  return { grant, password: body.password };
}

/** Returns the grant of a sign-in, or throws the error for its verdict. */
async function authenticate(
  context: SignInContext,
  request: CallRequest,
  login: Login,
  password: string,
): Promise<Grant> {
  const subjects = signInSubjects(request.address, login.name, context.settings);
  const check = { login, password, subjects, client: clientOf(request), signal: request.signal };
  const verdict = await signInByPassword(context, check, context.afterCheck);
  switch (verdict.outcome) {
    case 'signed-in':
      return verdict.grant;
    case 'wrong': {
      const { ref: app } = context.app;
      const { userId } = verdict;
      context.events.emit({ type: 'auth', what: 'sign-in-failed', app, userId, address: request.address });
      throw new NinefoldError('invalid_credentials');
    }
    case 'changed':
      throw new NinefoldError('invalid_credentials');
    case 'banned':
      throw new NinefoldError('user_banned');
    case 'unconfirmed':
      throw new NinefoldError(login.by === 'email' ? 'email_not_confirmed' : 'phone_not_confirmed');
  }
}
