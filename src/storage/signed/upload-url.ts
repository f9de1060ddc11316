import { randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import { optional } from '../../calls/words.ts';
import { storageCall } from '../call.ts';
import { callerOf, ownerColumns } from '../caller.ts';
import { placeOf } from '../objects/place.ts';
import { admitUpload } from '../objects/write-object.ts';
import { json } from '../reply.ts';
import { pathInUrl, signUrl } from './tokens.ts';

export const signUpload = storageCall({
  id: 'storage.object.sign_upload_url',
  route: 'POST /object/upload/sign/{bucket}/{path}',
  caller: 'key',
  needs: ['insert objects'],
  summary: 'Signs a URL with which anyone can upload one file for two hours, once unless it may replace the file.',
  returns: 'url, a path below /storage/v1, and its token.',
  errors: ['NoSuchBucket', 'InvalidKey', 'KeyAlreadyExists', 'QuotaExceeded', 'app_storage_full'],
  headers: { 'x-upsert': optional('true lets the upload replace an object with this path.', 'boolean') },
  supabaseJs: "supabase.storage.from('BUCKET').createSignedUploadUrl('PATH')",
  handle: async (context, request, { path, operation }) => {
    const identity = await callerOf(context);
    const { ownerId, ...owner } = ownerColumns(identity);
    const isUpsert = request.headers['x-upsert'] === 'true';
    const place = placeOf(path);
    await admitUpload(context, request, { place, operation, as: identity, ...owner, ownerId, isUpsert }, null);
    const url = `${place.bucket}/${place.name}`;
    const claims = { use: 'upload', url, jti: randomUUID(), upsert: isUpsert, owner: ownerId } as const;
    const token = signUrl(context, claims, limits.uploadUrlSeconds.default);
    return json({ url: `/object/upload/sign/${pathInUrl(url)}?token=${token}`, token });
  },
});
