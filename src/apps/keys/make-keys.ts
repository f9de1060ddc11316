import { generateKeyPairSync, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { AppKeys, SigningKey } from './app-keys.ts';
import { signHs256 } from './sign-jwt.ts';

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]).join('');

/** Returns a new API key. */
export const makeApiKey = (kind: 'publishable' | 'secret'): string => `sb_${kind}_${randomText(31)}`;

/** Creates an ES256 key pair with a random key id. */
export function makeSigningKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  if (x === undefined || y === undefined) throw new Error('the new key has no coordinates');
  const kid = randomUUID();
  return {
    kid,
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicJwk: { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig', key_ops: ['verify'] },
  };
}

/**
 * Creates all keys of a new app. With the HS256 secret of an existing project, the project's legacy keys and tokens
 * stay valid.
 * @param options.now Milliseconds since 1970; the legacy keys are valid for ten years from then.
 */
export function makeKeys(ref: string, options: { jwtSecret?: string; now?: number } = {}): AppKeys {
  const jwtSecret = options.jwtSecret ?? randomBytes(48).toString('base64url');
  const iat = Math.floor((options.now ?? Date.now()) / 1000);
  const roleKey = (role: string) =>
    signHs256({ iss: 'supabase', ref, role, iat, exp: iat + limits.apiKeySeconds.default }, jwtSecret);
  return {
    ref,
    publishableKey: makeApiKey('publishable'),
    secretKey: makeApiKey('secret'),
    anonKey: roleKey('anon'),
    serviceRoleKey: roleKey('service_role'),
    jwtSecret,
    signingKey: makeSigningKey(),
    signWith: 'ES256',
  };
}
