import { NinefoldError } from '../../errors/ninefold-error.ts';
import { ownerColumns } from '../caller.ts';
import { objectName } from '../names.ts';
import { copyObject as copyRow } from '../objects/move-copy.ts';
import { entityTagOf } from '../objects/object.ts';
import { findReadable } from '../objects/read-object.ts';
import { whileCounted } from '../objects/upload.ts';
import { admitUpload, storeObject, tooLarge, type Upload } from '../objects/write-object.ts';
import { readDetails, refuseUnsupported } from './file-headers.ts';
import { requireCopyConditions } from './read-objects.ts';
import { readCopySource } from './request/operation.ts';
import { type Handler, invalidArgument, notImplemented, type ObjectCall } from './s3-call.ts';
import { emptyReply, xmlReply } from './s3-reply.ts';

/**
 * Returns the upload that a request means. It replaces an object with this key, unless If-None-Match forbids it.
 * @throws NinefoldError InvalidKey, NotImplemented
 */
export function uploadOf({ bucket, key, identity, operation, headers }: ObjectCall): Upload {
  const { 'if-none-match': noneMatch, 'if-match': match } = headers;
  if (match !== undefined || (noneMatch !== undefined && noneMatch !== '*')) {
    throw notImplemented('The only supported condition of a write is If-None-Match: *.');
  }
  const place = { bucket, name: objectName(key) };
  return { place, operation, as: identity, ...ownerColumns(identity), isUpsert: noneMatch === undefined };
}

export const putObject: Handler<ObjectCall> = (call) =>
  whileCounted(call.context, async () => {
    const { context, request, headers, body } = call;
    refuseUnsupported(headers);
    const details = readDetails(headers);
    const upload = uploadOf(call);
    const { bucket, maxBytes } = await admitUpload(context, request, upload, details, body.length);
    const file = await context.spool.receive(body, { maxBytes, tooLarge, withMd5: true });
    const { eTag } = await storeObject(context, request, upload, file, { ...details, eTag: `"${file.md5}"` }, bucket);
    return emptyReply(200, { etag: eTag });
  });

/** Copies an object without reading its bytes. A copy onto itself replaces its metadata. */
export const copyObject: Handler<ObjectCall> = async (call) => {
  const { context, request, headers, identity, operation } = call;
  refuseUnsupported(headers);
  const { place: to, isUpsert } = uploadOf(call);
  const source = readCopySource(headers['x-amz-copy-source'] ?? '');
  const from = { bucket: source.bucket, name: objectName(source.key) };
  const isReplacing = replacesMetadata(headers['x-amz-metadata-directive']);
  if (!isReplacing && from.bucket === to.bucket && from.name === to.name) {
    throw new NinefoldError('InvalidRequest', {
      message: 'A copy of an object onto itself must replace its metadata (x-amz-metadata-directive: REPLACE).',
    });
  }
  const { object } = await findReadable(context, request, from, { as: identity, operation });
  requireCopyConditions(headers, object);
  const { contentType, cacheControl, contentEncoding, userMetadata } = readDetails(headers);
  // An empty encoding removes that of the source.
  const replaced = { mimetype: contentType, cacheControl, contentEncoding: contentEncoding ?? '' };
  const kept = isReplacing ? replaced : null;
  await copyRow(context, request, { from, to, as: identity, kept, userMetadata, isUpsert, operation });
  return xmlReply('CopyObjectResult', { LastModified: new Date().toISOString(), ETag: entityTagOf(object) });
};

function replacesMetadata(directive = 'COPY'): boolean {
  if (directive === 'COPY' || directive === 'REPLACE') return directive === 'REPLACE';
  throw invalidArgument('The header x-amz-metadata-directive is COPY or REPLACE.');
}
