import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** A network of addresses that requests may reach although it is not public. */
export interface AllowedNetwork {
  readonly address: string;
  /** The length of the prefix. */
  readonly bits: number;
  /** null allows every port. */
  readonly port: number | null;
}

/** IANA's special-purpose address registries, and an address that Azure gives to its own services. */
const notPublicIpv4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
];

/** Within 2000::/3, outside of which nothing is public: Teredo, other special purposes, documentation, and 6to4. */
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

/** True for an address that hosts on the internet have. */
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

const WEB_PORTS: readonly number[] = [80, 443];
/** Ports below 1024 that mail servers take mails on. */
export const MAIL_PORTS: readonly number[] = [25, 465, 587];
const FIRST_UNPRIVILEGED_PORT = 1024;

/** Decides which addresses HTTP requests and mails may reach. */
export class AddressPolicy {
  readonly #allowed: readonly { list: BlockList; family: 'ipv4' | 'ipv6'; port: number | null }[];

  /** @param allowed What is allowed beside public addresses. */
  constructor(allowed: readonly AllowedNetwork[]) {
    this.#allowed = allowed.map(({ address, bits, port }) => {
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      return { list: blockList([`${address}/${bits}`], family), family, port };
    });
  }

  /**
   * False also for the addresses of this machine, and for ports below 1024 other than the named ones.
   *
   * @param lowPorts Ports below 1024 that may be reached.
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
