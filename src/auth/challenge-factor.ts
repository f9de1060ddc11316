import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import { findFactor, openChallenge } from '../accounts/factors.ts';
import type { Factor } from '../accounts/user.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { challengeAddress, type MemberSession, requireId, requireSession } from './assurance.ts';
import type { AuthContext } from './context.ts';
import { json } from './reply.ts';

/** POST /factors/<id>/challenge: opens a challenge to a factor, which the same client answers with `verify`. */
export async function challengeFactor(context: AuthContext, exchange: Exchange, segment: string): Promise<Reply> {
  const { settings } = context;
  const member = await requireSession(context, exchange);
  const factor = await requireFactor(context, member.user.id, segment);
  switch (factor.factor_type) {
    case 'totp':
      if (!settings.mfa_totp_verify_enabled) throw new NinefoldError('mfa_totp_verify_not_enabled');
      return challengeTotp(context, exchange, member, factor);
    default:
      throw new NinefoldError('validation_failed', { message: 'factor_type needs to be totp, phone, or webauthn' });
  }
}

async function challengeTotp(
  context: AuthContext,
  exchange: Exchange,
  member: MemberSession,
  factor: Factor,
): Promise<Reply> {
  const seconds = context.settings.mfa_challenge_expiry_duration;
  const challenge = await openChallenge(
    context.database,
    { factorId: factor.id, userId: member.user.id, address: challengeAddress(exchange), data: null },
    { seconds, most: limits.openChallenges.default },
  );
  if (challenge === null) throw new NinefoldError('mfa_factor_not_found');
  return json({
    id: challenge.id,
    type: factor.factor_type,
    expires_at: Math.floor(challenge.createdAt / 1000) + seconds,
  });
}

/** Returns the factor of an account that a path names. Throws validation_failed, mfa_factor_not_found. */
export async function requireFactor(context: AuthContext, userId: string, segment: string): Promise<Factor> {
  const factor = await findFactor(context.database, userId, requireId(segment, 'factor_id'));
  if (!factor) throw new NinefoldError('mfa_factor_not_found');
  return factor;
}
