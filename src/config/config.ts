import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { type AppBounds, limits } from '../../contract/limits.ts';
import { ConfigError } from './config-error.ts';
import { type Descriptors, readDescriptors } from './descriptors.ts';

/** The configuration from the environment. No code outside of this folder reads the environment. */
export interface Config {
  /** Absolute path of the folder for all data. */
  readonly home: string;
  readonly host: string;
  readonly port: number;
  readonly workers: number;
  /** Superuser URL of an external PostgreSQL server; null for the embedded one. */
  readonly databaseUrl: string | null;
  /** Port of the embedded PostgreSQL; 0 chooses a free port once and reuses it. */
  readonly postgresPort: number;
  /** The domain of the apps. Each app has the origin `<ref>.<domain>`. Null if no domain is set. */
  readonly domain: string | null;
  /**
   * The app that is served on hosts that belong to no other app, and whose APIs also have paths without `/apps/<ref>`;
   * null if there is none.
   */
  readonly defaultApp: string | null;
  /** URL at which clients reach this node; null for http://host:port. */
  readonly publicUrl: string | null;
  /** Further host names and addresses of this node, in lower case. */
  readonly hosts: readonly string[];
  /** Number of proxies in front of the node, or their addresses and networks (CIDR); 0 means none. */
  readonly trustedProxies: number | readonly string[];
  /** Networks that HTTP requests from SQL may reach although they are not public. */
  readonly httpAllowed: readonly { address: string; bits: number; port: number | null }[];
  readonly poolConnections: number;
  readonly nodeConnections: number;
  readonly poolIdleSeconds: number;
  readonly requestsPerSecond: number;
  readonly keepAliveSeconds: number;
  readonly appBounds: AppBounds;
  readonly logLevel: string;
  /**
   * True if `npm start` started the process. npm ends on a signal without passing it on, so the process checks whether
   * npm still runs.
   */
  readonly startedByNpm: boolean;
  readonly descriptors: Descriptors;
  /** True to print one JSON line on stdout when the node is ready, for programs that start it. */
  readonly readyJson: boolean;
}

/**
 * Reads the environment.
 * @throws ConfigError for a value that cannot be used.
 */
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
    hosts: hostNames('NINEFOLD_HOSTS', text('NINEFOLD_HOSTS')),
    trustedProxies: trustedProxies(text('NINEFOLD_TRUST_PROXY')),
    httpAllowed: allowedNetworks('NINEFOLD_HTTP_ALLOW', text('NINEFOLD_HTTP_ALLOW')),
    poolConnections: limit(limits.poolConnections),
    nodeConnections: limit(limits.nodeConnections),
    poolIdleSeconds: limit(limits.poolIdleSeconds),
    requestsPerSecond: limit(limits.requestsPerAddress),
    keepAliveSeconds: limit(limits.keepAliveSeconds),
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
      appAnalyzeSeconds: limit(limits.appAnalyzeSeconds),
      sharedCatalogBytesPerSecond: limit(limits.sharedCatalogBytesPerSecond),
      notifyQueueBytes: limit(limits.notifyQueueBytes),
      notifyListenerSeconds: limit(limits.notifyListenerSeconds),
      notifyBytesPerSecond: limit(limits.notifyBytesPerSecond),
      appProcessorShare: limit(limits.appProcessorShare),
      appSuspensionSeconds: limit(limits.appSuspensionSeconds),
      loginsPerSecond: limit(limits.loginsPerSecond),
    },
    logLevel: text('NINEFOLD_LOG') ?? 'info',
    startedByNpm: text('npm_lifecycle_event') !== null,
    descriptors: readDescriptors(),
    readyJson: text('NINEFOLD_READY_JSON') === '1',
  };
}

/**
 * Parses host names and addresses separated by commas. Returns them as a URL has them.
 * @throws ConfigError
 */
function hostNames(name: string, value: string | null): readonly string[] {
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

const listed = (value: string | null): string[] =>
  (value ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/**
 * Parses NINEFOLD_TRUST_PROXY: a number of proxies, or their addresses and networks separated by commas.
 * @throws ConfigError
 */
function trustedProxies(value: string | null): number | readonly string[] {
  const { setting, range, default: none } = limits.trustedProxies;
  if (value === null) return none;
  const [min, max] = range;
  if (/^\d+$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  const networks = value.split(',').map((network) => network.trim());
  if (networks.every(isNetwork)) return networks;
  throw new ConfigError(
    `${setting} must be a number of proxies from ${min} to ${max}, or their addresses and networks, such as 10.0.0.0/8,::1, not “${value}”.`,
  );
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
function allowedNetworks(name: string, value: string | null): Config['httpAllowed'] {
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
