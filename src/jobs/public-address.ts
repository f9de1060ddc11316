import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { InFlight } from '../limits/in-flight.ts';

/** Ports from this one on need no privilege of the operating system (RFC 6335). */
const FIRST_UNPRIVILEGED_PORT = 1024;

/** A non-public network that requests may reach. */
export interface AllowedNetwork {
  readonly address: string;
  /** Number of leading bits of an address that belong to the network. */
  readonly bits: number;
  /** The allowed port; null for every port. */
  readonly port: number | null;
}

/** IPv4 networks in IANA's special-purpose address registry, and an address that Azure uses for its own services. */
const notPublicIpv4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
];

/**
 * Networks within 2000::/3 that are not public: Teredo, other special purposes, documentation, and 6to4. Outside of
 * 2000::/3 nothing is public.
 */
const notPublicIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const blockList = (networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits = ''] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
};

const ipv4 = blockList(notPublicIpv4, 'ipv4');
const ipv6 = blockList(notPublicIpv6, 'ipv6');
const globalUnicast = blockList(['2000::/3'], 'ipv6');

/** Returns true for an address of a host on the internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !ipv4.check(address, 'ipv4');
    case 6:
      return globalUnicast.check(address, 'ipv6') && !ipv6.check(address, 'ipv6');
    default:
      return false;
  }
}

/** Returns true for a header in which a proxy names the client. The node may trust requests of its own machine to have the right one. */
export const namesClient = (header: string): boolean => /^(?:forwarded|x-forwarded-.*|x-real-ip)$/i.test(header);

const WEB_PORTS: readonly number[] = [80, 443];
/** Ports below 1024 at which mail servers accept mail. */
export const MAIL_PORTS: readonly number[] = [25, 465, 587];

/**
 * Decides which addresses HTTP requests and mails may reach. Also counts the requests in flight for which a member or
 * builder waits.
 */
export class AddressPolicy {
  /** Counts the requests in flight for each purpose and app. */
  readonly inFlight = {
    hooks: new InFlight(),
    providers: new InFlight(),
    texts: new InFlight(),
    mailTests: new InFlight(),
  };
  readonly #allowed: readonly { list: BlockList; family: 'ipv4' | 'ipv6'; port: number | null }[];

  /** Returns where this node itself serves a URL; null for all other URLs. */
  readonly ownAddressOf: (url: URL) => { readonly host: string; readonly port: number } | null;

  /**
   * @param allowed Networks that are allowed in addition to public addresses.
   * @param ownAddressOf Decides which URLs are of this node, so that requests to them do not leave its machine.
   */
  constructor(allowed: readonly AllowedNetwork[], ownAddressOf: AddressPolicy['ownAddressOf'] = () => null) {
    this.ownAddressOf = ownAddressOf;
    this.#allowed = allowed.map(({ address, bits, port }) => {
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      return { list: blockList([`${address}/${bits}`], family), family, port };
    });
  }

  /**
   * Returns true if a connection to the address and port is allowed. By default, addresses of this machine and most
   * ports below 1024 are not allowed.
   * @param lowPorts The ports below 1024 that are allowed.
   */
  allows(address: string, port: number, lowPorts: readonly number[] = WEB_PORTS): boolean {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const isAllowed = this.#allowed.some(
      (one) => one.family === family && (one.port === null || one.port === port) && one.list.check(address, family),
    );
    if (isAllowed) return true;
    const isOpenPort = lowPorts.includes(port) || port >= FIRST_UNPRIVILEGED_PORT;
    return isOpenPort && isPublicAddress(address) && !isOwnAddress(address);
  }
}

const isOwnAddress = (address: string): boolean =>
  Object.values(networkInterfaces()).some((addresses) => addresses?.some((one) => one.address === address));
