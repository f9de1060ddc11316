import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import type { StorageContext } from '../context.ts';
import { authenticate } from './authenticate.ts';
import { openBody } from './body/request-body.ts';
import {
  createBucket,
  deleteBucket,
  getBucketLocation,
  getBucketVersioning,
  headBucket,
  listBuckets,
} from './buckets.ts';
import { deleteObject, deleteObjects } from './delete-objects.ts';
import { listObjects, listObjectsV2 } from './list-objects.ts';
import { completeMultipartUpload } from './multipart/complete.ts';
import { uploadPart, uploadPartCopy } from './multipart/parts.ts';
import { abortMultipartUpload, createMultipartUpload, listMultipartUploads, listParts } from './multipart/uploads.ts';
import { getObject } from './read-objects.ts';
import { type OperationName, readOperation, readQuery } from './request/operation.ts';
import { readSignedRequest } from './request/signed-request.ts';
import type { CallOf, Handler, ObjectCall } from './s3-call.ts';
import { copyObject, putObject } from './write-objects.ts';

/** The start of the paths of the S3 protocol below /storage/v1. */
const PREFIX = '/s3';

/** Returns true for a request of the S3 protocol. */
export const isS3Request = ({ path }: Pick<CallRequest, 'path'>): boolean =>
  path === PREFIX || path.startsWith(`${PREFIX}/`);

/** The handlers of all operations, each with the name that policies can read with `storage.operation()`. */
const operations: { readonly [Name in OperationName]: readonly [string, Handler<CallOf<Name>>] } = {
  ListBuckets: ['storage.s3.bucket.list', listBuckets],
  CreateBucket: ['storage.s3.bucket.create', createBucket],
  HeadBucket: ['storage.s3.bucket.head', headBucket],
  DeleteBucket: ['storage.s3.bucket.delete', deleteBucket],
  GetBucketLocation: ['storage.s3.bucket.location', getBucketLocation],
  GetBucketVersioning: ['storage.s3.bucket.versioning', getBucketVersioning],
  ListObjects: ['storage.s3.object.list', listObjects],
  ListObjectsV2: ['storage.s3.object.list', listObjectsV2],
  ListMultipartUploads: ['storage.s3.upload.list', listMultipartUploads],
  DeleteObjects: ['storage.s3.object.delete_many', deleteObjects],
  GetObject: ['storage.s3.object.get', getObject],
  HeadObject: ['storage.s3.object.info', getObject],
  PutObject: ['storage.s3.object.upload', putObject],
  CopyObject: ['storage.s3.object.copy', copyObject],
  DeleteObject: ['storage.s3.object.delete', deleteObject],
  CreateMultipartUpload: ['storage.s3.upload.create', createMultipartUpload],
  UploadPart: ['storage.s3.upload.part', uploadPart],
  UploadPartCopy: ['storage.s3.upload.part.copy', uploadPartCopy],
  CompleteMultipartUpload: ['storage.s3.upload.complete', completeMultipartUpload],
  AbortMultipartUpload: ['storage.s3.upload.abort', abortMultipartUpload],
  ListParts: ['storage.s3.upload.part.list', listParts],
};

/**
 * Handles a request of the S3 protocol, whose signature names the caller.
 * @throws errors that `s3ErrorReply` renders
 */
export async function handleS3(context: StorageContext, request: CallRequest): Promise<Reply> {
  const received = { ...request, headers: asUtf8(request.headers) };
  const signed = readSignedRequest(received, Date.now());
  const { identity, signer } = await authenticate(context, request, signed);
  const query = readQuery(request.query);
  const found = readOperation({
    method: request.method,
    path: request.path.slice(PREFIX.length) || '/',
    query,
    isCopy: request.headers['x-amz-copy-source'] !== undefined,
  });
  const [operation, handle] = operations[found.name];
  if (context.trace) context.trace.call = operation;
  const { headers } = received;
  const body = openBody(
    { headers: bodyHeaders(found.name, headers), stream: request.stream },
    signed.payloadHash,
    signer,
  );
  const call = { bucket: '', key: '', ...found, context, request, identity, query, headers, body, operation };
  // `found` has the bucket and the key that the operation of this name needs.
  const reply = await (handle as Handler<ObjectCall>)({ ...call, region: signed.scope.region });
  const headersOfReply = { ...reply.headers, 'x-amz-request-id': request.requestId };
  return { ...reply, headers: headersOfReply, body: request.method === 'HEAD' ? null : reply.body };
}

/** Node.js decodes headers as Latin-1, but clients sign and mean UTF-8. */
const asUtf8 = (headers: CallRequest['headers']): CallRequest['headers'] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value && Buffer.from(value, 'latin1').toString('utf8')]),
  );

/** Returns the headers that describe the body. The checksums of CompleteMultipartUpload are those of the object. */
const bodyHeaders = (name: OperationName, headers: CallRequest['headers']): CallRequest['headers'] =>
  name === 'CompleteMultipartUpload'
    ? Object.fromEntries(Object.entries(headers).filter(([each]) => !each.startsWith('x-amz-checksum-')))
    : headers;
