import { LRUCache } from 'lru-cache';
import type { App } from '../apps/app.ts';

/** Values of each app by a key that stands for the rights of a caller, each until the app's database reports a change. */
export class RememberedByRole<T> {
  readonly #known = new WeakMap<App, LRUCache<string, Promise<T>>>();
  readonly #max: number;

  /** @param max Values of an app; the key may come from a token and be anything. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Returns the value that is cached, or the one that `make` returns. Throws what `make` throws. */
  get(app: App, key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#of(app);
    const found = known.get(key);
    if (found) return found;
    const made = make();
    // Without the app's listener no change would be noticed.
    if (app.isOpen) {
      known.set(key, made);
      made.catch(() => {
        if (known.peek(key) === made) known.delete(key);
      });
    }
    return made;
  }

  #of(app: App): LRUCache<string, Promise<T>> {
    const known = this.#known.get(app);
    if (known) return known;
    const fresh = new LRUCache<string, Promise<T>>({ max: this.#max });
    this.#known.set(app, fresh);
    app.subscribe(({ type }) => {
      if (type === 'schema' || type === 'settings' || type === 'listening' || type === 'disconnected') fresh.clear();
    });
    return fresh;
  }
}
