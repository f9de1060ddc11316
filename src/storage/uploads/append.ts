import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { storageFull } from '../../apps/exceeded-bounds.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { SpooledFile } from '../../files/byte-store.ts';
import { type Bucket, requireBucket } from '../buckets/bucket.ts';
import type { StorageContext } from '../context.ts';
import { requireAllowedType } from '../objects/content-types.ts';
import { whileCounted } from '../objects/upload.ts';
import { tooLarge, type Upload } from '../objects/write-object.ts';
import { BodyParts } from './body-parts.ts';
import { complete, completeFromFile } from './complete.ts';
import { addPart } from './parts.ts';
import type { OpenUpload } from './rows.ts';

/** Number of first bytes that show the type of a file. */
const HEAD = 4096;

/** A position in an upload: the bytes and the parts that the node has stored. */
interface Position {
  readonly received: number;
  readonly parts: number;
}

/**
 * Appends the body of a request to an upload, and completes the upload after its last byte. Stores the bytes that
 * arrive before a failure of the connection.
 * @returns The number of bytes that the upload then has.
 * @throws NinefoldError
 */
export async function append(
  context: StorageContext,
  request: CallRequest,
  open: OpenUpload,
  upload: Upload,
): Promise<number> {
  const { stream } = request;
  const missing = open.size === null ? null : open.size - open.received;
  if (stream === null && missing !== 0) return open.received;
  if (stream?.length && missing !== null && stream.length > missing) throw tooLarge();
  return whileCounted(context, async () => {
    const bucket = await requireBucket(context, request, open.bucket_id, { operation: upload.operation });
    if (stream === null || missing === 0) {
      await complete(context, request, open, upload, bucket);
      return open.received;
    }
    const maxBytes = await admitBytes(context, open, upload, bucket, stream.length);
    const body = new BodyParts(stream, limits.uploadPartBytes.default);
    try {
      return await receive(context, request, { open, upload, bucket, maxBytes }, body);
    } finally {
      await body.stop();
    }
  });
}

/** Checks that bytes fit into the bucket, the quotas and the disk. Returns the bytes that may arrive. */
async function admitBytes(
  context: StorageContext,
  open: OpenUpload,
  { ownerId }: Upload,
  bucket: Bucket,
  announced: number | null,
): Promise<number> {
  const { app, settings, usage, disk } = context;
  if (app.isFull) throw storageFull();
  const maxFile = Math.min(bucket.file_size_limit ?? Number.MAX_SAFE_INTEGER, settings.storage_file_bytes);
  const maxBytes = Math.min(open.size ?? maxFile, maxFile) - open.received;
  const size = announced ?? 0;
  if (size > maxBytes || maxBytes < 0) throw tooLarge();
  await Promise.all([usage.require(context, bucket.id, ownerId, size), disk.require(size)]);
  return maxBytes;
}

interface Target {
  readonly open: OpenUpload;
  readonly upload: Upload;
  readonly bucket: Bucket;
  readonly maxBytes: number;
}

async function receive(
  context: StorageContext,
  request: CallRequest,
  target: Target,
  body: BodyParts,
): Promise<number> {
  const { open, upload, bucket, maxBytes } = target;
  const end = open.received + maxBytes;
  let at: Position = open;
  while (!body.isOver) {
    const file = await context.spool.receive(body.next(), { maxBytes: end - at.received, tooLarge });
    const received = at.received + file.size;
    if (file.size === open.size) {
      await completeFromFile(context, request, { open, upload, bucket }, file);
      return received;
    }
    if (await storeNext(context, target, at, file)) at = { received, parts: at.parts + 1 };
  }
  if (at.received === open.size) await complete(context, request, { ...open, ...at }, upload, bucket);
  if (body.failure !== null) throw body.failure;
  return at.received;
}

/**
 * Stores a file as the next part. Returns false for an empty file.
 * @throws NinefoldError UploadOffsetConflict if another request has stored this part.
 */
async function storeNext(
  context: StorageContext,
  { open, upload: { ownerId }, bucket }: Target,
  at: Position,
  file: SpooledFile,
): Promise<boolean> {
  try {
    if (file.size === 0) {
      await context.spool.discard(file);
      return false;
    }
    if (at.parts >= limits.uploadParts.default) {
      throw new NinefoldError('InvalidRequest', {
        message: `The upload has ${at.parts} parts. Send larger parts.`,
        limit: 'uploadParts',
      });
    }
    // A shorter head can be too short for the type.
    if (at.parts === 0 && file.head.length >= HEAD) await requireAllowedType(bucket, open.content_type, file.head);
    await Promise.all([context.usage.require(context, bucket.id, ownerId, file.size), context.disk.require(0)]);
  } catch (error) {
    await context.spool.discard(file);
    throw error;
  }
  if (await addPart(context, open, at.parts + 1, file)) return true;
  throw new NinefoldError('UploadOffsetConflict');
}
