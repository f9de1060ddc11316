/** Longest path that a line of the log contains. */
const MAX_CHARACTERS = 512;
/** Segments that can be a token, a key or a signature: a JWT, a key of Ninefold, or a long random text. */
const SECRET = /^(?:eyJ[\w-]+\.|sbp?_|sb_(?:publishable|secret)_|(?=.*\d)[\w+=~.-]{32,}$)/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const EMAIL = /@|%40/i;

/**
 * Returns a path for the log: segments that look like a secret or an e-mail address are replaced with `…`, because
 * clients put tokens into paths by mistake.
 */
export const safePath = (path: string): string =>
  path
    .slice(0, MAX_CHARACTERS)
    .split('/')
    .map((segment) => ((SECRET.test(segment) && !UUID.test(segment)) || EMAIL.test(segment) ? '…' : segment))
    .join('/');
