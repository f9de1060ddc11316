import { LRUCache } from 'lru-cache';
import { limits } from '../../contract/limits.ts';

interface Bucket {
  tokens: number;
  /** Time of the last refill in milliseconds. */
  filledAt: number;
}

/** Permission for a number of requests. */
export interface Grant {
  readonly requests: number;
  /** Milliseconds until the next request is allowed; 0 if `requests` is not. */
  readonly waitMilliseconds: number;
}

/** A worker takes this part of the free requests of a network at once, divided by the number of workers. */
const SHARE = 8;

/**
 * Counts the requests of each client network over all workers of a node, in the primary: a token bucket with one second's
 * requests.
 */
export class AddressBank {
  readonly #perSecond: number;
  readonly #workers: number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: limits.rememberedAddresses.default });

  /** @param perSecond Whole number of requests, at least 1. */
  constructor(perSecond: number, workers: number) {
    this.#perSecond = perSecond;
    this.#workers = workers;
  }

  /** Grants requests of a network to a worker. The fewer are free, the fewer it grants at once. */
  take(network: string, now: number = performance.now()): Grant {
    const bucket = this.#buckets.get(network) ?? { tokens: this.#perSecond, filledAt: now };
    this.#buckets.set(network, bucket);
    const refill = Math.max(0, ((now - bucket.filledAt) / 1000) * this.#perSecond);
    bucket.tokens = Math.min(this.#perSecond, bucket.tokens + refill);
    bucket.filledAt = now;
    if (bucket.tokens < 1) {
      return { requests: 0, waitMilliseconds: ((1 - bucket.tokens) * 1000) / this.#perSecond };
    }
    const requests = Math.max(1, Math.floor(bucket.tokens / (SHARE * this.#workers)));
    bucket.tokens -= requests;
    return { requests, waitMilliseconds: 0 };
  }
}
