import { limits } from '../../contract/limits.ts';

/** Something for each app, by ref; a bounded number, so that made-up refs cannot fill the memory. */
export class PerApp<T> {
  readonly #make: () => T;
  readonly #all = new Map<string, T>();

  constructor(make: () => T) {
    this.#make = make;
  }

  /** That of one app, made at the first call; null where there are too many apps. */
  of(ref: string): T | null {
    const known = this.#all.get(ref);
    if (known !== undefined) return known;
    if (this.#all.size >= limits.observedApps.default) return null;
    const made = this.#make();
    this.#all.set(ref, made);
    return made;
  }

  /** That of one app, where there is one. */
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
