import { LRUCache } from 'lru-cache';

/**
 * To derive and to record what a large app does takes a processor for seconds. Where a part of it takes longer than this, its next change
 * is recorded only after so many times what it was longer, or after a minute.
 */
const LONG_MILLISECONDS = 500;
const REST_TIMES = 20;
const MOST_REST_MILLISECONDS = 60_000;
/** For so many times as long as it took, whoever was told that the app rests no more is left to record it, before another is told so. */
const TURN_TIMES = 10;
/** Apps of which it is remembered. */
const KEPT = 1000;

interface Rest {
  /** By performance.now(). */
  until: number;
  /** How long the longest part took the last time, in milliseconds. */
  took: number;
}

/** Until when the changes of large apps are let alone by whoever records them in the background. */
export class RecordingBackoff {
  readonly #rests = new LRUCache<string, Rest>({ max: KEPT });

  /** Does `work` for an app, and notes how long it took. */
  measure<T>(ref: string, work: () => T): T {
    const began = performance.now();
    try {
      return work();
    } finally {
      const now = performance.now();
      const took = now - began;
      const rest = Math.min((took - LONG_MILLISECONDS) * REST_TIMES, MOST_REST_MILLISECONDS);
      if (rest > 0) this.#rests.set(ref, { until: Math.max(now + rest, this.#rests.get(ref)?.until ?? 0), took });
    }
  }

  /** For how many milliseconds from now; 0 for most. Of the workers that ask for a large app one is told 0, and has its turn. */
  remainingMilliseconds(ref: string): number {
    const rest = this.#rests.get(ref);
    if (!rest) return 0;
    const now = performance.now();
    if (rest.until > now) return rest.until - now;
    rest.until = now + rest.took * TURN_TIMES;
    return 0;
  }
}
