import type { AppKeys } from '../apps/keys/app-keys.ts';
import { hs256, signHs256 } from '../apps/keys/sign-jwt.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from './identity.ts';

const AUDIENCE = 'ninefold-console';

/**
 * Returns the keys for tokens of builders' sessions. They differ from the console's own keys, so that a token of a
 * builder's session is not a valid access token, and an access token is not valid as such a token.
 */
export const builderKeys = (console: AppKeys): AppKeys => ({
  ...console,
  jwtSecret: hs256(AUDIENCE, console.jwtSecret),
});

/**
 * Signs the token of a builder's session.
 * @param options.nowSeconds Seconds since 1970.
 */
export function issueBuilderToken(
  console: AppKeys,
  session: BuilderSession,
  options: { nowSeconds: number; lifetimeSeconds: number },
): string {
  const { nowSeconds, lifetimeSeconds } = options;
  const claims = {
    aud: AUDIENCE,
    sub: session.userId,
    session_id: session.id,
    aal: session.aal,
    role: 'authenticated',
    iat: nowSeconds,
    exp: nowSeconds + lifetimeSeconds,
  };
  return signHs256(claims, builderKeys(console).jwtSecret);
}

/** A builder's session, from the claims of its token. */
export interface BuilderSession {
  readonly id: string;
  readonly userId: string;
  /** The assurance level in the token or the current assurance level of the session, whichever is lower. */
  readonly aal: string;
}

/**
 * Returns the session of a verified token.
 * @throws NinefoldError PGRST301 if the token was not issued for a builder's session.
 */
export function builderSessionOf({ claims, sessionId, userId }: Identity): BuilderSession {
  if (claims.aud !== AUDIENCE || sessionId === null || userId === null) throw new NinefoldError('PGRST301');
  return { id: sessionId, userId, aal: typeof claims.aal === 'string' ? claims.aal : 'aal1' };
}

/** Returns the identity with which a builder's session calls the auth API of the console. */
export function identityOfBuilder({ id, userId, aal }: BuilderSession): Identity {
  const claims = { sub: userId, role: 'authenticated', aal, session_id: id };
  const claimsJson = JSON.stringify(claims);
  return { role: claims.role, claims, claimsJson, userId, sessionId: id, source: 'token' };
}
