import { z } from 'zod';
import type { Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import type { AuditCaller } from '../../accounts/audit/audit.ts';
import { deleteFactor } from '../../accounts/factors/factors.ts';
import {
  makeRecoveryCodes,
  type RecoveryCodes,
  type RecoveryCodesRefusal,
  recoveryCodeProof,
  recoveryCodesStatus,
  replaceRecoveryCodes,
} from '../../accounts/factors/recovery-codes.ts';
import { type Raised, raiseBySecondFactor } from '../../accounts/factors/verify-factor.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { text } from '../body.ts';
import { authCall, SESSION } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { takeFromLimit } from '../rate-limit.ts';
import { json } from '../reply.ts';
import { requireSession } from '../sessions/assurance.ts';
import { presence, requirePresence } from '../sessions/proof-of-presence.ts';
import { countAttempt, reportFailure } from './second-factor-attempts.ts';
import { raisedReply } from './verify-factor.ts';

const TYPE = 'recovery_code';

export const showRecoveryCodes = authCall({
  id: 'auth.recovery_codes.show',
  route: 'GET /factors/recovery-codes',
  caller: 'member',
  errors: ['mfa_factor_not_found'],
  summary: 'How many recovery codes the member has left.',
  returns: 'id, type, total, remaining',
  supabaseJs: 'supabase.auth.mfa.recoveryCodes.getStatus()',
  handle: async (context, _request, { member }) => {
    const { user } = await requireSession(context, member);
    const status = await recoveryCodesStatus(context.database, user.id);
    if (!status) throw noCodes();
    return json({ id: status.id, type: TYPE, total: status.total, remaining: status.remaining });
  },
});

const making = z.object({
  friendly_name: text(limits.factorNameCharacters.default).meta(
    optional('The name of the set; Recovery codes when not given.'),
  ),
  ...presence,
});

const replacing = z.object(presence);

export const generateRecoveryCodes = authCall({
  id: 'auth.recovery_codes.generate',
  route: 'POST /factors/recovery-codes',
  caller: 'member',
  body: making,
  errors: [
    'insufficient_aal',
    'mfa_factor_name_conflict',
    'mfa_recovery_codes_sole_factor',
    'mfa_verified_factor_exists',
    'reauthentication_needed',
    'reauthentication_not_valid',
  ],
  summary: 'Makes ten one-time recovery codes, which replace a lost second factor, and shows them once.',
  returns: 'id, type, friendly_name, total, codes',
  example: { friendly_name: 'Recovery codes' },
  supabaseJs: 'supabase.auth.mfa.recoveryCodes.generate()',
  handle: async (context, request, { member, readBody }) => {
    const session = await requireSession(context, member);
    const { user, sessionId, isWhole } = session;
    const { friendly_name: name = 'Recovery codes', ...shown } = readBody({ optional: true });
    if (!isWhole && user.factors?.some(({ status }) => status === 'verified')) throw needsSecondFactor();
    await requirePresence(context, request, session, shown);
    return codesReply(await makeRecoveryCodes(context.database, { userId: user.id, sessionId }, name, request));
  },
});

export const regenerateRecoveryCodes = authCall({
  id: 'auth.recovery_codes.regenerate',
  route: 'POST /factors/recovery-codes/regenerate',
  caller: 'member',
  body: replacing,
  errors: ['insufficient_aal', 'mfa_factor_not_found', 'reauthentication_needed', 'reauthentication_not_valid'],
  summary: 'Replaces the recovery codes; the earlier ones stop working.',
  returns: 'id, type, friendly_name, total, codes',
  supabaseJs: 'supabase.auth.mfa.recoveryCodes.regenerate()',
  handle: async (context, request, { member, readBody }) => {
    const session = await requireSession(context, member);
    const { user, sessionId, isWhole } = session;
    if (!isWhole) throw needsSecondFactor();
    await requirePresence(context, request, session, readBody({ optional: true }));
    return codesReply(await replaceRecoveryCodes(context.database, { userId: user.id, sessionId }, request));
  },
});

function codesReply(made: RecoveryCodes | RecoveryCodesRefusal): Reply {
  if (typeof made !== 'string') return json({ ...made, type: TYPE, total: made.codes.length });
  switch (made) {
    case 'first-factor-only':
      throw needsSecondFactor();
    case 'exists':
      throw new NinefoldError('mfa_verified_factor_exists');
    case 'sole':
      throw new NinefoldError('mfa_recovery_codes_sole_factor');
    case 'name':
      throw new NinefoldError('mfa_factor_name_conflict');
    case 'none':
      throw noCodes();
  }
}

const needsSecondFactor = () =>
  new NinefoldError('insufficient_aal', { message: 'AAL2 session is required to manage recovery codes' });

const noCodes = () => new NinefoldError('mfa_factor_not_found', { message: 'No recovery codes were generated' });

export const removeRecoveryCodes = authCall({
  id: 'auth.recovery_codes.remove',
  route: 'DELETE /factors/recovery-codes',
  caller: 'member',
  body: replacing,
  errors: ['insufficient_aal', 'mfa_factor_not_found', 'reauthentication_needed', 'reauthentication_not_valid'],
  summary: 'Removes the recovery codes.',
  returns: 'id',
  supabaseJs: 'supabase.auth.mfa.recoveryCodes.unenroll()',
  handle: async (context, request, { member, readBody }) => {
    const session = await requireSession(context, member);
    const { user, sessionId, isWhole } = session;
    const status = await recoveryCodesStatus(context.database, user.id);
    if (!status) throw noCodes();
    if (isWhole) await requirePresence(context, request, session, readBody({ optional: true }));
    const target = { userId: user.id, factorId: status.id };
    const by = { caller: { address: request.address }, session: sessionId, action: 'recovery_codes_deleted' } as const;
    const deleted = isWhole ? await deleteFactor(context.database, target, by) : null;
    if (!deleted) throw needsSecondFactor();
    return json({ id: status.id });
  },
});

const showing = z.object({
  code: text(limits.factorNameCharacters.default).meta(
    required('A code that was not used. Letter case, blanks and hyphens do not count.'),
  ),
});

/** A wrong, a used and an unknown code get the same error. */
export const verifyRecoveryCode = authCall({
  id: 'auth.recovery_codes.verify',
  route: 'POST /factors/recovery-codes/verify',
  caller: 'member',
  body: showing,
  errors: ['mfa_recovery_codes_locked', 'mfa_verification_failed'],
  runsHooks: true,
  summary: 'Uses a recovery code up, and raises the session to aal2.',
  returns: `a session: ${SESSION}`,
  example: { code: 'k4m9-x7qp-2ab8-ht3z' },
  supabaseJs: "supabase.auth.mfa.recoveryCodes.verify({ code: 'k4m9-x7qp-2ab8-ht3z' })",
  handle: async (context, request, { member, readBody }) => {
    const { user, sessionId } = await requireSession(context, member);
    await takeFromLimit(context, request, 'mfa');
    const { code } = readBody();
    if (!code) throw new NinefoldError('validation_failed', { message: 'Code needs to be non-empty' });
    const proving = provenByCode(context, request, { userId: user.id, sessionId }, code);
    return raisedReply(context, request, await reportFailure(context, request, user.id, proving));
  },
});

async function provenByCode(
  context: AuthContext,
  caller: AuditCaller,
  { userId, sessionId }: { userId: string; sessionId: string },
  code: string,
): Promise<Raised> {
  const attempt = await countAttempt(context, userId, 'mfa_recovery_codes_locked');
  const status = await recoveryCodesStatus(context.database, userId);
  if (!status) throw wrongCode();
  const target = { userId, sessionId, factorId: status.id, type: TYPE } as const;
  const proof = recoveryCodeProof(status.id, code, attempt);
  const raised = await raiseBySecondFactor(context.database, target, proof, caller);
  if (raised === null) throw wrongCode();
  return raised;
}

const wrongCode = () => new NinefoldError('mfa_verification_failed', { message: 'Invalid recovery code entered' });
