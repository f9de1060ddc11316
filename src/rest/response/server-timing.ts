/**
 * Measures the duration of each step in milliseconds for the Server-Timing header
 * (https://www.w3.org/TR/server-timing/).
 */
export class Stopwatch {
  readonly #marks: [string, number][] = [];
  #last = performance.now();

  /** @param jwtMilliseconds Duration of authentication. */
  constructor(jwtMilliseconds: number) {
    this.#marks.push(['jwt', jwtMilliseconds]);
  }

  /** Records the duration since the previous mark. */
  mark(step: 'parse' | 'plan' | 'transaction' | 'response'): void {
    const now = performance.now();
    this.#marks.push([step, now - this.#last]);
    this.#last = now;
  }

  get header(): string {
    return this.#marks.map(([step, milliseconds]) => `${step};dur=${milliseconds.toFixed(1)}`).join(', ');
  }
}
