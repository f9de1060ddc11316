import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../../../contract/limits.ts';

/** Pauses that are shorter are added up, because timers are no more exact. */
const MIN_PAUSE_MILLISECONDS = 5;
/** Pause before the next look at reads that wait. */
const LOOK_MILLISECONDS = 10;

/** A read that runs again after a change. */
export interface QueuedRun {
  /** Time before which it does not run. */
  readonly notBefore: number;
  readonly isClosed: boolean;
  /** Runs the read from a later snapshot than any run before. Never throws. */
  runAgain(): Promise<void>;
}

/**
 * Runs the changed reads of one app one after the other, for a share of the time. So they use one connection at most, and
 * a busy app gets its changes later.
 */
export class RunQueue {
  readonly #waiting = new Set<QueuedRun>();
  #isWorking = false;
  #isClosed = false;

  /** Runs a read soon. If it waits already, it runs once. */
  add(run: QueuedRun): void {
    if (this.#isClosed || run.isClosed) return;
    this.#waiting.add(run);
    if (!this.#isWorking) void this.#work();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.clear();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    let owed = 0;
    while (this.#waiting.size > 0) {
      const run = this.#next();
      const early = run.notBefore - performance.now();
      if (early > 0) {
        owed = Math.max(0, owed - early);
        await delay(Math.min(early, LOOK_MILLISECONDS), undefined, { ref: false });
        continue;
      }
      this.#waiting.delete(run);
      if (run.isClosed) continue;
      const started = performance.now();
      await run.runAgain();
      owed += (performance.now() - started) * (100 / limits.realtimeLivePercent.default - 1);
      if (owed < MIN_PAUSE_MILLISECONDS) continue;
      await delay(owed, undefined, { ref: false });
      owed = 0;
    }
    this.#isWorking = false;
  }

  /** Returns the first read that may run, or the one that may run first. */
  #next(): QueuedRun {
    const now = performance.now();
    let first: QueuedRun | null = null;
    for (const run of this.#waiting) {
      if (run.notBefore <= now || run.isClosed) return run;
      if (!first || run.notBefore < first.notBefore) first = run;
    }
    return first as QueuedRun;
  }
}
