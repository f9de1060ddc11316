import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { findPasskey, isChallengeUsed, openPasskeySession } from '../../accounts/factors/passkeys.ts';
import type { Grant } from '../../accounts/sessions/sessions.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { readBody } from '../body.ts';
import { authCall, SESSION } from '../call.ts';
import { type AuthContext, timeOf } from '../context.ts';
import { takeFromLimit } from '../rate-limit.ts';
import { json } from '../reply.ts';
import { clientOf, tokenReply } from '../sign-in/token-reply.ts';
import { challengeOf, madeAt, makePasskeyChallenge } from './passkey-challenge.ts';
import { passkeyAnswer, requireAnswer } from './register-passkey.ts';
import { assertionCounter, readAssertion, requestOptions, requireRelyingParty } from './web-authn.ts';

export const passkeyAuthenticationOptions = authCall({
  id: 'auth.passkeys.authentication.options',
  route: 'POST /passkeys/authentication/options',
  caller: 'anyone',
  needs: { passkey_enabled: true },
  errors: [],
  summary: 'Makes a challenge for a sign-in with a passkey, without a name.',
  returns: 'challenge_id, options for navigator.credentials.get(), expires_at',
  example: {},
  handle: async (context, request) => {
    await takeFromLimit(context, request, 'passkey');
    const now = timeOf(context);
    const { id, challenge } = makePasskeyChallenge(context.app, now);
    const options = await requestOptions(requireRelyingParty(context), challenge);
    const expires = Math.floor(now / 1000) + context.settings.webauthn_challenge_expiry_duration;
    return json({ challenge_id: id, options, expires_at: expires });
  },
});

export const signInWithPasskey = authCall({
  id: 'auth.passkeys.authentication.verify',
  route: 'POST /passkeys/authentication/verify',
  caller: 'anyone',
  needs: { passkey_enabled: true },
  body: passkeyAnswer,
  errors: [
    'email_not_confirmed',
    'user_banned',
    'webauthn_challenge_expired',
    'webauthn_challenge_not_found',
    'webauthn_verification_failed',
  ],
  runsHooks: true,
  summary: 'Signs in with a passkey.',
  returns: `a session: ${SESSION}`,
  supabaseJs: 'supabase.auth.signInWithPasskey()',
  handle: async (context, request) => {
    return tokenReply(context, request, await grantForPasskey(context, request));
  },
});

/**
 * Opens a session for the account of the passkey in the body. An unknown passkey and a wrong signature get the same
 * error. Only the holder of a passkey learns whether its account is banned or unconfirmed.
 *
 * @throws webauthn_challenge_not_found, webauthn_challenge_expired, webauthn_verification_failed, email_not_confirmed,
 * user_banned
 */
export async function grantForPasskey(context: AuthContext, request: CallRequest): Promise<Grant> {
  const { app, database, events } = context;
  if (!context.settings.passkey_enabled) throw new NinefoldError('passkey_disabled');
  await takeFromLimit(context, request, 'passkey');
  const party = requireRelyingParty(context);
  const { challengeId, credential } = requireAnswer(readBody(request, passkeyAnswer));
  const made = requireFresh(context, challengeId);
  const assertion = readAssertion(credential);
  const passkey = assertion && (await findPasskey(database, assertion.id));
  const counter =
    assertion && passkey && belongs(assertion.response.userHandle, passkey.userId)
      ? await assertionCounter(party, challengeOf(app, challengeId), assertion, {
          ...passkey,
          id: assertion.id,
          transports: [],
        })
      : null;
  const { address } = request;
  if (!passkey || counter === null) {
    events.emit({ type: 'auth', what: 'sign-in-failed', app: app.ref, userId: passkey?.userId ?? null, address });
    // The counter of a replayed response is not higher than the stored one. The used challenge is checked first,
    // because GoTrue reports that error.
    const isUsed = await isChallengeUsed(database, challengeId);
    throw new NinefoldError(isUsed ? 'webauthn_challenge_not_found' : 'webauthn_verification_failed');
  }
  if (!passkey.isConfirmed) throw new NinefoldError('email_not_confirmed', { status: 403 });
  if (passkey.isBanned) throw new NinefoldError('user_banned', { status: 403 });
  // The challenge is stored as used for as long as the longest allowed setting could accept it.
  const [, longest] = limits.webauthnChallengeSeconds.range;
  const use = { challengeId, expiresAt: made + longest * 1000, counter };
  const grant = await openPasskeySession(database, passkey, use, clientOf(request));
  if (grant === null) throw new NinefoldError('webauthn_challenge_not_found');
  events.emit({ type: 'auth', what: 'signed-in', app: app.ref, userId: grant.user.id, address });
  return grant;
}

/** Returns the time of a challenge that is still valid. */
function requireFresh(context: AuthContext, challengeId: string): number {
  const made = madeAt(challengeId);
  const now = timeOf(context);
  if (made === null || made > now + limits.clockLeewaySeconds.default * 1000) {
    throw new NinefoldError('webauthn_challenge_not_found');
  }
  if (now > made + context.settings.webauthn_challenge_expiry_duration * 1000) {
    throw new NinefoldError('webauthn_challenge_expired');
  }
  return made;
}

/**
 * Returns true if the user handle that the device sends belongs to the account. The device got the handle at the
 * registration.
 */
const belongs = (userHandle: string | null | undefined, userId: string): boolean =>
  Buffer.from(userHandle ?? '', 'base64url').toString() === userId;
