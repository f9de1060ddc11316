import { createHash, timingSafeEqual } from 'node:crypto';
import { type JWTPayload, type JWTVerifyResult, jwtVerify } from 'jose';
import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { ProviderClient } from './provider-client.ts';
import { ProviderFailure } from './provider-fetch.ts';
import type { Profile } from './provider-profile.ts';
import type { Provider } from './provider-table.ts';
import { isTenant } from './provider-table.ts';

/**
 * The accepted algorithms. All of them have public keys. With an algorithm of shared secrets, an attacker could use the
 * provider's public key as the secret.
 */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/**
 * Matches the types of tokens for APIs and for sign-outs, which are not ID tokens (RFC 9068; OpenID Connect
 * Back-Channel Logout 1.0).
 */
const OTHER_TYPES = /^(?:application\/)?(?:at|logout)\+jwt$/i;

const refusal = (message: string): NinefoldError => new NinefoldError('bad_id_token', { message });

/**
 * Verifies the signature, issuer, audience, authorised party and times of an ID token (OpenID Connect Core 1.0, section
 * 3.1.3.7). The caller checks the nonce.
 *
 * @param accessToken The access token from the same response. It must match the claim at_hash, if there is one.
 * @throws bad_id_token, and ProviderFailure if the keys cannot be read
 */
export async function verifyIdToken(
  provider: Provider,
  { keys }: ProviderClient,
  token: string,
  accessToken: string | null,
): Promise<JWTPayload> {
  if (keys === null || token.length > limits.idTokenCharacters.default) throw refusal('Bad ID token');
  const { payload, protectedHeader }: JWTVerifyResult = await jwtVerify(token, keys, {
    algorithms: ALGORITHMS,
    clockTolerance: limits.clockLeewaySeconds.default,
    requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
  }).catch((error: unknown) => {
    throw error instanceof ProviderFailure ? error : refusal('Bad ID token');
  });
  if (OTHER_TYPES.test(protectedHeader.typ ?? '')) throw refusal('Bad ID token');
  const { accepts } = openIdPart(provider) ?? {};
  if (!accepts?.(payload.iss ?? '', provider.url)) throw refusal('Bad ID token');
  checkAudience(provider, payload);
  if (typeof payload.at_hash === 'string' && accessToken !== null) {
    if (!isHashOf(payload.at_hash, accessToken, protectedHeader.alg)) throw refusal('Bad ID token');
  }
  return payload;
}

/** Returns how a provider issues ID tokens, from its entry in the table; null for a provider that issues none. */
export function openIdPart({ entry }: Provider) {
  return entry.kind === 'oidc' ? entry : (entry.idTokens ?? null);
}

/** Checks the audience. If a token has several audiences, its claim azp must name the client of this app. */
function checkAudience({ clientIds }: Provider, { aud, azp }: JWTPayload): void {
  const audiences = Array.isArray(aud) ? aud : [aud];
  if (!audiences.some((audience) => audience !== undefined && clientIds.includes(audience))) {
    throw refusal(`Unacceptable audience in id_token: [${audiences.join(' ')}]`);
  }
  const isOwn = typeof azp === 'string' && clientIds.includes(azp);
  if (audiences.length > 1 && !isOwn) throw refusal('Unacceptable authorised party in id_token');
}

/**
 * Returns true if `hash` is the first half of the hash of the access token, with the hash function of the signature's
 * algorithm (OpenID Connect Core 1.0, section 3.1.3.6).
 */
function isHashOf(hash: string, accessToken: string, algorithm: string): boolean {
  const bits = /(256|384|512)$/.exec(algorithm)?.[1] ?? '512';
  const whole = createHash(`sha${bits}`).update(accessToken).digest();
  return isSame(hash, whole.subarray(0, whole.length / 2).toString('base64url'));
}

/** Compares two texts in constant time. */
export function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Returns the person whom verified claims of a provider describe. */
export function profileOfToken(provider: Provider, claims: JWTPayload): Profile {
  const part = openIdPart(provider);
  if (part === null) throw refusal('Bad ID token');
  const profile = part.readClaims(claims, { isOwnTenant: isTenant(provider.url) });
  if (profile.subject === '') throw refusal('Missing sub claim in id_token');
  return profile;
}
