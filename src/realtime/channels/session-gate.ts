import { limits } from '../../../contract/limits.ts';
import type { Channel } from './channel.ts';

/**
 * Holds messages back while a worker cannot prove that it hears of ended sessions. A member who has signed out then gets
 * no message that policies decide about, even if the connection that reports the sign-out is frozen.
 */
export class SessionGate {
  readonly #isProven: () => boolean;
  #held: { readonly channel: Channel; readonly deliver: () => void }[] = [];
  #since = 0;

  /** @param isProven Returns true if every session that ended before the last second is known. */
  constructor(isProven: () => boolean) {
    this.#isProven = isProven;
  }

  /** Delivers a message now, or when `flush` is called. The order of the messages stays. */
  pass(channel: Channel, deliver: () => void): void {
    if (this.#held.length === 0 && this.#isProven()) {
      deliver();
      return;
    }
    if (this.#held.length === 0) this.#since = performance.now();
    this.#held.push({ channel, deliver });
  }

  /** Delivers the messages that wait, if it is certain again that no ended session is missed. */
  flush(): void {
    if (this.#held.length === 0 || !this.#isProven()) return;
    const held = this.#held;
    this.#held = [];
    for (const { channel, deliver } of held) if (!channel.isEnded) deliver();
  }

  /** Gives up messages that have waited too long, or that are too many. Returns their channels, which must end. */
  giveUp(now: number): ReadonlySet<Channel> {
    const isLate = this.#held.length > 0 && now - this.#since > limits.realtimeHeldSeconds.default * 1000;
    if (!isLate && this.#held.length <= limits.realtimeHeldMessages.default) return new Set();
    const channels = new Set(this.#held.map(({ channel }) => channel));
    this.#held = [];
    return channels;
  }
}
