import { LRUCache } from 'lru-cache';

/**
 * Recording a version of a large app uses a processor for seconds. If a recording takes longer than LONG_MILLISECONDS,
 * the next change is recorded later: after REST_TIMES × the excess time, but after a minute at most.
 */
const LONG_MILLISECONDS = 500;
const REST_TIMES = 20;
const MOST_REST_MILLISECONDS = 60_000;
/** After one worker gets the turn to record, other workers wait TURN_TIMES × the last duration before they get it. */
const TURN_TIMES = 10;
/** The max number of apps for which this class remembers a delay. */
const KEPT = 1000;

interface Rest {
  /** The end of the delay, by performance.now(). */
  until: number;
  /** The duration of the last long step, in milliseconds. */
  took: number;
}

/** Delays the background recording of large apps. */
export class RecordingBackoff {
  readonly #rests = new LRUCache<string, Rest>({ max: KEPT });

  /** Runs `work` for an app and measures its duration. */
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

  /**
   * Returns the remaining delay of an app in milliseconds; 0 for most apps. Of the workers that ask for a large app
   * after its delay, only one gets 0 and thus the turn to record.
   */
  remainingMilliseconds(ref: string): number {
    const rest = this.#rests.get(ref);
    if (!rest) return 0;
    const now = performance.now();
    if (rest.until > now) return rest.until - now;
    rest.until = now + rest.took * TURN_TIMES;
    return 0;
  }
}
