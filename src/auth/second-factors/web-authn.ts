import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import type { User } from '../../accounts/users/user.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AuthContext } from '../context.ts';

/** The party for which a device creates a credential (WebAuthn Level 3, section 5.4.2). */
export interface RelyingParty {
  /** The id of the relying party: a domain. */
  readonly id: string;
  readonly name: string;
  /** The origins of the pages that may use the credentials. */
  readonly origins: readonly string[];
}

/**
 * Returns the relying party of the app's settings, else of the app's own origin. It does not depend on the request.
 * Returns null if the app has no own origin and its settings name none.
 */
function relyingPartyOf({ app, appOrigin, settings }: AuthContext): RelyingParty | null {
  const name = settings.webauthn_rp_display_name ?? app.ref;
  const origins = settings.webauthn_rp_origins.length > 0 ? settings.webauthn_rp_origins : appOrigin ? [appOrigin] : [];
  const id = settings.webauthn_rp_id ?? (appOrigin ? new URL(appOrigin).hostname : null);
  return id === null || origins.length === 0 ? null : { id, name, origins };
}

/** A public key that a device created. */
export interface Credential {
  /** The id of the credential in base64url. */
  readonly id: string;
  /** The public key in COSE format, in base64url. */
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
}

/** A new credential. */
export interface NewCredential extends Credential {
  readonly aaguid: string;
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
  readonly isUserVerified: boolean;
}

/** Loads the library when it is first needed, because loading costs time and memory, and most workers never need it. */
const load = () => import('@simplewebauthn/server');

/**
 * Returns the options that a page passes to navigator.credentials.create().
 * @param challenge Random bytes in base64url.
 */
export async function creationOptions(
  party: RelyingParty,
  user: User,
  options: { challenge: string; exclude: readonly string[]; isDiscoverable: boolean },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await load();
  const name = user.email || user.phone || user.id;
  const shown = user.user_metadata.name;
  return generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userID: new Uint8Array(Buffer.from(user.id)),
    userName: name,
    userDisplayName: typeof shown === 'string' && shown !== '' ? shown : name,
    challenge: new Uint8Array(Buffer.from(options.challenge, 'base64url')),
    timeout: limits.webauthnPromptSeconds.default * 1000,
    attestationType: 'none',
    excludeCredentials: options.exclude.map((id) => ({ id })),
    authenticatorSelection: {
      residentKey: options.isDiscoverable ? 'required' : 'preferred',
      userVerification: 'preferred',
    },
  });
}

/**
 * Returns the options that a page passes to navigator.credentials.get(). Without `allowed` the member chooses among all
 * of the app's passkeys.
 */
export async function requestOptions(
  party: RelyingParty,
  challenge: string,
  allowed: readonly Pick<Credential, 'id' | 'transports'>[] = [],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await load();
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: limits.webauthnPromptSeconds.default * 1000,
    userVerification: 'preferred',
    ...(allowed.length > 0 && {
      allowCredentials: allowed.map(({ id, transports }) => ({ id, transports: [...transports] as never })),
    }),
  });
}

const encoded = z.string().regex(/^[A-Za-z0-9_-]*$/);

const registration = z.object({
  id: encoded,
  rawId: encoded,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: encoded,
    attestationObject: encoded,
    transports: z
      .array(z.string().max(limits.factorNameCharacters.default))
      .max(limits.webauthnTransports.default)
      .nullish(),
  }),
});

/**
 * Returns the credential of a registration response; null if it is malformed or for another challenge, origin or
 * relying party. The attestation of the device is ignored. To verify it, the library would send requests to addresses
 * in the certificates of the attestation.
 */
export async function newCredential(
  party: RelyingParty,
  challenge: string,
  credential: unknown,
): Promise<NewCredential | null> {
  const { verifyRegistrationResponse } = await load();
  const parsed = registration.safeParse(credential);
  if (!parsed.success) return null;
  const { response, ...rest } = parsed.data;
  try {
    const attestationObject = await withoutAttestation(response.attestationObject);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...rest,
        clientExtensionResults: {},
        response: { clientDataJSON: response.clientDataJSON, attestationObject },
      } satisfies RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: false,
    });
    if (!verified) return null;
    const { credential: made, aaguid, credentialDeviceType, credentialBackedUp, userVerified } = registrationInfo;
    return {
      id: made.id,
      publicKey: Buffer.from(made.publicKey).toString('base64url'),
      counter: made.counter,
      transports: response.transports ?? [],
      aaguid,
      isBackupEligible: credentialDeviceType === 'multiDevice',
      isBackedUp: credentialBackedUp,
      isUserVerified: userVerified,
    };
  } catch {
    // The library throws for every invalid value that a client sends, so the result is null.
    return null;
  }
}

async function withoutAttestation(attestationObject: string): Promise<string> {
  const { decodeAttestationObject, isoCBOR } = await import('@simplewebauthn/server/helpers');
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
  const bare = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', decoded.get('authData')],
  ]);
  return Buffer.from(isoCBOR.encode(bare as never)).toString('base64url');
}

const assertion = z.object({
  id: encoded,
  rawId: encoded,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: encoded,
    authenticatorData: encoded,
    signature: encoded,
    userHandle: encoded.nullish(),
  }),
});

/** A well-formed response of a device to a request. */
export type Assertion = z.output<typeof assertion>;

/** Reads the response of a device; null if it is malformed. */
export const readAssertion = (credential: unknown): Assertion | null => assertion.safeParse(credential).data ?? null;

/**
 * Returns the counter of an assertion that the credential signed for this challenge, origin and relying party; null for
 * any other assertion. Refuses a counter that is not higher than the last one, because another device may have a copy
 * of the key (WebAuthn Level 3, section 6.1.1).
 */
export async function assertionCounter(
  party: RelyingParty,
  challenge: string,
  given: Assertion,
  known: Credential,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await load();
  const { userHandle, ...response } = given.response;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...given,
        clientExtensionResults: {},
        response: { ...response, ...(userHandle && { userHandle }) },
      } satisfies AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: false,
      credential: {
        id: known.id,
        publicKey: new Uint8Array(Buffer.from(known.publicKey, 'base64url')),
        counter: known.counter,
      },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    return null;
  }
}

/** Returns the relying party of an app. Throws passkey_disabled where there is none. */
export function requireRelyingParty(context: AuthContext): RelyingParty {
  const party = relyingPartyOf(context);
  if (party) return party;
  throw new NinefoldError('passkey_disabled', {
    message: 'The app has no origin of its own: set webauthn_rp_id and webauthn_rp_origins',
  });
}
