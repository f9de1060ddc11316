import { metrics } from '../../contract/metrics.ts';
import { Histogram } from '../observe/histogram.ts';

/** Counts the calls that wait for a connection, and how long they wait. */
export class WaitTimes {
  readonly seconds = new Histogram(metrics.ninefold_pool_wait_seconds.buckets);
  #waiting = 0;

  /** Number of calls that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Records that a call waits. Returns a function that records the end of the wait. */
  begin(): () => void {
    const begun = performance.now();
    this.#waiting++;
    return () => {
      this.#waiting--;
      this.seconds.add((performance.now() - begun) / 1000);
    };
  }
}
