import { isIPv4, isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { limits } from '../../contract/limits.ts';

/**
 * Returns the network under which limiters count a client: its IPv4 address, or the /64 of its IPv6 address, because
 * one client usually has a complete /64. An IPv4 address inside an IPv6 address counts as IPv4: mapped (RFC 4291,
 * section 2.5.5.2) or translated (RFC 6052, section 2.1).
 */
export function clientNetwork(address: string): string {
  if (isIPv4(address)) return address;
  const groups = ipv6Groups(address);
  if (groups === null) return address;
  return (
    embeddedIpv4(groups) ??
    `${groups
      .slice(0, 4)
      .map((group) => group.toString(16))
      .join(':')}::/64`
  );
}

/**
 * Returns an IPv4-mapped IPv6 address as IPv4, any other IPv6 address in lower case without its zone, and an IPv4
 * address unchanged. Returns null for any other text.
 */
export function plainAddress(address: string): string | null {
  if (isIPv4(address)) return address;
  const groups = ipv6Groups(address);
  if (groups === null) return null;
  return isMapped(groups) ? embeddedIpv4(groups) : withoutZone(address).toLowerCase();
}

const withoutZone = (address: string): string => {
  const zone = address.indexOf('%');
  return zone < 0 ? address : address.slice(0, zone);
};

/** Returns the eight 16-bit groups of an IPv6 address; null for any other text. */
function ipv6Groups(address: string): number[] | null {
  const plain = withoutZone(address);
  if (!isIPv6(plain)) return null;
  const [head = '', tail] = plain.split('::');
  const before = groupsOf(head);
  if (tail === undefined) return before;
  const after = groupsOf(tail);
  const zeros: number[] = Array(8 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after];
}

const groupsOf = (part: string): number[] =>
  part === ''
    ? []
    : part.split(':').flatMap((group) => {
        if (!group.includes('.')) return Number.parseInt(group, 16);
        const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
        return [a * 256 + b, c * 256 + d];
      });

const isMapped = (groups: readonly number[]): boolean =>
  groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);

const isTranslated = (groups: readonly number[]): boolean =>
  groups[0] === 0x64 && groups[1] === 0xff9b && groups.slice(2, 6).every((group) => group === 0);

function embeddedIpv4(groups: readonly number[]): string | null {
  if (!isMapped(groups) && !isTranslated(groups)) return null;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

interface Bucket {
  tokens: number;
  /** Time of the last refill in milliseconds. */
  filledAt: number;
}

/**
 * Limits the requests per second of each client network in this process: a token bucket with one second's requests.
 * @param perSecond Whole number of requests; 0 means no limit.
 */
export class AddressLimiter {
  /** Number of requests that one network may send per second; 0 means no limit. */
  readonly perSecond: number;
  readonly #buckets: LRUCache<string, Bucket>;

  constructor(perSecond: number, maxAddresses: number = limits.rememberedAddresses.default) {
    this.perSecond = perSecond;
    this.#buckets = new LRUCache({ max: maxAddresses });
  }

  /** Counts one request of a client address. Returns 0 if it is allowed, otherwise the whole seconds to wait. */
  take(address: string, now: number = performance.now()): number {
    if (this.perSecond <= 0) return 0;
    const network = clientNetwork(address);
    const bucket = this.#buckets.get(network) ?? { tokens: this.perSecond, filledAt: now };
    this.#buckets.set(network, bucket);
    const refill = Math.max(0, ((now - bucket.filledAt) / 1000) * this.perSecond);
    bucket.tokens = Math.min(this.perSecond, bucket.tokens + refill);
    bucket.filledAt = now;
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / this.perSecond));
    bucket.tokens--;
    return 0;
  }
}
