import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/**
 * Returns the addresses of a host, IPv4 first; an empty list if it has none. Uses no thread of Node's pool, so slow
 * lookups delay nothing else.
 * @param host A name or an address.
 * @param servers Addresses of DNS servers; by default those of the system.
 */
export async function resolveHost(
  host: string,
  signal: AbortSignal,
  servers?: readonly string[],
): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  const resolver = new Resolver();
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel);
  try {
    const none = () => [];
    const found = await Promise.all([resolver.resolve4(host).catch(none), resolver.resolve6(host).catch(none)]);
    signal.throwIfAborted();
    return found.flat();
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
