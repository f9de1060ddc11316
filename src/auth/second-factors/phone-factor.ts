import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { isChallengeCode } from '../../accounts/factors/factors.ts';
import { codeProof, type Raised, raiseBySecondFactor } from '../../accounts/factors/verify-factor.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';
import type { Factor } from '../../accounts/users/user.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { readBody, text } from '../body.ts';
import type { AuthContext } from '../context.ts';
import { noteFactorAttempt } from '../hooks/attempt-hooks.ts';
import type { Challenge } from '../links/verify-key.ts';
import { checkChannel, makeText, requireText, sendText, storedText } from '../phone/send-text.ts';
import { json } from '../reply.ts';
import type { MemberSession } from '../sessions/assurance.ts';
import { clientOf } from '../sign-in/token-reply.ts';
import { countAttempt } from './second-factor-attempts.ts';

const schema = z.object({ channel: text(limits.authFieldCharacters.default) });

/**
 * Opens a challenge to a phone number and sends its code.
 *
 * @param open Opens a challenge with this code.
 * @throws over_sms_send_rate_limit, sms_send_failed
 */
export async function challengePhone(
  context: AuthContext,
  request: CallRequest,
  { user }: MemberSession,
  factor: Factor,
  open: (code: string) => Promise<object>,
): Promise<Reply> {
  const { channel } = readBody(request, schema, { optional: true });
  checkChannel(channel);
  const phone = factor.phone ?? '';
  await requireText(context, request, 'mfa_sms', phone, `${user.id} ${phone}`);
  const text = makeText(context, 'sms_mfa', phone);
  const opened = await open(text.code);
  await runAsAuthAdmin(context.database, storedText(user.id, text));
  await sendText(context, request, text, { userId: user.id, waits: true });
  return json(opened);
}

/**
 * Raises the session that sends the code of a challenge.
 * @throws mfa_verification_failed, over_request_rate_limit
 */
export async function verifyPhone(
  context: AuthContext,
  request: CallRequest,
  { user, sessionId }: MemberSession,
  factor: Factor,
  challenge: Challenge,
  code: string,
): Promise<Raised> {
  const { database, settings } = context;
  const attempt = await countAttempt(context, user.id);
  const isRight = isChallengeCode(challenge, code);
  await noteFactorAttempt(context, request.address, { userId: user.id, factorId: factor.id, type: 'phone', isRight });
  if (!isRight) throw wrongCode();
  const proof = codeProof({ id: challenge.id, seconds: settings.mfa_challenge_expiry_duration }, attempt);
  const target = { userId: user.id, sessionId, factorId: factor.id, type: 'phone' } as const;
  const raised = await raiseBySecondFactor(database, target, proof, clientOf(request));
  if (raised === null) throw wrongCode();
  return raised;
}

const wrongCode = () => new NinefoldError('mfa_verification_failed', { message: 'Invalid MFA Phone code entered' });
