import type { Exchange, Reply } from '../../contract/exchange.ts';
import { findUser } from '../accounts/users.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { requireAdmin, requireUserId } from './callers.ts';
import type { AuthContext } from './context.ts';
import { json } from './reply.ts';

/** GET /admin/users/<id>: one account. Throws user_not_found. */
export async function adminGetUser(context: AuthContext, exchange: Exchange, segment: string): Promise<Reply> {
  await requireAdmin(context, exchange);
  const user = await findUser(context.database, requireUserId(segment));
  if (!user) throw new NinefoldError('user_not_found');
  return json(user);
}
