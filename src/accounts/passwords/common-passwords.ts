import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Number of bits of the filter that each password sets (scripts/common-passwords.mjs). */
const HASHES = 17;

const filter: Buffer = readFileSync(new URL('./common-passwords.bin', import.meta.url));

/**
 * Returns true for the 100,000 most common passwords, in any letter case. The list is a Bloom filter: it recognises
 * each of them, and also about one in 800,000 other passwords.
 */
export function isCommonPassword(password: string): boolean {
  const digest = createHash('sha256').update(password.toLowerCase()).digest();
  const [first, step] = [digest.readBigUInt64LE(0), digest.readBigUInt64LE(8) | 1n];
  const bits = BigInt(filter.length * 8);
  for (let i = 0n; i < HASHES; i++) {
    const bit = Number(BigInt.asUintN(64, first + i * step) % bits);
    if (((filter[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}
