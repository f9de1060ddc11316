import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { storageCall } from '../call.ts';
import { callerOf, callerOrPublic } from '../caller.ts';
import type { StorageContext } from '../context.ts';
import { json } from '../reply.ts';
import { entityTagOf, type ObjectPlace, type StoredObject } from './object.ts';
import { contentTypeOf } from './object-reply.ts';
import { placeOf } from './place.ts';
import { findReadable, type Reading } from './read-object.ts';

async function infoReply(
  context: StorageContext,
  request: CallRequest,
  place: ObjectPlace,
  reading: Reading,
): Promise<Reply> {
  return json(described((await findReadable(context, request, place, reading)).object));
}

/** Returns the description of an object as storage-js reads it. */
const described = (object: StoredObject) => ({
  id: object.id,
  name: object.name,
  version: object.version,
  bucket_id: object.bucket_id,
  size: object.content?.size ?? null,
  content_type: contentTypeOf(object),
  cache_control: object.metadata?.cacheControl ?? null,
  etag: entityTagOf(object),
  metadata: object.user_metadata,
  last_modified: object.updated_at,
  created_at: object.created_at,
});

const returns = 'id, name, version, size, content_type, cache_control, etag, metadata, last_modified and created_at.';
const errors = ['NoSuchBucket', 'NoSuchKey', 'InvalidKey', 'Quarantined'] as const;

export const info = storageCall({
  id: 'storage.object.info',
  route: 'GET /object/info/{bucket}/{path}',
  caller: 'key',
  operation: 'object.get_authenticated_info',
  summary: 'Describes a file that the caller may read, or anyone in a public bucket.',
  returns,
  errors,
  supabaseJs: "supabase.storage.from('BUCKET').info('PATH')",
  handle: async (context, request, { path, operation }) =>
    infoReply(context, request, placeOf(path), { as: await callerOrPublic(context), operation }),
});

export const infoAuthenticated = storageCall({
  id: 'storage.object.info_authenticated',
  route: 'GET /object/info/authenticated/{bucket}/{path}',
  caller: 'key',
  needs: ['select objects'],
  operation: 'object.get_authenticated_info',
  summary: 'Describes a file that the caller may read; the longer path.',
  returns,
  errors,
  handle: async (context, request, { path, operation }) =>
    infoReply(context, request, placeOf(path), { as: await callerOf(context), operation }),
});

export const infoPublic = storageCall({
  id: 'storage.object.info_public',
  route: 'GET /object/info/public/{bucket}/{path}',
  caller: 'anyone',
  summary: 'Describes a file of a public bucket.',
  returns,
  errors,
  handle: (context, request, { path, operation }) =>
    infoReply(context, request, placeOf(path), { as: 'public', operation }),
});
