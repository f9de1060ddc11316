import { z } from 'zod';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import { deleteUser, softDeleteUser } from '../accounts/users.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { flag, readBody } from './body.ts';
import { requireAdmin, requireUserId } from './callers.ts';
import type { AuthContext } from './context.ts';
import { json } from './reply.ts';

const schema = z.object({ should_soft_delete: flag });

/**
 * DELETE /admin/users/<id>: deletes an account with its sessions; with `should_soft_delete` its row stays, without what it says
 * of a person. Throws user_not_found, and database_refused when rows of the app still refer to it.
 */
export async function adminDeleteUser(context: AuthContext, exchange: Exchange, segment: string): Promise<Reply> {
  await requireAdmin(context, exchange);
  const id = requireUserId(segment);
  const body = readBody(exchange, schema, { optional: true });
  const remove = body.should_soft_delete ? softDeleteUser : deleteUser;
  if (!(await remove(context.database, id, { address: exchange.address, isAdmin: true })))
    throw new NinefoldError('user_not_found');
  return json({});
}
