import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { deleteChallenge, findChallenge } from '../../accounts/factors/factors.ts';
import { totpStep } from '../../accounts/factors/totp.ts';
import { type Raised, raiseBySecondFactor, totpProof } from '../../accounts/factors/verify-factor.ts';
import type { Factor } from '../../accounts/users/user.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { text } from '../body.ts';
import { authCall, SESSION, SOME_ID } from '../call.ts';
import { type AuthContext, timeOf } from '../context.ts';
import { noteFactorAttempt } from '../hooks/attempt-hooks.ts';
import { type Challenge, requireKeyAnswer, verifyKey } from '../links/verify-key.ts';
import { takeFromLimit } from '../rate-limit.ts';
import { challengeAddress, hasSecondFactor, type MemberSession, requireSession } from '../sessions/assurance.ts';
import { clientOf, tokenReply } from '../sign-in/token-reply.ts';
import { requireFactor } from './challenge-factor.ts';
import { verifyPhone } from './phone-factor.ts';
import { countAttempt, reportFailure } from './second-factor-attempts.ts';

const schema = z.object({
  challenge_id: text(limits.factorNameCharacters.default).meta(required('The id of the challenge.')),
  code: text(limits.factorNameCharacters.default).meta(optional('The code of the authenticator app or of the text.')),
  webauthn: z
    .object({
      type: z.string().nullish(),
      credential_response: z.record(z.string(), z.unknown()).nullish(),
    })
    .nullish(),
});

/**
 * If the factor is not verified yet, the call completes its enrolment. A challenge that was used, or that another
 * address opened, gets mfa_ip_address_mismatch.
 */
export const verifyFactor = authCall({
  id: 'auth.factors.verify',
  route: 'POST /factors/{factor_id}/verify',
  caller: 'member',
  body: schema,
  errors: [
    'insufficient_aal',
    'mfa_challenge_expired',
    'mfa_factor_not_found',
    'mfa_ip_address_mismatch',
    'mfa_phone_verify_not_enabled',
    'mfa_totp_verify_not_enabled',
    'mfa_verification_failed',
    'mfa_webauthn_verify_not_enabled',
    'passkey_disabled',
    'webauthn_verification_failed',
  ],
  runsHooks: true,
  summary: 'Answers a challenge, and raises the session to aal2. Other sessions with a first factor only end.',
  returns: `a session: ${SESSION}`,
  example: { challenge_id: SOME_ID, code: '123456' },
  supabaseJs: `supabase.auth.mfa.verify({ factorId: '${SOME_ID}', challengeId: '${SOME_ID}', code: '123456' })`,
  handle: async (context, request, { member, path, readBody }) => {
    const { settings } = context;
    const session = await requireSession(context, member);
    await takeFromLimit(context, request, 'mfa');
    const factor = await requireFactor(context, session.user.id, path.factor_id);
    const { challenge_id: challengeId, code, webauthn } = readBody();
    if (factor.status !== 'verified' && hasSecondFactor(session.user) && !session.isWhole) {
      throw new NinefoldError('insufficient_aal', { message: 'AAL2 required to verify a new factor' });
    }
    const reported = (proving: Promise<Raised>) => reportFailure(context, request, session.user.id, proving);
    const settled = (raised: Raised) => raisedReply(context, request, raised);
    switch (factor.factor_type) {
      case 'totp': {
        if (!code) throw new NinefoldError('validation_failed', { message: 'Code needs to be non-empty' });
        if (!settings.mfa_totp_verify_enabled) throw new NinefoldError('mfa_totp_verify_not_enabled');
        const challenge = await requireChallenge(context, request, session, factor, challengeId);
        return settled(await reported(verifyTotp(context, request, session, factor, challenge, code)));
      }
      case 'phone': {
        if (!code) throw new NinefoldError('validation_failed', { message: 'Code needs to be non-empty' });
        if (!settings.mfa_phone_verify_enabled) throw new NinefoldError('mfa_phone_verify_not_enabled');
        const challenge = await requireChallenge(context, request, session, factor, challengeId);
        return settled(await reported(verifyPhone(context, request, session, factor, challenge, code)));
      }
      case 'webauthn': {
        if (!settings.mfa_web_authn_verify_enabled) throw new NinefoldError('mfa_webauthn_verify_not_enabled');
        const answer = requireKeyAnswer(webauthn, factor);
        const challenge = await requireChallenge(context, request, session, factor, challengeId);
        return settled(await reported(verifyKey(context, request, session, factor, challenge, answer)));
      }
      default:
        throw new NinefoldError('validation_failed', { message: 'factor_type needs to be totp, phone, or webauthn' });
    }
  },
});

/** Returns a challenge that the caller may answer. */
async function requireChallenge(
  { database, settings }: AuthContext,
  request: CallRequest,
  { user }: MemberSession,
  factor: Factor,
  challengeId: string | undefined,
): Promise<Challenge> {
  if (!challengeId || !UUID.test(challengeId)) {
    throw new NinefoldError('validation_failed', { message: 'challenge_id must be an UUID' });
  }
  const address = challengeAddress(request);
  const seconds = settings.mfa_challenge_expiry_duration;
  const wanted = { userId: user.id, factorId: factor.id, challengeId, address, seconds };
  const challenge = await findChallenge(database, wanted);
  if (!challenge) {
    throw new NinefoldError('mfa_factor_not_found', {
      status: 422,
      message: 'MFA factor with the provided challenge ID not found',
    });
  }
  if (!challenge.mayAnswer) throw new NinefoldError('mfa_ip_address_mismatch');
  if (challenge.hasExpired) {
    await deleteChallenge(database, challengeId);
    throw new NinefoldError('mfa_challenge_expired', {
      message: `MFA challenge ${challengeId} has expired, verify against another challenge or create a new challenge.`,
    });
  }
  return { ...challenge, id: challengeId };
}

async function verifyTotp(
  context: AuthContext,
  request: CallRequest,
  { user, sessionId }: MemberSession,
  factor: Factor,
  challenge: Challenge,
  code: string,
): Promise<Raised> {
  const { database, settings } = context;
  const attempt = await countAttempt(context, user.id);
  const step = challenge.secret === null ? null : await totpStep(challenge.secret, code, timeOf(context));
  const tried = { userId: user.id, factorId: factor.id, type: 'totp', isRight: step !== null };
  await noteFactorAttempt(context, request.address, tried);
  if (step === null) throw wrongCode();
  const proof = totpProof({ id: challenge.id, seconds: settings.mfa_challenge_expiry_duration }, step, attempt);
  const target = { userId: user.id, sessionId, factorId: factor.id, type: 'totp' } as const;
  const raised = await raiseBySecondFactor(database, target, proof, clientOf(request));
  if (raised === null) throw wrongCode();
  return raised;
}

const wrongCode = () => new NinefoldError('mfa_verification_failed', { message: 'Invalid TOTP code entered' });

/** Returns the HTTP response to a proof that raised the session. */
export function raisedReply(context: AuthContext, request: CallRequest, { grant }: Raised): Promise<Reply> {
  const { address } = request;
  const userId = grant.user.id;
  context.events.emit({ type: 'auth', what: 'second-factor-verified', app: context.app.ref, userId, address });
  return tokenReply(context, request, grant, { issue: 'changed' });
}
