import { limits } from '../../../contract/limits.ts';
import { firstJson } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { requireBucket } from '../buckets/bucket.ts';
import { isService } from '../caller.ts';
import { removeObjects } from '../objects/remove.ts';
import { asCaller, runActs } from '../run.ts';
import { readAll } from './body/request-body.ts';
import type { BucketCall, Handler, ObjectCall } from './s3-call.ts';
import { xmlTooLarge } from './s3-error.ts';
import { emptyReply, xmlReply } from './s3-reply.ts';
import { readDeletion } from './xml/documents.ts';

const DENIED = 'No policy lets the caller delete this object.';

/** Deletes an object. Succeeds if there is none. */
export const deleteObject: Handler<ObjectCall> = async (call) => {
  const denied = await removeKeys(call, [call.key]);
  if (denied.size > 0) throw new NinefoldError('AccessDenied', { message: DENIED });
  return emptyReply(204);
};

export const deleteObjects: Handler<BucketCall> = async (call) => {
  const { keys, isQuiet } = readDeletion(await readAll(call.body, limits.s3XmlBytes.default, xmlTooLarge));
  const denied = await removeKeys(call, keys);
  return xmlReply('DeleteResult', {
    Deleted: isQuiet ? null : keys.filter((key) => !denied.has(key)).map((Key) => ({ Key })),
    Error: [...denied].map((Key) => ({ Key, Code: 'AccessDenied', Message: DENIED })),
  });
};

/**
 * Deletes objects. Returns the keys of those that the caller sees but may not delete.
 * @throws NinefoldError NoSuchBucket
 */
async function removeKeys(call: BucketCall, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const { context, request, identity, operation, bucket } = call;
  const removed = await removeObjects(context, request, { as: identity, bucket, names: keys, operation });
  if (removed.length === new Set(keys).size) return new Set();
  await requireBucket(context, request, bucket, { operation });
  if (isService(identity)) return new Set();
  const visible = await visibleNames(call, keys);
  return new Set(keys.filter((key) => visible.has(key)));
}

async function visibleNames(call: BucketCall, names: readonly string[]): Promise<ReadonlySet<string>> {
  const { context, request, identity, operation, bucket } = call;
  const select = {
    text: `select coalesce(json_agg(o.name), '[]') from storage.objects o
      where o.bucket_id = $1 and o.name = any (select pg_catalog.jsonb_array_elements_text($2::jsonb))`,
    params: [bucket, JSON.stringify(names)],
  };
  const [result] = await runActs(context, request, { operation }, asCaller(identity, select));
  return new Set((result && firstJson<string[]>(result)) ?? []);
}
