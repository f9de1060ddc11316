import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { type AppBounds, limits } from '../../contract/limits.ts';

/** What the environment says; nothing else reads it. */
export interface Config {
  /** Folder of everything durable, absolute. */
  readonly home: string;
  readonly host: string;
  readonly port: number;
  readonly workers: number;
  /** Superuser URL of an external PostgreSQL; null for the embedded one. */
  readonly databaseUrl: string | null;
  /** Port of the embedded PostgreSQL; 0 lets it choose one and keep it. */
  readonly postgresPort: number;
  /** Apps answer on `<ref>.<domain>`; null where no domain is set. */
  readonly domain: string | null;
  /** The app that answers on any host without a prefix; null for none. */
  readonly defaultApp: string | null;
  /** Where clients reach this node; null for http://host:port. */
  readonly publicUrl: string | null;
  readonly trustProxy: boolean;
  readonly poolConnections: number;
  readonly poolIdleSeconds: number;
  readonly requestsPerSecond: number;
  readonly appBounds: AppBounds;
  readonly logLevel: string;
  /** Started by `npm start`, which ends on a signal without passing it on. */
  readonly startedByNpm: boolean;
  /** One JSON line on stdout when the node is ready, for programs that start it. */
  readonly readyJson: boolean;
}

/** A setting that cannot be used; the message says which and why. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads the environment. Throws ConfigError for a value that cannot be used. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const text = (name: string): string | null => env[name]?.trim() || null;
  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const value = text(name);
    if (value === null) return fallback;
    const number = Number(value);
    if (!Number.isInteger(number) || number < min || number > max) {
      throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not “${value}”.`);
    }
    return number;
  };
  const limit = (one: { setting: string; default: number; range: readonly [number, number] }): number =>
    integer(one.setting, one.default, ...one.range);
  const url = (name: string): string | null => {
    const value = text(name);
    if (value !== null && !URL.canParse(value)) throw new ConfigError(`${name} must be a URL.`);
    return value?.replace(/\/+$/, '') ?? null;
  };
  return {
    home: resolve(text('NINEFOLD_HOME') ?? '.ninefold'),
    host: text('NINEFOLD_HOST') ?? '127.0.0.1',
    port: integer('NINEFOLD_PORT', 9009, 0, 65_535),
    workers: integer('NINEFOLD_WORKERS', availableParallelism(), 1, 256),
    databaseUrl: url('NINEFOLD_DATABASE_URL'),
    postgresPort: integer('NINEFOLD_POSTGRES_PORT', 0, 0, 65_535),
    domain: text('NINEFOLD_DOMAIN'),
    defaultApp: text('NINEFOLD_DEFAULT_APP'),
    publicUrl: url('NINEFOLD_URL'),
    trustProxy: text('NINEFOLD_TRUST_PROXY') === '1',
    poolConnections: limit(limits.poolConnections),
    poolIdleSeconds: limit(limits.poolIdleSeconds),
    requestsPerSecond: limit(limits.requestsPerAddress),
    appBounds: {
      appLocks: limit(limits.appLocks),
      sessionMemoryBytes: limit(limits.sessionMemoryBytes),
      appMemoryBytes: limit(limits.appMemoryBytes),
      sessionTemporaryBytes: limit(limits.sessionTemporaryBytes),
      appTemporaryBytes: limit(limits.appTemporaryBytes),
      appDatabaseBytes: limit(limits.appDatabaseBytes),
      appStatementSeconds: limit(limits.appStatementSeconds),
      appTransactionSeconds: limit(limits.appTransactionSeconds),
      appIdleTransactionSeconds: limit(limits.appIdleTransactionSeconds),
      notifyQueueBytes: limit(limits.notifyQueueBytes),
      notifyListenerSeconds: limit(limits.notifyListenerSeconds),
      notifyBytesPerSecond: limit(limits.notifyBytesPerSecond),
      appProcessorShare: limit(limits.appProcessorShare),
      appSuspensionSeconds: limit(limits.appSuspensionSeconds),
    },
    logLevel: text('NINEFOLD_LOG') ?? 'info',
    startedByNpm: text('npm_lifecycle_event') !== null,
    readyJson: text('NINEFOLD_READY_JSON') === '1',
  };
}

/** What a node must keep to itself, in NINEFOLD_HOME/secrets, readable by its own user alone. */
export interface Secrets {
  readonly postgresPassword: string;
  /** Seals the secrets of apps; 32 bytes. */
  readonly masterKey: Buffer;
  /** Opens the management API to the CLI. */
  readonly operatorToken: string;
}

/** Reads the secrets, and makes those that are missing. Throws ConfigError where the folder cannot be written. */
export function ensureSecrets(home: string): Secrets {
  const folder = join(home, 'secrets');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    return {
      postgresPassword: ensureSecret(folder, 'postgres-password', () => randomBytes(24).toString('base64url')),
      masterKey: Buffer.from(
        ensureSecret(folder, 'master-key', () => randomBytes(32).toString('base64url')),
        'base64url',
      ),
      operatorToken: ensureSecret(
        folder,
        'operator-token',
        () => `nf_operator_${randomBytes(24).toString('base64url')}`,
      ),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`The folder ${folder} cannot be written: ${reason}. Set NINEFOLD_HOME to one that can.`);
  }
}

/** The operator token of the node whose home this is, or null where no node was ever started. */
export function readOperatorToken(home: string): string | null {
  try {
    return readFileSync(join(home, 'secrets', 'operator-token'), 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/** `wx` makes the file only where it is not there, so that two starts at once agree on one secret. */
function ensureSecret(folder: string, name: string, make: () => string): string {
  const file = join(folder, name);
  try {
    writeFileSync(file, `${make()}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(file, 'utf8').trim();
}
