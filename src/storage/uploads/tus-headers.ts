import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { bucketName, objectName } from '../names.ts';
import type { ObjectPlace } from '../objects/object.ts';
import { contentType, maxAge, metadataOf, NO_CACHE } from '../objects/read-upload.ts';
import type { FileDetails } from '../objects/write-object.ts';

type Headers = CallRequest['headers'];

/** The version of the protocol (https://tus.io/protocols/resumable-upload). */
const TUS_VERSION = '1.0.0';

/** Header of every response of the protocol. */
export const tusHeader = { 'tus-resumable': TUS_VERSION } as const;

/** The content type of the bytes of a part. */
const PART_TYPE = 'application/offset+octet-stream';

/** Matches an entry of Upload-Metadata: a name, and a value in Base64. */
const ENTRY = /^([\x21-\x2B\x2D-\x7E]+)(?: +([A-Za-z0-9+/]*={0,2}))?$/;

/** Entries of Upload-Metadata that are read. */
const MAX_ENTRIES = 32;

/** Returns true for the paths of resumable uploads. */
export const isTusRequest = ({ path }: Pick<CallRequest, 'path'>): boolean => /^\/upload\/resumable(?:\/|$)/.test(path);

/**
 * Returns the method that a request means. Clients that can send only POST name another one in a header (section
 * X-HTTP-Method-Override of the protocol).
 */
export function tusMethod({ method, path, headers }: Pick<CallRequest, 'method' | 'path' | 'headers'>): string {
  const override = headers['x-http-method-override'];
  return method === 'POST' && override !== undefined && isTusRequest({ path }) ? override.toUpperCase() : method;
}

/** Returns the response to OPTIONS, which describes what the server can do. */
export const capabilities = (maxBytes: number): Reply => ({
  status: 204,
  headers: {
    ...tusHeader,
    'tus-version': TUS_VERSION,
    'tus-extension': 'creation,creation-with-upload,creation-defer-length,termination,expiration',
    'tus-max-size': String(maxBytes),
  },
  body: null,
});

/** @throws NinefoldError TusVersionUnsupported */
export function requireVersion(headers: Headers): void {
  if (headers['tus-resumable'] === TUS_VERSION) return;
  throw new NinefoldError('TusVersionUnsupported', { headers: { 'tus-version': TUS_VERSION } });
}

/** @throws NinefoldError UploadTypeUnsupported */
export function requirePartType(headers: Headers): void {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== PART_TYPE) throw new NinefoldError('UploadTypeUnsupported');
}

/**
 * Returns the number of bytes in a header.
 * @throws NinefoldError InvalidRequest
 */
export function byteCount(headers: Headers, name: 'upload-length' | 'upload-offset'): number {
  const value = headers[name] ?? '';
  const count = Number(value);
  if (/^\d{1,16}$/.test(value) && Number.isSafeInteger(count)) return count;
  throw invalid(`The header ${name} must be a number of bytes.`);
}

/**
 * Returns the length of a new upload; null if the client sends it later.
 * @throws NinefoldError InvalidRequest
 */
export function announcedLength(headers: Headers): number | null {
  const deferred = headers['upload-defer-length'];
  if (deferred === undefined) return byteCount(headers, 'upload-length');
  if (deferred !== '1') throw invalid('The header upload-defer-length must be 1.');
  if (headers['upload-length'] === undefined) return null;
  throw invalid('A request has either upload-length or upload-defer-length.');
}

/**
 * Returns the path and the details of the file in the header Upload-Metadata, with the names of Supabase Storage.
 * @throws NinefoldError InvalidRequest, InvalidBucketName, InvalidKey
 */
export function readFileMetadata(headers: Headers): { readonly place: ObjectPlace; readonly details: FileDetails } {
  const entries = readMetadata(headers['upload-metadata'] ?? '');
  const required = (name: string): string => {
    const value = entries.get(name);
    if (value === undefined || value === '') throw invalid(`The header upload-metadata must have ${name}.`);
    return value;
  };
  const cacheControl = entries.get('cacheControl');
  return {
    place: { bucket: bucketName(required('bucketName')), name: objectName(required('objectName')) },
    details: {
      contentType: contentType(entries.get('contentType') ?? ''),
      cacheControl: cacheControl ? maxAge(cacheControl) : NO_CACHE,
      contentEncoding: null,
      userMetadata: metadataOf(entries.get('metadata')),
    },
  };
}

/** Reads the entries of Upload-Metadata: names, each with a value in Base64, separated by commas. */
export function readMetadata(header: string): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  if (header.trim() === '') return entries;
  const parts = header.split(',', MAX_ENTRIES + 1);
  if (parts.length > MAX_ENTRIES) throw invalid(`The header upload-metadata has more than ${MAX_ENTRIES} entries.`);
  for (const part of parts) {
    const [, name, value = ''] = ENTRY.exec(part.trim()) ?? [];
    if (name === undefined) throw invalid('The header upload-metadata must have names and values in Base64.');
    if (entries.has(name)) throw invalid('The header upload-metadata has a name twice.');
    entries.set(name, decoded(value));
  }
  return entries;
}

function decoded(value: string): string {
  const bytes = Buffer.from(value, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== value.replace(/=+$/, '')) {
    throw invalid('A value of the header upload-metadata is not valid Base64.');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new NinefoldError('InvalidRequest', {
      message: 'A value of the header upload-metadata is not valid UTF-8.',
      cause,
    });
  }
}

const invalid = (message: string): NinefoldError => new NinefoldError('InvalidRequest', { message });
