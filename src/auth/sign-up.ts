import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import { checkMetadata, signUp } from '../accounts/users.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { normaliseEmail } from './addresses.ts';
import { metadata, password, readBody, text } from './body.ts';
import { checkNewPassword } from './check-password.ts';
import { type AuthContext, timeOf } from './context.ts';
import { json } from './reply.ts';
import { signUpAnonymously } from './sign-up-anonymously.ts';
import { clientOf, tokenReply } from './token-reply.ts';

const schema = z.object({
  email: text(limits.authTextCharacters.default),
  phone: text(limits.authFieldCharacters.default),
  password,
  data: metadata,
  code_challenge: text(limits.authTextCharacters.default),
  code_challenge_method: text(limits.authFieldCharacters.default),
});

/**
 * POST /signup: makes an account with an e-mail address and a password. Answers a session when the address counts as confirmed
 * at once (mailer_autoconfirm), else the account. Without an address it is an anonymous sign-in.
 *
 * An address that is taken is refused with user_already_exists when it counts as confirmed at once; else the answer looks like
 * that for a new account, with no identities, as GoTrue's.
 */
export async function signUpCall(context: AuthContext, exchange: Exchange): Promise<Reply> {
  const { settings, database } = context;
  const body = readBody(exchange, schema);
  if (!body.email && !body.phone) {
    if (context.trace) context.trace.call = 'auth.signup.anonymous';
    return signUpAnonymously(context, exchange, body.data ?? {});
  }
  if (settings.disable_signup) throw new NinefoldError('signup_disabled');
  if (!body.password) {
    throw new NinefoldError('validation_failed', { message: 'Signup requires a valid password' });
  }
  checkNewPassword(body.password, settings);
  if (body.email && body.phone) {
    throw new NinefoldError('validation_failed', {
      message: 'Only an email address or phone number should be provided on signup.',
    });
  }
  checkCodeChallenge(body.code_challenge, body.code_challenge_method);
  if (!body.email) {
    throw new NinefoldError('phone_provider_disabled', { status: 400, message: 'Phone signups are disabled' });
  }
  if (!settings.external_email_enabled) {
    throw new NinefoldError('email_provider_disabled', { status: 400, message: 'Email signups are disabled' });
  }
  const email = normaliseEmail(body.email);
  const userMetadata = body.data ?? {};
  checkMetadata(userMetadata);
  try {
    const { user, grant } = await signUp(
      database,
      { email, password: body.password, userMetadata, confirmed: settings.mailer_autoconfirm },
      clientOf(exchange),
    );
    context.events.emit({
      type: 'auth',
      what: 'signed-up',
      app: context.app.ref,
      userId: user.id,
      address: exchange.address,
    });
    return grant ? tokenReply(context, exchange, grant) : json(user);
  } catch (error) {
    if (!(error instanceof NinefoldError) || error.code !== 'email_exists') throw error;
    if (settings.mailer_autoconfirm) throw new NinefoldError('user_already_exists');
    return json(nobody(email, userMetadata, timeOf(context)));
  }
}

/** Throws validation_failed for a challenge without its method, or one that RFC 7636, section 4.2, does not allow. */
function checkCodeChallenge(challenge: string | undefined, method: string | undefined): void {
  const refuse = (message: string): never => {
    throw new NinefoldError('validation_failed', { message });
  };
  if ((challenge === undefined) !== (method === undefined)) {
    refuse('PKCE flow requires code_challenge_method and code_challenge');
  }
  if (challenge === undefined) return;
  if (!/^.{43,128}$/s.test(challenge)) {
    refuse('code challenge has to be between 43 and 128 characters');
  }
  if (!/^[A-Za-z0-9._~-]+$/.test(challenge)) {
    refuse('code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes');
  }
}

/**
 * Returns an account that does not exist, as a new account with this address looks. `identities` is empty, as in GoTrue:
 * clients tell their user by it that the address is taken.
 */
function nobody(email: string, userMetadata: Readonly<Record<string, unknown>>, now: number) {
  const id = randomUUID();
  const at = new Date(now).toISOString();
  return {
    id,
    aud: 'authenticated',
    role: 'authenticated',
    email,
    phone: '',
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: { ...userMetadata, sub: id, email, email_verified: false, phone_verified: false },
    identities: [],
    created_at: at,
    updated_at: at,
    is_anonymous: false,
  };
}
