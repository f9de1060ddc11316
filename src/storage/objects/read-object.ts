import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { firstJson } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type Identity, serviceRole } from '../../identity/identity.ts';
import { isService } from '../caller.ts';
import type { StorageContext } from '../context.ts';
import { asCaller, asService, runActs } from '../run.ts';
import { OBJECT_JSON, type ObjectPlace, readObject, type StoredObject } from './object.ts';
import { type Delivery, objectReply } from './object-reply.ts';

/** The reader of an object and the operation. */
export interface Reading {
  /** The caller; `public` for anyone, if the bucket is public; `link` for the holder of a signed URL. */
  readonly as: Identity | 'public' | 'link';
  readonly operation: string;
}

/**
 * Returns an object that a caller may read, with the publicity of its bucket. Everybody may read the objects of a public
 * bucket; policies decide about all others.
 * @throws NinefoldError NoSuchBucket, NoSuchKey, Quarantined
 */
export async function findReadable(
  context: StorageContext,
  request: CallRequest,
  place: ObjectPlace,
  { as, operation }: Reading,
): Promise<{ readonly object: StoredObject; readonly isPublic: boolean }> {
  const identity = typeof as === 'string' ? serviceRole : as;
  const [inBucket, own] = await runActs(
    context,
    request,
    { operation },
    asService({
      text: `select json_build_object('public', b.public, 'object', (select ${OBJECT_JSON} from storage.objects o
        where b.public and o.bucket_id = b.id and o.name = $2)) from storage.buckets b where b.id = $1`,
      params: [place.bucket, place.name],
    }),
    ...(as === 'public' ? [] : [asCaller(identity, readObject(place))]),
  );
  const bucket = inBucket && firstJson<{ public: boolean | null; object: StoredObject | null }>(inBucket);
  if (!bucket || (as === 'public' && !bucket.public)) throw new NinefoldError('NoSuchBucket');
  const object = bucket.object ?? (own && firstJson<StoredObject>(own));
  if (!object) throw new NinefoldError('NoSuchKey');
  if (object.content?.is_quarantined && !(typeof as !== 'string' && isService(as))) {
    throw new NinefoldError('Quarantined');
  }
  return { object, isPublic: bucket.public === true };
}

/** The errors of every call that sends an object. */
export const readErrors = [
  'NoSuchBucket',
  'NoSuchKey',
  'InvalidKey',
  'Quarantined',
  'BytesMissing',
  'storage_unavailable',
] as const;

/** Sends an object. */
export const sendObject = (
  context: StorageContext,
  request: CallRequest,
  place: ObjectPlace,
  reading: Reading,
): Promise<Reply> =>
  sendFound(context, request, place, reading, (object, delivery) => objectReply(context, request, object, delivery));

/**
 * Finds an object that a caller may read, and sends the reply of `toReply`. If the object was replaced between the read of
 * its row and of its bytes, reads the row again.
 */
export async function sendFound(
  context: StorageContext,
  request: CallRequest,
  place: ObjectPlace,
  reading: Reading,
  toReply: (object: StoredObject, delivery: Delivery) => Promise<Reply>,
): Promise<Reply> {
  const download = new URLSearchParams(request.query).get('download');
  const send = ({ object, isPublic }: Awaited<ReturnType<typeof findReadable>>) =>
    toReply(object, { download, isPublic });
  const found = await findReadable(context, request, place, reading);
  try {
    return await send(found);
  } catch (error) {
    if (!(error instanceof NinefoldError && error.code === 'BytesMissing')) throw error;
    const current = await findReadable(context, request, place, reading);
    if (current.object.version === found.object.version) throw error;
    return send(current);
  }
}
