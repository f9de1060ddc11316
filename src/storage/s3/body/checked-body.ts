import { createHash } from 'node:crypto';
import { NinefoldError } from '../../../errors/ninefold-error.ts';
import { type ChecksumAlgorithm, startChecksum } from './checksum.ts';
import type { Digest } from './crc.ts';

/** A digest that the client computed of the bytes that it sends. */
export type Expectation =
  | { readonly kind: 'content-sha256'; readonly value: Buffer }
  | { readonly kind: 'content-md5'; readonly value: Buffer }
  | { readonly kind: ChecksumAlgorithm; readonly value: Buffer };

/**
 * Passes the bytes of a body on and fails at its end if they do not have the expected digests.
 * @throws NinefoldError XAmzContentSHA256Mismatch, BadDigest
 */
export async function* checkedBody(
  body: AsyncIterable<Uint8Array>,
  expectations: readonly Expectation[],
): AsyncGenerator<Uint8Array, void> {
  const checks = expectations.map((expected) => ({ expected, hash: startHash(expected.kind) }));
  for await (const chunk of body) {
    for (const { hash } of checks) hash.update(chunk);
    yield chunk;
  }
  for (const { expected, hash } of checks) {
    if (!hash.digest().equals(expected.value)) throw mismatch(expected.kind);
  }
}

function startHash(kind: Expectation['kind']): Digest {
  if (kind === 'content-sha256') return createHash('sha256');
  return kind === 'content-md5' ? createHash('md5') : startChecksum(kind);
}

/** Returns the error for bytes that do not have the digest that the client sent. */
export function mismatch(kind: Expectation['kind']): NinefoldError {
  if (kind === 'content-sha256') return new NinefoldError('XAmzContentSHA256Mismatch');
  const name = kind === 'content-md5' ? 'Content-MD5' : `x-amz-checksum-${kind}`;
  return new NinefoldError('BadDigest', { message: `The bytes of the body do not have the digest of ${name}.` });
}
