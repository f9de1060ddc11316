import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

/** Crockford's base 32: digits and letters without I, L, O and U, which look like others or form words. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 26 characters have 130 random bits. */
const RANDOM_CHARACTERS = 26;
const CHECK_CHARACTERS = 2;
const GROUP = 4;
/** Parameters of scrypt (RFC 7914): 32 MiB of memory. The phrase is random, so more would not make it safer. */
const COST = { N: 2 ** 15, r: 8, p: 1 };
/** Memory that Node.js lets scrypt use, in bytes. */
const MAX_MEMORY = 64 * 1024 * 1024;
const KEY = 32;
const SALT = 16;
const NONCE = 12;
const TAG = 16;

const deriveKey = promisify<string, Buffer, number, typeof COST & { maxmem: number }, Buffer>(scrypt);

/** The secrets of a node that a restored home needs. */
export interface RecoverySecrets {
  /** In base64url. */
  readonly masterKey: string;
  readonly postgresPassword: string;
}

/** Error of a text that is no recovery phrase, or that of other backups. */
export class PhraseError extends Error {
  override readonly name = 'PhraseError';
}

/** Returns a new recovery phrase: seven groups of four characters. */
export function makePhrase(): string {
  const random = Array.from(randomBytes(RANDOM_CHARACTERS), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return grouped(random + checkOf(random));
}

/**
 * Returns the phrase as `makePhrase` writes it. Accepts small letters, other separators, and characters that look alike.
 * @throws PhraseError for a typing error.
 */
export function readPhrase(text: string): string {
  const plain = text.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  const random = plain.slice(0, RANDOM_CHARACTERS);
  const isPossible = plain.length === RANDOM_CHARACTERS + CHECK_CHARACTERS && plain.endsWith(checkOf(random));
  if (isPossible && [...plain].every((character) => ALPHABET.includes(character))) return grouped(plain);
  throw new PhraseError(
    `This is no recovery phrase: it has ${(RANDOM_CHARACTERS + CHECK_CHARACTERS) / GROUP} groups of ${GROUP} letters and digits, and these do not fit together. Compare each character.`,
  );
}

/** Encrypts secrets with a recovery phrase. Returns text that may be stored beside the backups. */
export async function sealSecrets(phrase: string, secrets: RecoverySecrets): Promise<string> {
  const [salt, nonce] = [randomBytes(SALT), randomBytes(NONCE)];
  const cipher = createCipheriv(
    'aes-256-gcm',
    await deriveKey(readPhrase(phrase), salt, KEY, { ...COST, maxmem: MAX_MEMORY }),
    nonce,
  );
  const sealed = Buffer.concat([cipher.update(JSON.stringify(secrets)), cipher.final(), cipher.getAuthTag()]);
  return `${JSON.stringify({
    format: 1,
    kdf: 'scrypt',
    n: COST.N,
    r: COST.r,
    p: COST.p,
    salt: salt.toString('base64url'),
    nonce: nonce.toString('base64url'),
    sealed: sealed.toString('base64url'),
  })}\n`;
}

/**
 * Decrypts the text of `sealSecrets`.
 * @throws PhraseError if the phrase belongs to other backups, or the text was changed.
 */
export async function openSecrets(phrase: string, text: string): Promise<RecoverySecrets> {
  const key = readPhrase(phrase);
  const wrong = 'The recovery phrase does not fit these backups.';
  try {
    const { salt, nonce, sealed } = JSON.parse(text) as Record<string, string>;
    const bytes = Buffer.from(sealed ?? '', 'base64url');
    const decipher = createDecipheriv(
      'aes-256-gcm',
      await deriveKey(key, Buffer.from(salt ?? '', 'base64url'), KEY, { ...COST, maxmem: MAX_MEMORY }),
      Buffer.from(nonce ?? '', 'base64url'),
    );
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG));
    const opened = Buffer.concat([decipher.update(bytes.subarray(0, bytes.length - TAG)), decipher.final()]);
    return JSON.parse(opened.toString()) as RecoverySecrets;
  } catch (cause) {
    throw new PhraseError(wrong, { cause });
  }
}

function checkOf(random: string): string {
  const hash = createHash('sha256').update(`ninefold recovery phrase ${random}`).digest();
  return [hash[0], hash[1]].map((byte) => ALPHABET[(byte ?? 0) % ALPHABET.length]).join('');
}

const grouped = (text: string): string => (text.match(new RegExp(`.{1,${GROUP}}`, 'g')) ?? []).join('-');
