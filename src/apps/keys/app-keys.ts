/** The keys of one app, which its clients send or which sign its tokens. */
export interface AppKeys {
  readonly ref: string;
  /** Key `sb_publishable_…` with the role anon. */
  readonly publishableKey: string;
  /** Key `sb_secret_…` with the role service_role. */
  readonly secretKey: string;
  /** Legacy form of the publishable key: a JWT with the role anon, signed with `jwtSecret`. */
  readonly anonKey: string;
  /** Legacy form of the secret key: a JWT with the role service_role, signed with `jwtSecret`. */
  readonly serviceRoleKey: string;
  /** HS256 secret, at least 32 characters. */
  readonly jwtSecret: string;
  /** Key pair with which the app was created. */
  readonly signingKey: SigningKey;
  /** Algorithm of new access tokens while there is no `ring`. */
  readonly signWith: 'ES256' | 'HS256';
  /** All keys for access tokens, after a key was added, rotated or revoked. Use `keyRing` to read it. */
  readonly ring?: readonly RingKey[];
  /** The API keys that were added after the creation of the app, and all revoked keys, newest first. */
  readonly apiKeys?: readonly ApiKey[];
}

/** A stored API key. Only its hash is stored; Ninefold does not store a secret key itself. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly kind: 'publishable' | 'secret';
  /** SHA-256 of the key, in base64url. */
  readonly hash: string;
  /** The first characters of the key, by which its owner recognises it. */
  readonly hint: string;
  /** Time of creation in ISO 8601; null for a key that the app was created with. */
  readonly createdAt: string | null;
  /** Time of the revocation in ISO 8601; null while the key is valid. */
  readonly revokedAt: string | null;
}

/** The API keys with which an app is created, by their ids. */
export const firstKeys = {
  publishable: { field: 'publishableKey', kind: 'publishable', name: 'Publishable key' },
  secret: { field: 'secretKey', kind: 'secret', name: 'Secret key' },
  anon: { field: 'anonKey', kind: 'publishable', name: 'anon (older kind)' },
  service_role: { field: 'serviceRoleKey', kind: 'secret', name: 'service_role (older kind)' },
} as const;

export type FirstKeyId = keyof typeof firstKeys;

export type KeyAlgorithm = 'ES256' | 'RS256' | 'EdDSA' | 'HS256';

/**
 * State of a key. `standby`: published and accepted, but does not sign yet. `current`: signs new tokens. `previous`:
 * its tokens are accepted until they expire. `revoked`: its tokens are rejected.
 */
export type KeyState = 'standby' | 'current' | 'previous' | 'revoked';

/** A key for access tokens. The algorithm of a signature comes from the key and never from the token. */
export interface RingKey {
  readonly kid: string;
  readonly alg: KeyAlgorithm;
  readonly state: KeyState;
  /**
   * Private key as PKCS #8 in PEM; bytes of an HS256 key in base64url. Null for the app's `jwtSecret`, and for a
   * revoked key.
   */
  readonly secret: string | null;
  /** The public part of the key as a JWK; null for HS256. */
  readonly publicJwk: Readonly<Record<string, unknown>> | null;
  /** Time of creation in ISO 8601; null for a key that the app was created with. */
  readonly createdAt: string | null;
  /** Time of the last change of its state, ISO 8601. */
  readonly changedAt: string | null;
}

/** Key id of the app's `jwtSecret`. Its tokens have this key id or none. */
export const JWT_SECRET_KID = 'jwt-secret';

/** An ES256 key pair (RFC 7518, section 3.4). */
export interface SigningKey {
  readonly kid: string;
  /** Private key as PKCS #8. */
  readonly privateKeyPem: string;
  readonly publicJwk: PublicJwk;
}

/** Public key in the format of `/auth/v1/.well-known/jwks.json` (RFC 7517). */
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
