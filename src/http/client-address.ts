import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { limits } from '../../contract/limits.ts';
import { plainAddress } from '../limits/client-network.ts';

/** The proxies in front of the node: how many, or their addresses and networks (CIDR). 0 and an empty list are no proxy. */
export type TrustedProxies = number | readonly string[];

/** Returns the address of the client that sent a request. */
export type AddressReader = (request: IncomingMessage) => string;

/**
 * Returns a reader of client addresses. Each proxy appends the address that it saw to `X-Forwarded-For`, so the list is read from
 * its right end, starting at the address of the socket. The reader stops at the first address that no trusted proxy vouches for,
 * and before an entry that is no address. Everything to the left of that may be written by the client.
 */
export function addressReader(proxies: TrustedProxies): AddressReader {
  const isProxy = proxyTest(proxies);
  return ({ socket, headers }) => {
    const seen = socket.remoteAddress ?? '';
    let address = plainAddress(seen) ?? seen;
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined) return address;
    let rest = String(forwarded);
    for (let hop = 0; rest !== '' && hop < limits.trustedProxies.range[1] && isProxy(address, hop); hop++) {
      const comma = rest.lastIndexOf(',');
      const entry = forwardedAddress(rest.slice(comma + 1));
      if (entry === null) break;
      address = entry;
      rest = comma < 0 ? '' : rest.slice(0, comma);
    }
    return address;
  };
}

/** Returns the test whether the address that is `hop` entries away from the node's socket is a trusted proxy. */
function proxyTest(proxies: TrustedProxies): (address: string, hop: number) => boolean {
  if (typeof proxies === 'number') return (_address, hop) => hop < proxies;
  const networks = new BlockList();
  for (const network of proxies) {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    networks.addSubnet(address, bits === undefined ? ADDRESS_BITS[family] : Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && networks.check(address, familyOf(address));
}

const ADDRESS_BITS = { ipv4: 32, ipv6: 128 } as const;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');

/** Reads one entry of X-Forwarded-For: an address, which some proxies write with its port. Returns null for anything else. */
function forwardedAddress(entry: string): string | null {
  const text = entry.trim();
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1];
  if (bracketed !== undefined) return isIPv4(bracketed) ? null : plainAddress(bracketed);
  return plainAddress(/^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text);
}
