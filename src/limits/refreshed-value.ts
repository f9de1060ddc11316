/**
 * A value that is loaded when it is first needed and used for a while. Only the first caller waits: later callers get
 * the previous value while a new one is loaded. A failed load keeps the previous value.
 */
export class RefreshedValue<T> {
  readonly #milliseconds: number;
  #last: { readonly at: number; readonly value: Promise<T> } | null = null;

  /** @param milliseconds How long a value is used. */
  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** @throws the error of `load`, if there is no previous value */
  get(load: () => Promise<T>): Promise<T> {
    const last = this.#last;
    const at = performance.now();
    if (last && at - last.at < this.#milliseconds) return last.value;
    const loading = load();
    const value = last?.value ?? loading;
    this.#last = { at, value };
    loading.then(
      () => {
        this.#last = { at, value: loading };
      },
      () => {
        if (!last) this.#last = null;
      },
    );
    return value;
  }

  /** Makes the next caller wait for a new value. */
  discard(): void {
    this.#last = null;
  }
}
