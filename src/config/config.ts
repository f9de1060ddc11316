import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { delimiter, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environment, fileVariable, limitVariables, type Variable } from '../../contract/environment.ts';
import { ConfigError } from './config-error.ts';
import { type Descriptors, readDescriptors } from './descriptors.ts';
import { parseStorageUrl, type StorageUrl } from './storage-url.ts';

/** The configuration from the environment. No code outside of this folder reads the environment. */
export interface Config extends Omit<ValuesOf<typeof environment>, 'backupTarget'> {
  readonly backupTarget: BackupTarget;
  readonly workers: number;
  /** The limits that a variable can change, by the name of the limit. */
  readonly limits: ValuesOf<typeof limitVariables>;
  /**
   * True if `npm start` started the process. npm ends on a signal without passing it on, so the process checks whether
   * npm still runs.
   */
  readonly startedByNpm: boolean;
  /** Folders of the programs and of further extensions of the embedded PostgreSQL; null for those of the npm package. */
  readonly postgresPrograms: { readonly bin: string | null; readonly extensions: string | null };
  /** Folders of programs of the machine, which are searched for PostgreSQL's pg_dump. */
  readonly programFolders: readonly string[];
  readonly descriptors: Descriptors;
  /** The file of further certificate authorities that Node.js trusts; null without one. */
  readonly extraCertificates: string | null;
}

/** A network that HTTP requests from SQL may reach although it is not public. */
interface AllowedNetwork {
  address: string;
  bits: number;
  port: number | null;
}

/** The reader of each kind of variable. A reader throws a ConfigError for a value that cannot be used. */
const readers = {
  text: (value: string): string => value,
  flag: (value: string): boolean => value === '1',
  url: (value: string, { name }: Variable): string => {
    if (!URL.canParse(value)) throw new ConfigError(`${name} must be a URL.`);
    return value.replace(/\/+$/, '');
  },
  number: (value: string, { name, range: [min, max] = [0, Number.MAX_SAFE_INTEGER] }: Variable): number => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= min && number <= max) return number;
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not “${value}”.`);
  },
  share: (value: string, { name }: Variable): number => {
    const number = Number(value);
    if (number >= 0 && number <= 1) return number;
    throw new ConfigError(`${name} must be a number from 0 to 1, not “${value}”.`);
  },
  headers: headersOf,
  choice: (value: string, { name, values = [] }: Variable): string => {
    if (values.includes(value)) return value;
    throw new ConfigError(`${name} must be one of ${values.join(', ')}, not “${value}”.`);
  },
  hosts: hostNames,
  proxies: trustedProxies,
  networks: allowedNetworks,
  storage: (value: string, { name }: Variable): StorageUrl => parseStorageUrl(value, name),
  backup: backupTarget,
};

type ValuesOf<Variables extends Readonly<Record<string, Variable>>> = {
  readonly [K in keyof Variables]: ReturnType<(typeof readers)[Variables[K]['kind']]> | Variables[K]['default'];
};

/**
 * Reads the environment.
 * @throws ConfigError for a value that cannot be used.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const values = readVariables(environment, env);
  requireCredentials(values);
  requireSender(values);
  return {
    ...values,
    home: resolve(values.home),
    workers: values.workers ?? availableParallelism(),
    backupTarget: targetOf(values),
    limits: readVariables(limitVariables, env),
    startedByNpm: Boolean(env.npm_lifecycle_event?.trim()),
    postgresPrograms: { bin: values.postgresBin, extensions: values.postgresExtensions },
    programFolders: (env.PATH ?? '').split(delimiter),
    descriptors: readDescriptors(),
    extraCertificates: env.NODE_EXTRA_CA_CERTS?.trim() || null,
  };
}

/**
 * Reads the environment with another target of backups.
 * @param target The value of NINEFOLD_BACKUP_URL.
 * @throws ConfigError
 */
export const readConfigWithTarget = (target: string): Config =>
  readConfig({ ...process.env, [environment.backupTarget.name]: target });

/** Returns where backups are stored. By default a node stores those of its own server in its home. */
const targetOf = ({ backupTarget: target, databaseUrl, home }: ValuesOf<typeof environment>): BackupTarget =>
  target ?? (databaseUrl === null ? { kind: 'folder', folder: resolve(home, 'backups') } : { kind: 'off' });

/** @throws ConfigError if a bucket is configured without its credentials. */
function requireCredentials(values: ValuesOf<typeof environment>): void {
  if (values.databaseUrl !== null && (values.backupTarget ?? { kind: 'off' }).kind !== 'off') {
    throw new ConfigError(
      `${environment.backupTarget.name} is for the embedded PostgreSQL: back up the server of ${environment.databaseUrl.name} with its own means, and leave ${environment.backupTarget.name} out.`,
    );
  }
  if (values.backupTarget?.kind === 's3') {
    for (const [own, shared] of [
      ['backupKey', 'storageKey'],
      ['backupSecret', 'storageSecret'],
    ] as const) {
      if (values[own] !== null || values[shared] !== null) continue;
      throw new ConfigError(`${environment.backupTarget.name} needs ${environment[own].name}.`);
    }
  }
  const bucket = values.storageUrl === null ? environment.storageFrom : environment.storageUrl;
  if (values.storageUrl === null && values.storageFrom === null) return;
  for (const property of ['storageKey', 'storageSecret'] as const) {
    if (values[property] !== null) continue;
    throw new ConfigError(`${bucket.name} needs ${environment[property].name}.`);
  }
}

/** @throws ConfigError if the node's mail server cannot be used. */
function requireSender({ mailUrl, mailSender }: ValuesOf<typeof environment>): void {
  if (mailUrl === null) return;
  // The value contains a password, so the message does not repeat it.
  if (!/^smtps?:$/.test(new URL(mailUrl).protocol)) {
    throw new ConfigError(`${environment.mailUrl.name} must begin with smtp:// or smtps://.`);
  }
  if (mailSender === null) throw new ConfigError(`${environment.mailUrl.name} needs ${environment.mailSender.name}.`);
}

function readVariables<Variables extends Readonly<Record<string, Variable>>>(
  variables: Variables,
  env: NodeJS.ProcessEnv,
): ValuesOf<Variables> {
  const values = Object.entries(variables).map(([key, variable]) => {
    const value = variable.mayBeFile ? ownOrFromFile(variable, env) : env[variable.name]?.trim();
    return [key, value ? readers[variable.kind](value, variable) : variable.default];
  });
  return Object.fromEntries(values) as ValuesOf<Variables>;
}

/** Where backups are stored: a bucket, a folder, or nowhere. */
export type BackupTarget =
  | { readonly kind: 's3'; readonly bucket: StorageUrl }
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'off' };

/**
 * Parses `off`, the URL of a bucket, or the path of a folder.
 * @throws ConfigError
 */
function backupTarget(value: string, { name }: Variable): BackupTarget {
  if (value === 'off') return { kind: 'off' };
  if (value.startsWith('s3:')) return { kind: 's3', bucket: parseStorageUrl(value, name) };
  const path = value.startsWith('file://') && URL.canParse(value) ? fileURLToPath(value) : value;
  if (!/^[a-z][a-z\d+.-]*:/i.test(path)) return { kind: 'folder', folder: resolve(path) };
  throw new ConfigError(`${name} must be a folder, a URL that begins with s3://, or off, not “${value}”.`);
}

/**
 * Returns the value of a variable, or of the file for it.
 * @throws ConfigError if both are set, because an operator would not see which of them counts.
 */
function ownOrFromFile(variable: Variable, env: NodeJS.ProcessEnv): string {
  const own = env[variable.name]?.trim() ?? '';
  const fromFile = valueFromFile(variable, env);
  if (own === '' || fromFile === '') return own || fromFile;
  throw new ConfigError(`${variable.name} and ${fileVariable(variable.name)} are both set: unset one of them.`);
}

/**
 * Reads a value from the file that the variable with `_FILE` at the end of its name names. Returns an empty text if that
 * variable is not set.
 * @throws ConfigError, which does not repeat the value, if the file cannot be read or is empty.
 */
function valueFromFile({ name }: Variable, env: NodeJS.ProcessEnv): string {
  const file = env[fileVariable(name)]?.trim();
  if (!file) return '';
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : String(error);
    throw new ConfigError(`The file ${file} of ${fileVariable(name)} cannot be read (${reason}).`);
  }
  if (text === '') throw new ConfigError(`The file ${file} of ${fileVariable(name)} is empty.`);
  return text;
}

/**
 * Parses host names and addresses separated by commas. Returns them as a URL has them.
 * @throws ConfigError
 */
function hostNames(value: string, { name }: Variable): readonly string[] {
  return listed(value).map((entry) => {
    const host = isIP(entry) === 6 ? `[${entry}]` : entry;
    const hostname = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
    // A port or a wildcard would have no effect, and a number such as 0x7f.1 would become another address.
    const isPlain = /^(?:\[[\da-f:.]+\]|[^\s:/?#@*[\]\\]+)$/i.test(host);
    if (isPlain && hostname !== '' && (isIP(hostname) === 0 || hostname === host)) return hostname;
    throw new ConfigError(
      `${name} must hold host names and addresses without a port, such as console.internal,10.0.0.7, not “${entry}”.`,
    );
  });
}

const listed = (value: string): string[] =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/**
 * Parses a number of proxies, or their addresses and networks separated by commas.
 * @throws ConfigError
 */
function trustedProxies(value: string, { name, range: [min, max] = [0, 0] }: Variable): number | readonly string[] {
  if (/^\d+$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  const networks = value.split(',').map((network) => network.trim());
  if (networks.every(isNetwork)) return networks;
  throw new ConfigError(
    `${name} must be a number of proxies from ${min} to ${max}, or their addresses and networks, such as 10.0.0.0/8,::1, not “${value}”.`,
  );
}

/**
 * Parses headers separated by commas, as OTEL_EXPORTER_OTLP_HEADERS has them.
 * @throws ConfigError, which does not repeat the value, because it may be a secret
 */
function headersOf(value: string, { name }: Variable): Readonly<Record<string, string>> {
  const pairs = listed(value).map((entry) => {
    const equals = entry.indexOf('=');
    try {
      const pair = [entry.slice(0, equals).trim(), decodeURIComponent(entry.slice(equals + 1).trim())] as const;
      if (equals > 0) new Headers([[...pair]]);
      if (equals > 0) return pair;
    } catch {
      // The name or the value is invalid, and the error below says so.
    }
    throw new ConfigError(`${name} must hold headers, such as authorization=Bearer%20token,x-tenant=a.`);
  });
  return Object.fromEntries(pairs);
}

const isNetwork = (network: string): boolean => {
  const [, address = '', bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(network) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits ?? 0) <= (family === 4 ? 32 : 128);
};

/**
 * Parses addresses and networks separated by commas, each with an optional port.
 * @throws ConfigError
 */
function allowedNetworks(value: string, { name }: Variable): readonly AllowedNetwork[] {
  return listed(value).map((entry) => {
    const [, bracketed, bare, length, port] =
      /^(?:\[([^\]]+)\]|([^/:]+))(?:\/(\d{1,3}))?(?::(\d{1,5}))?$/.exec(entry) ?? [];
    const address = bracketed ?? bare ?? '';
    const all = isIP(address) === 6 ? 128 : 32;
    const isPort = port === undefined || (Number(port) > 0 && Number(port) < 65_536);
    if (isIP(address) === 0 || address.includes('%') || Number(length ?? 0) > all || !isPort) {
      throw new ConfigError(
        `${name} must hold addresses and networks, each with a port or without, such as 10.0.0.0/8,127.0.0.1:8080,[fd00::]/8, not “${entry}”.`,
      );
    }
    return { address, bits: Number(length ?? all), port: port === undefined ? null : Number(port) };
  });
}
