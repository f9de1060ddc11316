import { createHash } from 'node:crypto';
import type { Reply } from '../../../../contract/call-request.ts';
import { limits } from '../../../../contract/limits.ts';
import { NinefoldError } from '../../../errors/ninefold-error.ts';
import { entityTagOf } from '../../objects/object.ts';
import { findReadable } from '../../objects/read-object.ts';
import { whileCounted } from '../../objects/upload.ts';
import { admitUpload, storeObject, tooLarge } from '../../objects/write-object.ts';
import { endUpload, partBytes } from '../../uploads/parts.ts';
import { type Part, readParts } from '../../uploads/rows.ts';
import { checkedBody } from '../body/checked-body.ts';
import { checksumsOf, readAll } from '../body/request-body.ts';
import type { Handler, ObjectCall } from '../s3-call.ts';
import { s3ErrorReply, xmlTooLarge } from '../s3-error.ts';
import { xmlReply } from '../s3-reply.ts';
import { replyWhileWorking } from '../slow-reply.ts';
import { uploadOf } from '../write-objects.ts';
import { type ListedPart, readCompletedParts } from '../xml/documents.ts';
import { requireUpload } from './upload-rows.ts';

/** Joins the parts of an upload to an object, in the order of their numbers. */
export const completeMultipartUpload: Handler<ObjectCall> = async (call) => {
  const listed = readCompletedParts(await readAll(call.body, limits.s3XmlBytes.default, xmlTooLarge));
  const work = whileCounted(call.context, () => completeOnce(call, listed));
  return replyWhileWorking(work, (error) => s3ErrorReply(error, call.request));
};

/** Codes of errors that occur if another request has completed the upload. */
const ended: readonly string[] = ['NoSuchUpload', 'InvalidPart'];

/** Completes an upload. A client that did not get the response repeats the request, and gets the same response. */
async function completeOnce(call: ObjectCall, listed: readonly ListedPart[]): Promise<Reply> {
  const eTag = entityTagOfParts(listed);
  try {
    await complete(call, listed, eTag);
  } catch (error) {
    const mayBeComplete = error instanceof NinefoldError && ended.includes(error.code);
    if (!mayBeComplete || !(await isComplete(call, eTag))) throw error;
  }
  const { request, bucket, key } = call;
  const path = [bucket, ...key.split('/')].map(encodeURIComponent).join('/');
  const location = `${request.baseUrl}/storage/v1/s3/${path}`;
  return xmlReply('CompleteMultipartUploadResult', { Location: location, Bucket: bucket, Key: key, ETag: eTag });
}

async function complete(call: ObjectCall, listed: readonly ListedPart[], eTag: string): Promise<void> {
  const { context, request, headers } = call;
  const open = await requireUpload(call);
  const stored = await readParts(context, open, { after: 0, max: limits.s3Parts.default });
  const parts = chosenParts(listed, stored);
  // The quotas count all parts, also those that the client does not list.
  const upload = { ...uploadOf(call), parts: { uploadId: open.id, bytes: open.received } };
  const details = {
    contentType: open.content_type,
    cacheControl: open.cache_control,
    contentEncoding: open.content_encoding,
    userMetadata: open.user_metadata,
    eTag,
  };
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  const { bucket, maxBytes } = await admitUpload(context, request, upload, details, size);
  const isComposite = headers['x-amz-checksum-type'] === 'COMPOSITE';
  const bytes = checkedBody(partBytes(context, open, parts), isComposite ? [] : checksumsOf(headers));
  const file = await context.spool.receive(bytes, { maxBytes, tooLarge });
  await storeObject(context, request, upload, file, details, bucket);
  await endUpload(context, open);
}

/**
 * Returns the stored parts that the client lists.
 * @throws NinefoldError InvalidPart, EntityTooSmall
 */
function chosenParts(listed: readonly ListedPart[], stored: readonly Part[]): readonly Part[] {
  const byNumber = new Map(stored.map((part) => [part.number, part]));
  return listed.map(({ number, etag }, i) => {
    const part = byNumber.get(number);
    if (part?.md5 !== etag.toLowerCase()) {
      throw new NinefoldError('InvalidPart', { message: `Part ${number} was not uploaded, or has another ETag.` });
    }
    if (i < listed.length - 1 && part.size < limits.s3MinPartBytes.default) throw new NinefoldError('EntityTooSmall');
    return part;
  });
}

/** Returns the entity tag that Amazon S3 gives such an object: the MD5 of the MD5s of the parts, and their number. */
function entityTagOfParts(parts: readonly ListedPart[]): string {
  const md5 = createHash('md5');
  for (const { etag } of parts) md5.update(Buffer.from(etag, 'hex'));
  return `"${md5.digest('hex')}-${parts.length}"`;
}

/** Returns true if the key has the object that the upload makes. */
async function isComplete(call: ObjectCall, eTag: string): Promise<boolean> {
  const { place } = uploadOf(call);
  const { context, request, identity, operation } = call;
  const found = await findReadable(context, request, place, { as: identity, operation }).catch(() => null);
  return found !== null && entityTagOf(found.object) === eTag;
}
