import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { CallRequest } from '../../../contract/call-request.ts';
import { storageFull } from '../../apps/exceeded-bounds.ts';
import { optional, required } from '../../calls/words.ts';
import { firstJson } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Identity } from '../../identity/identity.ts';
import { requireBucket } from '../buckets/bucket.ts';
import { storageCall } from '../call.ts';
import { callerOf, ownerColumns } from '../caller.ts';
import type { StorageContext } from '../context.ts';
import { objectName } from '../names.ts';
import { json } from '../reply.ts';
import { asAdmin, asCaller, asService, runActs } from '../run.ts';
import { requireAllowedType } from './content-types.ts';
import { findObject, type ObjectPlace, type StoredObject } from './object.ts';
import { contentTypeOf } from './object-reply.ts';
import { findReadable } from './read-object.ts';
import { REPLACING, tooLarge } from './write-object.ts';

const places = {
  bucketId: z.string().meta(required('The bucket of the file.')),
  sourceKey: z.string().meta(required('The path of the file.')),
  destinationKey: z.string().meta(required('The new path.')),
  destinationBucket: z.string().nullish().meta(optional('The bucket of the new path; the same by default.')),
};

/** Returns the source and the destination that a body names. */
const placesOf = (body: {
  bucketId: string;
  sourceKey: string;
  destinationKey: string;
  destinationBucket?: string | null | undefined;
}): { from: ObjectPlace; to: ObjectPlace } => ({
  from: { bucket: body.bucketId, name: objectName(body.sourceKey) },
  to: { bucket: body.destinationBucket ?? body.bucketId, name: objectName(body.destinationKey) },
});

/**
 * Checks that the bucket of the destination takes an object.
 * @throws NinefoldError NoSuchBucket, EntityTooLarge, InvalidMimeType
 */
async function requireFits(
  context: StorageContext,
  request: CallRequest,
  { to, object, operation }: { to: ObjectPlace; object: StoredObject; operation: string },
): Promise<void> {
  const bucket = await requireBucket(context, request, to.bucket, { operation });
  if (bucket.file_size_limit !== null && (object.content?.size ?? 0) > bucket.file_size_limit) throw tooLarge();
  await requireAllowedType(bucket, contentTypeOf(object), null);
}

export const move = storageCall({
  id: 'storage.object.move',
  route: 'POST /object/move',
  caller: 'key',
  needs: ['update objects'],
  summary: 'Gives a file another path, also in another bucket.',
  returns: 'message.',
  errors: ['NoSuchBucket', 'NoSuchKey', 'InvalidKey', 'KeyAlreadyExists', 'EntityTooLarge', 'InvalidMimeType'],
  body: z.object(places),
  example: { bucketId: 'BUCKET', sourceKey: 'OLD', destinationKey: 'NEW' },
  supabaseJs: "supabase.storage.from('BUCKET').move('OLD', 'NEW')",
  handle: async (context, request, { readBody, operation }) => {
    const { from, to } = placesOf(await readBody());
    const identity = await callerOf(context);
    const object = await findObject(context, request, from, { act: (each) => asCaller(identity, each), operation });
    if (from.bucket !== to.bucket) await requireFits(context, request, { to, object, operation });
    const [moved] = await runActs(
      context,
      request,
      { operation },
      asCaller(identity, {
        text: `with moved as (
            update storage.objects o set bucket_id = $3, name = $4, updated_at = pg_catalog.now()
            where o.bucket_id = $1 and o.name = $2 returning o.id
          ) select json_build_object('count', count(*)) from moved`,
        params: [from.bucket, from.name, to.bucket, to.name],
      }),
    );
    if ((moved && firstJson<{ count: number }>(moved))?.count !== 1) throw new NinefoldError('AccessDenied');
    return json({ message: 'Successfully moved', Id: object.id, Key: `${to.bucket}/${to.name}` });
  },
});

export const copy = storageCall({
  id: 'storage.object.copy',
  route: 'POST /object/copy',
  caller: 'key',
  needs: ['select objects', 'insert objects'],
  summary: 'Copies a file to another path, also in another bucket. No bytes are read.',
  returns: 'Id and Key of the copy.',
  errors: [
    'NoSuchBucket',
    'NoSuchKey',
    'InvalidKey',
    'KeyAlreadyExists',
    'EntityTooLarge',
    'InvalidMimeType',
    'Quarantined',
    'QuotaExceeded',
    'app_storage_full',
  ],
  body: z.object({
    ...places,
    copyMetadata: z
      .boolean()
      .nullish()
      .meta(optional('Whether the copy has the type and the metadata of the file; true by default.', 'boolean')),
    metadata: z
      .object({ mimetype: z.string().nullish(), cacheControl: z.string().nullish() })
      .nullish()
      .meta(optional('mimetype and cacheControl of the copy, if copyMetadata is false.', 'object')),
  }),
  example: { bucketId: 'BUCKET', sourceKey: 'OLD', destinationKey: 'NEW' },
  supabaseJs: "supabase.storage.from('BUCKET').copy('OLD', 'NEW')",
  handle: async (context, request, { readBody, operation }) => {
    const body = await readBody();
    const { from, to } = placesOf(body);
    const kept =
      body.copyMetadata === false
        ? { mimetype: body.metadata?.mimetype, cacheControl: body.metadata?.cacheControl }
        : null;
    const isUpsert = request.headers['x-upsert'] === 'true';
    const id = await copyObject(context, request, { from, to, as: await callerOf(context), kept, isUpsert, operation });
    return json({ Id: id, Key: `${to.bucket}/${to.name}` });
  },
});

/** A copy of an object. */
export interface Copying {
  readonly from: ObjectPlace;
  readonly to: ObjectPlace;
  readonly as: Identity;
  /** The metadata of the copy; null for that of the source. */
  readonly kept: { readonly [key: string]: unknown } | null;
  readonly userMetadata?: Readonly<Record<string, unknown>> | null;
  readonly isUpsert: boolean;
  readonly operation: string;
}

/**
 * Copies an object: the new row names the same bytes. Returns the id of the copy.
 * @throws NinefoldError
 */
export async function copyObject(context: StorageContext, request: CallRequest, copying: Copying): Promise<string> {
  const { from, to, as, kept, isUpsert, operation } = copying;
  if (context.app.isFull) throw storageFull();
  const { object } = await findReadable(context, request, from, { as, operation });
  await requireFits(context, request, { to, object, operation });
  const { owner, ownerId } = ownerColumns(as);
  await context.usage.require(context, to.bucket, ownerId, object.content?.size ?? 0);
  const metadata = {
    ...object.metadata,
    ...Object.fromEntries(Object.entries(kept ?? {}).filter(([, value]) => value !== null && value !== undefined)),
    lastModified: new Date().toISOString(),
  };
  const userMetadata = kept === null ? object.user_metadata : (copying.userMetadata ?? null);
  const id = randomUUID();
  const isStored = object.content !== null;
  const [used, , written] = await runActs(
    context,
    request,
    { operation },
    asAdmin({
      text: `select pg_catalog.set_config('ninefold.file', coalesce(ninefold.use_file($1)::text, ''), true)`,
      params: [object.version],
    }),
    asCaller(as, {
      text: `insert into storage.objects (id, bucket_id, name, owner, owner_id, metadata, user_metadata, version)
        select $1::uuid, $2, $3, $4::uuid, $5, $6::jsonb, $7::jsonb, $8
        where not $9::boolean or pg_catalog.current_setting('ninefold.file', true) = $8${isUpsert ? REPLACING : ''}`,
      params: [
        id,
        to.bucket,
        to.name,
        owner,
        ownerId,
        JSON.stringify(metadata),
        userMetadata === null ? null : JSON.stringify(userMetadata),
        object.version,
        String(isStored),
      ],
    }),
    asService({
      text: `select json_build_object('id', o.id, 'version', o.version) from storage.objects o
        where o.bucket_id = $1 and o.name = $2`,
      params: [to.bucket, to.name],
    }),
  );
  // The file was deleted since its row was read.
  if (isStored && used?.rows[0]?.[0]?.toString() !== object.version) throw new NinefoldError('NoSuchKey');
  const copy = written && firstJson<{ id: string; version: string | null }>(written);
  if (copy?.version !== object.version)
    throw new NinefoldError('database_refused', { message: 'A trigger of this app dropped the row of the object.' });
  return copy.id;
}
