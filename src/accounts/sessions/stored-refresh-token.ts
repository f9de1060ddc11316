import { createHash, createHmac } from 'node:crypto';

/** Size of a refresh token. */
const TOKEN_BYTES = 24;
/** Maximum number of tokens that can follow one another while an older token may still be presented. */
const MAX_STEPS = 1000;

/** The prefix of stored tokens. The tokens of clients contain no colon, so a stored form cannot be used as a token. */
const PREFIX = 'sha256:';

/** Returns the form in which the database stores a refresh token. */
export const storedRefreshToken = (token: string): string =>
  PREFIX + createHash('sha256').update(token).digest('base64url');

/**
 * Returns the refresh token that follows another one. The key for deriving it is not in the app's database, so the
 * content of the database is not enough to create a valid token. On every node, the same token is followed by the same
 * token.
 */
export const nextRefreshToken = (token: string, key: string): string =>
  createHmac('sha256', key).update(token).digest().subarray(0, TOKEN_BYTES).toString('base64url');

/**
 * Returns the token after `shown` whose stored form is `stored`; null if there is none. An imported token is stored in
 * plain form.
 */
export function followingToken(shown: string, stored: string, key: string): string | null {
  if (!stored.startsWith(PREFIX)) return stored;
  let token = shown;
  for (let step = 0; step < MAX_STEPS; step++) {
    token = nextRefreshToken(token, key);
    if (storedRefreshToken(token) === stored) return token;
  }
  return null;
}
