import { LRUCache } from 'lru-cache';

/**
 * Recording a version of a large app uses a processor for seconds. If a recording takes longer than LONG_MILLISECONDS,
 * the next change is recorded later: after REST_TIMES × the excess time, but after a minute at most.
 */
const LONG_MILLISECONDS = 500;
const REST_TIMES = 20;
const MOST_REST_MILLISECONDS = 60_000;
/**
 * After one worker gets the turn to record an app, other workers wait until it has probably recorded: TURN_MILLISECONDS,
 * or for a large app TURN_TIMES × the last duration.
 */
const TURN_MILLISECONDS = 2000;
const TURN_TIMES = 10;
/** The max number of apps for which this class remembers a delay. */
const KEPT = 1000;

interface Rest {
  /** The end of the delay, by performance.now(). */
  until: number;
  /** The duration of the last long step, in milliseconds. */
  took: number;
}

/**
 * Gives one of a node's workers the turn to record an app in the background, and delays the recordings of large apps.
 */
export class RecordingTurns {
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
   * Returns 0 to the worker that gets the turn to record an app, and to the others the milliseconds after which they may
   * ask again.
   */
  take(ref: string): number {
    const now = performance.now();
    const { until, took } = this.#rests.get(ref) ?? { until: now, took: 0 };
    if (until > now) return until - now;
    this.#rests.set(ref, { until: now + Math.max(TURN_MILLISECONDS, took * TURN_TIMES), took });
    return 0;
  }
}
