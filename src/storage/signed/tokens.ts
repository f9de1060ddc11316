import { hkdfSync, timingSafeEqual } from 'node:crypto';
import { hs256, signHs256 } from '../../apps/keys/sign-jwt.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { StorageContext } from '../context.ts';
import { decodedPath } from '../names.ts';
import type { ObjectPlace } from '../objects/object.ts';

/** The claims of the token of a signed URL. */
export interface UrlClaims {
  /** The purpose of the URL, so that a URL for reading cannot upload. */
  readonly use: 'read' | 'upload';
  /** Bucket and path of the one object. */
  readonly url: string;
  /** Time in seconds since 1970. */
  readonly iat: number;
  readonly exp: number;
  /** Of a URL for reading: the options of the image. */
  readonly transformations?: string;
  /** Of a URL for an upload. */
  readonly jti?: string;
  readonly upsert?: boolean;
  readonly owner?: string | null;
}

/**
 * Returns the key of the app's signed URLs. It is derived from a secret of the app and a number that the owner can change, so that
 * another number ends all signed URLs.
 */
const keyOf = ({ app, settings }: Pick<StorageContext, 'app' | 'settings'>): string => {
  const { ref, authenticatorPassword } = app.record;
  const info = `signed URLs of files ${settings.storage_url_generation}`;
  return Buffer.from(hkdfSync('sha256', authenticatorPassword, ref, info, 32)).toString('base64url');
};

/** Returns the token of a signed URL (HS256). */
export function signUrl(context: StorageContext, claims: Omit<UrlClaims, 'iat' | 'exp'>, seconds: number): string {
  const iat = Math.floor(Date.now() / 1000);
  return signHs256({ ...claims, iat, exp: iat + seconds }, keyOf(context));
}

/**
 * Returns the claims of the token of a signed URL.
 * @throws NinefoldError InvalidJWT for a token that is malformed, expired or of another key
 */
export function verifyUrl(context: StorageContext, token: string, use: UrlClaims['use']): UrlClaims {
  const [head = '', body = '', signature = '', ...more] = token.split('.');
  const expected = Buffer.from(hs256(`${head}.${body}`, keyOf(context)));
  const sent = Buffer.from(signature);
  if (more.length > 0 || sent.length !== expected.length || !timingSafeEqual(sent, expected)) {
    throw new NinefoldError('InvalidJWT', { message: token === '' ? 'The URL has no token' : 'Invalid Compact JWS' });
  }
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as UrlClaims;
  if (claims.exp <= Date.now() / 1000)
    throw new NinefoldError('InvalidJWT', { message: '"exp" claim timestamp check failed' });
  if (claims.use !== use) throw new NinefoldError('InvalidSignature');
  return claims;
}

/**
 * Returns the path of a URL as Supabase Storage sends it: storage-js passes it to encodeURI, which leaves the encoded
 * characters as they are, except the percent sign.
 */
export const pathInUrl = (path: string): string => path.replace(/[%#?\\]/g, encodeURIComponent);

/**
 * Returns the object of a signed URL, and the options of the image; null if the URL is for the object itself.
 * @param path The path of the URL. A client that encodes twice sends the path of the token in encoded form.
 * @throws NinefoldError InvalidJWT, InvalidSignature if the token is for another object
 */
export function requireReadUrl(
  context: StorageContext,
  path: { readonly bucket: string; readonly path: string },
  query: URLSearchParams,
): { readonly place: ObjectPlace; readonly transformations: string | null } {
  const { url, transformations = null } = verifyUrl(context, query.get('token') ?? '', 'read');
  return { place: requireSamePlace(path, url), transformations };
}

/** Returns the place that both the path of a signed URL and its token name. */
export function requireSamePlace(path: { readonly bucket: string; readonly path: string }, url: string): ObjectPlace {
  const sent = `${decodedPath(path.bucket)}/${decodedPath(path.path)}`;
  if (sent !== url && decodedPath(sent) !== url) {
    throw new NinefoldError('InvalidSignature');
  }
  const slash = url.indexOf('/');
  return { bucket: url.slice(0, slash), name: url.slice(slash + 1) };
}

/**
 * Returns the path of a signed URL for reading, below /storage/v1.
 * @param options The options of an image as one text; empty for the file itself.
 */
export function signedPath(
  context: StorageContext,
  { bucket, name }: ObjectPlace,
  expiresIn: number,
  options = '',
): string {
  const url = `${bucket}/${name}`;
  const token = signUrl(context, { use: 'read', url, ...(options !== '' && { transformations: options }) }, expiresIn);
  return `/${options === '' ? 'object' : 'render/image'}/sign/${pathInUrl(url)}?token=${token}`;
}
