import { z } from 'zod';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import { countFailure, findCandidate, openPasswordSession } from '../accounts/password-sign-in.ts';
import { hashPassword, needsRehash, verifyPassword } from '../accounts/passwords.ts';
import type { Grant } from '../accounts/sessions.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { type SignInSubjects, signInSubjects } from '../limits/sign-in-failures.ts';
import { password, readBody, text } from './body.ts';
import { checkPasswordLength, weaknessOf } from './check-password.ts';
import type { AuthContext } from './context.ts';
import { clientOf, tokenReply } from './token-reply.ts';

/** What a sign-in works with; who calls does not matter. */
type SignInContext = Pick<AuthContext, 'app' | 'database' | 'settings' | 'events'>;

const schema = z.object({ email: text(limits.emailCharacters.default * 2), phone: text(64), password });

/**
 * POST /token?grant_type=password: signs in. A wrong password and an address without an account get the same answer after the
 * same time; whether an account is banned or unconfirmed is told only to who knows its password.
 *
 * Throws over_request_rate_limit after too many failures of the client's address or for the account.
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
  const subjects = signInSubjects(exchange.address, email, context.settings);
  const grant = await authenticate(context, exchange, { email, password: body.password, subjects });
  context.events.emit({
    type: 'auth',
    what: 'signed-in',
    app: context.app.ref,
    userId: grant.user.id,
    address: exchange.address,
  });
  return { grant, password: body.password };
}

async function authenticate(
  context: SignInContext,
  exchange: Exchange,
  attempt: { email: string; password: string; subjects: SignInSubjects },
): Promise<Grant> {
  const { database } = context;
  const { email, subjects } = attempt;
  const { candidate, waitSeconds } = await findCandidate(database, email, subjects);
  if (waitSeconds > 0) throw tooManyFailures(waitSeconds);

  const hash = candidate?.passwordHash ?? null;
  const isRight = await verifyPassword(attempt.password, hash);
  if (candidate === null || hash === null || !isRight) {
    await countFailure(database, subjects);
    context.events.emit({
      type: 'auth',
      what: 'sign-in-failed',
      app: context.app.ref,
      userId: candidate?.id ?? null,
      address: exchange.address,
    });
    throw new NinefoldError('invalid_credentials');
  }
  if (candidate.banned) throw new NinefoldError('user_banned');
  if (!candidate.confirmed) throw new NinefoldError('email_not_confirmed');

  const newHash = needsRehash(hash) ? await hashPassword(attempt.password) : null;
  const account = { id: candidate.id, verifiedHash: hash, newHash, subjects };
  const grant = await openPasswordSession(database, account, clientOf(exchange));
  if (grant) return grant;
  const again = await findCandidate(database, email, subjects);
  throw again.waitSeconds > 0 ? tooManyFailures(again.waitSeconds) : new NinefoldError('invalid_credentials');
}

const tooManyFailures = (seconds: number): NinefoldError =>
  new NinefoldError('over_request_rate_limit', {
    message: `Too many failed sign-ins. Try again in ${seconds} seconds.`,
    headers: { 'retry-after': String(seconds) },
    limit: 'signInFailures',
  });
