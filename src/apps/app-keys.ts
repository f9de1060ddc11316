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
  readonly signingKey: SigningKey;
  /** What new access tokens are signed with. Tokens of either kind are accepted. */
  readonly signWith: 'ES256' | 'HS256';
}

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
