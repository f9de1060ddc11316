import { isIPv6 } from 'node:net';
import type { Host } from './host.ts';

/** The port of PostgreSQL, if the URL names none. */
const DEFAULT_PORT = 5432;

/** Error of a database URL. The message is a sentence for the operator, without the password. */
export class ConnectionUrlError extends Error {
  override readonly name = 'ConnectionUrlError';
}

/** The parts of a database URL. `URL` refuses several hosts, so the part before the path is split here. */
const FORM =
  /^postgres(?:ql)?:\/\/(?:(?<login>[^/?#]*)@)?(?<hosts>[^/?#@]*)(?:\/(?<database>[^?#]*))?(?:\?(?<query>[^#]*))?$/;

/**
 * Splits a database URL into its decoded parts.
 * @throws ConnectionUrlError
 */
export function splitUrl(url: string): {
  user: string;
  password: string;
  hosts: Host[];
  database: string;
  parameters: URLSearchParams;
} {
  const parts = FORM.exec(url)?.groups;
  if (!parts) {
    throw new ConnectionUrlError(
      'The database URL must have the form postgres://user:password@host:port/database, with several hosts as host:port,host:port.',
    );
  }
  const [user = '', ...password] = (parts.login ?? '').split(':');
  return {
    user: decoded(user),
    password: decoded(password.join(':')),
    hosts: (parts.hosts ?? '').split(',').map(readHost),
    database: decoded(parts.database ?? ''),
    parameters: new URLSearchParams(parts.query ?? ''),
  };
}

function readHost(entry: string): Host {
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const number = port === undefined ? DEFAULT_PORT : Number(port);
  const isRead = entry === '' || plain !== '' || (bracketed !== undefined && isIPv6(bracketed)) || port !== undefined;
  if (!isRead || number === 0 || number > 65_535) {
    throw new ConnectionUrlError(`The database URL has a host that cannot be read: “${entry}”.`);
  }
  return { host: bracketed ?? decoded(plain), port: number };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ConnectionUrlError('The database URL has a % that no two hexadecimal digits follow.');
  }
}
