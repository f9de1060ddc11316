import type { Exchange, Reply } from '../../contract/exchange.ts';
import { auditEntry } from '../accounts/audit.ts';
import { checkMetadata, createUser, type NewUser } from '../accounts/users.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { normaliseId } from './addresses.ts';
import { addressesOf, adminBody, banSecondsOf, checkPasswordHash } from './admin-body.ts';
import { readBody } from './body.ts';
import { requireAdmin } from './callers.ts';
import { checkPasswordLength } from './check-password.ts';
import type { AuthContext } from './context.ts';
import { json } from './reply.ts';

/**
 * POST /admin/users: makes an account, also while sign-up is switched off. Takes a password or the hash of one; with neither
 * the account cannot sign in with a password.
 */
export async function adminCreateUser(context: AuthContext, exchange: Exchange): Promise<Reply> {
  await requireAdmin(context, exchange);
  const body = readBody(exchange, adminBody);
  const addresses = addressesOf(body);
  if (!addresses.email && !addresses.phone) {
    throw new NinefoldError('validation_failed', {
      message: 'Cannot create a user without either an email or phone',
    });
  }
  if (body.password && body.password_hash) {
    throw new NinefoldError('validation_failed', {
      message: 'Only a password or a password hash should be provided',
    });
  }
  const id = body.id && normaliseId(body.id);
  if (body.password) checkPasswordLength(body.password);
  if (body.password_hash) checkPasswordHash(body.password_hash);
  checkMetadata(body.user_metadata ?? {}, body.app_metadata);
  const newUser: NewUser = {
    ...addresses,
    ...banSecondsOf(body),
    ...(id && { id }),
    ...(body.aud && { aud: body.aud }),
    ...(body.role && { role: body.role }),
    ...(body.password && { password: body.password }),
    ...(body.password_hash && { passwordHash: body.password_hash }),
    userMetadata: body.user_metadata,
    ...(body.app_metadata && { appMetadata: body.app_metadata }),
    confirmed: body.email_confirm ?? false,
    phoneConfirmed: body.phone_confirm ?? false,
  };
  const caller = { address: exchange.address, isAdmin: true };
  const user = await createUser(context.database, newUser, (id) => [
    auditEntry('user_signedup', id, caller, { provider: addresses.email ? 'email' : 'phone' }),
  ]);
  context.events.emit({ type: 'auth', what: 'signed-up', app: context.app.ref, userId: user.id, address: null });
  return json(user);
}
