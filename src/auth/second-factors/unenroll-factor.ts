import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { deleteFactor } from '../../accounts/factors/factors.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { readBody } from '../body.ts';
import type { AuthContext } from '../context.ts';
import { json } from '../reply.ts';
import { requireSession } from '../sessions/assurance.ts';
import { presence, requirePresence } from '../sessions/proof-of-presence.ts';
import { clientOf } from '../sign-in/token-reply.ts';
import { requireFactor } from './challenge-factor.ts';

const schema = z.object(presence);

/**
 * Handles DELETE /factors/<id>: removes a second factor. For a verified factor the session needs aal2 and a recent
 * proof of the member's presence, and every session that the factor raised is lowered.
 * @throws the errors of `requirePresence`, insufficient_aal, mfa_factor_not_found
 */
export async function unenrollFactor(context: AuthContext, request: CallRequest, segment: string): Promise<Reply> {
  const member = await requireSession(context, request);
  const { user, sessionId, isWhole } = member;
  const factor = await requireFactor(context, user.id, segment);
  const isVerified = factor.status === 'verified';
  if (isVerified && !isWhole) throw needsSecondFactor();
  if (isVerified) await requirePresence(context, request, member, readBody(request, schema, { optional: true }));
  const by = { caller: clientOf(request), session: sessionId, action: 'factor_unenrolled' } as const;
  const deleted = await deleteFactor(context.database, { userId: user.id, factorId: factor.id }, by);
  if (!deleted) throw needsSecondFactor();
  return json({ id: factor.id });
}

const needsSecondFactor = () =>
  new NinefoldError('insufficient_aal', { status: 422, message: 'AAL2 required to unenroll verified factor' });
