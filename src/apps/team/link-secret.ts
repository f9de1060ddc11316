import { createHash, randomBytes } from 'node:crypto';

/** Length of the random secret of a link. In base64url it has the 43 characters of LINK_SECRET. */
const SECRET_BYTES = 32;

/** Matches the secret of a link. */
export const LINK_SECRET = /^[\w-]{43}$/;

/** Returns a new secret of a link. */
export const newLinkSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** Returns the hash of a secret, which is all that the node stores of it. */
export const hashLinkSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');
