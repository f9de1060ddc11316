import { limits } from '../../../../contract/limits.ts';
import { storageFull } from '../../../apps/exceeded-bounds.ts';
import { contentKey } from '../../../apps/files/content-key.ts';
import { NinefoldError } from '../../../errors/ninefold-error.ts';
import { requireBucket } from '../../buckets/bucket.ts';
import { objectName } from '../../names.ts';
import { entityTagOf, type StoredObject } from '../../objects/object.ts';
import { findReadable } from '../../objects/read-object.ts';
import { whileCounted } from '../../objects/upload.ts';
import { tooLarge } from '../../objects/write-object.ts';
import { putPart } from '../../uploads/parts.ts';
import type { OpenUpload } from '../../uploads/rows.ts';
import { refuseUnsupported } from '../file-headers.ts';
import { requireCopyConditions } from '../read-objects.ts';
import { readCopySource } from '../request/operation.ts';
import { type Handler, invalidArgument, type ObjectCall } from '../s3-call.ts';
import { emptyReply, xmlReply } from '../s3-reply.ts';
import { partNumber } from '../xml/documents.ts';
import { bytesWithout, requireUpload } from './upload-rows.ts';

export const uploadPart: Handler<ObjectCall> = async (call) => {
  const md5 = await receivePart(call, call.body.length, async () => call.body);
  return emptyReply(200, { etag: `"${md5}"` });
};

/** Stores bytes of an object as a part. */
export const uploadPartCopy: Handler<ObjectCall> = async (call) => {
  const { context, request, headers, identity, operation } = call;
  const source = readCopySource(headers['x-amz-copy-source'] ?? '');
  const from = { bucket: source.bucket, name: objectName(source.key) };
  const { object } = await findReadable(context, request, from, { as: identity, operation });
  requireCopyConditions(headers, object);
  const { content } = object;
  if (content === null) throw new NinefoldError('BytesMissing');
  const { start, end } = copiedRange(headers['x-amz-copy-source-range'], content.size);
  const md5 = await receivePart(call, end - start + 1, () =>
    end < start ? Promise.resolve(nothing()) : context.store.read(contentKey(context.app.ref, content), { start, end }),
  );
  return xmlReply('CopyPartResult', { LastModified: new Date().toISOString(), ETag: `"${md5}"` }, sourceTag(object));
};

async function* nothing(): AsyncGenerator<Uint8Array, void> {}

const sourceTag = (object: StoredObject) => ({ 'x-amz-copy-source-etag': entityTagOf(object) });

/** Reads the header x-amz-copy-source-range. @throws NinefoldError InvalidArgument, InvalidRange */
function copiedRange(header: string | undefined, size: number): { start: number; end: number } {
  if (header === undefined) return { start: 0, end: size - 1 };
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(header) ?? [];
  if (first === undefined || Number(last) < Number(first)) {
    throw invalidArgument('The header x-amz-copy-source-range has the form bytes=first-last.');
  }
  if (Number(last) >= size) throw new NinefoldError('InvalidRange');
  return { start: Number(first), end: Number(last) };
}

/**
 * Receives a part and stores its bytes, then its row. Returns its MD5.
 * @param announced The size; null if the client does not announce it.
 * @throws NinefoldError
 */
function receivePart(
  call: ObjectCall,
  announced: number | null,
  open: () => Promise<AsyncIterable<Uint8Array>>,
): Promise<string> {
  const { context, headers, query } = call;
  return whileCounted(context, async () => {
    refuseUnsupported(headers);
    const number = partNumber(query.get('partNumber') ?? '');
    const upload = await requireUpload(call);
    const maxBytes = await admitPart(call, upload, number, announced);
    const file = await context.spool.receive(await open(), { maxBytes, tooLarge, withMd5: true });
    await putPart(context, upload, number, file);
    return file.md5;
  });
}

/** Checks that a part fits into its bucket, the quotas and the disk. Returns the bytes that it may have. */
async function admitPart(
  { context, request, bucket: id, operation, identity }: ObjectCall,
  upload: OpenUpload,
  number: number,
  announced: number | null,
): Promise<number> {
  if (context.app.isFull) throw storageFull();
  const [bucket, otherBytes] = await Promise.all([
    requireBucket(context, request, id, { operation }),
    bytesWithout(context, upload, number),
  ]);
  const maxObject = Math.min(bucket.file_size_limit ?? Number.MAX_SAFE_INTEGER, context.settings.storage_file_bytes);
  const maxBytes = Math.min(limits.s3PartBytes.default, maxObject - otherBytes);
  const size = announced ?? 0;
  if (size > maxBytes || maxBytes < 0) throw tooLarge();
  await context.usage.require(context, id, upload.owner_id ?? identity.userId, size);
  await context.disk.require(size);
  return maxBytes;
}
