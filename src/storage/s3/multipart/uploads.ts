import { limits } from '../../../../contract/limits.ts';
import { requireBucket } from '../../buckets/bucket.ts';
import { admitUpload } from '../../objects/write-object.ts';
import { endUpload } from '../../uploads/parts.ts';
import { beginUpload, readParts } from '../../uploads/rows.ts';
import { isoTime, ownerOf } from '../buckets.ts';
import { readDetails, refuseUnsupported } from '../file-headers.ts';
import {
  type BucketCall,
  type Handler,
  invalidArgument,
  notImplemented,
  type ObjectCall,
  pageSize,
} from '../s3-call.ts';
import { emptyReply, xmlReply } from '../s3-reply.ts';
import { uploadOf } from '../write-objects.ts';
import { urlEncoded } from '../xml/write-xml.ts';
import { readUploads, requireUpload } from './upload-rows.ts';

export const createMultipartUpload: Handler<ObjectCall> = async (call) => {
  const { context, request, headers, bucket, key } = call;
  refuseUnsupported(headers);
  const upload = uploadOf(call);
  const details = readDetails(headers);
  await admitUpload(context, request, upload, details);
  const { id } = await beginUpload(context, upload, { protocol: 's3', details });
  return xmlReply('InitiateMultipartUploadResult', { Bucket: bucket, Key: key, UploadId: id });
};

export const abortMultipartUpload: Handler<ObjectCall> = async (call) => {
  await endUpload(call.context, await requireUpload(call));
  return emptyReply(204);
};

export const listParts: Handler<ObjectCall> = async (call) => {
  const { context, query, bucket, key } = call;
  const upload = await requireUpload(call);
  const max = pageSize(query, 'max-parts');
  const after = query.get('part-number-marker') ?? '0';
  if (!/^\d{1,5}$/.test(after)) throw invalidArgument('The parameter part-number-marker is the number of a part.');
  const found = await readParts(context, upload, { after: Number(after), max: max + 1 });
  const parts = found.slice(0, max);
  const isTruncated = found.length > max;
  return xmlReply('ListPartsResult', {
    Bucket: bucket,
    Key: query.get('encoding-type') === 'url' ? urlEncoded(key) : key,
    UploadId: upload.id,
    PartNumberMarker: after,
    NextPartNumberMarker: isTruncated ? (parts.at(-1)?.number ?? after) : null,
    MaxParts: max,
    IsTruncated: isTruncated,
    Initiator: ownerOf(context.app.ref),
    Owner: ownerOf(context.app.ref),
    StorageClass: 'STANDARD',
    Part: parts.map(({ number, size, md5, stored_at }) => ({
      PartNumber: number,
      LastModified: isoTime(stored_at),
      ETag: `"${md5}"`,
      Size: size,
    })),
  });
};

export const listMultipartUploads: Handler<BucketCall> = async (call) => {
  const { context, request, identity, operation, query, bucket } = call;
  if (query.get('delimiter')) throw notImplemented('ListMultipartUploads has no delimiter.');
  await requireBucket(context, request, bucket, { operation });
  const max = Math.min(pageSize(query, 'max-uploads'), limits.s3ListKeys.default);
  const [prefix, key, id] = ['prefix', 'key-marker', 'upload-id-marker'].map((name) => query.get(name) ?? '') as [
    string,
    string,
    string,
  ];
  const found = await readUploads(context, identity, { bucket, prefix, key, id, max: max + 1 });
  const uploads = found.slice(0, max);
  const isTruncated = found.length > max;
  const encodingType = query.get('encoding-type');
  const encode = encodingType === 'url' ? urlEncoded : (text: string) => text;
  const last = isTruncated ? uploads.at(-1) : undefined;
  return xmlReply('ListMultipartUploadsResult', {
    Bucket: bucket,
    KeyMarker: encode(key),
    UploadIdMarker: id,
    NextKeyMarker: last && encode(last.name),
    NextUploadIdMarker: last?.id,
    Prefix: encode(prefix),
    EncodingType: encodingType,
    MaxUploads: max,
    IsTruncated: isTruncated,
    Upload: uploads.map((upload) => ({
      Key: encode(upload.name),
      UploadId: upload.id,
      Initiator: ownerOf(context.app.ref),
      Owner: ownerOf(context.app.ref),
      StorageClass: 'STANDARD',
      Initiated: isoTime(upload.created_at),
    })),
  });
};
