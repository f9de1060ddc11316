/** Maximum numbers of tasks that may run at the same time. */
export interface InFlightBounds {
  /** Maximum number of tasks of one subject. */
  readonly ofSubject: number;
  /** Maximum number of tasks of all subjects together; unlimited if absent. */
  readonly ofAll?: number;
}

/** Counts the running tasks of this process, by subject and in total. */
export class InFlight {
  readonly #bySubject = new Map<string, number>();
  #total = 0;

  /**
   * Counts a task of a subject, such as an app.
   * @returns a function that ends the task; null if a maximum is reached, so that the task must not begin
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
