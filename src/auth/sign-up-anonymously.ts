import { randomUUID } from 'node:crypto';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import { checkMetadata, signUp } from '../accounts/users.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { beforeUserCreated } from './before-user-created.ts';
import type { AuthContext } from './context.ts';
import { takeFromLimit } from './take-from-limit.ts';
import { clientOf, tokenReply } from './token-reply.ts';

/** POST /signup without an address: an account that only its session can use, until an address is added to it. */
export async function signUpAnonymously(
  context: AuthContext,
  exchange: Exchange,
  userMetadata: Readonly<Record<string, unknown>>,
): Promise<Reply> {
  if (!context.settings.external_anonymous_users_enabled) throw new NinefoldError('anonymous_provider_disabled');
  if (context.settings.disable_signup) throw new NinefoldError('signup_disabled');
  checkMetadata(userMetadata);
  await takeFromLimit(context, exchange, 'anonymous');
  const planned = { id: randomUUID(), userMetadata, isAnonymous: true };
  await beforeUserCreated(context, exchange.address, { ...planned, provider: null });
  const { user, grant } = await signUp(context.database, planned, clientOf(exchange));
  if (!grant) throw new Error('an anonymous account has no session');
  context.events.emit({
    type: 'auth',
    what: 'signed-up',
    app: context.app.ref,
    userId: user.id,
    address: exchange.address,
  });
  return tokenReply(context, exchange, grant);
}
