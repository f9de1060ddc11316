import { createCipheriv, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { limits } from '../../contract/limits.ts';

/** A password hash that another system made, and the function that verifies a password against it. */
export interface ForeignHash {
  readonly scheme: 'firebase' | 'pbkdf2';
  readonly verify: (password: string) => Promise<boolean>;
}

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
  return {
    scheme: 'firebase',
    verify: async (password) => {
      const maxmem = 128 * cost.N * cost.r + 128 * cost.r * cost.p + MEBIBYTE;
      const key = await scryptKey(password, seed, { ...cost, maxmem });
      const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
      return isEqual(cipher.update(Buffer.from(signerKey, 'base64')), Buffer.from(wanted, 'base64'));
    },
  };
}

const scryptKey = (password: string, salt: Buffer, cost: { N: number; r: number; p: number; maxmem: number }) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(password, salt, 32, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });

const derive = promisify(pbkdf2);

function pbkdf2Hash(hash: string): ForeignHash | null {
  const [, django, digest = '', iterations = '', salt = '', wanted = ''] = PBKDF2.exec(hash) ?? [];
  const passes = Number(iterations);
  if (digest === '' || passes < 1 || passes > limits.importedHashIterations.default) return null;
  const bytes = Buffer.from(wanted.replaceAll('.', '+'), 'base64');
  const seed = django ? Buffer.from(salt) : Buffer.from(salt.replaceAll('.', '+'), 'base64');
  return {
    scheme: 'pbkdf2',
    verify: async (password) => isEqual(await derive(password, seed, passes, bytes.length, digest), bytes),
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

const isEqual = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);
