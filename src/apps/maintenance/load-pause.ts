/** Time for which a load of the schema cache may block the worker's event loop without a pause afterwards. */
const FREE_MILLISECONDS = 100;
/** The pause after a longer load, as a multiple of the time that exceeds FREE_MILLISECONDS. */
const PAUSE_TIMES = 20;
const LONGEST_PAUSE_MILLISECONDS = 60_000;

/**
 * Spaces out the loads of an app's very large schema cache. Building it blocks the worker's event loop for all apps,
 * and the app's owner can invalidate it at any time. Times are milliseconds of performance.now().
 */
export class LoadPause {
  #until = 0;

  /** Records that a load ended at `now` and blocked the event loop for `milliseconds`. */
  record(milliseconds: number, now: number): void {
    const pause = Math.min((milliseconds - FREE_MILLISECONDS) * PAUSE_TIMES, LONGEST_PAUSE_MILLISECONDS);
    this.#until = Math.max(this.#until, now + pause);
  }

  /** Returns how long the next load must wait. */
  remaining(now: number): number {
    return Math.max(0, this.#until - now);
  }
}
