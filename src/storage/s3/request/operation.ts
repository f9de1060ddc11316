import { NinefoldError } from '../../../errors/ninefold-error.ts';

export type ServiceOperation = 'ListBuckets';
export type BucketOperation =
  | 'CreateBucket'
  | 'HeadBucket'
  | 'DeleteBucket'
  | 'GetBucketLocation'
  | 'GetBucketVersioning'
  | 'ListObjects'
  | 'ListObjectsV2'
  | 'ListMultipartUploads'
  | 'DeleteObjects';
export type ObjectOperation =
  | 'GetObject'
  | 'HeadObject'
  | 'PutObject'
  | 'CopyObject'
  | 'DeleteObject'
  | 'CreateMultipartUpload'
  | 'UploadPart'
  | 'UploadPartCopy'
  | 'CompleteMultipartUpload'
  | 'AbortMultipartUpload'
  | 'ListParts';
export type OperationName = ServiceOperation | BucketOperation | ObjectOperation;

/** An operation of the S3 protocol with the bucket and the key that its path names. */
export type Operation =
  | { readonly name: ServiceOperation }
  | { readonly name: BucketOperation; readonly bucket: string }
  | { readonly name: ObjectOperation; readonly bucket: string; readonly key: string };

/** Parameters of a query, decoded. Of a repeated name, the first counts. */
export type QueryParameters = ReadonlyMap<string, string>;

/** The request line and the header that decide about the operation. */
export interface OperationRequest {
  readonly method: string;
  /** Path below the address of the protocol, percent-encoded: `/bucket/key`. */
  readonly path: string;
  readonly query: QueryParameters;
  /** True if the request has the header x-amz-copy-source. */
  readonly isCopy: boolean;
}

/** Parts of buckets and objects that Amazon S3 has and Ninefold has not. */
const unsupported: readonly string[] = [
  'abac', 'accelerate', 'acl', 'analytics', 'attributes', 'cors', 'encryption', 'intelligent-tiering', 'inventory',
  'legal-hold', 'lifecycle', 'logging', 'metadataConfiguration', 'metadataTable', 'metrics', 'notification',
  'object-lock', 'ownershipControls', 'policy', 'policyStatus', 'publicAccessBlock', 'replication', 'renameObject',
  'requestPayment', 'restore', 'retention', 'select', 'session', 'tagging', 'torrent', 'versions', 'website',
]; // biome-ignore format: a list of words

/** A condition of an operation: its method, and the parameters that distinguish it from the operations after it. */
interface Route<Name> {
  readonly name: Name;
  readonly method: string;
  readonly parameters?: readonly string[];
  readonly isCopy?: true;
}

const bucketRoutes: readonly Route<BucketOperation>[] = [
  { name: 'GetBucketLocation', method: 'GET', parameters: ['location'] },
  { name: 'GetBucketVersioning', method: 'GET', parameters: ['versioning'] },
  { name: 'ListMultipartUploads', method: 'GET', parameters: ['uploads'] },
  { name: 'ListObjectsV2', method: 'GET', parameters: ['list-type'] },
  { name: 'ListObjects', method: 'GET' },
  { name: 'DeleteObjects', method: 'POST', parameters: ['delete'] },
  { name: 'CreateBucket', method: 'PUT' },
  { name: 'HeadBucket', method: 'HEAD' },
  { name: 'DeleteBucket', method: 'DELETE' },
];

const objectRoutes: readonly Route<ObjectOperation>[] = [
  { name: 'UploadPartCopy', method: 'PUT', parameters: ['partNumber', 'uploadId'], isCopy: true },
  { name: 'UploadPart', method: 'PUT', parameters: ['partNumber', 'uploadId'] },
  { name: 'CopyObject', method: 'PUT', isCopy: true },
  { name: 'PutObject', method: 'PUT' },
  { name: 'ListParts', method: 'GET', parameters: ['uploadId'] },
  { name: 'GetObject', method: 'GET' },
  { name: 'HeadObject', method: 'HEAD' },
  { name: 'CreateMultipartUpload', method: 'POST', parameters: ['uploads'] },
  { name: 'CompleteMultipartUpload', method: 'POST', parameters: ['uploadId'] },
  { name: 'AbortMultipartUpload', method: 'DELETE', parameters: ['uploadId'] },
  { name: 'DeleteObject', method: 'DELETE' },
];

/** The parameters that name an operation. A request with one that its operation does not have is not understood. */
const distinguishing: ReadonlySet<string> = new Set(
  [...bucketRoutes, ...objectRoutes].flatMap(({ parameters = [] }) => parameters),
);

/**
 * Returns the operation of a request.
 * @throws NinefoldError InvalidURI; NotImplemented for operations that Ninefold does not have.
 */
export function readOperation(request: OperationRequest): Operation {
  const { bucket, key } = readPath(request.path);
  const named = unsupported.find((name) => request.query.has(name));
  if (named !== undefined) throw notImplemented(`Requests with the parameter “${named}” are not supported.`);
  const version = request.query.get('versionId') ?? 'null';
  if (version !== 'null') throw notImplemented('Buckets have no versions of objects.');
  if (bucket === '') {
    if (request.method === 'GET' || request.method === 'HEAD') return { name: 'ListBuckets' };
    throw notImplemented(`The method ${request.method} needs the name of a bucket.`);
  }
  return key === ''
    ? { name: find(bucketRoutes, request), bucket }
    : { name: find(objectRoutes, request), bucket, key };
}

function find<Name>(routes: readonly Route<Name>[], { method, query, isCopy }: OperationRequest): Name {
  const given = [...distinguishing].filter((name) => query.has(name));
  const route = routes.find(
    (each) =>
      each.method === method &&
      (!each.isCopy || isCopy) &&
      given.length === (each.parameters?.length ?? 0) &&
      given.every((name) => each.parameters?.includes(name)),
  );
  if (route) return route.name;
  const with_ = given.length > 0 ? ` with the parameters ${given.join(', ')}` : '';
  throw notImplemented(`The method ${method}${with_} is not supported for this path.`);
}

function readPath(path: string): { bucket: string; key: string } {
  const slash = path.indexOf('/', 1);
  const [bucket, key] = slash < 0 ? [path.slice(1), ''] : [path.slice(1, slash), path.slice(slash + 1)];
  return { bucket: decode(bucket), key: decode(key) };
}

/**
 * Reads a query. A plus sign is a plus sign, because signed queries encode spaces as `%20`.
 * @throws NinefoldError InvalidURI
 */
export function readQuery(query: string): QueryParameters {
  const parameters = new Map<string, string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (!parameters.has(name)) parameters.set(name, equals < 0 ? '' : decode(pair.slice(equals + 1)));
  }
  return parameters;
}

/** The source of a copy: the header x-amz-copy-source. */
export interface CopySource {
  readonly bucket: string;
  readonly key: string;
}

/**
 * Reads the header x-amz-copy-source: `/bucket/key`, percent-encoded, with or without the first slash.
 * @throws NinefoldError InvalidURI, InvalidArgument; NotImplemented for a version.
 */
export function readCopySource(header: string): CopySource {
  const mark = header.indexOf('?versionId=');
  if (mark >= 0 && header.slice(mark) !== '?versionId=null')
    throw notImplemented('Buckets have no versions of objects.');
  const path = mark < 0 ? header : header.slice(0, mark);
  const { bucket, key } = readPath(decodeSlash(path.startsWith('/') ? path : `/${path}`));
  if (bucket === '' || key === '') {
    throw new NinefoldError('InvalidArgument', { message: 'The header x-amz-copy-source has the form bucket/key.' });
  }
  return { bucket, key };
}

/** Decodes the slash after the bucket, which some clients encode. */
const decodeSlash = (path: string): string => (path.indexOf('/', 1) < 0 ? path.replace(/%2F/i, '/') : path);

/** Decodes a name. PostgreSQL stores no null character. @throws NinefoldError InvalidURI */
function decode(text: string): string {
  let decoded = '\0';
  try {
    decoded = decodeURIComponent(text);
  } catch {}
  if (decoded.includes('\0')) throw new NinefoldError('InvalidURI');
  return decoded;
}

const notImplemented = (message: string): NinefoldError => new NinefoldError('NotImplemented', { message });
