import type { CallRequest } from '../../../contract/call-request.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Identity } from '../../identity/identity.ts';
import { callerOf, ownerColumns } from '../caller.ts';
import type { StorageContext } from '../context.ts';
import type { ObjectPlace } from '../objects/object.ts';
import { uploadOfToken } from '../objects/upload.ts';
import type { Upload } from '../objects/write-object.ts';
import { type UrlClaims, verifyUrl } from '../signed/tokens.ts';
import { findUpload, type OpenUpload } from './rows.ts';

/** Header with the token of a signed upload URL, which replaces a key or an access token. */
const SIGNATURE = 'x-signature';

/** The sender of a resumable upload: a caller, or the holder of the token of a signed upload URL. */
export type Uploader =
  | { readonly by: 'caller'; readonly identity: Identity }
  | { readonly by: 'token'; readonly claims: UrlClaims };

/**
 * Returns the sender of a request.
 * @param isSigned True for the paths of signed uploads, which need a token.
 * @throws NinefoldError InvalidSignature, InvalidJWT; the errors of the key or token
 */
export async function uploaderOf(context: StorageContext, request: CallRequest, isSigned: boolean): Promise<Uploader> {
  const token = request.headers[SIGNATURE];
  if (token !== undefined) return { by: 'token', claims: verifyUrl(context, token, 'upload') };
  if (isSigned) throw new NinefoldError('InvalidSignature', { message: `Missing ${SIGNATURE} header` });
  return { by: 'caller', identity: await callerOf(context) };
}

/**
 * Returns the upload of a sender to a place.
 * @param isUpsert Whether the upload replaces an object. The token of a signed upload URL overrides it.
 * @throws NinefoldError InvalidSignature if the token is for another object
 */
export function uploadTo(uploader: Uploader, place: ObjectPlace, operation: string, isUpsert: boolean): Upload {
  if (uploader.by === 'caller') {
    const { identity } = uploader;
    return { place, operation, as: identity, ...ownerColumns(identity), isUpsert };
  }
  const { claims } = uploader;
  if (claims.url !== `${place.bucket}/${place.name}`) throw new NinefoldError('InvalidSignature');
  return uploadOfToken(claims, place, operation);
}

/** Returns the id of the token of a sender; null for a caller. */
export const tokenIdOf = (uploader: Uploader): string | null =>
  uploader.by === 'token' ? (uploader.claims.jti ?? null) : null;

/**
 * Returns the upload with an id, if the sender began it.
 * @throws NinefoldError NoSuchUpload
 */
export async function requireUpload(context: StorageContext, uploader: Uploader, id: string): Promise<OpenUpload> {
  const upload = await findUpload(context, 'tus', id);
  if (upload === null || !hasBegun(uploader, upload)) throw new NinefoldError('NoSuchUpload');
  if (upload.is_expired) throw new NinefoldError('NoSuchUpload', { status: 410, message: 'The upload has expired' });
  return upload;
}

function hasBegun(uploader: Uploader, upload: OpenUpload): boolean {
  if (uploader.by === 'token') return upload.token_id !== null && upload.token_id === tokenIdOf(uploader);
  const { role, userId } = uploader.identity;
  return upload.token_id === null && upload.role === role && upload.owner_id === userId;
}
