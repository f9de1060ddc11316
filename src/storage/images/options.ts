import { createHash } from 'node:crypto';
import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';

/** The quality of an image in percent, as in Supabase Storage. */
export const MIN_QUALITY = 20;
export const MAX_QUALITY = 100;
const DEFAULT_QUALITY = 80;
/** The largest side of an image that the server sends as AVIF without being asked: AVIF takes several times as long as WebP. */
const AVIF_SIDE = 1024;
/** Changes when the same options give another image, so that no image of an earlier version is used. */
const VERSION = 1;
/** Hexadecimal digits in the name of a variant. */
const NAME_DIGITS = 32;

/** The formats that a result can have. */
export const formats = ['avif', 'webp', 'jpeg', 'png', 'gif'] as const;
export type ImageFormat = (typeof formats)[number];

/** The options of a scaled image, as storage-js sends them. Absent or 0 leaves a side to the other one. */
export interface ImageOptions {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly resize?: 'cover' | 'contain' | 'fill' | undefined;
  readonly quality?: number | undefined;
  readonly format?: 'origin' | 'avif' | 'webp' | undefined;
}

/** A scaled image that can be made. */
export interface Variant extends Omit<ImageOptions, 'format'> {
  readonly quality: number;
  /** `origin` keeps the format of the file. */
  readonly format: 'origin' | 'avif' | 'webp';
}

const side = z.coerce
  .number()
  .int()
  .min(0)
  .transform((pixels) => (pixels === 0 ? undefined : Math.min(pixels, limits.imageSidePixels.default)));
const schema = z.object({
  width: side.optional(),
  height: side.optional(),
  resize: z.enum(['cover', 'contain', 'fill']).optional(),
  quality: z.coerce.number().int().min(MIN_QUALITY).max(MAX_QUALITY).optional(),
  format: z.enum(['origin', 'avif', 'webp']).optional(),
});
const names = Object.keys(schema.shape);
const DIGITS = /^\d{1,9}$/;

/**
 * Reads the options of a URL. Ignores other parameters.
 * @throws NinefoldError InvalidRequest
 */
export function readImageOptions(query: URLSearchParams): ImageOptions {
  const values = names.flatMap((name): [string, string][] => {
    const value = query.get(name);
    if (value === null) return [];
    // JavaScript reads an empty text, spaces, and 0x10 as numbers.
    if (name !== 'resize' && name !== 'format' && !DIGITS.test(value)) throw invalid(name, 'expected a whole number');
    return [[name, value]];
  });
  const parsed = schema.safeParse(Object.fromEntries(values));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(issue?.path.join('.') ?? '', issue?.message ?? 'not valid');
}

const invalid = (name: string, reason: string): NinefoldError =>
  new NinefoldError('InvalidRequest', { message: `${name}: ${reason}` });

/** Reads the options in the token of a signed URL: `width:100,resize:cover`. An empty text has no options. */
export const readSignedOptions = (text: string): ImageOptions =>
  readImageOptions(new URLSearchParams(text.replaceAll(':', '=').replaceAll(',', '&')));

/** Returns options as the text of the token of a signed URL. */
export const signedOptionsText = (options: Readonly<Record<string, unknown>>): string =>
  names
    .flatMap((name) => {
      const value = options[name];
      return value === null || value === undefined ? [] : [`${name}:${value}`];
    })
    .join(',');

/** The names of Supabase Storage for the ways of scaling. */
const resizingTypes = { cover: 'fill', contain: 'fit', fill: 'force' } as const;

/** Returns the value of the header X-Transformations as Supabase Storage sends it. */
export function transformationsText({ width, height, resize = 'cover', quality, format }: ImageOptions): string {
  return [
    ...(height === undefined ? [] : [`height:${height}`]),
    ...(width === undefined ? [] : [`width:${width}`]),
    ...(width === undefined && height === undefined ? [] : [`resizing_type:${resizingTypes[resize]}`]),
    ...(quality === undefined ? [] : [`quality:${quality}`]),
    ...(format === undefined || format === 'origin' ? [] : [`format:${format}`]),
  ].join(',');
}

/** Returns the image to make for options, in the best format that the client accepts. */
export function variantOf(options: ImageOptions, accept: string | undefined): Variant {
  const { width, height, resize, quality = DEFAULT_QUALITY, format } = options;
  return { width, height, resize, quality, format: format ?? acceptedFormat(options, accept ?? '') };
}

function acceptedFormat({ width, height }: ImageOptions, accept: string): Variant['format'] {
  const isSmall = Math.max(width ?? height ?? Number.POSITIVE_INFINITY, height ?? 0) <= AVIF_SIDE;
  if (isSmall && accepts(accept, 'image/avif')) return 'avif';
  return accepts(accept, 'image/webp') ? 'webp' : 'origin';
}

/** Returns true if an Accept header names the type itself. Wildcards do not count, because all clients send them. */
const accepts = (header: string, type: string): boolean =>
  header.split(',').some((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    return name === type && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });

/** Returns the name of a variant in the cache. */
export function nameOfVariant({ width, height, resize = 'cover', quality, format }: Variant): string {
  const facts = JSON.stringify([VERSION, width ?? null, height ?? null, resize, quality, format]);
  return createHash('sha256').update(facts).digest('hex').slice(0, NAME_DIGITS);
}
