import { LRUCache } from 'lru-cache';
import type { App } from '../../apps/app.ts';

/**
 * A cache of values by app and by a key for the privileges of a caller. An entry is valid until the app's database
 * notifies of a change.
 */
export class RememberedByRole<T> {
  readonly #known = new WeakMap<App, LRUCache<string, Promise<T>>>();
  readonly #max: number;

  /**
   * @param max The max number of values of an app. It limits the memory, because a key may come from a token and have
   * any content.
   */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Returns the cached value or calls `make` and caches its result.
   * @throws Errors of `make`.
   */
  get(app: App, key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#of(app);
    const found = known.get(key);
    if (found) return found;
    const made = make();
    // Caches the value only while the LISTEN connection of the app is open. Without this connection, the cache would
    // not notice changes.
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
