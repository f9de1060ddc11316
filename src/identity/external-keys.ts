import { createPublicKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { limits } from '../../contract/limits.ts';
import type { KeyAlgorithm } from '../apps/keys/app-keys.ts';
import type { AddressPolicy } from '../jobs/public-address.ts';
import { sendRequest } from '../jobs/send-request.ts';

/** The shortest RSA key (RFC 7518, section 3.3). */
const LEAST_RSA_BITS = 2048;

/** An issuer outside of the app whose tokens the app accepts. */
export interface ExternalIssuer {
  /** Exact value of the claim `iss`. */
  readonly issuer: string;
  /** URL of its JWKS (RFC 7517). */
  readonly jwksUrl: string;
  /** Required value of the claim `aud`; null accepts any value. */
  readonly audience: string | null;
}

/** Parses entries of the setting external_jwt_issuers: issuer, URL of the JWKS, and audience, separated by spaces. */
export function readIssuers(entries: readonly string[]): ExternalIssuer[] {
  return entries.slice(0, limits.externalIssuers.default).flatMap((entry) => {
    const [issuer = '', jwksUrl = '', audience] = entry.split(' ');
    return URL.canParse(jwksUrl) ? [{ issuer, jwksUrl, audience: audience || null }] : [];
  });
}

/** A public key of an external issuer. The key determines the algorithm. */
export interface ExternalKey {
  readonly alg: Exclude<KeyAlgorithm, 'HS256'>;
  readonly key: KeyObject;
}

interface KeySet {
  readonly keys: ReadonlyMap<string, ExternalKey>;
  /** Time at which the keys were fetched, in milliseconds. */
  readonly fetchedAt: number;
  readonly hasFailed: boolean;
}

/** Caches the keys of external issuers in this process. */
export class ExternalKeys {
  readonly #policy: AddressPolicy;
  readonly #now: () => number;
  readonly #sets = new LRUCache<string, KeySet>({ max: limits.jwksRemembered.default });
  readonly #fetching = new Map<string, Promise<KeySet>>();

  /**
   * @param policy Addresses from which keys may be fetched.
   * @param now Clock in milliseconds.
   */
  constructor(policy: AddressPolicy, now: () => number = () => performance.now()) {
    this.#policy = policy;
    this.#now = now;
  }

  /**
   * Returns the key with a key id; null if the issuer does not have it or cannot be reached. Fetches the keys again
   * some time after the last fetch; for an unknown key id, this time is shorter. If a fetch fails, the cached keys stay
   * in use.
   */
  async find(jwksUrl: string, kid: string): Promise<ExternalKey | null> {
    const known = this.#sets.get(jwksUrl);
    const age = known ? this.#now() - known.fetchedAt : Number.POSITIVE_INFINITY;
    const maxAge = known?.keys.has(kid) && !known.hasFailed ? limits.jwksSeconds : limits.jwksRetrySeconds;
    const set = known && age < maxAge.default * 1000 ? known : await this.#fetch(jwksUrl, known);
    return set.keys.get(kid) ?? null;
  }

  #fetch(jwksUrl: string, known: KeySet | undefined): Promise<KeySet> {
    const underWay = this.#fetching.get(jwksUrl);
    if (underWay !== undefined) return underWay;
    const none: KeySet = { keys: new Map(), fetchedAt: this.#now(), hasFailed: true };
    if (this.#fetching.size >= limits.jwksFetches.default) return Promise.resolve(known ?? none);
    const fetching = this.#read(jwksUrl)
      .then((keys): KeySet => {
        const fetchedAt = this.#now();
        const set = keys ? { keys, fetchedAt, hasFailed: false } : { ...(known ?? none), fetchedAt, hasFailed: true };
        this.#sets.set(jwksUrl, set);
        return set;
      })
      .finally(() => this.#fetching.delete(jwksUrl));
    this.#fetching.set(jwksUrl, fetching);
    return fetching;
  }

  async #read(url: string): Promise<Map<string, ExternalKey> | null> {
    const request = { method: 'GET', url, headers: { accept: 'application/json' }, body: null };
    const timeoutMilliseconds = limits.jwksMilliseconds.default;
    const { status, content } = await sendRequest({ ...request, timeoutMilliseconds }, this.#policy);
    return status === 200 && content !== null ? readKeys(content) : null;
  }
}

/**
 * Parses a JWKS. Ignores unsupported keys, keys without an id and encryption keys. Returns null if the text is no JWKS.
 */
export function readKeys(text: string): Map<string, ExternalKey> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || !('keys' in value) || !Array.isArray(value.keys)) return null;
  return new Map(value.keys.slice(0, limits.jwksKeys.default).flatMap(readKey));
}

function readKey(jwk: unknown): [string, ExternalKey][] {
  if (typeof jwk !== 'object' || jwk === null) return [];
  const { kty, crv, x, y, n, e, kid, use, alg: named } = jwk as Record<string, unknown>;
  const alg = kty === 'RSA' ? 'RS256' : kty === 'EC' && crv === 'P-256' ? 'ES256' : crv === 'Ed25519' ? 'EdDSA' : null;
  if (alg === null || typeof kid !== 'string' || (use ?? 'sig') !== 'sig' || (named ?? alg) !== alg) return [];
  try {
    const key = createPublicKey({ key: JSON.parse(JSON.stringify({ kty, crv, x, y, n, e })), format: 'jwk' });
    const isWeak = alg === 'RS256' && (key.asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_RSA_BITS;
    return isWeak ? [] : [[kid, { alg, key }]];
  } catch {
    return [];
  }
}
