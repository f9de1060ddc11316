import { type FileHandle, open } from 'node:fs/promises';
import type sharpModule from 'sharp';
import type { Sharp } from 'sharp';
import type { ImageJob, ImageResult } from './image-message.ts';
import type { ImageFormat, Variant } from './options.ts';

type SharpModule = typeof sharpModule;

/** The formats of files that can be scaled, by the name that sharp gives them. */
const readable = ['jpeg', 'png', 'webp', 'gif', 'heif', 'tiff'];
/** The loaders of libvips for these formats. All others stay blocked: SVG, PDF and ImageMagick read other files or run scripts. */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff'].map((name) => `VipsForeignLoad${name}`);
/** Pixels up to which the encoders take time to make the file smaller. */
const THOROUGH = { webp: 4_000_000, avif: 500_000 };

/** Prepares sharp for hostile files: blocks all loaders that are not needed, and makes one image take one thread. */
export function secureSharp(sharp: SharpModule): void {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  sharp.cache(false);
  sharp.concurrency(1);
}

/** Scales an image. Never rejects. */
export async function scaleImage(sharp: SharpModule, job: ImageJob): Promise<ImageResult> {
  try {
    const head = await readHead(job.path);
    if (!isImage(head)) return { refused: 'The file is no image of the types PNG, JPEG, WebP, GIF, AVIF and TIFF.' };
    return await scale(sharp, job);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { isMissing: true };
    const { message } = error as Error;
    return /exceeds pixel limit/.test(message)
      ? tooManyPixels(job)
      : { refused: 'The image is damaged or of a kind that cannot be read.' };
  }
}

const tooManyPixels = ({ maxPixels }: ImageJob): ImageResult => ({
  refused: `The image has more than ${maxPixels / 1e6} million pixels.`,
});

async function scale(sharp: SharpModule, job: ImageJob): Promise<ImageResult> {
  const { variant, maxPixels, maxResultBytes } = job;
  // Reads the first frame only. The limit of pixels is checked with the size in the header.
  const source = sharp(job.path, { failOn: 'error', limitInputPixels: maxPixels, pages: 1 });
  const { width, height, format, hasAlpha } = await source.metadata();
  if (!readable.includes(format)) return { refused: 'The file is no image of a known type.' };
  if (width * height > maxPixels) return tooManyPixels(job);
  const target = targetFormat(variant, format, hasAlpha);
  // The orientation is applied first, because it is lost with the other metadata, which sharp leaves out.
  const scaled = source.autoOrient().resize({
    ...(variant.width !== undefined && { width: variant.width }),
    ...(variant.height !== undefined && { height: variant.height }),
    fit: variant.resize === 'contain' ? 'inside' : (variant.resize ?? 'cover'),
    withoutEnlargement: true,
  });
  const pixels = (variant.width ?? width) * (variant.height ?? height);
  const bytes = await encode(scaled, target, variant.quality, pixels).toBuffer();
  if (bytes.length > maxResultBytes) return { refused: 'The scaled image would be too large.' };
  return { format: target, bytes };
}

/** Returns the format of the result. Browsers do not show TIFF. */
function targetFormat({ format }: Variant, source: string, hasAlpha: boolean): ImageFormat {
  if (format !== 'origin') return format;
  if (source === 'heif') return 'avif';
  if (source === 'tiff') return hasAlpha ? 'png' : 'jpeg';
  return source as ImageFormat;
}

function encode(image: Sharp, format: ImageFormat, quality: number, pixels: number): Sharp {
  switch (format) {
    case 'webp':
      return image.webp({ quality, effort: pixels <= THOROUGH.webp ? 4 : 0 });
    case 'avif':
      // AVIF looks as good as JPEG with three quarters of its quality.
      return image.avif({ quality: Math.round(quality * 0.75), effort: pixels <= THOROUGH.avif ? 2 : 0 });
    case 'jpeg':
      return image.jpeg({ quality });
    case 'png':
      return image.png();
    case 'gif':
      return image.gif({ effort: 3 });
  }
}

async function readHead(path: string): Promise<Buffer> {
  const file: FileHandle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Returns true for the first bytes of PNG, JPEG, GIF, WebP, AVIF or TIFF, so that no other file reaches libvips. */
function isImage(head: Buffer): boolean {
  const text = head.toString('latin1');
  return (
    text.startsWith('\x89PNG\r\n\x1a\n') ||
    text.startsWith('\xff\xd8\xff') ||
    /^GIF8[79]a/.test(text) ||
    /^RIFF.{4}WEBP/s.test(text) ||
    /^.{4}ftyp(?:avif|avis|mif1|miaf)/s.test(text) ||
    /^(?:II\*\0|MM\0\*)/.test(text)
  );
}
