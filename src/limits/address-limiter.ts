import { LRUCache } from 'lru-cache';
import { limits } from '../../contract/limits.ts';
import { clientNetwork } from './client-network.ts';

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
  /** 0 means no limit. */
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
