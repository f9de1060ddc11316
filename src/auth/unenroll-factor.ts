import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { deleteFactor } from '../accounts/factors.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { requireSession } from './assurance.ts';
import { requireFactor } from './challenge-factor.ts';
import type { AuthContext } from './context.ts';
import { json } from './reply.ts';
import { clientOf } from './token-reply.ts';

/**
 * Handles DELETE /factors/<id>: removes a second factor. If the factor is verified, the calling session needs aal2, and
 * every session that the factor has raised is lowered to aal1.
 * @throws insufficient_aal, mfa_factor_not_found
 */
export async function unenrollFactor(context: AuthContext, request: CallRequest, segment: string): Promise<Reply> {
  const { user, sessionId, isWhole } = await requireSession(context, request);
  const factor = await requireFactor(context, user.id, segment);
  const target = { userId: user.id, factorId: factor.id };
  const by = { caller: clientOf(request), session: sessionId, action: 'factor_unenrolled' } as const;
  const isAllowed = factor.status !== 'verified' || isWhole;
  const deleted = isAllowed ? await deleteFactor(context.database, target, by) : null;
  if (!deleted) {
    throw new NinefoldError('insufficient_aal', { status: 422, message: 'AAL2 required to unenroll verified factor' });
  }
  return json({ id: factor.id });
}
