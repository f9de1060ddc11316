import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { NinefoldError } from '../../../errors/ninefold-error.ts';
import { crc32c, crc64nvme, type Digest } from './crc.ts';

/** The algorithms of the headers and trailers `x-amz-checksum-…`. */
const algorithms = {
  crc32: zlibCrc32,
  crc32c,
  crc64nvme,
  sha1: () => createHash('sha1'),
  sha256: () => createHash('sha256'),
} as const;

export type ChecksumAlgorithm = keyof typeof algorithms;

const PREFIX = 'x-amz-checksum-';

/** The value that a client computed of the bytes that it sends. */
export interface Checksum {
  readonly algorithm: ChecksumAlgorithm;
  readonly value: Buffer;
}

/**
 * Returns the checksum of a header or trailer.
 * @param name Name of the header in lower case.
 * @returns null for a header that is no checksum.
 * @throws NinefoldError InvalidRequest for an unknown algorithm, or a value of another length.
 */
export function readChecksum(name: string, value: string): Checksum | null {
  const algorithm = checksumAlgorithm(name);
  if (algorithm === null) return null;
  return { algorithm, value: decodeDigest(value, startChecksum(algorithm).digest().length, `The header ${name}`) };
}

/** Headers with the prefix of checksums that have no value of one: the names of algorithms and of the mode. */
const others: ReadonlySet<string> = new Set(['algorithm', 'mode', 'type']);

/**
 * Returns the algorithm of a header or trailer; null for a header that is no checksum.
 * @throws NinefoldError InvalidRequest for an unknown algorithm.
 */
export function checksumAlgorithm(name: string): ChecksumAlgorithm | null {
  if (!name.startsWith(PREFIX)) return null;
  const algorithm = name.slice(PREFIX.length);
  if (others.has(algorithm)) return null;
  if (!Object.hasOwn(algorithms, algorithm)) {
    throw new NinefoldError('InvalidRequest', {
      message: `The checksum ${name} is unknown. Use crc32, crc32c, crc64nvme, sha1 or sha256.`,
    });
  }
  return algorithm as ChecksumAlgorithm;
}

/**
 * Decodes a digest in base64.
 * @param what Names the value in the error.
 * @throws NinefoldError InvalidDigest if the value has not exactly `length` bytes.
 */
export function decodeDigest(value: string, length: number, what: string): Buffer {
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length !== length || bytes.toString('base64') !== value) {
    throw new NinefoldError('InvalidDigest', { message: `${what} must have ${length} bytes in base64.` });
  }
  return bytes;
}

/** Begins to compute a checksum. */
export const startChecksum = (algorithm: ChecksumAlgorithm): Digest => algorithms[algorithm]();

function zlibCrc32(): Digest {
  let value = 0;
  return {
    update: (bytes) => {
      value = crc32(bytes, value);
    },
    digest: () => {
      const digest = Buffer.alloc(4);
      digest.writeUInt32BE(value);
      return digest;
    },
  };
}
