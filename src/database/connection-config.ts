import type { Host } from './host.ts';
import { type ServerAddress, serverAddress, urlParameters } from './server-address.ts';
import { ServerState } from './server-state.ts';
import { splitUrl } from './split-url.ts';

/** Parameters of a connection: server, database and login. */
export interface ConnectionConfig {
  readonly address: ServerAddress;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** The application_name that pg_stat_activity shows. */
  readonly applicationName: string;
  /**
   * Overrides the search_path of the database and the role. For the superuser it is empty, so that no function or
   * operator of an app is called.
   */
  readonly searchPath?: string;
  /**
   * True if statements wait for locks without a limit, whatever lock_timeout the database or the role sets. Data
   * requests use the setting of the app.
   */
  readonly ignoresLockTimeout?: boolean;
  /**
   * True if statements run with the settings of the database and the role. True only for the SQL of an app's owner, and
   * not for Ninefold's own statements.
   */
  readonly obeysDatabase?: boolean;
  /**
   * True for a connection of the streaming replication protocol, which has no database (PostgreSQL manual, "Streaming
   * Replication Protocol").
   */
  readonly isReplication?: boolean;
  /** Belongs to the server: connections with other logins and databases share it. */
  readonly serverState: ServerState;
}

/**
 * Parses `postgres://user:password@host:port,host:port/database?parameter=…` (PostgreSQL manual, "Connection URIs"). The
 * default port is 5432 and the default database is the user's name.
 * @throws ConnectionUrlError if the URL cannot be read or has a parameter that Ninefold does not know.
 */
export function parseConnectionUrl(url: string, applicationName: string): ConnectionConfig {
  const { user, password, hosts, database, parameters } = splitUrl(url);
  return {
    address: serverAddress(hosts, parameters),
    database: database || user,
    user,
    password,
    applicationName,
    serverState: new ServerState(),
  };
}

/** Returns the parameters of another login to the server of `target`, without the overrides of `target`. */
export const loginAt = (
  { address, serverState }: ConnectionConfig,
  login: Pick<ConnectionConfig, 'database' | 'user' | 'password' | 'applicationName'>,
): ConnectionConfig => ({ address, serverState, ...login });

/** Returns the parameters as a URL that any PostgreSQL client accepts, for TCP. */
export function connectionUrl({ address, user, password, database }: ConnectionConfig): string {
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  const parameters = urlParameters(address).toString();
  return `postgres://${login}@${address.hosts.map(hostAndPort).join(',')}/${encodeURIComponent(database)}${parameters && `?${parameters}`}`;
}

const hostAndPort = ({ host, port }: Host): string =>
  `${host.includes(':') ? `[${host}]` : encodeURIComponent(host)}:${port}`;
