import { NinefoldError } from '../../errors/ninefold-error.ts';
import { decodedPath, objectName } from '../names.ts';
import type { ObjectPlace } from './object.ts';

/**
 * Returns the bucket that a URL names.
 * @throws NinefoldError InvalidKey, NoSuchBucket
 */
export function bucketOf(path: { readonly bucket: string }): string {
  const bucket = decodedPath(path.bucket);
  // A slash would make the text BUCKET/PATH of a signed URL ambiguous.
  if (bucket.includes('/')) throw new NinefoldError('NoSuchBucket');
  return bucket;
}

/**
 * Returns the bucket and the path that a URL names.
 * @throws NinefoldError InvalidKey, NoSuchBucket
 */
export const placeOf = (path: { readonly bucket: string; readonly path: string }): ObjectPlace => ({
  bucket: bucketOf(path),
  name: objectName(decodedPath(path.path)),
});
