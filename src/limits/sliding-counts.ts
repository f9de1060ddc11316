import { LRUCache } from 'lru-cache';
import { limits } from '../../contract/limits.ts';

const SLOTS = 60;

interface Counted {
  /** Number of the last slot. */
  slot: number;
  /**
   * Counts of the last slot and the 60 slots before it, oldest first. With one slot more than a window has, no window
   * of any start exceeds the limit.
   */
  counts: number[];
}

/** Counts calls in sliding windows, in this process only. `ninefold.take_from_rates` does the same for all nodes. */
export class SlidingCounts {
  readonly #counted: LRUCache<string, Counted>;

  constructor(maxSubjects: number = limits.rememberedAddresses.default) {
    this.#counted = new LRUCache({ max: maxSubjects });
  }

  /**
   * Counts one call. Returns 0 if it is allowed, otherwise the whole seconds to wait.
   * @param now Time in milliseconds.
   */
  take(subject: string, bound: number, windowSeconds: number, now: number = performance.now()): number {
    const width = windowSeconds / SLOTS;
    const at = now / 1000;
    const slot = Math.floor(at / width);
    const counted = this.#counted.get(subject) ?? { slot, counts: Array<number>(SLOTS + 1).fill(0) };
    this.#counted.set(subject, counted);
    const shift = Math.min(SLOTS + 1, Math.max(0, slot - counted.slot));
    if (shift > 0) counted.counts = [...counted.counts.slice(shift), ...Array<number>(shift).fill(0)];
    counted.slot = Math.max(slot, counted.slot);
    let used = counted.counts.reduce((sum, count) => sum + count, 0);
    if (used < bound) {
      counted.counts[SLOTS] = (counted.counts[SLOTS] ?? 0) + 1;
      return 0;
    }
    let leaving = 0;
    while (used >= bound && leaving <= SLOTS) used -= counted.counts[leaving++] ?? 0;
    return Math.max(1, Math.ceil((slot + leaving) * width - at));
  }
}
