import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Bucket } from '../buckets/bucket.ts';

/**
 * Types whose first bytes file-type knows. A file of such a type begins with these bytes; a file of any other type, such
 * as text, does not begin with the bytes of another type.
 */
const RECOGNISED =
  /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip|x-7z-compressed|x-rar-compressed)$)/;

/** Types with several names. */
const aliases: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/vnd.microsoft.icon': 'image/x-icon',
  'image/x-ms-bmp': 'image/bmp',
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'video/x-m4v': 'video/mp4',
  'video/quicktime': 'video/mp4',
  'application/x-zip-compressed': 'application/zip',
};

const plain = (type: string): string => {
  const bare = type.split(';')[0]?.trim().toLowerCase() ?? '';
  return aliases[bare] ?? bare;
};

/** Returns true if a list such as `['image/*', 'application/pdf']` names the type. */
function names(allowed: readonly string[], type: string): boolean {
  return allowed.some((each) => {
    const pattern = plain(each);
    if (pattern === '*' || pattern === '*/*') return true;
    return pattern.endsWith('/*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
  });
}

/**
 * Checks the type of a file if the bucket restricts types: first the declared type, then the first bytes.
 * @param head The first bytes; null while they are not known.
 * @throws NinefoldError InvalidMimeType
 */
export async function requireAllowedType(
  { allowed_mime_types: allowed }: Pick<Bucket, 'allowed_mime_types'>,
  declared: string,
  head: Buffer | null,
): Promise<void> {
  if (!allowed || allowed.length === 0) return;
  const type = plain(declared);
  if (!names(allowed, type))
    throw new NinefoldError('InvalidMimeType', { message: `mime type ${declared} is not supported` });
  if (head === null || head.length === 0) return;
  const { fileTypeFromBuffer } = await import('file-type');
  const found = plain((await fileTypeFromBuffer(head))?.mime ?? '');
  if (found === '' ? !RECOGNISED.test(type) : found === type || isContainer(found, type) || isSameMedia(found, type))
    return;
  const actual = found === '' ? 'another type' : found;
  throw new NinefoldError('InvalidMimeType', {
    message: `mime type ${declared} is not supported: the file begins as ${actual}`,
  });
}

/** Office documents and e-books are ZIP files, and SVG and feeds are XML. */
const isContainer = (found: string, type: string): boolean =>
  (found === 'application/zip' && /^application\/(?:vnd\.|epub|x-)/.test(type)) ||
  (found === 'application/xml' && /[/+](?:xml|svg)/.test(type));

/**
 * A picture with the type of another kind of picture harms nobody, and clients often send the type by the name of the
 * file. The container of an audio or video file does not always tell which of both it is.
 */
const isSameMedia = (found: string, type: string): boolean =>
  (RASTER.test(found) && RASTER.test(type)) || (MEDIA.test(found) && MEDIA.test(type));
const RASTER = /^image\/(?!svg)/;
const MEDIA = /^(?:audio|video)\//;
