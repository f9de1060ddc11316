/** Returns true for a caller without a session and without a secret key. */
export const isAnonymous = ({ source, role, userId }: Identity): boolean =>
  source === 'none' ||
  source === 'publishable-key' ||
  ((source === 'token' || source === 'external-token') && role === 'anon' && userId === null);

/** The caller of a request: a database role and the claims that policies read. */
export interface Identity {
  /** Database role of the request: anon, authenticated, service_role, or a role of the app. */
  readonly role: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** `claims` as JSON, serialized once: the value of `request.jwt.claims`. */
  readonly claimsJson: string;
  /** Claim `sub` of an access token; null for keys. */
  readonly userId: string | null;
  /** Claim `session_id` of an access token of this app; null for keys and foreign tokens. */
  readonly sessionId: string | null;
  readonly source: 'none' | 'publishable-key' | 'secret-key' | 'token' | 'external-token' | 'builder';
}

/** The service role, for builders and for reads that no policy decides. */
export const serviceRole: Identity = {
  role: 'service_role',
  claims: { role: 'service_role' },
  claimsJson: '{"role":"service_role"}',
  userId: null,
  sessionId: null,
  source: 'builder',
};
