import { z } from 'zod';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import { commonDecoys, forgetCommonDecoys } from '../accounts/common-hashes.ts';
import { beginSignIn, openPasswordSession, settleSignIn } from '../accounts/password-sign-in.ts';
import { decoyHash, hashPassword, needsRehash, verifyPassword } from '../accounts/passwords.ts';
import type { Grant } from '../accounts/sessions.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { signInSubjects } from '../limits/sign-in-attempts.ts';
import { password, readBody, text } from './body.ts';
import { checkPasswordLength, weaknessOf } from './check-password.ts';
import type { AuthContext } from './context.ts';
import { clientOf, tokenReply } from './token-reply.ts';

/** The parts that a sign-in needs; it needs no identity. */
type SignInContext = Pick<AuthContext, 'app' | 'database' | 'settings' | 'events'>;

const schema = z.object({
  email: text(limits.authTextCharacters.default),
  phone: text(limits.authFieldCharacters.default),
  password,
});

/**
 * POST /token?grant_type=password: signs in. A wrong password and an address without an account get the same answer after the
 * same time; whether an account is banned or unconfirmed is told only to who knows its password.
 *
 * Throws over_request_rate_limit after too many failures of the client's network or for the account.
 */
export async function signInWithPassword(context: AuthContext, exchange: Exchange): Promise<Reply> {
  const proven = await grantForPassword(context, exchange);
  return tokenReply(context, exchange, proven.grant, weaknessOf(proven.password, context.settings));
}

/** Opens a session for the account whose address and password are in the body. Throws as `signInWithPassword`. */
export async function grantForPassword(
  context: SignInContext,
  exchange: Exchange,
): Promise<{ grant: Grant; password: string }> {
  const body = readBody(exchange, schema);
  if (body.email && body.phone) {
    throw new NinefoldError('validation_failed', {
      message: 'Only an email address or phone number should be provided on login.',
    });
  }
  if (body.phone) throw new NinefoldError('phone_provider_disabled');
  if (!body.email) throw new NinefoldError('validation_failed', { message: 'missing email or phone' });
  if (!context.settings.external_email_enabled) throw new NinefoldError('email_provider_disabled');
  if (!body.password) throw new NinefoldError('invalid_credentials');
  checkPasswordLength(body.password);

  const email = body.email.trim().toLowerCase();
  const grant = await authenticate(context, exchange, { email, password: body.password });
  context.events.emit({
    type: 'auth',
    what: 'signed-in',
    app: context.app.ref,
    userId: grant.user.id,
    address: exchange.address,
  });
  return { grant, password: body.password };
}

/** Checks the password of an attempt that is counted, and opens a session if it is right. */
async function authenticate(
  context: SignInContext,
  exchange: Exchange,
  { email, password: given }: { email: string; password: string },
): Promise<Grant> {
  const { database, events, app } = context;
  const subjects = signInSubjects(exchange.address, email, context.settings);
  const attempt = await beginSignIn(database, email, subjects, exchange.signal);
  const { candidate, newNetwork } = attempt;
  const hash = candidate?.passwordHash ?? null;
  const isRight = await checked(context, given, hash).catch(async (error: unknown) => {
    // Nothing was checked.
    await settleSignIn(database, attempt, false);
    throw error;
  });
  if (candidate === null || hash === null || !isRight) {
    await settleSignIn(database, attempt, true, { address: exchange.address });
    const userId = candidate?.id ?? null;
    events.emit({ type: 'auth', what: 'sign-in-failed', app: app.ref, userId, address: exchange.address });
    throw new NinefoldError('invalid_credentials');
  }
  await settleSignIn(database, attempt, false);
  if (candidate.banned) throw new NinefoldError('user_banned');
  if (!candidate.confirmed) throw new NinefoldError('email_not_confirmed');

  const newHash = needsRehash(hash, given) ? await hashPassword(given) : null;
  const account = { id: candidate.id, verifiedHash: hash, newHash, newNetwork };
  const notice = { acceptLanguage: exchange.headers['accept-language'] };
  const grant = await openPasswordSession(database, account, clientOf(exchange), notice);
  if (grant === null) throw new NinefoldError('invalid_credentials');
  return grant;
}

async function checked({ database }: SignInContext, given: string, hash: string | null): Promise<boolean> {
  const decoys = await commonDecoys(database);
  const decoy = hash === null ? null : decoyHash(hash);
  if (decoy !== null && !decoys.includes(decoy)) forgetCommonDecoys(database);
  return verifyPassword(given, hash, decoys);
}
