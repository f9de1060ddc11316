import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { contentType } from '../objects/read-upload.ts';
import type { FileDetails } from '../objects/write-object.ts';
import { notImplemented } from './s3-call.ts';

type Headers = Readonly<Record<string, string | undefined>>;

const PREFIX = 'x-amz-meta-';
/** Cache-Control of an object whose client says nothing. */
const NO_CACHE = 'no-cache';
/** Access control lists that grant nothing to anybody but the owner. */
const privateLists: ReadonlySet<string> = new Set(['private', 'bucket-owner-full-control']);

/** Starts of the names of headers whose effect Ninefold does not have, so that a client does not rely on it. */
const unsupported: readonly string[] = [
  'x-amz-server-side-encryption',
  'x-amz-copy-source-server-side-encryption',
  'x-amz-object-lock-',
  'x-amz-tagging',
  'x-amz-website-redirect-location',
  'x-amz-write-offset-bytes',
];

/**
 * Reads what a client says about an object in the headers of PutObject, CopyObject or CreateMultipartUpload.
 * @throws NinefoldError MetadataTooLarge, NotImplemented, AccessControlListNotSupported
 */
export function readDetails(headers: Headers): FileDetails {
  const { 'content-type': type = '', 'content-encoding': encoding = '', 'cache-control': cacheControl } = headers;
  const encodings = encoding.split(',').flatMap((each) => each.trim().toLowerCase() || []);
  return {
    contentType: contentType(type),
    cacheControl: cacheControl ?? NO_CACHE,
    contentEncoding: encodings.filter((each) => each !== 'aws-chunked').join(', ') || null,
    userMetadata: readMetadata(headers),
  };
}

/**
 * Rejects headers that Ninefold cannot obey.
 * @throws NinefoldError NotImplemented, AccessControlListNotSupported
 */
export function refuseUnsupported(headers: Headers): void {
  for (const name of Object.keys(headers)) {
    if (unsupported.some((start) => name.startsWith(start)))
      throw notImplemented(`The header ${name} is not supported.`);
    if (name.startsWith('x-amz-grant-')) throw new NinefoldError('AccessControlListNotSupported');
  }
  const { 'x-amz-acl': list } = headers;
  if (list !== undefined && !privateLists.has(list)) throw new NinefoldError('AccessControlListNotSupported');
}

function readMetadata(headers: Headers): Record<string, string> | null {
  const entries: [string, string][] = [];
  let bytes = 0;
  for (const [name, value = ''] of Object.entries(headers)) {
    if (!name.startsWith(PREFIX)) continue;
    const key = name.slice(PREFIX.length);
    bytes += key.length + Buffer.byteLength(value);
    entries.push([key, value]);
  }
  if (bytes > limits.s3MetadataBytes.default) throw new NinefoldError('MetadataTooLarge');
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/i;
const VALUE = /^[\x20-\x7e]*$/;

/**
 * Returns the headers with an object's metadata. Values of other calls of `/storage/v1` that no header can contain are
 * counted, as Amazon S3 does.
 */
export function metadataHeaders(metadata: Readonly<Record<string, unknown>> | null): Record<string, string> {
  const headers: Record<string, string> = {};
  let [bytes, missing] = [0, 0];
  for (const [key, value] of Object.entries(metadata ?? {})) {
    const text = typeof value === 'string' ? encodedValue(value) : null;
    bytes += key.length + (text?.length ?? 0);
    const isSent = text !== null && NAME.test(key) && bytes <= 2 * limits.s3MetadataBytes.default;
    if (isSent) headers[PREFIX + key.toLowerCase()] = text;
    else missing++;
  }
  return missing === 0 ? headers : { ...headers, 'x-amz-missing-meta': String(missing) };
}

/** Encodes a value that a header cannot contain as an encoded word (RFC 2047), as Amazon S3 does. */
const encodedValue = (value: string): string =>
  VALUE.test(value) ? value : `=?UTF-8?B?${Buffer.from(value).toString('base64')}?=`;
