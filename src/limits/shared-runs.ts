interface Waiter<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines concurrent work with the same key. While a run for a key is in progress, further callers of the key wait.
 * When it ends, one more run serves all of them together. If no run is in progress, a caller is served at once.
 */
export class SharedRuns<Result> {
  /** The waiting callers, by the key of the run that is in progress. */
  readonly #waiting = new Map<string, Waiter<Result>[]>();

  /**
   * Resolves with the result for this caller.
   * @param work Runs for a number of callers and returns one result for each.
   * @throws the error of the run; all callers that the run serves get the same error
   */
  run(key: string, work: (callers: number) => Promise<readonly Result[]>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(key);
      if (waiting) {
        waiting.push({ resolve, reject });
        return;
      }
      this.#waiting.set(key, []);
      void this.#runFor(key, work, [{ resolve, reject }]);
    });
  }

  async #runFor(
    key: string,
    work: (callers: number) => Promise<readonly Result[]>,
    callers: readonly Waiter<Result>[],
  ): Promise<void> {
    try {
      const results = await work(callers.length);
      for (const [i, { resolve }] of callers.entries()) resolve(results[i] as Result);
    } catch (error) {
      for (const { reject } of callers) reject(error);
    }
    const waiting = this.#waiting.get(key) ?? [];
    if (waiting.length === 0) {
      this.#waiting.delete(key);
      return;
    }
    this.#waiting.set(key, []);
    await this.#runFor(key, work, waiting);
  }
}

/** The result of `ninefold.take_from_rates` if a rate limit refuses calls. */
export interface RateRefusal {
  /** Number of the calls that are allowed. */
  readonly taken: number;
  /** Index of the subject whose limit refuses the other calls. */
  readonly refused: number;
  /** Seconds to wait until another call is allowed. */
  readonly wait: number;
}
