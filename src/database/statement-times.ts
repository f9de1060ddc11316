/** Maximum number of statements whose durations are stored. */
const TIMES_KEPT = 2000;

/** Average duration of each statement of a pool by its text, in milliseconds. Recent runs have more weight. */
export class StatementTimes {
  readonly #times = new Map<string, number>();

  /** Returns undefined for a statement that has not run yet. */
  get(text: string): number | undefined {
    return this.#times.get(text);
  }

  add(text: string, milliseconds: number): void {
    const known = this.#times.get(text);
    if (known === undefined && this.#times.size >= TIMES_KEPT) {
      const oldest = this.#times.keys().next().value;
      if (oldest !== undefined) this.#times.delete(oldest);
    }
    this.#times.set(text, known === undefined ? milliseconds : known * 0.8 + milliseconds * 0.2);
  }

  clear(): void {
    this.#times.clear();
  }
}
