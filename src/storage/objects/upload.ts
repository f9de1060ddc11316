import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import type { ErrorCode } from '../../../contract/errors.ts';
import { limits } from '../../../contract/limits.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { serviceRole } from '../../identity/identity.ts';
import { storageCall } from '../call.ts';
import { callerOf, ownerColumns } from '../caller.ts';
import type { StorageContext } from '../context.ts';
import { json } from '../reply.ts';
import { requireSamePlace, type UrlClaims, verifyUrl } from '../signed/tokens.ts';
import type { ObjectPlace } from './object.ts';
import { placeOf } from './place.ts';
import { readUpload } from './read-upload.ts';
import { admitUpload, storeObject, tooLarge, type Upload, type WrittenObject } from './write-object.ts';

/** The errors of every way to upload a file. */
export const uploadErrors: readonly ErrorCode[] = [
  'NoSuchBucket',
  'InvalidKey',
  'KeyAlreadyExists',
  'EntityTooLarge',
  'QuotaExceeded',
  'InvalidMimeType',
  'TooManyUploads',
  'storage_unavailable',
  'app_storage_full',
];

/** Receives the file of a request and stores it. */
async function receiveUpload(context: StorageContext, request: CallRequest, upload: Upload): Promise<WrittenObject> {
  return whileCounted(context, async () => {
    const file = await readUpload(request);
    try {
      const { bucket, maxBytes } = await admitUpload(context, request, upload, file.details, file.announced);
      const spooled = await context.spool.receive(file.bytes, { maxBytes, tooLarge });
      try {
        requireAnnounced(file.announced, spooled.size);
        await file.finished();
      } catch (error) {
        await context.spool.discard(spooled);
        throw error;
      }
      return await storeObject(context, request, upload, spooled, file.details, bucket);
    } finally {
      file.close();
    }
  });
}

function requireAnnounced(announced: number | null, received: number): void {
  if (announced !== null && announced !== received) throw new NinefoldError('body_incomplete');
}

/**
 * Runs an upload if the app has fewer than `appUploads` in this worker.
 * @throws NinefoldError TooManyUploads
 */
export async function whileCounted<T>({ app, uploads }: StorageContext, work: () => Promise<T>): Promise<T> {
  const end = uploads.begin(app.ref, { ofSubject: limits.appUploads.default });
  if (end === null) {
    throw new NinefoldError('TooManyUploads', { retryAfter: 1, quota: { count: limits.appUploads.default } });
  }
  try {
    return await work();
  } finally {
    end();
  }
}

const written = ({ place }: Upload, { id }: WrittenObject): Reply =>
  json({ Id: id, Key: `${place.bucket}/${place.name}` });

const headers = {
  'x-upsert': optional('true replaces an object with this path.', 'boolean'),
  'cache-control': optional('How long clients may cache the file: max-age=3600.'),
  'content-type': optional('The type of the file. A form (multipart/form-data) has the type in the part of the file.'),
  'x-metadata': optional('Metadata of your own: a JSON object in Base64.'),
};

export const upload = storageCall({
  id: 'storage.object.upload',
  route: 'POST /object/{bucket}/{path}',
  caller: 'key',
  needs: ['insert objects'],
  summary: 'Uploads a file, as the body itself or as a form.',
  returns: 'Id and Key of the object.',
  errors: uploadErrors,
  headers,
  supabaseJs: "supabase.storage.from('BUCKET').upload('PATH', file)",
  handle: async (context, request, { path, operation }) => {
    const identity = await callerOf(context);
    const isUpsert = request.headers['x-upsert'] === 'true';
    const plan: Upload = { place: placeOf(path), operation, as: identity, ...ownerColumns(identity), isUpsert };
    return written(plan, await receiveUpload(context, request, plan));
  },
});

export const replace = storageCall({
  id: 'storage.object.upload_update',
  route: 'PUT /object/{bucket}/{path}',
  caller: 'key',
  needs: ['insert objects', 'update objects'],
  summary: 'Uploads a file in place of the one with this path.',
  returns: 'Id and Key of the object.',
  errors: uploadErrors,
  headers,
  supabaseJs: "supabase.storage.from('BUCKET').update('PATH', file)",
  handle: async (context, request, { path, operation }) => {
    const identity = await callerOf(context);
    const plan: Upload = { place: placeOf(path), operation, as: identity, ...ownerColumns(identity), isUpsert: true };
    return written(plan, await receiveUpload(context, request, plan));
  },
});

export const uploadSigned = storageCall({
  id: 'storage.object.upload_signed',
  route: 'PUT /object/upload/sign/{bucket}/{path}',
  caller: 'link',
  summary: 'Uploads a file by a signed upload URL.',
  returns: 'Key of the object.',
  errors: [...uploadErrors, 'InvalidJWT', 'InvalidSignature', 'InvalidUploadSignature', 'database_refused'],
  query: { token: required('The token of the signed upload URL.') },
  headers: { 'cache-control': headers['cache-control'], 'content-type': headers['content-type'] },
  supabaseJs: "supabase.storage.from('BUCKET').uploadToSignedUrl('PATH', token, file)",
  handle: async (context, request, { path, query, operation }) => {
    const plan = signedUpload(context, query.get('token') ?? '', operation, path);
    return written(plan, await receiveUpload(context, request, plan));
  },
});

/**
 * Returns the upload that the token of a signed upload URL allows. Policies decided when the URL was made.
 * @throws NinefoldError InvalidJWT, InvalidSignature
 */
function signedUpload(
  context: StorageContext,
  token: string,
  operation: string,
  path: { readonly bucket: string; readonly path: string },
): Upload {
  const claims = verifyUrl(context, token, 'upload');
  return uploadOfToken(claims, requireSamePlace(path, claims.url), operation);
}

/** Returns the upload to a place that the token of a signed upload URL names. */
export function uploadOfToken({ upsert, owner, jti, exp }: UrlClaims, place: ObjectPlace, operation: string): Upload {
  return {
    place,
    operation,
    as: serviceRole,
    ...ownerColumns({ userId: owner ?? null }),
    isUpsert: upsert === true,
    // An upload that replaces may be repeated until the URL ends.
    ...(upsert !== true && jti !== undefined && { token: { id: jti, expiresAt: exp } }),
  };
}
