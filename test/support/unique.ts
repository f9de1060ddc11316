import { randomBytes } from 'node:crypto';

const suffix = (): string => randomBytes(5).toString('hex');

/** Returns a ref that no other test uses. */
export const uniqueRef = (prefix = 'app'): string => `${prefix}-${suffix()}`;

/** Returns an address that no other test uses. */
export const uniqueEmail = (name = 'member'): string => `${name}-${suffix()}@example.com`;
