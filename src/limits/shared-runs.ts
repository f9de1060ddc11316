interface Waiter<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs work for several callers at once. While work for a key is under way, further callers of the key wait; when it
 * ends, one run serves all of them. A caller that finds no work under way does not wait.
 */
export class SharedRuns<Result> {
  /** The callers that wait, by the key of the work that is under way. */
  readonly #waiting = new Map<string, Waiter<Result>[]>();

  /**
   * Resolves with the result for this caller.
   * @param work Runs for a number of callers and returns one result for each.
   * @throws the error of the run, which all its callers get
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

/** The result of `ninefold.take_from_rates` if a bound refuses calls. */
export interface RateRefusal {
  /** How many of the calls may pass. */
  readonly taken: number;
  /** The position of the subject whose bound refuses the others. */
  readonly refused: number;
  /** In seconds. */
  readonly wait: number;
}
