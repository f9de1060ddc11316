import { z } from 'zod';
import { deleteFactor } from '../../accounts/factors/factors.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { authCall, SOME_ID } from '../call.ts';
import { json } from '../reply.ts';
import { requireSession } from '../sessions/assurance.ts';
import { presence, requirePresence } from '../sessions/proof-of-presence.ts';
import { clientOf } from '../sign-in/token-reply.ts';
import { requireFactor } from './challenge-factor.ts';

/** A verified factor also needs a recent proof of the member's presence. */
export const unenrollFactor = authCall({
  id: 'auth.factors.unenroll',
  route: 'DELETE /factors/{factor_id}',
  caller: 'member',
  body: z.object(presence),
  errors: ['insufficient_aal', 'mfa_factor_not_found', 'reauthentication_needed', 'reauthentication_not_valid'],
  summary: 'Removes a second factor. A verified one asks for an aal2 session; sessions that it raised become aal1.',
  returns: 'id',
  supabaseJs: `supabase.auth.mfa.unenroll({ factorId: '${SOME_ID}' })`,
  handle: async (context, request, { member, path, readBody }) => {
    const session = await requireSession(context, member);
    const { user, sessionId, isWhole } = session;
    const factor = await requireFactor(context, user.id, path.factor_id);
    const isVerified = factor.status === 'verified';
    if (isVerified && !isWhole) throw needsSecondFactor();
    if (isVerified) await requirePresence(context, request, session, readBody({ optional: true }));
    const by = { caller: clientOf(request), session: sessionId, action: 'factor_unenrolled' } as const;
    const deleted = await deleteFactor(context.database, { userId: user.id, factorId: factor.id }, by);
    if (!deleted) throw needsSecondFactor();
    return json({ id: factor.id });
  },
});

const needsSecondFactor = () =>
  new NinefoldError('insufficient_aal', { status: 422, message: 'AAL2 required to unenroll verified factor' });
