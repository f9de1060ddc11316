import { LRUCache } from 'lru-cache';
import { limits } from '../../contract/limits.ts';
import type { Grant } from './address-bank.ts';
import { clientNetwork } from './client-network.ts';

/** Time in ms for which granted requests can be used. Requests that are not used are lost to the network. */
const GRANT_MILLISECONDS = 1000;

interface Granted {
  requests: number;
  grantedAt: number;
  /** Time before which no request is allowed. */
  refusedUntil: number;
  asking: Promise<void> | null;
}

/**
 * Limits the requests per second of each client network. The primary counts them for all workers of the node and grants
 * a few at a time, so that together they never exceed the limit.
 * @param perSecond Whole number of requests; 0 means no limit.
 */
export class AddressLimiter {
  /** 0 means no limit. */
  readonly perSecond: number;
  readonly #ask: (network: string) => Promise<Grant>;
  readonly #networks = new LRUCache<string, Granted>({ max: limits.rememberedAddresses.default });

  /** @param ask Asks the primary for further requests of a network. */
  constructor(perSecond: number, ask: (network: string) => Promise<Grant>) {
    this.perSecond = perSecond;
    this.#ask = ask;
  }

  /** Counts one request of a client address. Returns 0 if it is allowed, otherwise the whole seconds to wait. */
  take(address: string): number | Promise<number> {
    return this.perSecond <= 0 ? 0 : this.#take(clientNetwork(address));
  }

  async #take(network: string): Promise<number> {
    const known = this.#networks.get(network);
    const granted = known ?? { requests: 0, grantedAt: 0, refusedUntil: 0, asking: null };
    if (!known) this.#networks.set(network, granted);
    for (;;) {
      const now = performance.now();
      if (granted.requests > 0 && now - granted.grantedAt < GRANT_MILLISECONDS) {
        granted.requests--;
        return 0;
      }
      if (granted.refusedUntil > now) return Math.max(1, Math.ceil((granted.refusedUntil - now) / 1000));
      granted.asking ??= this.#renew(network, granted);
      await granted.asking;
    }
  }

  async #renew(network: string, granted: Granted): Promise<void> {
    try {
      const { requests, waitMilliseconds } = await this.#ask(network);
      const now = performance.now();
      Object.assign(granted, { requests, grantedAt: now, refusedUntil: now + waitMilliseconds });
    } finally {
      granted.asking = null;
    }
  }
}
