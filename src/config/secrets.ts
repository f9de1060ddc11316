import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { environment } from '../../contract/environment.ts';
import type { Config } from './config.ts';
import { ConfigError } from './config-error.ts';

/** The secrets of a node, in NINEFOLD_HOME/secrets or in files that variables name. */
export interface Secrets {
  /** Password of the embedded PostgreSQL's superuser; empty if the node uses another server. */
  readonly postgresPassword: string;
  /** Key that encrypts the secrets of apps; 32 bytes. */
  readonly masterKey: Buffer;
  /** Token with which the CLI calls the management API. */
  readonly operatorToken: string;
}

/** The length of a key of AES-256. */
const MASTER_KEY_BYTES = 32;

/** Minimum length of an operator token that the operator has chosen. */
const TOKEN_CHARACTERS = 32;

/** The settings that determine where the secrets are. */
type Places = Pick<Config, 'home' | 'databaseUrl' | 'masterKeyFile' | 'operatorTokenFile'>;

/** Returns the path of the master key. */
export const masterKeyPath = ({ home, masterKeyFile }: Pick<Places, 'home' | 'masterKeyFile'>): string =>
  masterKeyFile ?? pathOf(home, 'master-key');

/**
 * Reads the secrets of a node, and creates missing ones in its home. The folder may be read-only if nothing is missing.
 * @throws ConfigError if a secret cannot be read or used, or the folder cannot be written; also if the master key or
 * the password is missing and a data folder exists, because a new one would make that data unusable.
 */
export function ensureSecrets({ home, databaseUrl, masterKeyFile, operatorTokenFile }: Places): Secrets {
  const folder = join(home, 'secrets');
  try {
    restrict(folder);
    const keyText =
      masterKeyFile === null
        ? ensureSecret(home, 'master-key', () => randomBytes(MASTER_KEY_BYTES).toString('base64url'))
        : givenSecret(masterKeyFile, environment.masterKeyFile.name);
    return {
      postgresPassword:
        databaseUrl === null
          ? ensureSecret(home, 'postgres-password', () => randomBytes(24).toString('base64url'))
          : '',
      masterKey: masterKeyFrom(masterKeyPath({ home, masterKeyFile }), keyText),
      operatorToken:
        operatorTokenFile === null
          ? ensureSecret(home, 'operator-token', () => `nf_operator_${randomBytes(24).toString('base64url')}`)
          : givenToken(operatorTokenFile),
    };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`The folder ${folder} cannot be written: ${reason}. Set NINEFOLD_HOME to one that can.`);
  }
}

/** Returns the operator token of a node; null if there is none, because the node was never started. */
export function readOperatorToken({
  home,
  operatorTokenFile,
}: Pick<Places, 'home' | 'operatorTokenFile'>): string | null {
  if (operatorTokenFile !== null) return givenToken(operatorTokenFile);
  try {
    return readFileSync(pathOf(home, 'operator-token'), 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/** The secrets without which a restored data folder cannot be used. */
interface RestoredSecrets {
  /** In base64url. */
  readonly masterKey: string;
  readonly postgresPassword: string;
}

/**
 * Reads the secrets that a restored copy of a home needs. Returns null if the home does not have both of them.
 * @throws ConfigError if a file cannot be read or is empty
 */
export function readRestoredSecrets(places: Pick<Places, 'home' | 'masterKeyFile'>): RestoredSecrets | null {
  const masterKey = readSecret(masterKeyPath(places));
  const postgresPassword = readSecret(pathOf(places.home, 'postgres-password'));
  return masterKey === null || postgresPassword === null ? null : { masterKey, postgresPassword };
}

/** Replaces the secrets of a home by those of a restored data folder. */
export function replaceSecrets(home: string, { masterKey, postgresPassword }: RestoredSecrets): void {
  mkdirSync(join(home, 'secrets'), { recursive: true, mode: 0o700 });
  const replaced: readonly [Name, string][] = [
    ['master-key', masterKey],
    ['postgres-password', postgresPassword],
  ];
  for (const [name, value] of replaced) {
    writeFileSync(pathOf(home, name), `${value}\n`, { mode: 0o600, flush: true });
  }
  syncFolder(join(home, 'secrets'));
}

/** Keeps other users out of the folder. A folder that this user cannot change, such as a mounted secret, stays as it is. */
function restrict(folder: string): void {
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    if (!['ENOENT', 'EROFS', 'EPERM'].includes(codeOf(error))) throw error;
  }
}

type Name = 'postgres-password' | 'master-key' | 'operator-token';

const pathOf = (home: string, name: Name): string => join(home, 'secrets', name);

function ensureSecret(home: string, name: Name, make: () => string): string {
  const file = pathOf(home, name);
  const found = readSecret(file);
  if (found !== null) return found;
  const data = join(home, 'postgres');
  if (name !== 'operator-token' && holdsFiles(data)) {
    throw new ConfigError(
      `The file ${file} is missing, and the data folder ${data} cannot be used without it: restore it from a backup of the folder ${dirname(file)}.`,
    );
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  create(file, `${make()}\n`);
  return readSecret(file) ?? '';
}

/**
 * Reads a secret from the file that a variable names.
 * @throws ConfigError if the file does not exist, cannot be read or is empty.
 */
function givenSecret(file: string, variable: string): string {
  const found = readSecret(file);
  if (found !== null) return found;
  throw new ConfigError(`The file ${file} of ${variable} does not exist: create it, or unset ${variable}.`);
}

function givenToken(file: string): string {
  const { name } = environment.operatorTokenFile;
  const token = givenSecret(file, name);
  if (/^[\w.~+/=-]+$/.test(token) && token.length >= TOKEN_CHARACTERS) return token;
  throw new ConfigError(
    `The file ${file} of ${name} must hold at least ${TOKEN_CHARACTERS} characters that a bearer token may have: letters, digits and -._~+/=.`,
  );
}

/**
 * Reads a secret. Returns null if the file does not exist.
 * @throws ConfigError if the file cannot be read or is empty.
 */
function readSecret(file: string): string | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return null;
    const what = code === 'EISDIR' ? 'is a folder, not a file' : `cannot be read (${code})`;
    throw new ConfigError(
      `${file} ${what}: restore the file from a backup, and make it readable for the user that runs Ninefold.`,
    );
  }
  if (text !== '') return text;
  throw new ConfigError(
    `The file ${file} is empty: restore it from a backup${file.endsWith('operator-token') ? ', or delete it and get a new one' : ''}.`,
  );
}

function masterKeyFrom(file: string, text: string): Buffer {
  const key = Buffer.from(text, 'base64url');
  if (key.length === MASTER_KEY_BYTES && key.toString('base64url') === text.replace(/=+$/, '')) return key;
  throw new ConfigError(
    `The file ${file} does not hold a master key (${MASTER_KEY_BYTES} bytes in base64url, 43 characters): restore it from a backup.`,
  );
}

/**
 * Writes a file under another name, syncs it to disk and then gives it its name, so that the file is never incomplete.
 * If another process has created the file first, that file stays. So two parallel starts use the same secret.
 */
function create(file: string, content: string): void {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(draft, content, { mode: 0o600, flag: 'wx', flush: true });
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    removeDraft(draft);
  }
  // Syncs the folder of the file and the folder above, so that both entries are on disk.
  for (const folder of [dirname(file), dirname(dirname(file))]) syncFolder(folder);
}

function removeDraft(draft: string): void {
  try {
    unlinkSync(draft);
  } catch {
    // The draft does not exist, because it was never written.
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } catch (error) {
    // Some network file systems cannot sync a folder (EINVAL), so this error is ignored.
    if (codeOf(error) !== 'EINVAL') throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** Returns true if the path exists and is not an empty folder. */
function holdsFiles(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found !== undefined && !(found.isDirectory() && isEmpty(folder));
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false; // The folder belongs to another user.
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : String(error);
