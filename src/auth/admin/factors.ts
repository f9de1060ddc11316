import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { deleteFactor, listFactors, renameFactor } from '../../accounts/factors/factors.ts';
import type { User } from '../../accounts/users/user.ts';
import { findUser } from '../../accounts/users/users.ts';
import { optional } from '../../calls/words.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { text } from '../body.ts';
import { authCall, SOME_ID } from '../call.ts';
import { byAdmin, requireUserId } from '../callers.ts';
import type { AuthContext } from '../context.ts';
import { json } from '../reply.ts';
import { requireFactor } from '../second-factors/challenge-factor.ts';

export const adminListFactors = authCall({
  id: 'auth.admin.factors.list',
  route: 'GET /admin/users/{user_id}/factors',
  caller: 'secret-key',
  errors: ['user_not_found'],
  summary: 'The second factors of an account, without their secrets.',
  returns: 'a list of factors: id, friendly_name, factor_type, status, created_at, updated_at',
  supabaseJs: `supabase.auth.admin.mfa.listFactors({ userId: '${SOME_ID}' })`,
  handle: async (context, _request, { path }) => {
    const factors = await listFactors(context.database, requireUserId(path.user_id));
    if (!factors) throw new NinefoldError('user_not_found');
    return json(factors);
  },
});

/**
 * Returns the account that the path of an admin call names.
 * @throws user_not_found, validation_failed
 */
export async function requireUser({ database }: AuthContext, segment: string): Promise<User> {
  const user = await findUser(database, requireUserId(segment));
  if (!user) throw new NinefoldError('user_not_found');
  return user;
}

const schema = z.object({ friendly_name: text(limits.factorNameCharacters.default).meta(optional('The new name.')) });

export const adminUpdateFactor = authCall({
  id: 'auth.admin.factors.update',
  route: 'PUT /admin/users/{user_id}/factors/{factor_id}',
  caller: 'secret-key',
  body: schema,
  errors: ['mfa_factor_name_conflict', 'mfa_factor_not_found', 'user_not_found'],
  summary: 'Renames a second factor.',
  returns: 'the factor',
  example: { friendly_name: 'Old phone' },
  handle: async (context, request, { path, readBody }) => {
    const { id: userId } = await requireUser(context, path.user_id);
    const factor = await requireFactor(context, userId, path.factor_id);
    const { friendly_name: name } = readBody();
    if (!name) return json(factor);
    const target = { userId, factorId: factor.id };
    const renamed = await renameFactor(context.database, target, name, byAdmin(request)).catch((error: unknown) => {
      const isTaken =
        error instanceof DatabaseError && error.fields.constraint === 'mfa_factors_user_friendly_name_unique';
      throw isTaken ? new NinefoldError('mfa_factor_name_conflict', { cause: error }) : error;
    });
    if (!renamed) throw new NinefoldError('mfa_factor_not_found');
    return json(renamed);
  },
});

export const adminDeleteFactor = authCall({
  id: 'auth.admin.factors.delete',
  route: 'DELETE /admin/users/{user_id}/factors/{factor_id}',
  caller: 'secret-key',
  errors: ['mfa_factor_not_found', 'user_not_found'],
  summary: 'Removes a second factor; sessions that it raised become aal1.',
  returns: 'the factor that was removed',
  supabaseJs: `supabase.auth.admin.mfa.deleteFactor({ id: '${SOME_ID}', userId: '${SOME_ID}' })`,
  handle: async (context, request, { path }) => {
    const { id: userId } = await requireUser(context, path.user_id);
    const factor = await requireFactor(context, userId, path.factor_id);
    const by = { caller: byAdmin(request), action: 'factor_deleted' } as const;
    const deleted = await deleteFactor(context.database, { userId, factorId: factor.id }, by);
    if (!deleted) throw new NinefoldError('mfa_factor_not_found');
    return json(deleted);
  },
});
