import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import {
  openRegistration,
  passkeyCredentialIds,
  storePasskey,
  useRegistration,
} from '../../accounts/factors/passkeys.ts';
import { required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { text } from '../body.ts';
import { authCall } from '../call.ts';
import type { Member } from '../callers.ts';
import { type AuthContext, timeOf } from '../context.ts';
import { json } from '../reply.ts';
import { type MemberSession, requireSession } from '../sessions/assurance.ts';
import { presence, requirePresence } from '../sessions/proof-of-presence.ts';
import { clientOf } from '../sign-in/token-reply.ts';
import { requireWholeForPasskeys } from './passkeys.ts';
import { creationOptions, newCredential, requireRelyingParty } from './web-authn.ts';

export const passkeyRegistrationOptions = authCall({
  id: 'auth.passkeys.registration.options',
  route: 'POST /passkeys/registration/options',
  caller: 'member',
  needs: { passkey_enabled: true },
  body: z.object(presence),
  errors: ['insufficient_aal', 'reauthentication_needed', 'reauthentication_not_valid', 'too_many_passkeys'],
  summary: 'Opens a challenge for a new passkey.',
  returns: 'challenge_id, options for navigator.credentials.create(), expires_at',
  example: {},
  handle: async (context, request, { member, readBody }) => {
    const { database, settings } = context;
    const session = await requireRegistrant(context, member);
    const { user } = session;
    const party = requireRelyingParty(context);
    await requirePresence(context, request, session, readBody({ optional: true }));
    const exclude = await passkeyCredentialIds(database, user.id);
    if (exclude.length >= settings.passkey_max_passkeys_per_user) throw new NinefoldError('too_many_passkeys');
    const challenge = randomBytes(32).toString('base64url');
    const options = await creationOptions(party, user, { challenge, exclude, isDiscoverable: true });
    const seconds = settings.webauthn_challenge_expiry_duration;
    const id = await openRegistration(database, user.id, challenge, {
      seconds,
      most: limits.openRegistrations.default,
    });
    return json({ challenge_id: id, options, expires_at: Math.floor(timeOf(context) / 1000) + seconds });
  },
});

/** The body of both calls that verify a passkey. */
export const passkeyAnswer = z.object({
  challenge_id: text(limits.factorNameCharacters.default).meta(required('The id of the challenge.')),
  credential: z
    .record(z.string(), z.unknown())
    .nullish()
    .meta(required('The answer of the device, as JSON.', 'object')),
});

/**
 * Returns the required fields of a body of `passkeyAnswer`.
 * @throws validation_failed
 */
export function requireAnswer(body: z.output<typeof passkeyAnswer>): { challengeId: string; credential: object } {
  const { challenge_id: challengeId, credential } = body;
  if (!challengeId) throw new NinefoldError('validation_failed', { message: 'challenge_id is required' });
  if (!credential) throw new NinefoldError('validation_failed', { message: 'credential is required' });
  if (!UUID.test(challengeId)) {
    throw new NinefoldError('validation_failed', { message: 'challenge_id must be a valid UUID' });
  }
  return { challengeId: challengeId.toLowerCase(), credential };
}

export const verifyPasskeyRegistration = authCall({
  id: 'auth.passkeys.registration.verify',
  route: 'POST /passkeys/registration/verify',
  caller: 'member',
  needs: { passkey_enabled: true },
  body: passkeyAnswer,
  errors: [
    'insufficient_aal',
    'too_many_passkeys',
    'webauthn_challenge_expired',
    'webauthn_challenge_not_found',
    'webauthn_credential_exists',
    'webauthn_verification_failed',
  ],
  summary: 'Stores the passkey that a device made for a challenge.',
  returns: 'id, friendly_name, created_at',
  supabaseJs: 'supabase.auth.registerPasskey()',
  handle: async (context, request, { member, readBody }) => {
    const { database, settings } = context;
    const { user } = await requireRegistrant(context, member);
    const party = requireRelyingParty(context);
    const { challengeId, credential } = requireAnswer(readBody());
    const used = await useRegistration(database, user.id, challengeId);
    if (!used) throw new NinefoldError('webauthn_challenge_not_found');
    if (used.hasExpired) throw new NinefoldError('webauthn_challenge_expired');
    const made = await newCredential(party, used.challenge, credential);
    if (!made) throw new NinefoldError('webauthn_verification_failed');
    const passkey = { ...made, friendlyName: authenticatorName(made.aaguid) };
    const max = settings.passkey_max_passkeys_per_user;
    const stored = await storePasskey(database, user.id, passkey, max, clientOf(request));
    if (stored === 'exists') throw new NinefoldError('webauthn_credential_exists');
    if (stored === 'many') throw new NinefoldError('too_many_passkeys');
    return json(stored);
  },
});

/** Returns a member who may add a passkey. */
async function requireRegistrant(context: AuthContext, caller: Member): Promise<MemberSession> {
  const member = await requireSession(context, caller);
  if (member.user.identities.some(({ provider }) => provider.startsWith('sso:'))) {
    throw new NinefoldError('validation_failed', { status: 422, message: 'SSO users cannot register passkeys' });
  }
  requireWholeForPasskeys(member);
  return member;
}

/** Password managers and platforms by the id of their authenticators (https://github.com/passkeydeveloper/passkey-authenticator-aaguids). */
const names: Readonly<Record<string, string>> = {
  'fbfc3007-154e-4ecc-8c0b-6e020557d7bd': 'Apple Passwords',
  'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4': 'Google Password Manager',
  'adce0002-35bc-c60a-648b-0b25f1f05503': 'Chrome on Mac',
  '08987058-cadc-4b81-b6e1-30de50dcbe96': 'Windows Hello',
  '9ddd1817-af5a-4672-a2b9-3e3dd95000a9': 'Windows Hello',
  '6028b017-b1d4-4c02-b4b3-afcdafc96bb2': 'Windows Hello',
  'bada5566-a7aa-401f-bd96-45619a55120d': '1Password',
  'd548826e-79b4-db40-a3d8-11116f7e8349': 'Bitwarden',
  '531126d6-e717-415c-9320-3d9aa6981239': 'Dashlane',
  'fdb141b2-5d84-443e-8a35-4698c205a502': 'KeePassXC',
  '50726f74-6f6e-5061-7373-50726f746f6e': 'Proton Pass',
  '53414d53-554e-4700-0000-000000000000': 'Samsung Pass',
};

/** Returns the name that a new passkey gets. */
const authenticatorName = (aaguid: string): string => names[aaguid] ?? 'Passkey';
