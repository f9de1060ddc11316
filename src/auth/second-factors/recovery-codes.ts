import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
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
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { readBody, text } from '../body.ts';
import type { AuthContext } from '../context.ts';
import { takeFromLimit } from '../rate-limit.ts';
import { json } from '../reply.ts';
import { requireSession } from '../sessions/assurance.ts';
import { presence, requirePresence } from '../sessions/proof-of-presence.ts';
import { countAttempt, reportFailure } from './second-factor-attempts.ts';
import { raisedReply } from './verify-factor.ts';

const TYPE = 'recovery_code';

/**
 * Handles GET /factors/recovery-codes: returns the number of unused recovery codes.
 * @throws mfa_factor_not_found if the account has no recovery codes
 */
export async function showRecoveryCodes(context: AuthContext, request: CallRequest): Promise<Reply> {
  const { user } = await requireSession(context, request);
  const status = await recoveryCodesStatus(context.database, user.id);
  if (!status) throw noCodes();
  return json({ id: status.id, type: TYPE, total: status.total, remaining: status.remaining });
}

const making = z.object({ friendly_name: text(limits.factorNameCharacters.default), ...presence });

const replacing = z.object(presence);

/**
 * Handles POST /factors/recovery-codes: creates recovery codes for a member with another verified factor. Only this
 * response contains them.
 * @throws the errors of `requirePresence`, insufficient_aal, mfa_recovery_codes_sole_factor, mfa_verified_factor_exists, mfa_factor_name_conflict
 */
export async function generateRecoveryCodes(context: AuthContext, request: CallRequest): Promise<Reply> {
  const member = await requireSession(context, request);
  const { user, sessionId, isWhole } = member;
  const { friendly_name: name = 'Recovery codes', ...shown } = readBody(request, making, { optional: true });
  if (!isWhole && user.factors?.some(({ status }) => status === 'verified')) throw needsSecondFactor();
  await requirePresence(context, request, member, shown);
  return codesReply(await makeRecoveryCodes(context.database, { userId: user.id, sessionId }, name, request));
}

/**
 * Handles POST /factors/recovery-codes/regenerate: replaces the codes of the set.
 * @throws the errors of `requirePresence`, insufficient_aal, mfa_factor_not_found
 */
export async function regenerateRecoveryCodes(context: AuthContext, request: CallRequest): Promise<Reply> {
  const member = await requireSession(context, request);
  const { user, sessionId, isWhole } = member;
  if (!isWhole) throw needsSecondFactor();
  await requirePresence(context, request, member, readBody(request, replacing, { optional: true }));
  return codesReply(await replaceRecoveryCodes(context.database, { userId: user.id, sessionId }, request));
}

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

/**
 * Handles DELETE /factors/recovery-codes: removes the codes.
 * @throws the errors of `requirePresence`, insufficient_aal, mfa_factor_not_found
 */
export async function removeRecoveryCodes(context: AuthContext, request: CallRequest): Promise<Reply> {
  const member = await requireSession(context, request);
  const { user, sessionId, isWhole } = member;
  const status = await recoveryCodesStatus(context.database, user.id);
  if (!status) throw noCodes();
  if (isWhole) await requirePresence(context, request, member, readBody(request, replacing, { optional: true }));
  const target = { userId: user.id, factorId: status.id };
  const by = { caller: { address: request.address }, session: sessionId, action: 'recovery_codes_deleted' } as const;
  const deleted = isWhole ? await deleteFactor(context.database, target, by) : null;
  if (!deleted) throw needsSecondFactor();
  return json({ id: status.id });
}

const showing = z.object({ code: text(limits.factorNameCharacters.default) });

/**
 * Handles POST /factors/recovery-codes/verify: uses a code up and raises the calling session to aal2.
 * @throws mfa_verification_failed for a wrong, used or unknown code; mfa_recovery_codes_locked after too many of these
 */
export async function verifyRecoveryCode(context: AuthContext, request: CallRequest): Promise<Reply> {
  const { user, sessionId } = await requireSession(context, request);
  await takeFromLimit(context, request, 'mfa');
  const { code } = readBody(request, showing);
  if (!code) throw new NinefoldError('validation_failed', { message: 'Code needs to be non-empty' });
  const proving = provenByCode(context, request, { userId: user.id, sessionId }, code);
  return raisedReply(context, request, await reportFailure(context, request, user.id, proving));
}

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
