import type { BodyStream, CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { contentKey } from '../../apps/files/content-key.ts';
import { matchesEntityTag, readRange } from '../../calls/conditional.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type ByteRange, BytesMissingError } from '../../files/byte-store.ts';
import type { StorageContext } from '../context.ts';
import { entityTagOf, type StoredObject } from './object.ts';

/**
 * Types that a browser may show on the origin of the app, because it runs nothing of them. Every other type is a
 * download.
 */
const INLINE =
  /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|audio\/[\w.+-]+|video\/[\w.+-]+|text\/plain)$/;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: *; *[\w-]+=(?:[\w.+:-]+|"[\w .+:;=-]*"))*$/;
const PRINTABLE = /^[\x20-\x7E]+$/;
/** The longest Cache-Control of a file in characters. SQL can write any text into the metadata. */
const CACHE_CONTROL = 200;

/**
 * A document of such a response has an opaque origin and may not load anything. Files share the origin with the pages of
 * the app.
 */
const SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

export const DEFAULT_TYPE = 'application/octet-stream';

/** Number of bytes up to which a body is no stream. */
const WHOLE = 64 * 1024;

/** Returns the type of an object for the header Content-Type. */
export function contentTypeOf({ metadata }: Pick<StoredObject, 'metadata'>): string {
  const type = metadata?.mimetype;
  return typeof type === 'string' && type.length <= limits.mediaTypeCharacters.default && MEDIA_TYPE.test(type)
    ? type
    : DEFAULT_TYPE;
}

/** How the reply offers the file: shown in the browser, or as a download with a name or without. */
export interface Delivery {
  /** The parameter `download` of the URL; null if it is missing. */
  readonly download: string | null;
  /** True if caches of other clients may keep the response. */
  readonly isPublic: boolean;
}

/**
 * Returns the reply with the bytes of an object or a range of them, or 304 if the client has them (RFC 9110, sections 13
 * and 14).
 * @throws NinefoldError InvalidRange, Quarantined, BytesMissing
 */
export async function objectReply(
  context: StorageContext,
  request: Pick<CallRequest, 'method' | 'headers'>,
  object: StoredObject,
  { download, isPublic }: Delivery,
): Promise<Reply> {
  const { content } = object;
  if (content === null) throw new NinefoldError('BytesMissing');
  const etag = entityTagOf(object);
  const type = contentTypeOf(object);
  const headers: Record<string, string> = {
    ...headersOfFile(object, type, download),
    etag,
    'last-modified': lastModified(object),
    'cache-control': cacheControl(object, isPublic),
    ...(isPublic && { vary: 'Accept-Encoding' }),
  };
  if (isUnchanged(request.headers, etag, object)) return { status: 304, headers, body: null };
  headers['content-type'] = type;
  headers['accept-ranges'] = 'bytes';
  const range = rangeOf(request.headers, etag, object, content.size);
  if (range === 'unsatisfiable') {
    throw new NinefoldError('InvalidRange', { headers: { 'content-range': `bytes */${content.size}` } });
  }
  if (range) headers['content-range'] = `bytes ${range.start}-${range.end}/${content.size}`;
  const length = range ? range.end - range.start + 1 : content.size;
  const status = range ? 206 : 200;
  if (request.method === 'HEAD') {
    return { status, headers: { ...headers, 'content-length': String(length) }, body: null };
  }
  const body = length === 0 ? new Uint8Array(0) : await openBytes(context, object, range, length);
  return { status, headers, body };
}

/** Returns the headers that decide what a browser does with a file. */
export function headersOfFile(
  object: Pick<StoredObject, 'name' | 'metadata'>,
  type: string,
  download: string | null,
): Record<string, string> {
  const encoding = object.metadata?.contentEncoding;
  const disposition = dispositionOf(object.name, type, download);
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy': SANDBOX,
    'x-robots-tag': 'none',
    ...(disposition !== null && { 'content-disposition': disposition }),
    ...(typeof encoding === 'string' &&
      /^(?:gzip|br|deflate|zstd)$/.test(encoding) && { 'content-encoding': encoding }),
  };
}

function dispositionOf(name: string, type: string, download: string | null): string | null {
  const bare = type.split(';')[0]?.trim().toLowerCase() ?? '';
  if (download !== null && download !== '') return attachment(decodedAgain(download));
  if (download === '') return attachment(name.split('/').at(-1) ?? name);
  return INLINE.test(bare) ? null : 'attachment';
}

/** Decodes a name that storage-js has encoded twice. */
function decodedAgain(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Returns Content-Disposition with the name of the file (RFC 6266; RFC 8187 for characters outside of ASCII). */
function attachment(name: string): string {
  const encoded = encodeURIComponent(Buffer.from(name).toString()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const ascii = name.replace(/[^\x20-\x7E]|["\\%]/g, '_');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** Returns the header Cache-Control: what the uploader asked for, but `private` for an object that not everybody may read. */
export function cacheControl({ metadata }: StoredObject, isPublic: boolean): string {
  const value = metadata?.cacheControl;
  const given =
    typeof value === 'string' && value.length <= CACHE_CONTROL && PRINTABLE.test(value) ? value : 'no-cache';
  return isPublic || /\bprivate\b|\bno-store\b/.test(given)
    ? given
    : `private, ${given.replace(/\bpublic\b,? */g, '')}`;
}

export const lastModified = ({ updated_at }: StoredObject): string => new Date(updated_at).toUTCString();

/** Returns true if the conditions of a request say that the client has the version of the object. */
export function isUnchanged(headers: CallRequest['headers'], etag: string, object: StoredObject): boolean {
  if (headers['if-none-match'] !== undefined) return matchesEntityTag(headers['if-none-match'], etag);
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return !Number.isNaN(since) && Date.parse(lastModified(object)) <= since;
}

function rangeOf(
  headers: CallRequest['headers'],
  etag: string,
  object: StoredObject,
  size: number,
): ByteRange | 'unsatisfiable' | null {
  const condition = headers['if-range'];
  if (condition !== undefined && condition !== etag && condition !== lastModified(object)) return null;
  const range = readRange(headers.range, size);
  return range === null || range === 'unsatisfiable' ? range : { start: range[0], end: range[1] };
}

async function openBytes(
  { store, app }: StorageContext,
  object: StoredObject,
  range: ByteRange | null,
  length: number,
): Promise<BodyStream | Uint8Array> {
  const { content } = object;
  if (content === null) throw new NinefoldError('BytesMissing');
  const key = contentKey(app.ref, content);
  const wanted = range ?? { start: 0, end: content.size - 1 };
  try {
    if (length <= WHOLE) return await store.readWhole(key, wanted);
    return Object.assign(await store.read(key, wanted), { length });
  } catch (cause) {
    if (cause instanceof BytesMissingError) throw new NinefoldError('BytesMissing', { cause });
    throw cause instanceof NinefoldError ? cause : new NinefoldError('storage_unavailable', { retryAfter: 1, cause });
  }
}
