import { createCipheriv, timingSafeEqual } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { DeriveTask } from './hash-threads.ts';

/** Length of a key of AES-256. */
const KEY_BYTES = 32;

/** A password hash that another system made, and how to verify a password against it. */
export interface ForeignHash {
  readonly scheme: 'firebase' | 'pbkdf2';
  /** Expected processor time of the derivation in milliseconds. */
  readonly cost: number;
  readonly task: DeriveTask;
  /** Returns true if this key was derived from the password of the hash. */
  readonly matches: (key: Uint8Array) => boolean;
}

/**
 * Processor time in milliseconds, measured on a common processor: of scrypt per MiB of memory, and of PBKDF2 per
 * thousand iterations.
 */
const SCRYPT_MILLISECONDS = 3;
const PBKDF2_MILLISECONDS = 0.5;

const base64 = '[A-Za-z0-9+/]+={0,2}';

/** The form in which GoTrue stores hashes of Firebase. */
const FIREBASE = new RegExp(
  `^\\$fbscrypt\\$v=1,n=(\\d{1,2}),r=(\\d{1,3}),p=(\\d{1,2})(?:,ss=(${base64}))?,sk=(${base64})\\$(${base64})\\$(${base64})$`,
);

/**
 * Matches hashes of Django (`pbkdf2_sha256$1000$salt$base64`) and passlib (`$pbkdf2-sha256$1000$salt$ab64`, salt in
 * base64 with `.` for `+`).
 */
const PBKDF2 =
  /^(?:(pbkdf2_)|\$pbkdf2-)(sha1|sha256|sha512)\$(\d{1,8})\$([A-Za-z0-9+/.=_-]{1,128})\$([A-Za-z0-9+/.]{16,88}={0,2})$/;

/** Memory that scrypt gets in addition to the memory of its cost (RFC 7914). */
const MEBIBYTE = 1024 * 1024;

/**
 * Returns how to verify a hash of Firebase or of PBKDF2. Returns null for any other text and for a hash whose cost is
 * above the limits.
 */
export const foreignHash = (hash: string): ForeignHash | null =>
  hash.length > limits.importedHashCharacters.default ? null : (firebaseHash(hash) ?? pbkdf2Hash(hash));

function firebaseHash(hash: string): ForeignHash | null {
  const [, n, r, p, separator = '', signerKey = '', salt = '', wanted = ''] = FIREBASE.exec(hash) ?? [];
  if (n === undefined) return null;
  const cost = { N: 2 ** Number(n), r: Number(r), p: Number(p) };
  const mebibytes = (128 * cost.N * cost.r) / MEBIBYTE;
  const isAffordable = Number(n) > 0 && cost.r > 0 && cost.p > 0 && mebibytes <= limits.importedHashMebibytes.default;
  if (!isAffordable || mebibytes * cost.p > limits.importedHashWork.default) return null;
  const seed = Buffer.concat([Buffer.from(salt, 'base64'), Buffer.from(separator, 'base64')]);
  const maxmem = 128 * cost.N * cost.r + 128 * cost.r * cost.p + MEBIBYTE;
  return {
    scheme: 'firebase',
    cost: mebibytes * cost.p * SCRYPT_MILLISECONDS,
    task: { derive: 'scrypt', salt: seed, bytes: KEY_BYTES, options: { ...cost, maxmem } },
    matches: (key) => {
      const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
      return isEqual(cipher.update(Buffer.from(signerKey, 'base64')), Buffer.from(wanted, 'base64'));
    },
  };
}

function pbkdf2Hash(hash: string): ForeignHash | null {
  const [, django, digest = '', iterations = '', salt = '', wanted = ''] = PBKDF2.exec(hash) ?? [];
  const passes = Number(iterations);
  if (digest === '' || passes < 1 || passes > limits.importedHashIterations.default) return null;
  const bytes = Buffer.from(wanted.replaceAll('.', '+'), 'base64');
  const seed = django ? Buffer.from(salt) : Buffer.from(salt.replaceAll('.', '+'), 'base64');
  return {
    scheme: 'pbkdf2',
    cost: (passes / 1000) * Math.ceil(bytes.length / (DIGEST_BYTES[digest] ?? 1)) * PBKDF2_MILLISECONDS,
    task: { derive: 'pbkdf2', salt: seed, bytes: bytes.length, passes, digest },
    matches: (key) => isEqual(key, bytes),
  };
}

const DIGEST_BYTES: Readonly<Record<string, number>> = { sha1: 20, sha256: 32, sha512: 64 };

/**
 * Returns a hash of the same cost as `hash` (or as a prefix of one) that belongs to no known password. Returns null in
 * the same cases as `foreignHash`.
 */
export function foreignDecoy(hash: string): string | null {
  const zeros = (bytes: number) => Buffer.alloc(bytes).toString('base64');
  const firebase = /^\$fbscrypt\$v=1,n=\d{1,2},r=\d{1,3},p=\d{1,2}/.exec(hash)?.[0];
  const [pbkdf2Prefix, digest = ''] = /^(?:pbkdf2_|\$pbkdf2-)(sha1|sha256|sha512)\$\d{1,8}\$/.exec(hash) ?? [];
  const decoy = firebase
    ? `${firebase},sk=${zeros(64)}$${zeros(8)}$${zeros(64)}`
    : `${pbkdf2Prefix}${zeros(12)}$${zeros(DIGEST_BYTES[digest] ?? 0)}`;
  return foreignHash(decoy) === null ? null : decoy;
}

const isEqual = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);
