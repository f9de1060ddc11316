/** Counts what happens in each second, and tells whether a limit is exceeded. */
export class RatePerSecond {
  #second = 0;
  #count = 0;

  /** The amount of the current second. */
  get count(): number {
    return this.#count;
  }

  /**
   * Adds an amount.
   * @param now Milliseconds of a clock that never goes back.
   * @returns false if the second has more than `max`.
   */
  take(amount: number, max: number, now: number): boolean {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#count = 0;
    }
    this.#count += amount;
    return this.#count <= max;
  }
}
