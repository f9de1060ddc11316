import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import type { ErrorCode } from '../../../contract/errors.ts';
import { optional, type ParameterWords, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { storageCall } from '../call.ts';
import type { StorageContext } from '../context.ts';
import { uploadErrors } from '../objects/upload.ts';
import { admitUpload, tooLarge } from '../objects/write-object.ts';
import { append } from './append.ts';
import { endUpload } from './parts.ts';
import { announceSize, beginUpload, isTokenUsed, type OpenUpload } from './rows.ts';
import {
  announcedLength,
  byteCount,
  readFileMetadata,
  requirePartType,
  requireVersion,
  tusHeader,
} from './tus-headers.ts';
import { requireUpload, tokenIdOf, type Uploader, uploaderOf, uploadTo } from './uploader.ts';

/** The path of the calls, and whether they need the token of a signed upload URL. */
interface Kind {
  readonly path: '/upload/resumable' | '/upload/resumable/sign';
  readonly isSigned: boolean;
}

const ofCallers: Kind = { path: '/upload/resumable', isSigned: false };
const ofTokens: Kind = { path: '/upload/resumable/sign', isSigned: true };

const ofEvery: readonly ErrorCode[] = ['TusVersionUnsupported', 'InvalidJWT', 'InvalidSignature'];
const ofUpload: readonly ErrorCode[] = [...ofEvery, 'NoSuchUpload'];
const ofBytes: readonly ErrorCode[] = [
  ...uploadErrors,
  'UploadTypeUnsupported',
  'UploadOffsetConflict',
  'ResourceLocked',
  'InvalidUploadSignature',
  'AccessDenied',
  'database_refused',
];

const version = { 'tus-resumable': required('1.0.0, the version of the protocol.') };
const signature = {
  'x-signature': optional('The token of a signed upload URL, which replaces a key or an access token.'),
};
const headersOf = ({ isSigned }: Kind): Record<string, ParameterWords> => ({
  ...version,
  ...(isSigned ? { 'x-signature': required('The token of a signed upload URL.') } : signature),
});

/** Begins an upload, and receives the bytes in the body if there are any. */
async function create(context: StorageContext, request: CallRequest, kind: Kind, operation: string): Promise<Reply> {
  const { headers, stream } = request;
  requireVersion(headers);
  const uploader = await uploaderOf(context, request, kind.isSigned);
  const size = announcedLength(headers);
  const { place, details } = readFileMetadata(headers);
  if (stream !== null) requirePartType(headers);
  if (stream?.length && size !== null && stream.length > size) throw tooLarge();
  const upload = uploadTo(uploader, place, operation, headers['x-upsert'] === 'true');
  if (upload.token && (await isTokenUsed(context, upload.token.id))) throw new NinefoldError('InvalidUploadSignature');
  await admitUpload(context, request, upload, details, size, true);
  const open = await beginUpload(context, upload, {
    protocol: 'tus',
    details,
    size,
    tokenId: tokenIdOf(uploader),
    metadataHeader: headers['upload-metadata'] ?? null,
  });
  const received = await append(context, request, open, upload);
  return created(context, request, kind, open, received);
}

async function created(
  context: StorageContext,
  request: CallRequest,
  { path }: Kind,
  open: OpenUpload,
  received: number,
): Promise<Reply> {
  const { ref } = context.app;
  const below = `/storage/v1${path}/${open.id}`;
  const isByBuilder = (await context.identity().catch(() => null))?.source === 'builder';
  return {
    status: 201,
    headers: {
      ...tusHeader,
      'upload-offset': String(received),
      ...expiry(open),
      ...(isByBuilder && { location: `/admin/v1/apps/${ref}${below}` }),
    },
    ...(!isByBuilder && { redirect: `${context.origins.urlAt(ref, request.headers.host)}${below}` }),
    body: null,
  };
}

/** Receives the bytes of a part. */
async function receivePart(
  context: StorageContext,
  request: CallRequest,
  { isSigned }: Kind,
  id: string,
  operation: string,
): Promise<Reply> {
  const { headers } = request;
  requireVersion(headers);
  requirePartType(headers);
  const offset = byteCount(headers, 'upload-offset');
  const uploader = await uploaderOf(context, request, isSigned);
  const open = await withSize(context, request, await requireUpload(context, uploader, id));
  const received = open.is_complete ? open.size : open.received;
  if (offset !== received) throw new NinefoldError('UploadOffsetConflict');
  return {
    status: 204,
    headers: {
      ...tusHeader,
      'upload-offset': String(await appendOrEnd(context, request, open, uploader, operation)),
      ...expiry(open),
    },
    body: null,
  };
}

/** Returns the upload with the length that a request announces. */
async function withSize(context: StorageContext, { headers }: CallRequest, open: OpenUpload): Promise<OpenUpload> {
  if (headers['upload-length'] === undefined) return open;
  const sent = byteCount(headers, 'upload-length');
  if (open.size === null && sent < open.received) throw invalidLength();
  if (open.size === null && sent > context.settings.storage_file_bytes) throw tooLarge();
  const size = open.size ?? (await announceSize(context, open, sent));
  if (size !== sent) throw invalidLength();
  return { ...open, size };
}

const invalidLength = (): NinefoldError =>
  new NinefoldError('InvalidRequest', { message: 'The header upload-length differs from the length of the upload.' });

/** Appends the body of a request. Ends the upload if it is complete and the client did not learn that. */
async function appendOrEnd(
  context: StorageContext,
  request: CallRequest,
  open: OpenUpload,
  uploader: Uploader,
  operation: string,
): Promise<number> {
  if (open.is_complete) {
    await endUpload(context, open);
    return open.size ?? 0;
  }
  const place = { bucket: open.bucket_id, name: open.name };
  return append(context, request, open, uploadTo(uploader, place, operation, open.is_upsert));
}

/** Describes an upload. If the upload has all its bytes, completes it first, because the client will send nothing more. */
async function describe(
  context: StorageContext,
  request: CallRequest,
  { isSigned }: Kind,
  id: string,
  operation: string,
): Promise<Reply> {
  requireVersion(request.headers);
  const uploader = await uploaderOf(context, request, isSigned);
  const open = await requireUpload(context, uploader, id);
  const isWhole = open.is_complete || open.received === open.size;
  const received = isWhole ? await appendOrEnd(context, request, open, uploader, operation) : open.received;
  return {
    status: 200,
    headers: {
      ...tusHeader,
      'cache-control': 'no-store',
      'upload-offset': String(received),
      ...(open.size === null ? { 'upload-defer-length': '1' } : { 'upload-length': String(open.size) }),
      ...(open.metadata_header !== null && { 'upload-metadata': open.metadata_header }),
      ...expiry(open),
    },
    body: null,
  };
}

async function terminate(
  context: StorageContext,
  request: CallRequest,
  { isSigned }: Kind,
  id: string,
): Promise<Reply> {
  requireVersion(request.headers);
  const uploader = await uploaderOf(context, request, isSigned);
  await endUpload(context, await requireUpload(context, uploader, id));
  return { status: 204, headers: { ...tusHeader }, body: null };
}

const expiry = ({ expires_at }: OpenUpload): Record<string, string> => ({
  'upload-expires': new Date(expires_at).toUTCString(),
});

/** Returns the four calls below one path. */
const callsOf = <const Suffix extends '' | '_signed'>(kind: Kind, suffix: Suffix) => {
  const { path } = kind;
  const caller = kind.isSigned ? ('link' as const) : ('key' as const);
  const by = kind.isSigned ? ' by a signed upload URL' : '';
  const headers = headersOf(kind);
  return [
    storageCall({
      id: `storage.tus.upload.create${suffix}`,
      route: `POST ${path}`,
      caller,
      summary: `Begins a resumable upload (TUS)${by}.`,
      returns: 'The address of the upload in the header Location.',
      errors: [...ofEvery, ...ofBytes, 'NoSuchUpload', 'InvalidBucketName'],
      headers: {
        ...headers,
        'upload-length': optional('The length of the file in bytes.', 'integer'),
        'upload-defer-length': optional('1 if the length is not known yet.', 'integer'),
        'upload-metadata': required(
          'bucketName, objectName, contentType, cacheControl and metadata, each with its value in Base64.',
        ),
        'x-upsert': optional('true replaces an object with this path.', 'boolean'),
      },
      handle: (context, request, { operation }) => create(context, request, kind, operation),
    }),
    storageCall({
      id: `storage.tus.upload.get${suffix}`,
      route: `GET ${path}/{id}`,
      caller,
      summary: `Returns how many bytes of a resumable upload${by} the node has. Clients use HEAD.`,
      returns: 'The header Upload-Offset.',
      errors: [...ofUpload, ...ofBytes],
      headers,
      // The operation is that of the last part, because policies may name it.
      handle: (context, request, { path: { id } }) =>
        describe(context, request, kind, id, `storage.tus.upload.part${suffix}`),
    }),
    storageCall({
      id: `storage.tus.upload.part${suffix}`,
      route: `PATCH ${path}/{id}`,
      caller,
      summary: `Appends bytes to a resumable upload${by}. The last byte completes the object.`,
      returns: 'The header Upload-Offset.',
      errors: [...ofUpload, ...ofBytes],
      headers: {
        ...headers,
        'upload-offset': required('The number of bytes that the node has.', 'integer'),
        'upload-length': optional('The length of the file, if the client did not know it before.', 'integer'),
      },
      handle: (context, request, { path: { id }, operation }) => receivePart(context, request, kind, id, operation),
    }),
    storageCall({
      id: `storage.tus.upload.delete${suffix}`,
      route: `DELETE ${path}/{id}`,
      caller,
      summary: `Ends a resumable upload${by} and deletes its bytes.`,
      returns: 'Nothing.',
      errors: ofUpload,
      headers,
      handle: (context, request, { path: { id } }) => terminate(context, request, kind, id),
    }),
  ] as const;
};

/** The calls of resumable uploads (TUS 1.0, https://tus.io/protocols/resumable-upload). */
export const resumableUploads = [...callsOf(ofTokens, '_signed'), ...callsOf(ofCallers, '')];
