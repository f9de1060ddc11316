/** The keys of one app: what its callers show, and what its tokens are signed with. */
export interface AppKeys {
  readonly ref: string;
  /** `sb_publishable_…`: role anon. */
  readonly publishableKey: string;
  /** `sb_secret_…`: role service_role. */
  readonly secretKey: string;
  /** The older form of the publishable key: a JWT of role anon, signed with `jwtSecret`. */
  readonly anonKey: string;
  /** The older form of the secret key: a JWT of role service_role, signed with `jwtSecret`. */
  readonly serviceRoleKey: string;
  /** HS256 secret, at least 32 characters. */
  readonly jwtSecret: string;
  /** The key pair that the app was made with. */
  readonly signingKey: SigningKey;
  /** The key that signs new access tokens while there is no `ring`. */
  readonly signWith: 'ES256' | 'HS256';
  /** Every key for access tokens, once a key was added, rotated or revoked. Read it with `keyRing`. */
  readonly ring?: readonly RingKey[];
  /** The API keys that were created or replaced after the app was made, and every revoked one; the newest first. */
  readonly apiKeys?: readonly ApiKey[];
}

/** An API key that is known by its hash. A secret key is nowhere else. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly kind: 'publishable' | 'secret';
  /** SHA-256 of the key, in base64url. */
  readonly hash: string;
  /** The first characters of the key, by which its owner recognises it. */
  readonly hint: string;
  /** ISO 8601; null for a key that the app was made with. */
  readonly createdAt: string | null;
  /** ISO 8601; null while the key is valid. */
  readonly revokedAt: string | null;
}

/** The API keys that an app is made with, by their ids. */
export const firstKeys = {
  publishable: { field: 'publishableKey', kind: 'publishable', name: 'Publishable key' },
  secret: { field: 'secretKey', kind: 'secret', name: 'Secret key' },
  anon: { field: 'anonKey', kind: 'publishable', name: 'anon (older kind)' },
  service_role: { field: 'serviceRoleKey', kind: 'secret', name: 'service_role (older kind)' },
} as const;

export type FirstKeyId = keyof typeof firstKeys;

export type KeyAlgorithm = 'ES256' | 'RS256' | 'EdDSA' | 'HS256';

/**
 * The state of a key. `standby`: published and accepted, signs nothing yet. `current`: signs new tokens. `previous`: its tokens are accepted
 * until they expire. `revoked`: its tokens are refused.
 */
export type KeyState = 'standby' | 'current' | 'previous' | 'revoked';

/** A key for access tokens. The key decides the algorithm, never the token. */
export interface RingKey {
  readonly kid: string;
  readonly alg: KeyAlgorithm;
  readonly state: KeyState;
  /** PKCS #8 in PEM; the bytes of an HS256 key in base64url. Null for the app's `jwtSecret`, and for a revoked key. */
  readonly secret: string | null;
  /** Null for HS256. */
  readonly publicJwk: Readonly<Record<string, unknown>> | null;
  /** ISO 8601. */
  readonly createdAt: string | null;
  /** When it got its state; ISO 8601. */
  readonly changedAt: string | null;
}

/** The key id of the app's `jwtSecret`; its tokens may name it or no key. */
export const JWT_SECRET_KID = 'jwt-secret';

/** An ES256 key pair (RFC 7518, section 3.4). */
export interface SigningKey {
  readonly kid: string;
  /** PKCS #8. */
  readonly privateKeyPem: string;
  readonly publicJwk: PublicJwk;
}

/** The public half, as `/auth/v1/.well-known/jwks.json` shows it (RFC 7517). */
export interface PublicJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly alg: 'ES256';
  readonly use: 'sig';
  readonly key_ops: readonly ['verify'];
}
