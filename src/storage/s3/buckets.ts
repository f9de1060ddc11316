import { limits } from '../../../contract/limits.ts';
import { affectedRows, firstJson } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { BUCKET_JSON, type Bucket, readBucket } from '../buckets/bucket.ts';
import { ownerColumns } from '../caller.ts';
import { bucketName } from '../names.ts';
import { asCaller, runActs } from '../run.ts';
import { readAll } from './body/request-body.ts';
import { refuseUnsupported } from './file-headers.ts';
import type { BucketCall, Handler, S3Call } from './s3-call.ts';
import { xmlTooLarge } from './s3-error.ts';
import { emptyReply, xmlReply } from './s3-reply.ts';
import { checkBucketConfiguration } from './xml/documents.ts';

const LIST = `select coalesce(json_agg(${BUCKET_JSON} order by b.name), '[]') from storage.buckets b`;

export const listBuckets: Handler<S3Call> = async (call) => {
  const { context, request, identity, operation } = call;
  const [result] = await runActs(context, request, { operation }, asCaller(identity, { text: LIST, params: [] }));
  const buckets = (result && firstJson<Bucket[]>(result)) ?? [];
  return xmlReply('ListAllMyBucketsResult', {
    Owner: ownerOf(context.app.ref),
    Buckets: { Bucket: buckets.map(({ id, created_at }) => ({ Name: id, CreationDate: isoTime(created_at) })) },
  });
};

/** Creates a private bucket. */
export const createBucket: Handler<BucketCall> = async (call) => {
  const { context, request, identity, operation } = call;
  refuseUnsupported(call.headers);
  const id = bucketName(call.bucket);
  const body = await readAll(call.body, limits.s3XmlBytes.default, xmlTooLarge);
  if (body.length > 0) checkBucketConfiguration(body);
  const { owner, ownerId } = ownerColumns(identity);
  const insert = {
    text: 'insert into storage.buckets (id, name, owner, owner_id, public) values ($1, $1, $2::uuid, $3, false)',
    params: [id, owner, ownerId],
  };
  await runActs(context, request, { operation }, asCaller(identity, insert)).catch((error: unknown) => {
    const isKnown = error instanceof NinefoldError && error.code === 'BucketAlreadyExists';
    throw isKnown ? new NinefoldError('BucketAlreadyOwnedByYou') : error;
  });
  return emptyReply(200, { location: `/${encodeURIComponent(id)}` });
};

export const headBucket: Handler<BucketCall> = async (call) => {
  await requireVisible(call);
  return emptyReply(200, { 'x-amz-bucket-region': call.region });
};

export const getBucketLocation: Handler<BucketCall> = async (call) => {
  await requireVisible(call);
  // The region us-east-1 has an empty element in Amazon S3. An app has no region, so every region is right.
  return xmlReply('LocationConstraint', {}, { 'x-amz-bucket-region': call.region });
};

export const getBucketVersioning: Handler<BucketCall> = async (call) => {
  await requireVisible(call);
  return xmlReply('VersioningConfiguration', {});
};

export const deleteBucket: Handler<BucketCall> = async (call) => {
  const { context, request, identity, operation, bucket } = call;
  const remove = { text: 'delete from storage.buckets b where b.id = $1', params: [bucket] };
  const [result] = await runActs(context, request, { operation }, asCaller(identity, remove));
  if (result && affectedRows(result) > 0) return emptyReply(204);
  await requireVisible(call);
  throw new NinefoldError('AccessDenied', { message: 'No policy lets the caller delete this bucket.' });
};

/** @throws NinefoldError NoSuchBucket if the bucket does not exist or the caller may not see it. */
async function requireVisible({ context, request, identity, operation, bucket }: BucketCall): Promise<void> {
  const [result] = await runActs(context, request, { operation }, asCaller(identity, readBucket(bucket)));
  if (!result || firstJson<Bucket>(result) === null) throw new NinefoldError('NoSuchBucket');
}

export const ownerOf = (ref: string) => ({ ID: ref, DisplayName: ref });

/** Converts a time of PostgreSQL to the form that clients of S3 parse: UTC with milliseconds. */
export const isoTime = (time: string): string => new Date(time).toISOString();
