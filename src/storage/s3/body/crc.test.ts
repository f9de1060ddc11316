import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { crc32c, crc64nvme, type Digest } from './crc.ts';

const ofText = (crc: Digest, text: string): string => {
  crc.update(Buffer.from(text));
  return crc.digest().toString('hex');
};

/** Computes a CRC bit by bit, as its definition says. */
function bitwise(polynomial: bigint, bits: bigint, bytes: Uint8Array): string {
  const ones = (1n << bits) - 1n;
  let crc = ones;
  for (const byte of bytes) {
    crc ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ polynomial : crc >> 1n;
  }
  return (crc ^ ones).toString(16).padStart(Number(bits) / 4, '0');
}

describe('crc32c', () => {
  it('returns the check value of the catalogue of CRC algorithms', () => {
    expect(ofText(crc32c(), '123456789')).toBe('e3069283');
  });

  it('returns the value of RFC 3720, appendix B.4, for 32 zero bytes', () => {
    const crc = crc32c();
    crc.update(new Uint8Array(32));
    // The RFC prints the bytes in little-endian order: aa 36 91 8a.
    expect(crc.digest().toString('hex')).toBe('8a9136aa');
  });
});

describe('crc64nvme', () => {
  it('returns the check value of the catalogue of CRC algorithms', () => {
    expect(ofText(crc64nvme(), '123456789')).toBe('ae8b14860a799888');
  });
});

describe.each([
  ['crc32c', crc32c, 0x82f63b78n, 32n],
  ['crc64nvme', crc64nvme, 0x9a6c9329ac4bc9b5n, 64n],
] as const)('%s', (_name, create, polynomial, bits) => {
  it('returns the value of the definition for any division of the bytes into pieces', () => {
    const bytes = randomBytes(1000);
    const expected = bitwise(polynomial, bits, bytes);
    for (const size of [1, 3, 8, 13, 64, 1000]) {
      const crc = create();
      for (let i = 0; i < bytes.length; i += size) crc.update(bytes.subarray(i, i + size));
      expect(crc.digest().toString('hex')).toBe(expected);
    }
  });
});
