import { limits } from '../../../../contract/limits.ts';
import { NinefoldError } from '../../../errors/ninefold-error.ts';
import { childText, malformed, readXml, type XmlElement } from './read-xml.ts';

/** A part in the request CompleteMultipartUpload. */
export interface ListedPart {
  readonly number: number;
  /** Without quotes. */
  readonly etag: string;
}

/**
 * Reads the body of CompleteMultipartUpload.
 * @throws NinefoldError MalformedXML, InvalidPartOrder, InvalidArgument
 */
export function readCompletedParts(body: Uint8Array): readonly ListedPart[] {
  const parts = childrenOf(body, 'CompleteMultipartUpload', 'Part').map(readPart);
  if (parts.length === 0) throw malformed();
  if (parts.length > limits.s3Parts.default) throw tooMany(`An upload has at most ${limits.s3Parts.default} parts.`);
  for (const [i, { number }] of parts.entries()) {
    if (i > 0 && number <= (parts[i - 1] as ListedPart).number) throw new NinefoldError('InvalidPartOrder');
  }
  return parts;
}

function readPart(part: XmlElement): ListedPart {
  const etag = childText(part, 'ETag')?.trim();
  if (!etag) throw malformed();
  return { number: partNumber(childText(part, 'PartNumber')?.trim() ?? ''), etag: etag.replaceAll('"', '') };
}

/** Reads the number of a part. @throws NinefoldError InvalidArgument */
export function partNumber(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= limits.s3Parts.default) return number;
  throw new NinefoldError('InvalidArgument', {
    message: `The number of a part is an integer from 1 to ${limits.s3Parts.default}.`,
  });
}

/** The request DeleteObjects. */
export interface Deletion {
  readonly keys: readonly string[];
  /** True if the response lists only errors. */
  readonly isQuiet: boolean;
}

/**
 * Reads the body of DeleteObjects.
 * @throws NinefoldError MalformedXML, NotImplemented for a version of an object.
 */
export function readDeletion(body: Uint8Array): Deletion {
  const root = rootOf(body, 'Delete');
  const keys = root.children.filter(({ name }) => name === 'Object').map(readKey);
  if (keys.length === 0 || keys.length > limits.s3ListKeys.default) throw malformed();
  return { keys, isQuiet: childText(root, 'Quiet')?.trim() === 'true' };
}

function readKey(object: XmlElement): string {
  const key = childText(object, 'Key');
  if (!key) throw malformed();
  const version = childText(object, 'VersionId')?.trim() ?? '';
  if (version !== '' && version !== 'null') {
    throw new NinefoldError('NotImplemented', { message: 'Buckets have no versions of objects.' });
  }
  return key;
}

/** Checks the body of CreateBucket. Its region has no effect, because an app is at one place. @throws NinefoldError MalformedXML */
export function checkBucketConfiguration(body: Uint8Array): void {
  rootOf(body, 'CreateBucketConfiguration');
}

function rootOf(body: Uint8Array, name: string): XmlElement {
  const root = readXml(body);
  if (root.name !== name) throw malformed();
  return root;
}

function childrenOf(body: Uint8Array, name: string, child: string): readonly XmlElement[] {
  return rootOf(body, name).children.filter((each) => each.name === child);
}

const tooMany = (message: string): NinefoldError => new NinefoldError('InvalidArgument', { message });
