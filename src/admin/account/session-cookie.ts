import { consoleHeader } from '../../../contract/admin.ts';
import type { CallRequest } from '../../../contract/call-request.ts';
import type { Origins } from '../../apps/registry/origins.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AdminContext } from '../context.ts';

/**
 * Returns the name of the cookie. Over TLS it has the prefix `__Host-`, so that browsers refuse a cookie of this name
 * that another host of the domain sets. Without TLS it contains the port, because browsers send a cookie to every port
 * of a host.
 */
const nameOf = ({ isSecure, port }: Origins): string =>
  isSecure ? '__Host-ninefold_builder' : `ninefold_builder_${port}`;

const attributes = ({ isSecure }: Origins): string => `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;

/** Returns the value of Set-Cookie that signs a builder in. */
export const builderCookie = (origins: Origins, token: string, lifetimeSeconds: number): string =>
  `${nameOf(origins)}=${token}; Max-Age=${lifetimeSeconds}; ${attributes(origins)}`;

/** Returns the value of Set-Cookie that deletes the cookie. */
export const noBuilderCookie = (origins: Origins): string => `${nameOf(origins)}=; Max-Age=0; ${attributes(origins)}`;

/**
 * Returns the token in the cookie of a request of the console; null without a cookie.
 * @throws `console_required` if another page made the request, and `session_ambiguous` if the request has two different
 * cookies of this name, because another host of the domain then set one of them
 */
export function readBuilderToken(origins: Origins, request: CallRequest): string | null {
  const prefix = `${nameOf(origins)}=`;
  const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  const tokens = new Set(cookies.filter((cookie) => cookie.startsWith(prefix)).map((c) => c.slice(prefix.length)));
  const [token] = tokens;
  if (!token) return null;
  requireConsole(origins, request);
  if (tokens.size > 1) throw new NinefoldError('session_ambiguous');
  return token;
}

/**
 * Throws `console_required` unless a page of the console made the request. `SameSite` is not enough, because an app
 * below the same domain is the same site.
 */
function requireConsole(origins: Origins, { headers }: CallRequest): void {
  const { origin, host, 'sec-fetch-site': site } = headers;
  const isConsole =
    headers[consoleHeader] === '1' &&
    (site === undefined || site === 'same-origin') &&
    (origin === undefined || origins.isNode(origin, host));
  if (!isConsole) throw new NinefoldError('console_required');
}

/** Checks for the definition of a call what `requireConsole` checks. */
export const fromConsole = ({
  context,
  request,
}: {
  readonly context: Pick<AdminContext, 'origins'>;
  readonly request: CallRequest;
}): void => requireConsole(context.origins, request);
