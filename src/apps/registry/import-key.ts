import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  verify,
} from 'node:crypto';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { JWT_SECRET_KID, type KeyAlgorithm, type RingKey } from '../keys/app-keys.ts';
import { makeSigningKey } from '../keys/make-keys.ts';
import { signWithKey } from '../keys/sign-jwt.ts';

type Jwk = Readonly<Record<string, unknown>>;

const KID = /^[A-Za-z0-9_.:=+/-]{1,128}$/;
/** The shortest key of HS256 (RFC 7518, section 3.2). */
const LEAST_SECRET_BYTES = 32;
const RSA_BITS = [2048, 3072, 4096];

/** Creates a new standby key. */
export function makeRingKey(alg: Exclude<KeyAlgorithm, 'HS256'>, now: string): RingKey {
  if (alg === 'ES256') {
    const { kid, privateKeyPem, publicJwk } = makeSigningKey();
    const key = { kid, alg, state: 'standby', secret: privateKeyPem, publicJwk: { ...publicJwk } } as const;
    return { ...key, createdAt: now, changedAt: now };
  }
  const pair =
    alg === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('rsa', { modulusLength: RSA_BITS[0] ?? 0 });
  return importJwk({ ...pair.privateKey.export({ format: 'jwk' }), alg }, now);
}

/**
 * Imports a private JWK (RFC 7517) or the keys of a JWKS as standby keys.
 * @throws NinefoldError signing_key_invalid for a key without a private part, of an unsupported kind, too weak, or
 * whose parts do not match.
 */
export function importKeys(value: Jwk, now: string): RingKey[] {
  if (!('keys' in value)) return [importJwk(value, now)];
  const { keys } = value;
  if (!Array.isArray(keys) || keys.length === 0) throw invalid('“keys” must be a list with at least one key');
  return keys.map((each: unknown) => {
    if (typeof each !== 'object' || each === null) throw invalid('“keys” must hold JSON objects');
    return importJwk(each as Jwk, now);
  });
}

function importJwk(jwk: Jwk, now: string): RingKey {
  const alg = algorithmOf(jwk);
  if (jwk.alg !== undefined && jwk.alg !== alg) throw invalid(`the key is for ${alg}, not for ${String(jwk.alg)}`);
  if (jwk.use !== undefined && jwk.use !== 'sig') throw invalid('“use” is not “sig”');
  const half = alg === 'HS256' ? secretHalf(jwk) : privateHalf(jwk, alg);
  const kid = jwk.kid ?? thumbprint(half.publicJwk ?? { k: half.secret, kty: 'oct' });
  if (typeof kid !== 'string' || !KID.test(kid) || kid === JWT_SECRET_KID) {
    throw invalid('“kid” must have 1 to 128 characters of A-Z, a-z, 0-9 and _.:=+/-');
  }
  const publicJwk = half.publicJwk && { ...half.publicJwk, kid, alg, use: 'sig', key_ops: ['verify'] };
  return { kid, alg, state: 'standby', secret: half.secret, publicJwk, createdAt: now, changedAt: now };
}

function algorithmOf({ kty, crv }: Jwk): KeyAlgorithm {
  if (kty === 'oct') return 'HS256';
  if (kty === 'RSA') return 'RS256';
  if (kty === 'EC' && crv === 'P-256') return 'ES256';
  if (kty === 'OKP' && crv === 'Ed25519') return 'EdDSA';
  throw invalid('“kty” and “crv” must be oct, RSA, EC with P-256, or OKP with Ed25519');
}

interface Half {
  readonly secret: string;
  readonly publicJwk: Jwk | null;
}

function secretHalf({ k }: Jwk): Half {
  const bytes = typeof k === 'string' ? Buffer.from(k, 'base64url') : Buffer.alloc(0);
  if (bytes.length < LEAST_SECRET_BYTES)
    throw invalid(`“k” must have at least ${LEAST_SECRET_BYTES} bytes in base64url`);
  return { secret: bytes.toString('base64url'), publicJwk: null };
}

function privateHalf(jwk: Jwk, alg: KeyAlgorithm): Half {
  if (typeof jwk.d !== 'string') throw invalid('the key has no private half (“d”)');
  let secret: string;
  let publicKey: KeyObject;
  try {
    const key = createPrivateKey({ key: jwk as never, format: 'jwk' });
    if (alg === 'RS256' && !RSA_BITS.includes(key.asymmetricKeyDetails?.modulusLength ?? 0)) {
      throw invalid('an RSA key must have 2048, 3072 or 4096 bits');
    }
    secret = key.export({ type: 'pkcs8', format: 'pem' }).toString();
    const { kty, crv, x, y, n, e } = jwk;
    publicKey = createPublicKey({ key: JSON.parse(JSON.stringify({ kty, crv, x, y, n, e })), format: 'jwk' });
    if (!signsFor({ alg, secret }, publicKey)) throw invalid('the private half does not belong to the public half');
  } catch (error) {
    throw error instanceof NinefoldError ? error : invalid('it is no well-formed JWK', error);
  }
  const { kty, crv, x, y, n, e } = publicKey.export({ format: 'jwk' });
  return { secret, publicJwk: JSON.parse(JSON.stringify({ kty, crv, x, y, n, e })) };
}

/** Returns true if the public key verifies a signature of the private key. */
function signsFor(key: Pick<RingKey, 'alg' | 'secret'>, publicKey: KeyObject): boolean {
  const signature = Buffer.from(signWithKey(key, 'probe'), 'base64url');
  const options = { key: publicKey, ...(key.alg === 'ES256' && { dsaEncoding: 'ieee-p1363' as const }) };
  return verify(key.alg === 'EdDSA' ? null : 'sha256', Buffer.from('probe'), options, signature);
}

/** Returns the thumbprint of a key (RFC 7638). */
const thumbprint = (jwk: Jwk): string =>
  createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(Object.entries(jwk).sort(([a], [b]) => (a < b ? -1 : 1)))))
    .digest('base64url');

const invalid = (reason: string, cause?: unknown): NinefoldError =>
  new NinefoldError('signing_key_invalid', {
    message: `The key cannot be used: ${reason}.`,
    details: { reason },
    cause,
  });
