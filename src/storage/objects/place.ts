import { decodedPath, objectName } from '../names.ts';
import type { ObjectPlace } from './object.ts';

/**
 * Returns the bucket and the path that a URL names.
 * @throws NinefoldError InvalidKey
 */
export const placeOf = ({ bucket, path }: { readonly bucket: string; readonly path: string }): ObjectPlace => ({
  bucket: decodedPath(bucket),
  name: objectName(decodedPath(path)),
});
