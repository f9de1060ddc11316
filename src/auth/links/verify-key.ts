import type { CallRequest } from '../../../contract/call-request.ts';
import type { OpenChallenge, StoredCredential } from '../../accounts/factors/factors.ts';
import {
  addedKeyProof,
  keyProof,
  type Proof,
  type Raised,
  raiseBySecondFactor,
} from '../../accounts/factors/verify-factor.ts';
import type { Factor } from '../../accounts/users/user.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AuthContext } from '../context.ts';
import { noteFactorAttempt } from '../hooks/attempt-hooks.ts';
import {
  assertionCounter,
  type NewCredential,
  newCredential,
  type RelyingParty,
  readAssertion,
  requireRelyingParty,
} from '../second-factors/web-authn.ts';
import type { MemberSession } from '../sessions/assurance.ts';
import { clientOf } from '../sign-in/token-reply.ts';

/** A challenge that the caller may answer. */
export type Challenge = OpenChallenge & { readonly id: string };

/**
 * Returns the response of a security key in a body.
 * @throws validation_failed
 */
export function requireKeyAnswer(
  webauthn: { type?: string | null | undefined; credential_response?: object | null | undefined } | null | undefined,
  factor: Factor,
): object {
  const invalid = (message: string) => new NinefoldError('validation_failed', { message });
  if (!webauthn) throw invalid('WebAuthn config required');
  const { type, credential_response: response } = webauthn;
  if (type !== 'create' && type !== 'request') throw invalid('WebAuthn type must be create or request');
  if (!response) throw invalid('credential_response required');
  if ((type === 'create') === (factor.status === 'verified')) {
    throw invalid(`WebAuthn type must be ${factor.status === 'verified' ? 'request' : 'create'} for this factor`);
  }
  return response;
}

/**
 * Raises the session by a security key. If the factor has no key yet, a new key completes its enrolment. Otherwise, the
 * key of the factor must answer the challenge.
 */
export async function verifyKey(
  context: AuthContext,
  request: CallRequest,
  { user, sessionId }: MemberSession,
  factor: Factor,
  challenge: Challenge,
  answer: object,
): Promise<Raised> {
  const { database, settings } = context;
  const party = requireRelyingParty(context);
  const expected = challenge.data?.challenge;
  if (typeof expected !== 'string') throw new NinefoldError('webauthn_verification_failed');
  const used = { id: challenge.id, seconds: settings.mfa_challenge_expiry_duration };
  const target = { userId: user.id, sessionId, factorId: factor.id, type: 'webauthn' } as const;
  let proof: Proof | null;
  if (factor.status === 'verified') {
    const counter = await counterOf(party, expected, answer, challenge.credential);
    proof = counter === null ? null : keyProof(used, counter);
  } else {
    const made = await newCredential(party, expected, answer);
    proof = made && addedKeyProof(target, used, { credential: JSON.stringify(stored(made)), aaguid: made.aaguid });
  }
  const tried = { userId: user.id, factorId: factor.id, type: 'webauthn', isRight: proof !== null };
  await noteFactorAttempt(context, request.address, tried);
  const raised = proof && (await raiseBySecondFactor(database, target, proof, clientOf(request)));
  if (!raised) throw new NinefoldError('webauthn_verification_failed');
  return raised;
}

function counterOf(
  party: RelyingParty,
  challenge: string,
  answer: object,
  key: StoredCredential | null,
): Promise<number | null> | null {
  const assertion = readAssertion(answer);
  const id = key && Buffer.from(key.id, 'base64').toString('base64url');
  if (!key || !assertion || assertion.id !== id) return null;
  const publicKey = Buffer.from(key.publicKey, 'base64').toString('base64url');
  return assertionCounter(party, challenge, assertion, {
    id,
    publicKey,
    counter: key.authenticator?.signCount ?? 0,
    transports: key.transport ?? [],
  });
}

const base64 = (base64url: string): string => Buffer.from(base64url, 'base64url').toString('base64');

const stored = (made: NewCredential): StoredCredential & Record<string, unknown> => ({
  id: base64(made.id),
  publicKey: base64(made.publicKey),
  attestationType: 'none',
  transport: made.transports,
  flags: {
    userPresent: true,
    userVerified: made.isUserVerified,
    backupEligible: made.isBackupEligible,
    backupState: made.isBackedUp,
  },
  authenticator: {
    AAGUID: Buffer.from(made.aaguid.replaceAll('-', ''), 'hex').toString('base64'),
    signCount: made.counter,
    cloneWarning: false,
  },
});
