/** While no call is in flight, the pause after a piece of work is this many times as long as the work took. */
const QUIET_PAUSE = 1;
/** The same while calls are in flight: background work then takes a twentieth of the time at most. */
const BUSY_PAUSE = 19;
/** For how long no call must be in flight until the worker counts as quiet. */
const QUIET_MILLISECONDS = 50;
/** How often a waiting piece of work looks for calls. */
const LOOK_MILLISECONDS = 10;

/** A pause is never longer than this, so that what is counted gets written on a node that is never quiet. */
const LONGEST_PAUSE_MILLISECONDS = 20_000;
/** The shortest duration that is assumed for a piece of work. */
const LEAST_MILLISECONDS = 10;

/** Counts the calls of apps that a worker is answering. Builders' calls do not count: they wait for what the background records. */
export class Traffic {
  /** Calls that have begun and have no answer yet. */
  inFlight = 0;
}

/** Runs the background work of one worker, one piece after the other, in the time that its calls leave. */
export class BackgroundTurns {
  readonly #traffic: Traffic;
  #last: Promise<void> = Promise.resolve();
  #endedAt = performance.now();
  #tookMilliseconds = LEAST_MILLISECONDS;
  #isStopped = false;

  constructor(traffic: Traffic) {
    this.#traffic = traffic;
  }

  /** Runs `work` when its turn has come; not at all after `stop`. Throws what it throws. */
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

  /** Drops the work that waits. */
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
