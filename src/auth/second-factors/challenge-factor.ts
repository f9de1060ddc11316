import { randomBytes } from 'node:crypto';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { findFactor, openChallenge, verifiedCredentials } from '../../accounts/factors/factors.ts';
import type { Factor } from '../../accounts/users/user.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { authCall, SOME_ID } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { takeFromLimit } from '../rate-limit.ts';
import { json } from '../reply.ts';
import { challengeAddress, type MemberSession, requireId, requireSession } from '../sessions/assurance.ts';
import { challengePhone } from './phone-factor.ts';
import { creationOptions, requestOptions, requireRelyingParty } from './web-authn.ts';

export const challengeFactor = authCall({
  id: 'auth.factors.challenge',
  route: 'POST /factors/{factor_id}/challenge',
  caller: 'member',
  errors: [
    'mfa_factor_not_found',
    'mfa_phone_verify_not_enabled',
    'mfa_totp_verify_not_enabled',
    'mfa_webauthn_verify_not_enabled',
    'over_sms_send_rate_limit',
    'passkey_disabled',
    'sms_send_failed',
  ],
  runsHooks: true,
  summary:
    'Opens a challenge to a second factor, which is answered from the same network address. A phone gets a text with a code.',
  returns: 'id, type, expires_at in seconds since 1970',
  supabaseJs: `supabase.auth.mfa.challenge({ factorId: '${SOME_ID}' })`,
  handle: async (context, request, { member, path }) => {
    const { settings } = context;
    const session = await requireSession(context, member);
    await takeFromLimit(context, request, 'mfa');
    const factor = await requireFactor(context, session.user.id, path.factor_id);
    switch (factor.factor_type) {
      case 'totp':
        if (!settings.mfa_totp_verify_enabled) throw new NinefoldError('mfa_totp_verify_not_enabled');
        return json(await challengeReply(context, request, session, factor, null));
      case 'webauthn':
        if (!settings.mfa_web_authn_verify_enabled) throw new NinefoldError('mfa_webauthn_verify_not_enabled');
        return challengeKey(context, request, session, factor);
      case 'phone':
        if (!settings.mfa_phone_verify_enabled) throw new NinefoldError('mfa_phone_verify_not_enabled');
        return challengePhone(context, request, session, factor, (code) =>
          challengeReply(context, request, session, factor, null, code),
        );
      default:
        throw new NinefoldError('validation_failed', { message: 'factor_type needs to be totp, phone, or webauthn' });
    }
  },
});

/** Opens a challenge and returns the response with its id. */
async function challengeReply(
  { database, settings }: AuthContext,
  request: CallRequest,
  member: MemberSession,
  factor: Factor,
  data: object | null,
  code?: string,
) {
  const seconds = settings.mfa_challenge_expiry_duration;
  const challenge = await openChallenge(
    database,
    { factorId: factor.id, userId: member.user.id, address: challengeAddress(request), data, ...(code && { code }) },
    { seconds, most: limits.openChallenges.default },
  );
  if (challenge === null) throw new NinefoldError('mfa_factor_not_found');
  return {
    id: challenge.id,
    type: factor.factor_type,
    expires_at: Math.floor(challenge.createdAt / 1000) + seconds,
  };
}

/**
 * Opens a challenge to a security key. While the factor is not verified, the challenge requests a new key, otherwise
 * the key of the factor.
 */
async function challengeKey(
  context: AuthContext,
  request: CallRequest,
  member: MemberSession,
  factor: Factor,
): Promise<Reply> {
  const { user } = member;
  const party = requireRelyingParty(context);
  const challenge = randomBytes(32).toString('base64url');
  const known = (await verifiedCredentials(context.database, user.id)).map(({ factorId, credential }) => ({
    factorId,
    id: Buffer.from(credential.id, 'base64').toString('base64url'),
    transports: credential.transport ?? [],
  }));
  const isNew = factor.status !== 'verified';
  const publicKey = isNew
    ? await creationOptions(party, user, { challenge, exclude: known.map(({ id }) => id), isDiscoverable: false })
    : await requestOptions(
        party,
        challenge,
        known.filter(({ factorId }) => factorId === factor.id),
      );
  const opened = await challengeReply(context, request, member, factor, { challenge });
  return json({ ...opened, webauthn: { type: isNew ? 'create' : 'request', credential_options: { publicKey } } });
}

/**
 * Returns the factor of an account that a path names.
 * @throws validation_failed, mfa_factor_not_found
 */
export async function requireFactor(context: AuthContext, userId: string, segment: string): Promise<Factor> {
  const factor = await findFactor(context.database, userId, requireId(segment, 'factor_id'));
  if (!factor) throw new NinefoldError('mfa_factor_not_found');
  return factor;
}
