import { createHmac, createPrivateKey, sign } from 'node:crypto';
import { memoize } from '../../catalog/memoize.ts';
import { type AppKeys, JWT_SECRET_KID, type RingKey } from './app-keys.ts';
import { currentKey } from './signing-keys.ts';

/** The longest key that is cached after parsing, and the number of cached keys. */
const KEY_CHARACTERS = 10_000;
const PARSED_KEYS = 256;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns the HS256 signature of a JWS signing input (RFC 7518, section 3.2) in base64url. */
export const hs256 = (input: string, secret: string | Buffer): string =>
  createHmac('sha256', secret).update(input).digest('base64url');

/** Returns a compact JWT (RFC 7519) signed with HS256. */
export function signHs256(claims: object, secret: string): string {
  const input = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${input}.${hs256(input, secret)}`;
}

/**
 * Returns a compact JWT signed with ES256.
 * @param privateKeyPem PKCS #8.
 */
export function signEs256(claims: object, privateKeyPem: string, kid: string): string {
  const input = `${encode({ alg: 'ES256', kid, typ: 'JWT' })}.${encode(claims)}`;
  const key = { key: privateKey(privateKeyPem), dsaEncoding: 'ieee-p1363' } as const;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

/** Returns a compact JWT signed with the current key of the app. */
export function signToken(app: AppKeys, claims: object): string {
  const key = currentKey(app);
  if (key.kid === JWT_SECRET_KID) return signHs256(claims, app.jwtSecret);
  const input = `${encode({ alg: key.alg, kid: key.kid, typ: 'JWT' })}.${encode(claims)}`;
  return `${input}.${signWithKey(key, input)}`;
}

/** Returns the signature of a JWS signing input (RFC 7518, section 3; RFC 8037, section 3.1) in base64url. */
export function signWithKey({ alg, secret }: Pick<RingKey, 'alg' | 'secret'>, input: string): string {
  if (secret === null) throw new Error('the key has no private half');
  if (alg === 'HS256') return hs256(input, Buffer.from(secret, 'base64url'));
  const key = { key: privateKey(secret), ...(alg === 'ES256' && { dsaEncoding: 'ieee-p1363' as const }) };
  return sign(alg === 'EdDSA' ? null : 'sha256', Buffer.from(input), key).toString('base64url');
}

/** Parses a private key. Parsing a PEM costs more than signing, and a node has few keys. */
const privateKey = memoize(createPrivateKey, { maxText: KEY_CHARACTERS, maxResults: PARSED_KEYS });
