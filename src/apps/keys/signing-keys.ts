import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AppKeys, JWT_SECRET_KID, type RingKey } from './app-keys.ts';

/** Returns all keys for access tokens of an app. */
export function keyRing({ ring, signingKey, signWith }: AppKeys): readonly RingKey[] {
  if (ring) return ring;
  const pair: RingKey = {
    kid: signingKey.kid,
    alg: 'ES256',
    state: signWith === 'ES256' ? 'current' : 'standby',
    secret: signingKey.privateKeyPem,
    publicJwk: { ...signingKey.publicJwk },
    createdAt: null,
    changedAt: null,
  };
  const shared: RingKey = {
    kid: JWT_SECRET_KID,
    alg: 'HS256',
    state: signWith === 'HS256' ? 'current' : 'previous',
    secret: null,
    publicJwk: null,
    createdAt: null,
    changedAt: null,
  };
  return [pair, shared];
}

/** Returns the public keys that verify access tokens of an app, as a JSON Web Key Set (RFC 7517). */
export const publicKeySet = (app: AppKeys) => ({
  keys: keyRing(app).flatMap(({ state, publicJwk }) => (state === 'revoked' || publicJwk === null ? [] : [publicJwk])),
});

/** Returns the key that signs new tokens. */
export function currentKey(app: AppKeys): RingKey {
  const current = keyRing(app).find(({ state }) => state === 'current');
  if (!current) throw new Error('the app has no current key');
  return current;
}

/** Returns the key with a key id in any state; undefined if there is none. */
export const findKey = (app: AppKeys, kid: string): RingKey | undefined => keyRing(app).find((key) => key.kid === kid);

/**
 * Adds keys.
 * @throws NinefoldError signing_key_exists for an existing key id, signing_keys_full
 */
export function withKeys(ring: readonly RingKey[], added: readonly RingKey[]): RingKey[] {
  const kids = new Set(ring.map(({ kid }) => kid));
  for (const { kid } of added) {
    if (kids.has(kid)) throw new NinefoldError('signing_key_exists', { details: { kid } });
    kids.add(kid);
  }
  const all = [...added, ...ring];
  // Revoked keys stay in the ring, so that their ids are not reused. The oldest of them are removed if there is no
  // space.
  const surplus = all.length - limits.signingKeys.default;
  const revoked = all.filter(({ state }) => state === 'revoked');
  if (surplus > revoked.length) throw new NinefoldError('signing_keys_full');
  const dropped = new Set(surplus > 0 ? revoked.slice(-surplus) : []);
  return all.filter((key) => !dropped.has(key));
}

/**
 * Makes a key sign new tokens; the current key becomes `previous`.
 * @param kid Key id; the newest standby key by default.
 * @param make Creates a key if there is no standby key.
 * @throws NinefoldError signing_key_unknown, signing_key_revoked
 */
export function rotated(
  ring: readonly RingKey[],
  kid: string | undefined,
  make: () => RingKey,
  now: string,
): readonly RingKey[] {
  if (kid === undefined && !ring.some(({ state }) => state === 'standby')) {
    return rotated(withKeys(ring, [make()]), undefined, make, now);
  }
  const next = ring.find((key) => (kid === undefined ? key.state === 'standby' : key.kid === kid));
  if (!next) throw new NinefoldError('signing_key_unknown', { details: { kid } });
  if (next.state === 'revoked') throw new NinefoldError('signing_key_revoked', { details: { kid } });
  return ring.map((key) => {
    if (key === next) return key.state === 'current' ? key : { ...key, state: 'current', changedAt: now };
    return key.state === 'current' ? { ...key, state: 'previous', changedAt: now } : key;
  });
}

/**
 * Revokes a key and erases its private part.
 * @throws NinefoldError signing_key_unknown, signing_key_current
 */
export function revoked(ring: readonly RingKey[], kid: string, now: string): readonly RingKey[] {
  const key = ring.find((one) => one.kid === kid);
  if (!key) throw new NinefoldError('signing_key_unknown', { details: { kid } });
  if (key.state === 'current') throw new NinefoldError('signing_key_current', { details: { kid } });
  if (key.state === 'revoked') return ring;
  return ring.map((one) => (one === key ? { ...one, state: 'revoked', secret: null, changedAt: now } : one));
}
