import { limits } from '../../contract/limits.ts';
import type { AppKeys } from '../apps/keys/app-keys.ts';
import { hs256, signHs256 } from '../apps/keys/sign-jwt.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { type Claims, verifyJwt } from './verify-jwt.ts';

const AUDIENCE = 'ninefold-acting';

/** A builder who acts as a member of an app. */
export interface Acting {
  readonly ref: string;
  /** Id of the member. */
  readonly userId: string;
  /** Id of the builder; `operator` for the operator. */
  readonly actor: string;
  /** Session of the builder, with which the token ends; empty for the operator. */
  readonly actorSession: string;
}

/**
 * Returns separate keys for acting tokens, so that an acting token is not a valid access token, and an access token is
 * not a valid acting token.
 */
const actingKeys = (console: AppKeys): AppKeys => ({ ...console, jwtSecret: hs256(AUDIENCE, console.jwtSecret) });

/**
 * Signs a token with which a builder acts as a member.
 * @param nowSeconds Seconds since 1970.
 */
export function issueActingToken(
  console: AppKeys,
  acting: Acting,
  nowSeconds: number,
): { token: string; expires: number } {
  const expires = nowSeconds + limits.actingSeconds.default;
  const { ref, userId: sub, actor, actorSession } = acting;
  const claims = { aud: AUDIENCE, ref, sub, actor, actor_session: actorSession, iat: nowSeconds, exp: expires };
  return { token: signHs256(claims, actingKeys(console).jwtSecret), expires };
}

/** Returns true if a value of the header `x-ninefold-as` is an acting token. */
export const isActingToken = (header: string): boolean => header.startsWith('ey');

/**
 * Verifies that the token was issued for this builder, session and app. Returns the member's id and when the token
 * expires, in seconds since 1970.
 * @throws NinefoldError `acting_ended` if the token was issued for others or has expired.
 */
export function requireActing(
  console: AppKeys,
  token: string,
  expected: Omit<Acting, 'userId'>,
  nowSeconds: number,
): { userId: string; expires: number } {
  const claims = claimsOf(console, token, nowSeconds);
  const { aud, ref, sub, actor, actor_session: session, exp } = claims;
  const isTheirs =
    aud === AUDIENCE && ref === expected.ref && actor === expected.actor && session === expected.actorSession;
  if (!isTheirs || typeof sub !== 'string' || typeof exp !== 'number' || exp <= nowSeconds) {
    throw new NinefoldError('acting_ended');
  }
  return { userId: sub, expires: exp };
}

function claimsOf(console: AppKeys, token: string, nowSeconds: number): Claims {
  try {
    return verifyJwt(token, actingKeys(console), { nowSeconds });
  } catch (cause) {
    throw new NinefoldError('acting_ended', { cause });
  }
}
