import { ServerState } from './server-state.ts';

/** Parameters of a connection: server, database and login. */
export interface ConnectionConfig {
  readonly host: string;
  readonly port: number;
  /**
   * Folder of the server's Unix socket, or null. If there is one, it is used in place of TCP, because TCP on the same
   * machine costs several times as much.
   */
  readonly socketFolder: string | null;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** `verify` checks the server's certificate, `require` only encrypts. */
  readonly tls: 'off' | 'require' | 'verify';
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
 * Parses `postgres://user:password@host:port/database?sslmode=…&host=…`. The default port is 5432 and the default
 * database is the user's name. A `host` that is a path is the folder of a Unix socket, as in libpq.
 * @throws TypeError if the URL has another scheme.
 */
export function parseConnectionUrl(url: string, applicationName: string): ConnectionConfig {
  const parsed = new URL(url);
  if (parsed.protocol !== 'postgres:' && parsed.protocol !== 'postgresql:') {
    throw new TypeError('a database URL starts with postgres://');
  }
  const user = decodeURIComponent(parsed.username);
  const host = parsed.searchParams.get('host');
  const isFolder = host?.startsWith('/') ?? false;
  const sslmode = parsed.searchParams.get('sslmode') ?? 'disable';
  return {
    host: isFolder || host === null ? decodeURIComponent(parsed.hostname.replace(/^\[|\]$/g, '')) : host,
    port: parsed.port ? Number(parsed.port) : 5432,
    socketFolder: isFolder ? host : null,
    database: decodeURIComponent(parsed.pathname.slice(1)) || user,
    user,
    password: decodeURIComponent(parsed.password),
    tls: sslmode === 'disable' ? 'off' : sslmode.startsWith('verify') ? 'verify' : 'require',
    applicationName,
    serverState: new ServerState(),
  };
}

/** Returns the parameters of another login to the server of `target`, without the overrides of `target`. */
export const loginAt = (
  { host, port, socketFolder, tls, serverState }: ConnectionConfig,
  login: Pick<ConnectionConfig, 'database' | 'user' | 'password' | 'applicationName'>,
): ConnectionConfig => ({ host, port, socketFolder, tls, serverState, ...login });

/** Returns the parameters as a URL that any PostgreSQL client accepts. */
export function connectionUrl(target: ConnectionConfig): string {
  const host = target.host.includes(':') ? `[${target.host}]` : encodeURIComponent(target.host);
  const path = `${host}:${target.port}/${encodeURIComponent(target.database)}`;
  const login = `${encodeURIComponent(target.user)}:${encodeURIComponent(target.password)}`;
  const ssl = target.tls === 'off' ? '' : `?sslmode=${target.tls === 'verify' ? 'verify-full' : 'require'}`;
  return `postgres://${login}@${path}${ssl}`;
}
