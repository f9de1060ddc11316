import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { limits } from '../../contract/limits.ts';
import { plainAddress } from '../limits/client-network.ts';

/**
 * Proxies in front of the node: their number, or their addresses and networks (CIDR). 0 or an empty list means no
 * proxy.
 */
export type TrustedProxies = number | readonly string[];

/** Returns the address of the client that sent a request. */
export type AddressReader = (request: IncomingMessage) => string;

/**
 * Creates a reader of client addresses. Each proxy appends the address that it saw to `X-Forwarded-For`, so the reader
 * starts with the address of the socket and then reads the list from its right end. It stops at the first address that
 * is not a trusted proxy, or before an entry that is not an address. A client can forge all entries to the left of
 * that.
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

/**
 * Creates a function that returns true for the address of a trusted proxy. `hop` is the number of proxies between that
 * address and the node.
 */
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

/**
 * Reads one entry of X-Forwarded-For: an address, which some proxies write with its port. Returns null for an entry of
 * another form.
 */
function forwardedAddress(entry: string): string | null {
  const text = entry.trim();
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1];
  if (bracketed !== undefined) return isIPv4(bracketed) ? null : plainAddress(bracketed);
  return plainAddress(/^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text);
}
