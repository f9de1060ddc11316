import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type LimitName, limits } from '../../contract/limits.ts';
import { identifierProblem } from '../accounts/users/identifiers.ts';
import { type AppKeys, JWT_SECRET_KID, type KeyAlgorithm, type RingKey } from '../apps/keys/app-keys.ts';
import { hs256 } from '../apps/keys/sign-jwt.ts';
import { findKey } from '../apps/keys/signing-keys.ts';
import { memoize } from '../catalog/memoize.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { nestsDeeper } from '../limits/bounded-json.ts';
import type { ExternalKey } from './external-keys.ts';
import { equalInConstantTime } from './known-keys.ts';

/** The longest public key that is cached after parsing. */
const KEY_CHARACTERS = 2000;

/** Maximum depth of the claims, because JSON.parse, JSON.stringify and PostgreSQL's JSON functions are recursive. */
const MAX_DEPTH = limits.claimsDepth.default;

/** The claims of a JWT. */
export type Claims = Readonly<Record<string, unknown>>;

/** Tolerated difference of clocks (PostgREST docs, "JWT Claims Validation"). */
export const LEEWAY_SECONDS = limits.clockLeewaySeconds.default;

/**
 * Returns the claims of a compact JWT (RFC 7519) that this app signed, or that was signed with its HS256 secret.
 *
 * The key determines the algorithm: a token must name its key and the algorithm of that key, or use HS256 with the
 * shared secret (RFC 8725, section 3.1). `exp`, `nbf` and `iat` are compared with `nowSeconds`; `aud` is compared with
 * `audience` if both exist.
 * @throws NinefoldError PGRST301 for a malformed token or a wrong signature, PGRST303 for an invalid claim; the
 * messages are PostgREST's.
 */
export function verifyJwt(
  token: string,
  app: AppKeys,
  options: { nowSeconds: number; audience?: string | null },
): Claims {
  const { head, body, signature, header } = partsOf(token);
  if (!signatureHolds(header, `${head}.${body}`, signature, app)) throw noKey();
  const claims = checkedClaims(body, options);
  if (isIdToken(claims)) throw unacceptable('The JWT is an ID token, which is no access token');
  return claims;
}

/**
 * Returns true for an ID token that the app issued as an OpenID Connect provider. It is signed with the same keys as
 * access tokens, but its audience is an application, and it has no session.
 */
const isIdToken = ({ aud, client_id: client, session_id: session }: Claims): boolean =>
  typeof client === 'string' && aud === client && session === undefined;

/**
 * Returns the claims of a compact JWT that an external issuer signed with `key`, which has the key id of the token.
 * Such a token must have an expiry.
 * @throws NinefoldError as `verifyJwt`
 */
export function verifyExternal(
  token: string,
  key: ExternalKey | null,
  options: { nowSeconds: number; audience: string | null },
): Claims {
  const { head, body, signature, header } = partsOf(token);
  if (key === null || header.alg !== key.alg || !holdsFor(key.alg, key.key, `${head}.${body}`, signature))
    throw noKey();
  const claims = checkedClaims(body, options);
  if (typeof claims.exp !== 'number') throw unacceptable("The JWT 'exp' claim is missing");
  const hasNoAudience = (claims.aud ?? null) === null || (Array.isArray(claims.aud) && claims.aud.length === 0);
  if (options.audience !== null && hasNoAudience) throw unacceptable('JWT not in audience');
  requireIdentifiers(claims);
  return claims;
}

/** PostgREST's message for a token with `alg: none`. */
export const UNSIGNED_TOKEN = 'Wrong or unsupported encoding algorithm';

/** The claims by which policies recognise a person. */
const IDENTIFIERS = ['sub', 'email', 'phone', 'phone_number'] as const;

/**
 * Throws if a claim that identifies a person is no text, or a text that would have to be cleaned. PostgreSQL reads every
 * claim as text, so the number 1 and the text "1" would be the same person.
 */
function requireIdentifiers(claims: Claims): void {
  for (const name of IDENTIFIERS) {
    const value = claims[name] ?? null;
    if (value === null) continue;
    const problem = typeof value === 'string' ? identifierProblem(value) : 'is no text';
    if (problem !== null) throw unacceptable(`The JWT '${name}' claim ${problem}`);
  }
}

/** Returns the claim `iss` of an unverified token; null if it has none. */
export function unverifiedIssuer(token: string): string | null {
  const issuer = jsonObject(token.split('.')[1] ?? '')?.iss;
  return typeof issuer === 'string' ? issuer : null;
}

/** Returns the key id in the header of an unverified token; null if it has none. */
export function keyIdOf(token: string): string | null {
  const kid = jsonObject(token.split('.')[0] ?? '')?.kid;
  return typeof kid === 'string' ? kid : null;
}

function partsOf(token: string): { head: string; body: string; signature: string; header: Claims } {
  const parts = token.split('.');
  const [head, body, signature] = parts;
  if (head === undefined || body === undefined || signature === undefined || parts.length !== 3) {
    throw undecodable(`Expected 3 parts in JWT; got ${parts.length}`);
  }
  const header = jsonObject(head);
  if (!header) throw undecodable('JWT cryptographic operation failed');
  if (header.alg === 'none') throw undecodable(UNSIGNED_TOKEN, "JWT is unsecured but expected 'alg' was not 'none'");
  if (header.crit !== undefined) throw undecodable('Unsupported token type');
  return { head, body, signature, header };
}

function checkedClaims(body: string, options: { nowSeconds: number; audience?: string | null }): Claims {
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
  const { alg, kid } = header;
  const named = typeof kid === 'string' ? findKey(app, kid) : undefined;
  // A token that was signed with the shared secret contains no key id, or the id that the secret had in the system that
  // signed the token.
  const key = named ?? (alg === 'HS256' ? findKey(app, JWT_SECRET_KID) : undefined);
  if (key === undefined || key.state === 'revoked' || alg !== key.alg) return false;
  if (key.kid === JWT_SECRET_KID) return equalInConstantTime(signature, hs256(input, app.jwtSecret));
  if (key.alg === 'HS256') {
    return key.secret !== null && equalInConstantTime(signature, hs256(input, Buffer.from(key.secret, 'base64url')));
  }
  return key.publicJwk !== null && holdsFor(key.alg, publicKey(key.publicJwk), input, signature);
}

/** Returns true if the base64url signature is valid for the key. The caller has derived `alg` from the key. */
function holdsFor(alg: Exclude<KeyAlgorithm, 'HS256'>, key: KeyObject, input: string, signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64url');
  if (bytes.toString('base64url') !== signature) return false;
  if (alg !== 'RS256' && bytes.length !== 64) return false;
  const options = { key, ...(alg === 'ES256' && { dsaEncoding: 'ieee-p1363' as const }) };
  return verify(alg === 'EdDSA' ? null : 'sha256', Buffer.from(input), options, bytes);
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

/** Parses a public key. Parsing costs about as much as verifying a signature, and a node has few keys. */
const parsedKey = memoize((jwk) => createPublicKey({ key: JSON.parse(jwk), format: 'jwk' }), {
  maxText: KEY_CHARACTERS,
});

const publicKey = ({ kty, crv, x, y, n, e }: NonNullable<RingKey['publicJwk']>): KeyObject =>
  parsedKey(JSON.stringify({ kty, crv, x, y, n, e }));

/** Returns the header WWW-Authenticate with a message, as RFC 6750, section 3, defines it. */
const challenge = (message: string) => ({
  'www-authenticate': `Bearer error="invalid_token", error_description="${message.replaceAll('"', "'")}"`,
});

const noKey = () => undecodable('No suitable key or wrong key type', 'None of the keys was able to decode the JWT');

const undecodable = (message: string, details: string | null = null) =>
  new NinefoldError('PGRST301', { message, details, headers: challenge(message) });

const unacceptable = (message: string, limit?: LimitName) =>
  new NinefoldError('PGRST303', { message, headers: challenge(message), ...(limit && { limit }) });

/** Returns the error for a header without a token (`Authorization: Bearer`). */
export const emptyToken = () => undecodable('Empty JWT is sent in Authorization header');
