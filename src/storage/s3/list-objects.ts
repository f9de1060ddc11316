import { firstJson } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type Bucket, readBucket } from '../buckets/bucket.ts';
import { entriesSql, type ListedEntry } from '../objects/list-sql.ts';
import { asCaller, asService, runActs } from '../run.ts';
import { isoTime, ownerOf } from './buckets.ts';
import type { QueryParameters } from './request/operation.ts';
import { type BucketCall, type Handler, invalidArgument, notImplemented, pageSize } from './s3-call.ts';
import { xmlReply } from './s3-reply.ts';
import { urlEncoded, type XmlContent } from './xml/write-xml.ts';

/** The parameters that both versions of the listing have. */
interface Page {
  readonly prefix: string;
  readonly delimiter: string;
  readonly maxKeys: number;
  readonly encode: (key: string) => string;
  readonly encodingType: string | undefined;
}

export const listObjects: Handler<BucketCall> = async (call) => {
  const page = readPage(call.query);
  const marker = call.query.get('marker') ?? '';
  const { entries, isTruncated } = await listPage(call, page, marker || null);
  return xmlReply('ListBucketResult', {
    Name: call.bucket,
    Prefix: page.encode(page.prefix),
    Marker: page.encode(marker),
    MaxKeys: page.maxKeys,
    ...delimiterOf(page),
    EncodingType: page.encodingType,
    IsTruncated: isTruncated,
    NextMarker: isTruncated ? page.encode(entries.at(-1)?.name ?? '') : null,
    ...contentsOf(entries, page, ownerOf(call.context.app.ref)),
  });
};

export const listObjectsV2: Handler<BucketCall> = async (call) => {
  const { query } = call;
  if (query.get('list-type') !== '2') throw invalidArgument('The parameter list-type is 2.');
  const page = readPage(query);
  const token = query.get('continuation-token');
  const startAfter = query.get('start-after');
  const after = token === undefined ? startAfter || null : keyOfToken(token);
  const { entries, isTruncated } = await listPage(call, page, after);
  return xmlReply('ListBucketResult', {
    Name: call.bucket,
    Prefix: page.encode(page.prefix),
    MaxKeys: page.maxKeys,
    KeyCount: entries.length,
    ...delimiterOf(page),
    EncodingType: page.encodingType,
    IsTruncated: isTruncated,
    ContinuationToken: token,
    NextContinuationToken: isTruncated ? tokenOf(entries.at(-1)?.name ?? '') : null,
    StartAfter: startAfter === undefined ? null : page.encode(startAfter),
    ...contentsOf(entries, page, query.get('fetch-owner') === 'true' ? ownerOf(call.context.app.ref) : null),
  });
};

/** Returns the key in a continuation token. @throws NinefoldError InvalidArgument */
function keyOfToken(token: string): string {
  const key = Buffer.from(token, 'base64url').toString('utf8');
  if (key === '' || key.includes('\0') || tokenOf(key) !== token)
    throw invalidArgument('The continuation token is not of this listing.');
  return key;
}

const tokenOf = (key: string): string => Buffer.from(key).toString('base64url');

function readPage(query: QueryParameters): Page {
  const delimiter = query.get('delimiter') ?? '';
  if (delimiter !== '' && delimiter !== '/') throw notImplemented('The only supported delimiter is the slash.');
  const encodingType = query.get('encoding-type');
  if (encodingType !== undefined && encodingType !== 'url')
    throw invalidArgument('The parameter encoding-type is url.');
  return {
    prefix: query.get('prefix') ?? '',
    delimiter,
    maxKeys: pageSize(query, 'max-keys'),
    encode: encodingType === undefined ? (key) => key : urlEncoded,
    encodingType,
  };
}

const delimiterOf = ({ delimiter, encode }: Page): XmlContent =>
  delimiter === '' ? {} : { Delimiter: encode(delimiter) };

/**
 * Reads one page in the order of the bytes of the keys.
 * @param after The last key or common prefix of the page before, or any text.
 */
async function listPage(
  { context, request, identity, operation, bucket }: BucketCall,
  { prefix, delimiter, maxKeys }: Page,
  after: string | null,
): Promise<{ readonly entries: readonly ListedEntry[]; readonly isTruncated: boolean }> {
  const listing = entriesSql({
    bucket,
    prefix: prefix,
    search: '',
    limit: maxKeys + 1,
    offset: 0,
    sort: { column: 'name', order: 'asc' },
    after,
    isFlat: delimiter === '',
  });
  const [inBucket, result] = await runActs(
    context,
    request,
    { operation },
    asService(readBucket(bucket)),
    ...(maxKeys === 0 ? [] : [asCaller(identity, listing)]),
  );
  if (!inBucket || firstJson<Bucket>(inBucket) === null) throw new NinefoldError('NoSuchBucket');
  const entries = (result && firstJson<ListedEntry[]>(result)) ?? [];
  return { entries: entries.slice(0, maxKeys), isTruncated: entries.length > maxKeys };
}

function contentsOf(entries: readonly ListedEntry[], { encode }: Page, owner: XmlContent | null): XmlContent {
  const contents: XmlContent[] = [];
  const prefixes: XmlContent[] = [];
  for (const { name, object } of entries) {
    if (object === null) prefixes.push({ Prefix: encode(name) });
    else {
      const { eTag, size } = object.metadata ?? {};
      contents.push({
        Key: encode(name),
        LastModified: isoTime(object.updated_at),
        ETag: typeof eTag === 'string' ? eTag : '""',
        Size: typeof size === 'number' ? size : 0,
        StorageClass: 'STANDARD',
        Owner: owner,
      });
    }
  }
  return { Contents: contents, CommonPrefixes: prefixes };
}
