import { z } from 'zod';
import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { required } from '../../calls/words.ts';
import { firstJson } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Identity } from '../../identity/identity.ts';
import { storageCall } from '../call.ts';
import { callerOf } from '../caller.ts';
import type { StorageContext } from '../context.ts';
import { isoTime } from '../iso-time.ts';
import { decodedPath } from '../names.ts';
import { json } from '../reply.ts';
import { asCaller, runActs } from '../run.ts';
import { placeOf } from './place.ts';

/** A removed row as storage-js returns it. */
export interface RemovedObject {
  readonly name: string;
  readonly [column: string]: unknown;
}

/**
 * Deletes the rows of objects that the caller may delete, and returns them. A trigger notes their bytes, which the node
 * deletes after the commit.
 */
export async function removeObjects(
  context: StorageContext,
  request: CallRequest,
  { as, bucket, names, operation }: { as: Identity; bucket: string; names: readonly string[]; operation: string },
): Promise<readonly RemovedObject[]> {
  const [result] = await runActs(
    context,
    request,
    { operation },
    asCaller(as, {
      text: `with removed as (
          delete from storage.objects o where o.bucket_id = $1
            and o.name = any (select pg_catalog.jsonb_array_elements_text($2::jsonb)) returning o.*
        ) select coalesce(json_agg(json_build_object('name', r.name, 'bucket_id', r.bucket_id, 'owner', r.owner,
          'owner_id', r.owner_id, 'id', r.id, 'version', r.version, 'updated_at', ${isoTime('r.updated_at')},
          'created_at', ${isoTime('r.created_at')}, 'last_accessed_at', ${isoTime('r.last_accessed_at')}, 'metadata', r.metadata,
          'user_metadata', r.user_metadata)), '[]') from removed r`,
      params: [bucket, JSON.stringify(names)],
    }),
  );
  return (result && firstJson<RemovedObject[]>(result)) ?? [];
}

export const removeMany = storageCall({
  id: 'storage.object.delete_many',
  route: 'DELETE /object/{bucket}',
  caller: 'key',
  needs: ['delete objects'],
  summary: 'Deletes files that the caller may delete.',
  returns: 'The deleted objects. Paths without an object are left out.',
  errors: ['EntityTooLarge'],
  body: z.object({
    prefixes: z
      .array(z.string())
      .min(1)
      .max(limits.storageRemovedObjects.default)
      .meta(required('The paths of the files.', 'list of text')),
  }),
  example: { prefixes: ['folder/file.txt'] },
  supabaseJs: "supabase.storage.from('BUCKET').remove(['PATH'])",
  handle: async (context, request, { path, readBody, operation }) => {
    const { prefixes } = await readBody();
    const bucket = decodedPath(path.bucket);
    return json(
      await removeObjects(context, request, { as: await callerOf(context), bucket, names: prefixes, operation }),
    );
  },
});

export const remove = storageCall({
  id: 'storage.object.delete',
  route: 'DELETE /object/{bucket}/{path}',
  caller: 'key',
  needs: ['delete objects'],
  summary: 'Deletes one file.',
  returns: 'message.',
  errors: ['NoSuchKey', 'InvalidKey'],
  handle: async (context, request, { path, operation }) => {
    const { bucket, name } = placeOf(path);
    const removed = await removeObjects(context, request, {
      as: await callerOf(context),
      bucket,
      names: [name],
      operation,
    });
    if (removed.length === 0) throw new NinefoldError('NoSuchKey');
    return json({ message: 'Successfully deleted' });
  },
});
