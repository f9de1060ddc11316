import type { Exchange, Reply } from '../../contract/exchange.ts';
import { hashPassword } from '../accounts/passwords.ts';
import { updateUser } from '../accounts/update-user.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { addressesOf, adminBody, banSecondsOf } from './admin-body.ts';
import { readBody } from './body.ts';
import { requireAdmin, requireUserId } from './callers.ts';
import { checkNewPassword } from './check-password.ts';
import type { AuthContext } from './context.ts';
import { refuseLeakedPassword } from './leaked-password.ts';
import { json } from './reply.ts';

/**
 * PUT /admin/users/<id>: changes an account. A new password or a ban (`ban_duration`, `none` lifts it) ends the account's
 * sessions. Throws user_not_found, email_exists, phone_exists.
 */
export async function adminUpdateUser(context: AuthContext, exchange: Exchange, segment: string): Promise<Reply> {
  await requireAdmin(context, exchange);
  const id = requireUserId(segment);
  const body = readBody(exchange, adminBody);
  const addresses = addressesOf(body);
  const ban = banSecondsOf(body);
  if (body.password !== undefined) checkNewPassword(body.password, context.settings, []);
  await refuseLeakedPassword(context, body.password, exchange.requestId);
  const user = await updateUser(context.database, id, {
    ...addresses,
    ...ban,
    ...(body.role && { role: body.role.trim() }),
    ...(body.password && { passwordHash: await hashPassword(body.password) }),
    ...(body.user_metadata && { userMetadata: body.user_metadata }),
    ...(body.app_metadata && { appMetadata: body.app_metadata }),
    confirmEmail: body.email_confirm ?? false,
    confirmPhone: body.phone_confirm ?? false,
    caller: { address: exchange.address, isAdmin: true },
  });
  if (!user) throw new NinefoldError('user_not_found');
  return json(user);
}
