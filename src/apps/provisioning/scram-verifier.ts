import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** A random password of 192 bits cannot be guessed, so more iterations would only slow down each login. */
const ITERATIONS = 1;

/**
 * Returns the value that PostgreSQL stores for a random password (RFC 5803; PostgreSQL manual, pg_authid.rolpassword).
 * CREATE ROLE accepts it instead of the password, so that the server never receives the password and a login takes one
 * iteration.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const serverKey = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
