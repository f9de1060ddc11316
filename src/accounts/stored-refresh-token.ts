import { createHash, createHmac } from 'node:crypto';

/** No refresh token that a client shows has a colon, so the stored form of a token is no token itself. */
const PREFIX = 'sha256:';

/** Returns the form in which the database holds a refresh token. */
export const storedRefreshToken = (token: string): string =>
  PREFIX + createHash('sha256').update(token).digest('base64url');

const TOKEN_BYTES = 24;

/**
 * Returns the refresh token that follows another one. The key is not in the app's database, so what the database holds leads to no token;
 * who shows a token again gets the same next one, on any node.
 */
export const nextRefreshToken = (token: string, key: string): string =>
  createHmac('sha256', key).update(token).digest().subarray(0, TOKEN_BYTES).toString('base64url');

/** Tokens that follow one another within the interval in which an older one may be shown again. */
const MAX_STEPS = 1000;

/** Returns the token after `shown` whose stored form is `stored`; null if there is none. A token that is stored as it is was brought along. */
export function followingToken(shown: string, stored: string, key: string): string | null {
  if (!stored.startsWith(PREFIX)) return stored;
  let token = shown;
  for (let step = 0; step < MAX_STEPS; step++) {
    token = nextRefreshToken(token, key);
    if (storedRefreshToken(token) === stored) return token;
  }
  return null;
}
