import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Host } from './host.ts';
import { ConnectionUrlError } from './split-url.ts';

/** How connections are encrypted, as `sslmode` of libpq (PostgreSQL manual, "SSL Support"); `off` is its `disable`. */
export type TlsMode = 'off' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';

/** Where a PostgreSQL server is, and how connections to it are protected. */
export interface ServerAddress {
  /** At least one. Of several, one is the primary, and the others are its standbys. */
  readonly hosts: readonly Host[];
  /**
   * Folder of the server's Unix socket, or null. If there is one, it is used in place of TCP, because TCP on the same
   * machine costs several times as much.
   */
  readonly socketFolder: string | null;
  readonly tls: TlsMode;
  /** The certificates that sign the server's certificate; null for those that Node.js trusts. */
  readonly rootCertificate: { readonly path: string; readonly pem: string } | null;
  /** States whether the login must prove that TLS ends at the server (SCRAM-SHA-256-PLUS, RFC 5929 tls-server-end-point). */
  readonly channelBinding: 'disable' | 'prefer' | 'require';
}

const PARAMETERS = ['host', 'sslmode', 'sslrootcert', 'channel_binding', 'target_session_attrs'] as const;
const SSL_MODES: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];
const CHANNEL_BINDINGS = ['disable', 'prefer', 'require'] as const;
/** The values of `target_session_attrs` that mean a server that accepts writes. A node cannot use any other server. */
const WRITABLE: readonly string[] = ['read-write', 'primary'];

/**
 * Reads the parameters of a database URL. A `host` is the folder of a Unix socket, as in libpq.
 * @throws ConnectionUrlError for a parameter or a value that Ninefold does not know: ignoring `sslmode` or
 * `channel_binding` would leave connections without the wanted protection.
 */
export function serverAddress(hosts: readonly Host[], parameters: URLSearchParams): ServerAddress {
  for (const name of new Set(parameters.keys())) {
    if (!(PARAMETERS as readonly string[]).includes(name)) {
      throw new ConnectionUrlError(
        `The database URL has the parameter “${name}”, which Ninefold does not know (it knows ${PARAMETERS.join(', ')}).`,
      );
    }
    if (parameters.getAll(name).length > 1) {
      throw new ConnectionUrlError(`The database URL has the parameter “${name}” more than once.`);
    }
  }
  const folder = parameters.get('host');
  if (folder !== null && !folder.startsWith('/')) {
    throw new ConnectionUrlError('The parameter “host” of the database URL must be the folder of a Unix socket.');
  }
  oneOf(parameters, 'target_session_attrs', WRITABLE);
  const root = rootCertificate(parameters.get('sslrootcert'));
  const sslmode = oneOf(parameters, 'sslmode', SSL_MODES);
  const tls = sslmode === null ? usualTls(hosts, folder) : tlsMode(sslmode, root !== null);
  const channelBinding = oneOf(parameters, 'channel_binding', CHANNEL_BINDINGS) ?? 'disable';
  if (channelBinding === 'require' && (tls === 'off' || folder !== null)) {
    throw new ConnectionUrlError('channel_binding=require in the database URL needs TLS, so also sslmode=verify-full.');
  }
  if (folder === null && hosts.some(({ host }) => host === '')) {
    throw new ConnectionUrlError('The database URL has no host.');
  }
  return { hosts, socketFolder: folder, tls, rootCertificate: root, channelBinding };
}

function oneOf<const Value extends string>(
  parameters: URLSearchParams,
  name: string,
  values: readonly Value[],
): Value | null {
  const value = parameters.get(name);
  if (value === null || (values as readonly string[]).includes(value)) return value as Value | null;
  throw new ConnectionUrlError(
    `The parameter “${name}” of the database URL must be ${values.join(' or ')}, not “${value}”.`,
  );
}

/** The name with which libpq means the certificates that the machine trusts. */
const SYSTEM = 'system';

function rootCertificate(path: string | null): ServerAddress['rootCertificate'] {
  if (path === null || path === SYSTEM) return null;
  try {
    return { path, pem: readFileSync(path, 'utf8') };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new ConnectionUrlError(`The file “${path}” of sslrootcert in the database URL cannot be read (${code}).`, {
      cause,
    });
  }
}

/** As in libpq, `require` with a root certificate checks who signed the server's certificate. */
function tlsMode(sslmode: string, hasRoot: boolean): TlsMode {
  if (sslmode === 'disable') return 'off';
  return sslmode === 'require' && hasRoot ? 'verify-ca' : (sslmode as TlsMode);
}

/** Without `sslmode`, a server on another machine is asked for TLS, and used without if it has none. */
const usualTls = (hosts: readonly Host[], folder: string | null): TlsMode =>
  folder !== null || hosts.every(({ host }) => isLoopback(host)) ? 'off' : 'prefer';

const isLoopback = (host: string): boolean =>
  host === '' || host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** Returns the parameters of a URL for a server, without those that have the default value for clients. */
export function urlParameters(address: ServerAddress): URLSearchParams {
  const { hosts, tls, rootCertificate: root, channelBinding } = address;
  const parameters = new URLSearchParams();
  if (hosts.length > 1) parameters.set('target_session_attrs', 'read-write');
  if (tls !== usualTls(hosts, null)) parameters.set('sslmode', tls === 'off' ? 'disable' : tls);
  if (root !== null) parameters.set('sslrootcert', root.path);
  if (channelBinding !== 'disable') parameters.set('channel_binding', channelBinding);
  return parameters;
}

/** Returns the options of TLS for a connection, without the socket and the host. */
export function tlsOptions({ tls, rootCertificate: root }: ServerAddress): ConnectionOptions {
  return {
    rejectUnauthorized: tls === 'verify-ca' || tls === 'verify-full',
    ...(root !== null && { ca: root.pem }),
    ...(tls !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}
