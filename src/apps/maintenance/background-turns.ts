/** The length of the pause after a task, as a multiple of the task's duration, while no request is in progress. */
const QUIET_PAUSE = 1;
/**
 * Pause after a task, in durations of the task, while requests are in progress. Background work then uses at most a
 * twentieth of the time.
 */
const BUSY_PAUSE = 19;
/** Time without requests after which the worker counts as quiet. */
const QUIET_MILLISECONDS = 50;
/** Interval at which a waiting task checks for requests. */
const LOOK_MILLISECONDS = 10;

/** Maximum length of a pause, so that statistics are also written on a node that always has requests in progress. */
const LONGEST_PAUSE_MILLISECONDS = 20_000;
/** Minimum duration that is assumed for a task. */
const LEAST_MILLISECONDS = 10;

/**
 * Counts the requests that a worker is handling. Builders' requests are not counted, because they wait for results of
 * background work.
 */
export class Traffic {
  /** Number of requests without a complete response. */
  inFlight = 0;
}

/** Runs the background tasks of a worker one after the other, between its requests. */
export class BackgroundTurns {
  readonly #traffic: Traffic;
  #last: Promise<void> = Promise.resolve();
  #endedAt = performance.now();
  #tookMilliseconds = LEAST_MILLISECONDS;
  #isStopped = false;

  constructor(traffic: Traffic) {
    this.#traffic = traffic;
  }

  /** Runs `work` when its turn comes; never after `stop`. Throws the errors of `work`. */
  run(work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(async () => {
      await this.#wait();
      if (this.#isStopped) return;
      const started = performance.now();
      try {
        await work();
      } finally {
        this.#endedAt = performance.now();
        this.#tookMilliseconds = Math.max(LEAST_MILLISECONDS, this.#endedAt - started);
      }
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Drops waiting tasks. */
  stop(): void {
    this.#isStopped = true;
  }

  async #wait(): Promise<void> {
    const began = performance.now();
    let quietSince = began;
    while (!this.#isStopped) {
      const now = performance.now();
      if (this.#traffic.inFlight > 0) quietSince = now;
      const isQuiet = now - quietSince >= QUIET_MILLISECONDS;
      const paused = now - (isQuiet ? this.#endedAt : Math.max(this.#endedAt, began));
      const pause = this.#tookMilliseconds * (isQuiet ? QUIET_PAUSE : BUSY_PAUSE);
      if (paused >= Math.min(pause, LONGEST_PAUSE_MILLISECONDS)) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS).unref());
    }
  }
}
