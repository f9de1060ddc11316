/** How many pieces of work may be in flight. */
export interface InFlightBounds {
  /** For one subject. */
  readonly ofSubject: number;
  /** For all subjects together; no bound if absent. */
  readonly ofAll?: number;
}

/** Counts work that is in flight in this process, by subject and in total. */
export class InFlight {
  readonly #bySubject = new Map<string, number>();
  #total = 0;

  /**
   * Counts a piece of work of a subject, such as an app.
   * @returns a function that ends the work; null if a bound is reached, so that the work must not begin
   */
  begin(subject: string, { ofSubject, ofAll = Number.POSITIVE_INFINITY }: InFlightBounds): (() => void) | null {
    const count = this.#bySubject.get(subject) ?? 0;
    if (count >= ofSubject || this.#total >= ofAll) return null;
    this.#bySubject.set(subject, count + 1);
    this.#total++;
    return () => this.#end(subject);
  }

  #end(subject: string): void {
    const left = (this.#bySubject.get(subject) ?? 1) - 1;
    if (left > 0) this.#bySubject.set(subject, left);
    else this.#bySubject.delete(subject);
    this.#total--;
  }
}
