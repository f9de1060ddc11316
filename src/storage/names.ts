import { limits } from '../../contract/limits.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

/** Number of characters of a name that an error repeats. */
const SHOWN = 120;
/** The characters of a bucket's id: those that Amazon S3 and Supabase allow in keys, without the slash. */
const BUCKET = /^[\w!.*'() &$@=;:+,?-]+$/;
/** Control characters, which no header and no file system takes, and unpaired surrogates. */
const UNSAFE = /\p{Cc}|\p{Cs}/u;

/**
 * Returns the id of a bucket.
 * @throws NinefoldError InvalidBucketName
 */
export function bucketName(name: string): string {
  const max = limits.bucketNameCharacters.default;
  if (name.length <= max && BUCKET.test(name) && name.trim() === name && !/^\.+$/.test(name)) return name;
  throw new NinefoldError('InvalidBucketName', { message: `Bucket name invalid: ${shown(name)}` });
}

/**
 * Returns the path of an object. Two spellings of a name in Unicode are two paths, as in Amazon S3, so that tools that
 * compare paths find what they stored.
 * @throws NinefoldError InvalidKey
 */
export function objectName(path: string): string {
  const segments = path.split('/');
  const isValid =
    path !== '' &&
    Buffer.byteLength(path) <= limits.storagePathBytes.default &&
    !UNSAFE.test(path) &&
    segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  if (isValid) return path;
  throw new NinefoldError('InvalidKey', { message: `Invalid key: ${shown(path)}` });
}

/**
 * Decodes a part of the path of a URL. storage-js sends names without encoding them, so a percent sign that begins no
 * escape is a plain character.
 * @throws NinefoldError InvalidKey
 */
export function decodedPath(part: string): string {
  try {
    return decodeURIComponent(part.replace(/%(?![0-9A-Fa-f]{2})/g, '%25'));
  } catch {
    throw new NinefoldError('InvalidKey', { message: `Invalid key: ${shown(part)}` });
  }
}

const shown = (name: string): string => [...name].slice(0, SHOWN).join('').replace(UNSAFE, '?');
