import { limits } from '../../contract/limits.ts';

/** A value for each app, by ref. The number of apps is limited, so that invented refs cannot fill the memory. */
export class PerApp<T> {
  readonly #make: () => T;
  readonly #all = new Map<string, T>();

  constructor(make: () => T) {
    this.#make = make;
  }

  /** Returns the value of an app, which the first call creates; null if there are too many apps. */
  of(ref: string): T | null {
    const known = this.#all.get(ref);
    if (known !== undefined) return known;
    if (this.#all.size >= limits.observedApps.default) return null;
    const made = this.#make();
    this.#all.set(ref, made);
    return made;
  }

  /** Returns the value of an app, if there is one. */
  peek(ref: string): T | undefined {
    return this.#all.get(ref);
  }

  delete(ref: string): void {
    this.#all.delete(ref);
  }

  entries(): [string, T][] {
    return [...this.#all];
  }

  refs(): string[] {
    return [...this.#all.keys()];
  }
}
