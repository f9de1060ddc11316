import { createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import { type LimitName, limits } from '../../contract/limits.ts';
import type { AppKeys, SigningKey } from '../apps/app-keys.ts';
import { hs256 } from '../apps/sign-jwt.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { nestsDeeper } from '../limits/bounded-json.ts';

/** JSON.parse, JSON.stringify and PostgreSQL's JSON functions are recursive. */
const MAX_DEPTH = limits.claimsDepth.default;

export type Claims = Readonly<Record<string, unknown>>;

/** Clocks may differ by so much (PostgREST, "JWT claims validation"). */
export const LEEWAY_SECONDS = limits.clockLeewaySeconds.default;

/**
 * The claims of a compact JWT (RFC 7519) that this app signed, or that was signed with its HS256 secret.
 *
 * The header's algorithm never chooses the key's use: ES256 is accepted with the app's key pair and its key id only, HS256
 * with the secret only, nothing else at all (RFC 8725, section 3.1). `exp`, `nbf` and `iat` are checked against `nowSeconds`,
 * `aud` against `audience` when both are there.
 *
 * Throws PGRST301 (malformed, or the signature does not hold) or PGRST303 (a claim is not acceptable), with PostgREST's sentences.
 */
export function verifyJwt(
  token: string,
  app: AppKeys,
  options: { nowSeconds: number; audience?: string | null },
): Claims {
  const parts = token.split('.');
  const [head, body, signature] = parts;
  if (head === undefined || body === undefined || signature === undefined || parts.length !== 3) {
    throw undecodable(`Expected 3 parts in JWT; got ${parts.length}`);
  }
  const header = jsonObject(head);
  if (!header) throw undecodable('JWT cryptographic operation failed');
  if (header.crit !== undefined) throw undecodable('Unsupported token type');
  if (!signatureHolds(header, `${head}.${body}`, signature, app)) {
    throw undecodable('No suitable key or wrong key type', 'None of the keys was able to decode the JWT');
  }
  const claims = jsonObject(body);
  if (!claims) throw unacceptable('Parsing claims failed');
  if (body.length > 2 * MAX_DEPTH && nestsDeeper(decoded(body), MAX_DEPTH)) {
    throw unacceptable(`The JWT claims nest deeper than ${MAX_DEPTH} objects and arrays`, 'claimsDepth');
  }
  checkTimes(claims, options.nowSeconds);
  checkAudience(claims, options.audience ?? null);
  return claims;
}

function signatureHolds(header: Claims, input: string, signature: string, app: AppKeys): boolean {
  if (header.alg === 'HS256') {
    // A token that names the key pair must be signed with it.
    return header.kid !== app.signingKey.kid && equalInConstantTime(signature, hs256(input, app.jwtSecret));
  }
  if (header.alg !== 'ES256' || header.kid !== app.signingKey.kid) return false;
  const bytes = Buffer.from(signature, 'base64url');
  if (bytes.length !== 64 || bytes.toString('base64url') !== signature) return false;
  const key = { key: publicKey(app.signingKey), dsaEncoding: 'ieee-p1363' } as const;
  return verify('sha256', Buffer.from(input), key, bytes);
}

function checkTimes(claims: Claims, now: number): void {
  const time = (name: string): number | null => {
    const value = claims[name] ?? null;
    if (value === null || typeof value === 'number') return value;
    throw unacceptable(`The JWT '${name}' claim must be a number`);
  };
  const expires = time('exp');
  if (expires !== null && now - LEEWAY_SECONDS > expires) throw unacceptable('JWT expired', 'accessTokenSeconds');
  const notBefore = time('nbf');
  if (notBefore !== null && now + LEEWAY_SECONDS < notBefore) throw unacceptable('JWT not yet valid');
  const issued = time('iat');
  if (issued !== null && now + LEEWAY_SECONDS < issued) throw unacceptable('JWT issued at future');
}

function checkAudience(claims: Claims, audience: string | null): void {
  const claim = claims.aud ?? null;
  if (claim === null) return;
  const named = typeof claim === 'string' ? [claim] : claim;
  if (!Array.isArray(named) || !named.every((entry) => typeof entry === 'string')) {
    throw unacceptable("The JWT 'aud' claim must be a string or an array of strings");
  }
  if (audience !== null && named.length > 0 && !named.includes(audience)) throw unacceptable('JWT not in audience');
}

const decoded = (part: string): string => Buffer.from(part, 'base64url').toString('utf8');

function jsonObject(part: string): Claims | null {
  try {
    const value: unknown = JSON.parse(decoded(part));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : null;
  } catch {
    return null;
  }
}

const publicKeys = new WeakMap<SigningKey, KeyObject>();

function publicKey(signingKey: SigningKey): KeyObject {
  const known = publicKeys.get(signingKey);
  if (known) return known;
  const { kty, crv, x, y } = signingKey.publicJwk;
  const key = createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' });
  publicKeys.set(signingKey, key);
  return key;
}

/** Returns true if two texts are equal; its duration depends on their lengths alone. */
export function equalInConstantTime(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** RFC 6750, section 3. */
const challenge = (message: string) => ({
  'www-authenticate': `Bearer error="invalid_token", error_description="${message.replaceAll('"', "'")}"`,
});

const undecodable = (message: string, details: string | null = null) =>
  new NinefoldError('PGRST301', { message, details, headers: challenge(message) });

const unacceptable = (message: string, limit?: LimitName) =>
  new NinefoldError('PGRST303', { message, headers: challenge(message), ...(limit && { limit }) });

/** A bearer token that is not there at all (`Authorization: Bearer`). */
export const emptyToken = () => undecodable('Empty JWT is sent in Authorization header');
