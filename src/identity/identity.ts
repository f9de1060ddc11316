/** True for a caller without a session and without a secret key. */
export const isAnonymous = ({ source, role, userId }: Identity): boolean =>
  source === 'none' ||
  source === 'publishable-key' ||
  ((source === 'token' || source === 'external-token') && role === 'anon' && userId === null);

/** The caller of a request: a database role and the claims that policies see. */
export interface Identity {
  /** The database role of the call: anon, authenticated, service_role, or one of the app's own. */
  readonly role: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** `claims` as JSON, made once: the value of `request.jwt.claims`. */
  readonly claimsJson: string;
  /** `sub` of an access token; null for keys. */
  readonly userId: string | null;
  /** `session_id` of an access token issued here; null for keys and foreign tokens. */
  readonly sessionId: string | null;
  readonly source: 'none' | 'publishable-key' | 'secret-key' | 'token' | 'external-token' | 'builder';
}
