/** The header Server-Timing (https://www.w3.org/TR/server-timing/): how long each step took, in milliseconds. */
export class Stopwatch {
  readonly #marks: [string, number][] = [];
  #last = performance.now();

  /** `jwtMilliseconds`: how long it took to tell who is calling. */
  constructor(jwtMilliseconds: number) {
    this.#marks.push(['jwt', jwtMilliseconds]);
  }

  /** Ends the step that began at the mark before. */
  mark(step: 'parse' | 'plan' | 'transaction' | 'response'): void {
    const now = performance.now();
    this.#marks.push([step, now - this.#last]);
    this.#last = now;
  }

  get header(): string {
    return this.#marks.map(([step, milliseconds]) => `${step};dur=${milliseconds.toFixed(1)}`).join(', ');
  }
}
