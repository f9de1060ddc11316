import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { deleteFactor, listFactors, renameFactor } from '../../accounts/factors/factors.ts';
import type { User } from '../../accounts/users/user.ts';
import { findUser } from '../../accounts/users/users.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { readBody, text } from '../body.ts';
import { byAdmin, requireUserId } from '../callers.ts';
import type { AuthContext } from '../context.ts';
import { json } from '../reply.ts';
import { requireFactor } from '../second-factors/challenge-factor.ts';

/** Handles GET /admin/users/<id>/factors: returns the second factors of an account without their secrets. */
export async function adminListFactors(context: AuthContext, _request: CallRequest, segment: string): Promise<Reply> {
  const factors = await listFactors(context.database, requireUserId(segment));
  if (!factors) throw new NinefoldError('user_not_found');
  return json(factors);
}

/**
 * Returns the account that the path of an admin call names.
 * @throws user_not_found, validation_failed
 */
export async function requireUser({ database }: AuthContext, segment: string): Promise<User> {
  const user = await findUser(database, requireUserId(segment));
  if (!user) throw new NinefoldError('user_not_found');
  return user;
}

const schema = z.object({ friendly_name: text(limits.factorNameCharacters.default) });

/** PUT /admin/users/<id>/factors/<factor>: renames a factor. Throws mfa_factor_not_found, mfa_factor_name_conflict. */
export async function adminUpdateFactor(
  context: AuthContext,
  request: CallRequest,
  user: string,
  segment: string,
): Promise<Reply> {
  const { id: userId } = await requireUser(context, user);
  const factor = await requireFactor(context, userId, segment);
  const { friendly_name: name } = readBody(request, schema);
  if (!name) return json(factor);
  const target = { userId, factorId: factor.id };
  const renamed = await renameFactor(context.database, target, name, byAdmin(request)).catch((error: unknown) => {
    const isTaken =
      error instanceof DatabaseError && error.fields.constraint === 'mfa_factors_user_friendly_name_unique';
    throw isTaken ? new NinefoldError('mfa_factor_name_conflict', { cause: error }) : error;
  });
  if (!renamed) throw new NinefoldError('mfa_factor_not_found');
  return json(renamed);
}

/**
 * Handles DELETE /admin/users/<id>/factors/<factor>: removes a factor and lowers the sessions that it raised.
 * @throws mfa_factor_not_found
 */
export async function adminDeleteFactor(
  context: AuthContext,
  request: CallRequest,
  user: string,
  segment: string,
): Promise<Reply> {
  const { id: userId } = await requireUser(context, user);
  const factor = await requireFactor(context, userId, segment);
  const by = { caller: byAdmin(request), action: 'factor_deleted' } as const;
  const deleted = await deleteFactor(context.database, { userId, factorId: factor.id }, by);
  if (!deleted) throw new NinefoldError('mfa_factor_not_found');
  return json(deleted);
}
