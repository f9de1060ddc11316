import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { storageCall } from './call.ts';
import { callerOf, isService } from './caller.ts';
import type { StorageContext } from './context.ts';
import { json } from './reply.ts';

/**
 * Answers a request to empty the cache of a content delivery network. A node has no such network in front that it knows
 * of, and entity tags keep its own caches true, so nothing has to be emptied.
 */
async function purge(context: StorageContext, _request: CallRequest): Promise<Reply> {
  if (!isService(await callerOf(context)))
    throw new NinefoldError('AccessDenied', { message: 'Access denied: Invalid role' });
  return json({ message: 'success' });
}

export const purgeObject = storageCall({
  id: 'storage.cdn.purge_object_cache',
  route: 'DELETE /cdn/{bucket}/{path}',
  caller: 'key',
  summary: 'Does nothing: Ninefold needs no cache of files to be emptied.',
  returns: 'message.',
  errors: [],
  supabaseJs: "supabase.storage.from('BUCKET').purgeCache('PATH')",
  handle: purge,
});

export const purgeBucket = storageCall({
  id: 'storage.cdn.purge_bucket_cache',
  route: 'DELETE /cdn/{bucket}',
  caller: 'key',
  summary: 'Does nothing: Ninefold needs no cache of files to be emptied.',
  returns: 'message.',
  errors: [],
  supabaseJs: "supabase.storage.purgeBucketCache('BUCKET')",
  handle: purge,
});
