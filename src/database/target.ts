/** Where to connect and as whom. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** Folder of the server's Unix socket, used instead of TCP, which costs several times as much on one machine; or null. */
  readonly socketFolder: string | null;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** `verify` checks the server's certificate, `require` only encrypts. */
  readonly tls: 'off' | 'require' | 'verify';
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Overrides what the database or the role has set; the superuser's is empty, so that nothing an app made is called. */
  readonly searchPath?: string;
  /** Statements wait for a lock as long as they must, whatever lock_timeout the database or the role has set. Data calls obey it. */
  readonly ignoresLockTimeout?: boolean;
  /** The owner's SQL runs with what the database and the role have set; the server's own statements do not. */
  readonly obeysDatabase?: boolean;
}

/**
 * Reads `postgres://user:password@host:port/database?sslmode=…&host=…`. Port 5432 and the user's name as database are the
 * defaults, and a `host` that is a path is the folder of a Unix socket, as in libpq. Throws TypeError for anything else than a
 * postgres URL.
 */
export function parseTarget(url: string, applicationName: string): Target {
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
  };
}

/** The target as a URL that any PostgreSQL client takes. */
export function targetUrl(target: Target): string {
  const host = target.host.includes(':') ? `[${target.host}]` : encodeURIComponent(target.host);
  const path = `${host}:${target.port}/${encodeURIComponent(target.database)}`;
  const login = `${encodeURIComponent(target.user)}:${encodeURIComponent(target.password)}`;
  const ssl = target.tls === 'off' ? '' : `?sslmode=${target.tls === 'verify' ? 'verify-full' : 'require'}`;
  return `postgres://${login}@${path}${ssl}`;
}
