import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallRequest } from '../../../contract/call-request.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { SpooledFile } from '../../files/byte-store.ts';
import type { Bucket } from '../buckets/bucket.ts';
import type { StorageContext } from '../context.ts';
import { type FileDetails, storeObject, tooLarge, type Upload } from '../objects/write-object.ts';
import { allParts, endUpload, freeParts, partBytes } from './parts.ts';
import { findUpload, type OpenUpload, releaseJoin, reserveJoin } from './rows.ts';

/** Time for which a worker reserves the joining of parts. If the worker ends, another one can join them after this time. */
const RESERVED_MILLISECONDS = 4000;
/** How often a worker extends its reservation. */
const EXTEND_MILLISECONDS = 1000;
/** Time for which a request waits for another worker that joins the parts. It is longer than a reservation. */
const WAIT_MILLISECONDS = 15_000;
const POLL_MILLISECONDS = 250;
/** Seconds after which a client may ask for the result of another worker. */
const RETRY_SECONDS = 2;

/** An upload with all its bytes. */
interface Complete {
  readonly open: OpenUpload;
  readonly upload: Upload;
  readonly bucket: Bucket;
}

/**
 * Joins the parts of an upload to an object and ends the upload. If another worker does so, waits for it.
 * @throws NinefoldError ResourceLocked if the other worker takes long; the errors of `storeObject`
 */
export async function complete(
  context: StorageContext,
  request: CallRequest,
  open: OpenUpload,
  upload: Upload,
  bucket: Bucket,
): Promise<void> {
  const worker = randomUUID();
  if (!(await reserve(context, request, open, worker))) return finish(context, request, open);
  const extending = setInterval(() => {
    reserveJoin(context, open, worker, RESERVED_MILLISECONDS).catch(() => undefined);
  }, EXTEND_MILLISECONDS);
  try {
    const parts = await allParts(context, open);
    const size = parts.reduce((sum, part) => sum + part.size, 0);
    if (size !== open.received) throw new NinefoldError('UploadOffsetConflict');
    const file = await context.spool.receive(partBytes(context, open, parts), { maxBytes: size, tooLarge });
    await store(context, request, { open, upload, bucket }, file, size);
  } catch (error) {
    if (!(await isCompletedElsewhere(context, open, error))) throw error;
  } finally {
    clearInterval(extending);
    // If this fails, the reservation ends by itself.
    await releaseJoin(context, open, worker).catch(() => undefined);
  }
  await finish(context, request, open);
}

/** Stores a file that arrived in one part as an object, and ends the upload. */
export async function completeFromFile(
  context: StorageContext,
  request: CallRequest,
  complete: Complete,
  file: SpooledFile,
): Promise<void> {
  await store(context, request, complete, file, 0);
  await finish(context, request, complete.open);
}

const store = (
  context: StorageContext,
  request: CallRequest,
  { open, upload, bucket }: Complete,
  file: SpooledFile,
  bytes: number,
) => storeObject(context, request, { ...upload, parts: { uploadId: open.id, bytes } }, file, detailsOf(open), bucket);

const detailsOf = (open: OpenUpload): FileDetails => ({
  contentType: open.content_type,
  cacheControl: open.cache_control,
  contentEncoding: open.content_encoding,
  userMetadata: open.user_metadata,
});

/**
 * Reserves the joining for a worker. Returns false if another one has completed the upload.
 * @throws NinefoldError ResourceLocked, NoSuchUpload
 */
async function reserve(
  context: StorageContext,
  request: CallRequest,
  open: OpenUpload,
  worker: string,
): Promise<boolean> {
  const until = performance.now() + WAIT_MILLISECONDS;
  for (;;) {
    const result = await reserveJoin(context, open, worker, RESERVED_MILLISECONDS);
    if (result === 'reserved') return true;
    if (result === 'complete') return false;
    if (result === 'ended') throw new NinefoldError('NoSuchUpload');
    if (request.signal.aborted || performance.now() > until) {
      throw new NinefoldError('ResourceLocked', { retryAfter: RETRY_SECONDS });
    }
    await delay(POLL_MILLISECONDS);
  }
}

/** Returns true if an error means that another worker has completed the upload. */
async function isCompletedElsewhere(context: StorageContext, open: OpenUpload, error: unknown): Promise<boolean> {
  if (!(error instanceof NinefoldError) || error.code !== 'NoSuchUpload') return false;
  return (await findUpload(context, 'tus', open.id))?.is_complete === true;
}

/**
 * Ends a complete upload. If the client has disconnected, it does not know of the completion: the upload then remains
 * without parts, and the next request of the client learns that it is complete.
 */
async function finish(context: StorageContext, request: CallRequest, open: OpenUpload): Promise<void> {
  await (request.signal.aborted ? freeParts : endUpload)(context, open);
}
