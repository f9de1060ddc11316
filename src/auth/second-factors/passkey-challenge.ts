import { createHmac, randomBytes } from 'node:crypto';
import type { AuthContext } from '../context.ts';

/**
 * A challenge for a sign-in by passkey. Every client can request one, so the server stores nothing when it creates one.
 * The id contains the time, and the challenge is a hash of the id with a secret key. A challenge is stored when it is
 * used, so that it works only once.
 */
export interface PasskeyChallenge {
  /** A UUID of version 7 (RFC 9562). */
  readonly id: string;
  /** The challenge: 256 bits in base64url. */
  readonly challenge: string;
}

/**
 * Creates a challenge.
 * @param now The time in milliseconds since 1970.
 */
export function makePasskeyChallenge(app: AuthContext['app'], now: number): PasskeyChallenge {
  const time = now.toString(16).padStart(12, '0');
  const random = randomBytes(10).toString('hex');
  const variant = (8 + (Number.parseInt(random.slice(18), 16) & 3)).toString(16);
  const groups = [`7${random.slice(0, 3)}`, `${variant}${random.slice(3, 6)}`, random.slice(6, 18)];
  const id = [time.slice(0, 8), time.slice(8), ...groups].join('-');
  return { id, challenge: challengeOf(app, id) };
}

/** Returns the challenge of an id. */
export const challengeOf = (app: Pick<AuthContext['app'], 'jwtSecret'>, id: string): string =>
  createHmac('sha256', app.jwtSecret).update(`passkey authentication:${id}`).digest('base64url');

/** Returns the time of a challenge in milliseconds since 1970; null if the id has another format. */
export function madeAt(id: string): number | null {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.exec(id);
  return match ? Number.parseInt(`${match[1]}${match[2]}`, 16) : null;
}
