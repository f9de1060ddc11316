import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../../contract/limits.ts';
import type { Executor } from '../database/database.ts';
import { type QueuedRequest, storeResponse, takeRequests } from './http-queue.ts';
import type { Places } from './places.ts';
import type { AddressPolicy } from './public-address.ts';
import { type HttpResult, sendRequest } from './send-request.ts';

/** The length of a second in milliseconds. */
const SECOND = 1000;
/** Pause before the next check for free slots if other apps use all slots. */
const PLACE_MILLISECONDS = 100;

/** Sends the queued requests of one app, within the limits of the app and the node. */
export class HttpSender {
  readonly #policy: AddressPolicy;
  /** Counts the running HTTP requests of all apps, and limits their number. */
  readonly #places: Places;
  readonly #owner: string;
  readonly #underWay = new Set<Promise<void>>();
  /** Start times of the requests of the last second. */
  #begun: number[] = [];
  #draining: Promise<void> | null = null;

  constructor(policy: AddressPolicy, places: Places, owner: string) {
    this.#policy = policy;
    this.#places = places;
    this.#owner = owner;
  }

  get isBusy(): boolean {
    return this.#draining !== null;
  }

  /**
   * Sends requests until the queue is empty. Resolves when every response is stored.
   * @param mayGoOn Returns false if no further request may be sent.
   */
  drain(database: Executor, mayGoOn: () => boolean): Promise<void> {
    this.#draining ??= this.#drain(database, mayGoOn).finally(() => {
      this.#draining = null;
    });
    return this.#draining;
  }

  async #drain(database: Executor, mayGoOn: () => boolean): Promise<void> {
    try {
      while (mayGoOn()) {
        const max = await this.#waitForPlaces();
        this.#places.take(this.#owner, max);
        const requests = await takeRequests(database, max).catch((error: unknown) => {
          this.#places.give(this.#owner, max);
          throw error;
        });
        this.#places.give(this.#owner, max - requests.length);
        for (const request of requests) this.#start(database, request);
        if (requests.length < max) {
          if (this.#underWay.size === 0) return;
          await Promise.race(this.#underWay);
        }
      }
    } finally {
      await Promise.all(this.#underWay);
    }
  }

  /** Waits until the app may start further requests. Resolves to their number, at least one. */
  async #waitForPlaces(): Promise<number> {
    for (;;) {
      const now = performance.now();
      this.#begun = this.#begun.filter((at) => now - at < SECOND);
      const ofRate = limits.appHttpRequestsPerSecond.default - this.#begun.length;
      const ofApp = limits.appHttpRequests.default - this.#underWay.size;
      // The more requests of the app are running, the more slots must be free before it may start another. So one app
      // leaves most slots to other apps.
      const isFair = this.#places.free * limits.appHttpRequests.default > this.#places.total * this.#underWay.size;
      const open = isFair ? this.#places.openTo(this.#owner) : 0;
      if (Math.min(ofRate, ofApp, open) > 0) return Math.min(ofRate, ofApp, Math.max(1, Math.floor(open / 2)));
      if (ofApp <= 0) await Promise.race(this.#underWay);
      else if (ofRate <= 0) await delay(SECOND - (now - (this.#begun[0] ?? now)));
      else await delay(PLACE_MILLISECONDS);
    }
  }

  #start(database: Executor, request: QueuedRequest): void {
    this.#begun.push(performance.now());
    const sent = sendRequest(request, this.#policy)
      .finally(() => this.#places.give(this.#owner))
      .then((result) => store(database, request.id, result))
      .finally(() => this.#underWay.delete(sent));
    this.#underWay.add(sent);
  }
}

/**
 * Stores a response. If PostgreSQL rejects the response, stores an error instead. If the database is unavailable,
 * stores nothing.
 */
async function store(database: Executor, id: string, result: HttpResult): Promise<void> {
  try {
    await storeResponse(database, id, result);
  } catch {
    const error = 'The response could not be stored';
    await storeResponse(database, id, { ...result, headers: null, content: null, error }).catch(() => undefined);
  }
}
