import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Identity } from '../../identity/identity.ts';
import { LiveGroup, type LiveGroupParts } from './live-group.ts';
import { LiveReadError } from './live-parts.ts';
import { LiveSubscription } from './live-subscription.ts';
import { RunQueue } from './run-queue.ts';

/** The services of an app that its live lists use. */
export type LiveListParts = Pick<LiveGroupParts, 'reads' | 'touched' | 'takeDeliveries'> & {
  /** Returns the number of different reads that the app may have. */
  readonly maxReads: () => number;
};

/** The live lists of one app in one worker. */
export class LiveLists {
  readonly #parts: LiveListParts;
  readonly #groups = new Map<string, LiveGroup>();
  readonly #queue = new RunQueue();

  constructor(parts: LiveListParts) {
    this.#parts = parts;
  }

  /**
   * Opens a live list. The page is sent when the subscription is started.
   * @param topic The topic without `realtime:`.
   * @throws LiveReadError with the code of a GET
   * @throws NinefoldError LiveListRateLimitReached
   */
  async open(topic: string, identity: Identity): Promise<LiveSubscription> {
    const group = this.#groupOf(topic, identity);
    const subscription = new LiveSubscription(group);
    await group.add(subscription, identity);
    if (subscription.fault) throw new LiveReadError(subscription.fault);
    return subscription;
  }

  /** Uses another identity for a live list. If the caller is another one, the client gets the page again. */
  async setIdentity(subscription: LiveSubscription, topic: string, identity: Identity): Promise<void> {
    const before = subscription.group;
    if (keyOf(topic, identity) === before.key) {
      before.renew(identity);
      return;
    }
    const group = this.#groupOf(topic, identity);
    before.remove(subscription);
    subscription.group = group;
    subscription.wantsPage = true;
    await group.add(subscription, identity);
  }

  /** Plans all reads again. */
  onSchemaChange(): void {
    for (const group of this.#groups.values()) group.onSchemaChange();
  }

  /** Called regularly. */
  check(now: number): void {
    for (const group of [...this.#groups.values()]) group.check(now);
  }

  /** Ends all live lists. Their clients join again. */
  close(): void {
    this.#queue.close();
    const { code, message } = new NinefoldError('RealtimeRestarting');
    for (const group of [...this.#groups.values()]) group.end({ code, message });
  }

  #groupOf(topic: string, identity: Identity): LiveGroup {
    const key = keyOf(topic, identity);
    const known = this.#groups.get(key);
    if (known) return known;
    if (this.#groups.size >= this.#parts.maxReads()) throw new NinefoldError('LiveListRateLimitReached');
    const { reads, touched, takeDeliveries } = this.#parts;
    const group: LiveGroup = new LiveGroup(key, topic, identity, {
      reads,
      touched,
      takeDeliveries,
      schedule: (each) => this.#queue.add(each),
      onEmpty: (each) => {
        if (this.#groups.get(each.key) === each) this.#groups.delete(each.key);
      },
    });
    this.#groups.set(key, group);
    return group;
  }
}

/** Returns a key that is equal for callers with the same rights. A renewed token has other times only. */
function keyOf(topic: string, { role, source, claims }: Identity): string {
  const { iat: _, exp: __, ...others } = claims;
  return JSON.stringify([role, source === 'builder', others, topic]);
}
